package org.tutti.replica;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Dissemination;
import org.tutti.Group;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.replica.protocol.ClientBinding;

/// What a client has in place of connections when it is in groups with its servers. With the client's lock. Clients of
/// one node observe a contact group one after the other.
final class GroupChannels implements ClientBinding.Host {
  /// Joining the contact group and the group, two views each.
  static final long FORMING_NANOS = 3_000_000_000L;

  private final Client client;
  private final Node node;
  private final ClientGroup.Kind kind;
  private final ClientBinding binding;
  private final Map<String, Membership> memberships = new HashMap<>();
  private final TreeMap<Long, Channel> channels = new TreeMap<>(); // by number

  GroupChannels(Client client, Node node, String service, ClientGroup.Kind kind, @Nullable Policy policy, long nonce) {
    this.client = client;
    this.node = node;
    this.kind = kind;
    this.binding = new ClientBinding(node.self(), service, nonce, kind, policy, this);
  }

  /// What stands for one connection of the client's: a channel to one server after the other.
  final class Channel implements Carrier {
    private final Consumer<Carrier.Happening> told;
    private long number; // of the channel; 0: none

    private Channel(Consumer<Carrier.Happening> told) {
      this.told = told;
    }

    @Override
    public void connect(String address) {
      disconnect();
      number = binding.connect(address);
      channels.put(number, this);
    }

    @Override
    public void disconnect() {
      if (number != 0) {
        channels.remove(number);
        binding.disconnect(number);
        number = 0;
      }
    }

    @Override
    public void send(ByteBuffer frame) {
      if (number != 0) {
        binding.send(number, frame.slice(Integer.BYTES, frame.remaining() - Integer.BYTES));
      }
    }

    @Override
    public void write() {
      binding.listed(client.replicas());
      binding.flush(System.nanoTime());
    }
  }

  Carrier channel(Consumer<Carrier.Happening> told) {
    return new Channel(told);
  }

  void close() {
    channels.clear();
    binding.close();
  }

  List<ClientGroup> details() {
    return binding.groups().stream()
        .map(group -> {
          Membership membership = memberships.get(group);
          return membership == null ? null : membership.details(kind, node.self());
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
      open(node.observe(group, Membership.OF_CONTACTS));
    } catch (IllegalStateException notNow) { // a replica of this node has it, or another client, or the node is closed
      client.afterwards(() -> binding.ended(group, String.valueOf(notNow.getMessage()), System.nanoTime()));
    }
  }

  @Override
  public void join(String group, Dissemination dissemination) {
    open(node.observe(group, Membership.MEMBER.toBuilder().dissemination(dissemination).build()));
  }

  private void open(Group group) {
    memberships.put(group.name(), Membership.over(group, new Told(group.name())));
  }

  private final class Told implements Membership.Events {
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
        memberships.remove(group);
        binding.ended(group, why, System.nanoTime());
      });
    }
  }

  @Override
  public void leave(String group) {
    Membership membership = memberships.remove(group);
    if (membership != null) {
      membership.leave();
    }
  }

  @Override
  public void post(String group, ByteBuffer message) {
    Membership membership = memberships.get(group);
    if (membership != null) {
      membership.post(message);
    }
  }

  @Override
  public void connected(long number) {
    tell(number, new Carrier.Happening.Connected());
  }

  @Override
  public void received(long number, ByteBuffer frame) {
    tell(number, new Carrier.Happening.Received(frame));
  }

  @Override
  public void disconnected(long number, String why) {
    Channel channel = channels.remove(number);
    if (channel != null) {
      channel.number = 0;
      channel.told.accept(new Carrier.Happening.Disconnected(why));
    }
  }

  private void tell(long number, Carrier.Happening what) {
    Channel channel = channels.get(number);
    if (channel != null) {
      channel.told.accept(what);
    }
  }
}
