package org.tutti.replica;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tutti.Group;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.replica.protocol.ClientBinding;

/// What a client has in place of connections when it is in groups with its servers. With the client's lock.
final class GroupLanes implements ClientBinding.Host {
  /// Joining the contact group and the group, two views each; who is known to have gone is not waited for.
  static final long FORMING_NANOS = 3_000_000_000L;

  private final Client client;
  private final Node node;
  private final String service;
  private final ClientGroup.Kind kind;
  private final ClientBinding binding;
  private final Map<String, GroupChannel> channels = new HashMap<>();
  private final TreeMap<Long, Lane> lanes = new TreeMap<>(); // by line

  GroupLanes(Client client, Node node, String service, ClientGroup.Kind kind, long nonce) {
    this.client = client;
    this.node = node;
    this.service = service;
    this.kind = kind;
    this.binding = new ClientBinding(node.self(), service, nonce, kind, this);
  }

  /// One lane, which is a line to one server after the other.
  final class Lane implements Client.Carrier {
    private final Consumer<Client.Happening> told;
    private long line; // 0: none

    private Lane(Consumer<Client.Happening> told) {
      this.told = told;
    }

    @Override
    public void connect(String address) {
      disconnect();
      line = binding.connect(address);
      lanes.put(line, this);
    }

    @Override
    public void disconnect() {
      if (line != 0) {
        lanes.remove(line);
        binding.disconnect(line);
        line = 0;
      }
    }

    @Override
    public void send(ByteBuffer frame) {
      if (line != 0) {
        binding.send(line, frame.slice(Integer.BYTES, frame.remaining() - Integer.BYTES));
      }
    }

    @Override
    public void write() {
      binding.flush();
    }
  }

  Client.Carrier lane(Consumer<Client.Happening> told) {
    return new Lane(told);
  }

  void close() {
    lanes.clear();
    binding.close();
  }

  List<ClientGroup> details() {
    return binding.groups().stream()
        .map(group -> {
          GroupChannel channel = channels.get(group);
          return channel == null ? null : channel.details(kind, node.self());
        })
        .filter(Objects::nonNull)
        .toList();
  }

  long formed() {
    return binding.formed();
  }

  // ---- what the binding asks ---------------------------------------------------------------------------------------

  @Override
  public void observe(String group) {
    try {
      open(node.observe(group, GroupChannel.OF_CONTACTS));
    } catch (IllegalStateException taken) {
      throw new IllegalStateException(
          "node "
              + node.self().name()
              + " cannot have a client of \""
              + service
              + "\" in groups: it is closed, or has another one, or a replica of the service",
          taken);
    }
  }

  @Override
  public void join(String group) {
    open(node.join(group, GroupChannel.MEMBER));
  }

  private void open(Group group) {
    channels.put(group.name(), GroupChannel.over(group, new Told(group.name())));
  }

  private final class Told implements GroupChannel.Events {
    private final String group;

    Told(String group) {
      this.group = group;
    }

    @Override
    public void viewed(View view) {
      client.actByLoop(() -> binding.viewed(group, view));
    }

    @Override
    public void delivered(MemberId sender, ByteBuffer payload) {
      client.actByLoop(() -> binding.delivered(group, sender, payload));
    }

    @Override
    public void ended(String why) {
      client.actByLoop(() -> {
        channels.remove(group);
        binding.ended(group, why);
      });
    }
  }

  @Override
  public void leave(String group) {
    GroupChannel channel = channels.remove(group);
    if (channel != null) {
      channel.leave();
    }
  }

  @Override
  public void post(String group, ByteBuffer message) {
    GroupChannel channel = channels.get(group);
    if (channel != null) {
      channel.post(message);
    }
  }

  @Override
  public void connected(long line) {
    tell(line, new Client.Happening.Connected());
  }

  @Override
  public void received(long line, ByteBuffer frame) {
    tell(line, new Client.Happening.Received(frame));
  }

  @Override
  public void disconnected(long line, String why) {
    Lane lane = lanes.remove(line);
    if (lane != null) {
      lane.line = 0;
      lane.told.accept(new Client.Happening.Disconnected(why));
    }
  }

  private void tell(long line, Client.Happening what) {
    Lane lane = lanes.get(line);
    if (lane != null) {
      lane.told.accept(what);
    }
  }
}
