package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.replica.ClientGroup;
import org.tutti.wire.Malformed;

/// The groups that one server is in with clients of its replica ([ClientBinding] is the other side, with a picture). A
/// client's channel to this server is one more connection of the [ReplicaProtocol], which so refuses, redirects and
/// answers clients in groups as it does those that are connected; what they call it multicasts in the servers' group,
/// once for each number, and it gathers the replies to it for a client that wants them in a bundle ([ReplyBundles]).
///
/// **Its contact group**, in which clients invite it, it founds alone when it begins, and leaves when it ends. Only the
/// server votes there: so the group is primary as long as the server is at work, whoever is cut off from whom, and
/// nobody has to found it anew, or to come back to what he has forgotten. A later life of the server founds another one
/// of the same name; clients, which observe, give way to it.
///
/// A client's group speaks the version of the protocol that the contact group has in which it was invited, which the
/// client has, too: what a newer build that founds it alone would choose, an older client might lack.
///
/// A group in which its client is not any more is left, and so is one that its client does not come to. So a group is
/// deleted by its client's leaving it. A server that is shown to be alone in a view that is not primary may have missed
/// something only, because the member that was to tell it where the group is has gone: the next view follows at once.
/// So it waits a moment for its client before it leaves.
///
/// **Threads**: none, and no clock but times that are given: inputs come from one at a time.
public final class ServedGroups {
  /// What the server asks of its host.
  public interface Host {
    /// Founds a group, or begins to be a member of one.
    ///
    /// @param group      which
    /// @param ordering   of the group
    /// @param founds     whether it is founded
    /// @param versionMax the highest version of the protocol to which the group may rise
    void enter(String group, Ordering ordering, boolean founds, int versionMax);

    /// Leaves a group, for which nothing more is told.
    ///
    /// @param group which
    void leave(String group);

    /// Multicasts, totally ordered, now or when there is room.
    ///
    /// @param group   to whom
    /// @param message never changed from now on
    void post(String group, ByteBuffer message);

    /// A client has come: [ReplicaProtocol#connected].
    ///
    /// @param client who
    /// @param channel   its number of the channel
    /// @return its connection's number, higher than those of all before
    long connected(MemberId client, long channel);

    /// The client has said something: [ReplicaProtocol#said].
    ///
    /// @param connection the client's
    /// @param frame      without its length; lent
    void said(long connection, ByteBuffer frame);

    /// The client has gone: [ReplicaProtocol#disconnected].
    ///
    /// @param connection the client's
    void disconnected(long connection);
  }

  /// A group as it is.
  ///
  /// @param name   its name
  /// @param kind   which servers are in it
  /// @param client whose it is
  public record Served(String name, ClientGroup.Kind kind, MemberId client) {}

  private static final class Joined {
    final Served what;
    long dueNanos; // its client is there by then
    boolean hasClient;
    boolean hadClient;
    final TreeMap<Long, Channel> channels = new TreeMap<>(); // to this server

    Joined(Served what, long dueNanos) {
      this.what = what;
      this.dueNanos = dueNanos;
    }
  }

  private static final class Channel {
    final Joined in;
    final long number;
    final long connection;
    long said; // frames, to the client
    long heard;
    boolean reads = true;
    final ArrayDeque<ByteBuffer> unread = new ArrayDeque<>();
    long unreadBytes;

    Channel(Joined in, long number, long connection) {
      this.in = in;
      this.number = number;
      this.connection = connection;
    }
  }

  private static final long NEVER = Long.MAX_VALUE;
  private static final long PATIENCE_NANOS = 10_000_000_000L; // for a client that does not come
  private static final long APART_NANOS = 1_000_000_000L; // from its client
  private static final int LEFT_MAX = 1024; // groups
  private static final int CHANNELS_MAX = 8; // in a group: a client has one, and others that it is just leaving
  private static final long UNREAD_BYTES_MAX = 64L << 20; // of a channel, while the servers' window is full

  private final MemberId self;
  private final String contactGroup;
  private final String prefix;
  private final String address;
  private final int groupsMax;
  private final Host host;
  private final TreeMap<String, Joined> groups = new TreeMap<>();
  private final TreeMap<Long, Channel> channels = new TreeMap<>(); // by connection
  private final SequencedSet<String> left = new LinkedHashSet<>(); // groups, which it does not enter again; the newest
  private @Nullable View contactView;
  private boolean away;
  private boolean more; // may be read
  private long joined;
  private long refused;
  private long dropped;

  /// Makes a server that is in no group; its host founds its contact group ([ClientBinding#contactGroup]).
  ///
  /// @param self      its node
  /// @param service   the service's name
  /// @param address   where the replica says that clients reach it
  /// @param groupsMax in how many groups it is at most
  /// @param host      enters groups and multicasts
  public ServedGroups(MemberId self, String service, String address, int groupsMax, Host host) {
    this.self = self;
    this.contactGroup = ClientBinding.contactGroup(service, address);
    this.prefix = ClientBinding.prefix(service);
    this.address = address;
    this.groupsMax = groupsMax;
    this.host = host;
  }

  // ---- what groups tell ------------------------------------------------------------------------------------------

  /// A view was installed.
  ///
  /// @param group whose
  /// @param view  the view
  /// @param now   the time, in nanoseconds
  public void viewed(String group, View view, long now) {
    if (group.equals(contactGroup)) {
      contactView = view;
      return;
    }
    Joined its = groups.get(group);
    if (its == null) {
      return;
    }
    boolean here = view.primary() && view.contains(its.what.client);
    if (here) {
      its.hasClient = true;
      its.hadClient = true;
    } else if (its.hasClient && !view.primary() && view.size() == 1) {
      its.hasClient = false;
      its.dueNanos = now + APART_NANOS;
      List.copyOf(its.channels.values()).forEach(this::endAndTell);
    } else if (its.hadClient) {
      leave(its);
    }
  }

  /// A message was delivered.
  ///
  /// @param group   where
  /// @param sender  who multicast it
  /// @param message its bytes; belongs to the receiver
  /// @param now     the time, in nanoseconds
  public void delivered(String group, MemberId sender, ByteBuffer message, long now) {
    Joined its = groups.get(group);
    if (!group.equals(contactGroup) && (its == null || !its.what.client.equals(sender))) {
      return; // of another server
    }
    try {
      ClientGroupMessage read = ClientGroupMessage.read(message);
      if (its == null) {
        if (!(read instanceof ClientGroupMessage.Invite invite)) {
          throw new Malformed("no invitation");
        }
        invited(sender, invite, now);
        return;
      }
      switch (read) {
        case ClientGroupMessage.Begin(long number, String at) -> begin(its, number, at);
        case ClientGroupMessage.Said(List<ClientGroupMessage.Place> to, ByteBuffer frame) ->
            to.forEach(place -> said(its, place, frame.duplicate()));
        case ClientGroupMessage.Ended(long number) -> {
          Channel channel = its.channels.get(number);
          if (channel != null) {
            end(channel);
          }
        }
        default -> throw new Malformed("not by a client");
      }
    } catch (Malformed _) {
      dropped++;
    }
  }

  private void invited(MemberId client, ClientGroupMessage.Invite invite, long now) throws Malformed {
    if (!invite.group().startsWith(prefix) || Names.fault(invite.group()) != null) {
      throw new Malformed("name of a group");
    }
    if (!invite.founds() && invite.kind() == ClientGroup.Kind.ONE_CLUSIVE) {
      throw new Malformed("a second server of one");
    }
    View there = contactView;
    if (there == null || there.version() == 0 || !there.contains(client)) {
      return; // the client has gone, or is not in a primary view yet with this server
    }
    if (groups.containsKey(invite.group()) || left.contains(invite.group())) {
      return; // it was invited before
    }
    if (groups.size() >= groupsMax) {
      refused++;
      return;
    }
    var its = new Joined(new Served(invite.group(), invite.kind(), client), now + PATIENCE_NANOS);
    groups.put(invite.group(), its);
    joined++;
    host.enter(invite.group(), invite.ordering(), invite.founds(), there.version());
  }

  private void begin(Joined in, long number, String at) {
    if (!in.channels.containsKey(number) && at.equals(address) && !away) {
      while (in.channels.size() >= CHANNELS_MAX) {
        end(in.channels.firstEntry().getValue());
      }
      var channel = new Channel(in, number, host.connected(in.what.client, number));
      in.channels.put(number, channel);
      channels.put(channel.connection, channel);
      post(channel, new ClientGroupMessage.Begun(number));
    }
  }

  private void said(Joined in, ClientGroupMessage.Place place, ByteBuffer frame) {
    Channel channel = in.channels.get(place.channel());
    if (channel == null) {
      return; // another server's, or over
    }
    if (place.number() != channel.heard++) {
      dropped++;
      endAndTell(channel);
    } else if (channel.reads && channel.unread.isEmpty()) {
      host.said(channel.connection, frame);
    } else {
      channel.unread.add(frame);
      channel.unreadBytes += frame.remaining();
      if (channel.unreadBytes > UNREAD_BYTES_MAX) {
        dropped++;
        endAndTell(channel);
      }
    }
  }

  /// A membership has ended, by no wish of the server's.
  ///
  /// @param group which
  public void ended(String group) {
    if (group.equals(contactGroup)) {
      contactView = null;
    }
    Joined its = groups.remove(group);
    if (its != null) {
      if (its.hadClient) {
        left.add(group);
      }
      while (left.size() > LEFT_MAX) {
        left.removeFirst();
      }
      List.copyOf(its.channels.values()).forEach(this::end);
    }
  }

  // ---- what the replica says -------------------------------------------------------------------------------------

  /// Whether a connection is a channel in a group.
  ///
  /// @param connection of a client
  /// @return whether it is, and not over
  public boolean has(long connection) {
    return channels.containsKey(connection);
  }

  /// Sends a frame to a client: [ReplicaProtocol.Clients#send].
  ///
  /// @param connection which has a channel
  /// @param frame      with its length, never changed from now on
  public void send(long connection, ByteBuffer frame) {
    Channel channel = channels.get(connection);
    if (channel != null) {
      ByteBuffer bare = frame.slice(Integer.BYTES, frame.remaining() - Integer.BYTES);
      post(
          channel, new ClientGroupMessage.Answered(new ClientGroupMessage.Place(channel.number, channel.said++), bare));
    }
  }

  /// Stops reading what a client says, or goes on: [ReplicaProtocol.Clients#read].
  ///
  /// @param connection which has a channel
  /// @param on         whether to read
  public void read(long connection, boolean on) {
    Channel channel = channels.get(connection);
    if (channel != null) {
      channel.reads = on;
      more |= on;
    }
  }

  /// Ends a channel: [ReplicaProtocol.Clients#close].
  ///
  /// @param connection which has one
  public void close(long connection) {
    Channel channel = channels.get(connection);
    if (channel != null) {
      endAndTell(channel);
    }
  }

  /// Turns all clients away, until it is called again: they go to another server.
  ///
  /// @param on whether nobody is served
  public void away(boolean on) {
    away = on;
    if (on) {
      List.copyOf(channels.values()).forEach(this::endAndTell);
    }
  }

  private void post(Channel channel, ClientGroupMessage message) {
    host.post(channel.in.what.name, message.encode());
  }

  private void endAndTell(Channel channel) {
    post(channel, new ClientGroupMessage.Ended(channel.number));
    end(channel);
  }

  private void end(Channel channel) {
    channel.in.channels.remove(channel.number);
    if (channels.remove(channel.connection) != null) {
      host.disconnected(channel.connection);
    }
  }

  private void leave(Joined group) {
    ended(group.what.name);
    host.leave(group.what.name);
  }

  // ---- what is done besides --------------------------------------------------------------------------------------

  /// Does what is due: to be called after each run of inputs, after the replica has done what is due there, and at the
  /// latest at [#deadlineNanos].
  ///
  /// @param now the time, in nanoseconds
  /// @return whether the replica was told something
  public boolean work(long now) {
    View there = contactView;
    for (Joined group : List.copyOf(groups.values())) {
      if (group.hasClient || now - group.dueNanos < 0) {
        continue;
      }
      if (!group.hadClient && there != null && there.contains(group.what.client)) {
        group.dueNanos = now + PATIENCE_NANOS; // it still wants this server
      } else {
        leave(group);
      }
    }
    boolean told = false;
    while (more) {
      more = false;
      for (Channel channel : List.copyOf(channels.values())) {
        while (channel.reads && !channel.unread.isEmpty() && has(channel.connection)) {
          ByteBuffer frame = channel.unread.remove();
          channel.unreadBytes -= frame.remaining();
          told = true;
          host.said(channel.connection, frame);
        }
      }
    }
    return told;
  }

  /// When [#work] has something to do although nothing happens.
  ///
  /// @return the time, in nanoseconds; [Long#MAX_VALUE] for never
  public long deadlineNanos() {
    long due = NEVER;
    for (Joined group : groups.values()) {
      due = group.hasClient ? due : Math.min(due, group.dueNanos);
    }
    return due;
  }

  /// The groups in which this server is with their clients.
  ///
  /// @return them, by name
  public List<Served> groups() {
    return groups.values().stream().filter(group -> group.hasClient).map(group -> group.what).toList();
  }

  /// How many groups it has entered.
  ///
  /// @return a count since the start
  public long joined() {
    return joined;
  }

  /// How many invitations it has not followed, as it was in too many groups.
  ///
  /// @return a count since the start
  public long refused() {
    return refused;
  }

  /// How many messages were dropped: they were none of this protocol, or one before them was missing, or more waited
  /// for the servers' window than may.
  ///
  /// @return a count since the start
  public long dropped() {
    return dropped;
  }
}
