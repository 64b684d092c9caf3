package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.replica.ClientGroup;
import org.tutti.wire.Malformed;

/// What a client has with its servers when it is a member of groups with them, in place of connections: channels over
/// which it says the frames that it would say over a connection, and gets theirs.
///
/// ```
///  client ==== INVITE g ====> contact group    n1 founds the group g; of an inclusive one, others join
///         --- joins g -->
///         ==== BEGIN 1 ====> g = [n1, client]
///         <=== BEGUN 1 ===== n1
///         ==== SAID 1/0 HELLO, 1/1 RESUME, 1/2 CALL ====>     ClientProtocol knows no difference from here on
///         <=== ANSWERED 1/0 WELCOME, 1/1 REPLY ==========
///  n1 leaves the view of g: channel 1 is over; the client begins channel 2 in a group g' with n2, which it founds
/// ```
///
/// A one-clusive group has one server and one channel. An inclusive group has all servers, and as many channels as the
/// client wants; a frame that goes over several channels at once is one multicast. A channel is over for ever when its
/// server is not in a view of the group, or the group is not primary, or a frame is missing. A group that is over is
/// never used again: each has a name of its own. So nothing that was said to an earlier binding is taken for an answer
/// of a later one; what the client had asked it asks again, under the same numbers ([SessionTable]).
///
/// The contact group decides nothing and keeps nothing: it goes on in any part, and is founded anew when all servers
/// have ended and come back.
///
/// **Threads**: none, and no clock: inputs come from one at a time.
public final class ClientBinding {
  /// What the client asks of its host.
  public interface Host {
    /// Begins to observe a group.
    ///
    /// @param group which
    void observe(String group);

    /// Begins to be a member of a group that somebody else founds.
    ///
    /// @param group which
    void join(String group);

    /// Leaves a group, for which nothing more is told.
    ///
    /// @param group which
    void leave(String group);

    /// Multicasts, totally ordered, now or when there is room.
    ///
    /// @param group   to whom
    /// @param message never changed from now on
    void post(String group, ByteBuffer message);

    /// A channel has its server.
    ///
    /// @param channel as [#connect] returned it
    /// @param at      the server's address
    void connected(long channel, String at);

    /// A frame has come over a channel.
    ///
    /// @param channel  which
    /// @param frame without its length; lent
    void received(long channel, ByteBuffer frame);

    /// A channel is over.
    ///
    /// @param channel which
    /// @param why  in words
    void disconnected(long channel, String why);
  }

  private static final class Bound {
    final String name;
    final String at; // of the server that founds it
    boolean invited;
    @Nullable MemberId founder; // as far as it is known
    @Nullable View view; // with a server in it
    final TreeSet<MemberId> had = new TreeSet<>(); // all members that it ever had

    Bound(String name, String at) {
      this.name = name;
      this.at = at;
    }
  }

  private static final class Channel {
    final long number;
    final String at;
    final Bound group;
    @Nullable MemberId server;
    boolean asked; // for a server, in the view of now
    long said; // frames
    long heard;

    Channel(long number, String at, Bound group) {
      this.number = number;
      this.at = at;
      this.group = group;
    }
  }

  private final MemberId self;
  private final String prefix;
  private final String contactGroup;
  private final ClientGroup.Kind kind;
  private final Host host;
  private final TreeMap<String, Bound> groups = new TreeMap<>();
  private final TreeMap<Long, Channel> channels = new TreeMap<>();
  private final TreeMap<String, MemberId> servers = new TreeMap<>(); // that had channels, by address
  private final List<ClientGroupMessage.Place> to = new ArrayList<>(); // of the frame that is not multicast yet
  private @Nullable ByteBuffer frame;
  private @Nullable Bound frameIn;
  private @Nullable Bound all; // the inclusive group
  private @Nullable View contactView;
  private boolean observing;
  private boolean closed;
  private long channelNext = 1;
  private long formed;
  private long dropped;

  /// Makes a client that is in no group.
  ///
  /// @param self    the client's node
  /// @param service the service's name
  /// @param nonce   drawn: no other client of this node has it
  /// @param kind    which servers are in its groups
  /// @param host    joins groups and multicasts
  public ClientBinding(MemberId self, String service, long nonce, ClientGroup.Kind kind, Host host) {
    this.self = self;
    this.contactGroup = contactGroup(service);
    this.prefix = prefix(service) + self.name() + "." + Long.toHexString(nonce) + ".";
    this.kind = kind;
    this.host = host;
  }

  /// The name of the group of all servers that clients invite from.
  ///
  /// @param service the service's name
  /// @return a name for a group
  public static String contactGroup(String service) {
    return service + ".clients";
  }

  /// What the names of all client/server groups of a service begin with.
  static String prefix(String service) {
    return service + ".client.";
  }

  // ---- what the client wants -------------------------------------------------------------------------------------

  /// Begins a channel; [Host#connected] or [Host#disconnected] follows, or neither when nobody is at the address.
  ///
  /// @param at the server's address, as clients know it; empty for the most senior one
  /// @return the channel's number
  public long connect(String at) {
    if (closed) {
      throw new IllegalStateException("the client has left its groups");
    }
    if (!observing) {
      observing = true;
      host.observe(contactGroup);
    }
    Bound in = all;
    if (in == null) {
      long number = ++formed;
      in = new Bound(prefix + number, kind == ClientGroup.Kind.INCLUSIVE ? "" : at);
      all = kind == ClientGroup.Kind.INCLUSIVE ? in : null;
      groups.put(in.name, in);
      host.join(in.name);
      invite(in);
    }
    var channel = new Channel(channelNext++, at, in);
    channels.put(channel.number, channel);
    ask(channel);
    return channel.number;
  }

  /// Ends a channel, of which nothing more is told. In a group that nobody has come to it is the last one.
  ///
  /// @param number the channel's
  public void disconnect(long number) {
    Channel channel = channels.remove(number);
    if (channel == null) {
      return;
    }
    if (channel.asked) {
      post(channel.group, new ClientGroupMessage.Ended(number));
    }
    if (channel.server == null && channel.group.view != null && kind == ClientGroup.Kind.INCLUSIVE) {
      inviteOthers(channel.group); // nobody has answered: the server may have left this group only
    }
    boolean unused = channels.values().stream().noneMatch(other -> other.group == channel.group);
    if (unused && (kind == ClientGroup.Kind.ONE_CLUSIVE || channel.group.view == null)) {
      leave(channel.group);
    }
  }

  /// Says a frame. What is said over several channels, one right after the other, goes to their servers in one
  /// multicast.
  ///
  /// @param number of the channel
  /// @param said   without its length; never changed from now on
  public void send(long number, ByteBuffer said) {
    Channel channel = channels.get(number);
    if (channel == null || channel.server == null) {
      return;
    }
    if (frameIn != channel.group || !said.equals(frame) || to.stream().anyMatch(place -> place.channel() == number)) {
      multicast();
      frame = said;
      frameIn = channel.group;
    }
    to.add(new ClientGroupMessage.Place(number, channel.said++));
  }

  /// Multicasts what was said last, and ends channels to servers that have gone: to be called after each run of
  /// inputs.
  public void flush() {
    multicast();
    endVain();
  }

  /// Who is not in the contact group any more does not found a group.
  private void endVain() {
    View view = contactView;
    if (view == null || view.voting() == 0) {
      return;
    }
    for (Bound group : List.copyOf(groups.values())) {
      MemberId founder = group.founder;
      if (group.view == null && founder != null && !view.contains(founder)) {
        over(group, founder.name() + " is not among the servers any more");
      }
    }
  }

  private void multicast() {
    Bound in = frameIn;
    ByteBuffer last = frame;
    if (in != null && last != null) {
      host.post(in.name, new ClientGroupMessage.Said(to, last).encode());
    }
    frame = null;
    frameIn = null;
    to.clear();
  }

  /// Deletes the client's groups: it leaves them, and so do the servers when they are told.
  public void close() {
    multicast();
    closed = true;
    channels.clear();
    List.copyOf(groups.values()).forEach(this::leave);
    if (observing) {
      host.leave(contactGroup);
    }
  }

  private void post(Bound in, ClientGroupMessage message) {
    multicast();
    host.post(in.name, message.encode());
  }

  private void leave(Bound group) {
    if (frameIn == group) {
      multicast();
    }
    groups.remove(group.name);
    all = all == group ? null : all;
    host.leave(group.name);
  }

  // ---- what groups tell ------------------------------------------------------------------------------------------

  /// A view was installed.
  ///
  /// @param group whose
  /// @param view  the view
  public void viewed(String group, View view) {
    if (group.equals(contactGroup)) {
      viewedContacts(view);
      return;
    }
    Bound its = groups.get(group);
    if (its == null) {
      return;
    }
    boolean here = view.primary() && view.contains(self) && view.size() > 1;
    if (here) {
      its.view = view;
      its.had.addAll(view.members());
      for (Channel channel : of(its)) {
        MemberId server = channel.server;
        if (server == null) {
          channel.asked = false;
          ask(channel);
        } else if (!view.contains(server)) {
          over(channel, server.name() + " is not in the group any more");
        }
      }
    } else if (its.view != null) {
      over(its, view.size() == 1 ? "no server is in the group any more" : "the group has no primary view any more");
    }
  }

  /// Servers that have come are wanted in an inclusive group that others are in already.
  private void viewedContacts(View view) {
    View before = contactView;
    contactView = view;
    List<Bound> bound = List.copyOf(groups.values());
    bound.forEach(this::invite);
    var known = new TreeSet<>(before == null ? List.<MemberId>of() : servers(before));
    if (kind == ClientGroup.Kind.INCLUSIVE && !known.containsAll(servers(view))) {
      bound.stream().filter(group -> group.view != null).forEach(this::inviteOthers);
    }
  }

  /// Nobody becomes a member twice of one group in one life: if a server has left it, another group is formed.
  private void inviteOthers(Bound group) {
    View in = group.view;
    List<MemberId> there = contactView == null ? List.of() : servers(contactView);
    if (in != null && there.stream().anyMatch(server -> group.had.contains(server) && !in.contains(server))) {
      over(group, "a server that had left the group is back");
    } else {
      invite(group, false);
    }
  }

  private static List<MemberId> servers(View contactGroup) {
    return contactGroup.members().subList(0, contactGroup.voting());
  }

  /// Has a group founded, once, as soon as there is somebody who can.
  private void invite(Bound group) {
    View view = contactView;
    if (!group.invited && view != null && view.voting() > 0) {
      group.invited = true;
      MemberId known = group.at.isEmpty() ? view.members().getFirst() : servers.get(group.at);
      group.founder = known != null && view.contains(known) ? known : null; // else a later life may be at the address
      invite(group, true);
    }
  }

  private void invite(Bound group, boolean founds) {
    multicast();
    host.post(contactGroup, new ClientGroupMessage.Invite(group.name, kind, group.at, founds).encode());
  }

  private void ask(Channel channel) {
    if (channel.group.view != null) {
      channel.asked = true;
      post(channel.group, new ClientGroupMessage.Begin(channel.number, channel.at));
    }
  }

  /// A membership has ended, by no wish of the client's.
  ///
  /// @param group which
  /// @param why   in words
  public void ended(String group, String why) {
    Bound its = groups.get(group);
    if (its != null) {
      over(its, why);
    } else if (group.equals(contactGroup)) {
      observing = false;
      contactView = null;
    }
  }

  private List<Channel> of(Bound group) {
    return channels.values().stream().filter(channel -> channel.group == group).toList();
  }

  private void over(Bound group, String why) {
    List<Channel> its = of(group);
    leave(group);
    its.forEach(channel -> over(channel, why));
  }

  private void over(Channel channel, String why) {
    channels.remove(channel.number);
    if (kind == ClientGroup.Kind.ONE_CLUSIVE && groups.containsKey(channel.group.name)) {
      leave(channel.group);
    }
    host.disconnected(channel.number, why);
  }

  /// A message was delivered.
  ///
  /// @param group   where
  /// @param sender  who multicast it
  /// @param message its bytes; lent
  public void delivered(String group, MemberId sender, ByteBuffer message) {
    if (group.equals(contactGroup) || sender.equals(self)) {
      return;
    }
    try {
      switch (ClientGroupMessage.read(message)) {
        case ClientGroupMessage.Begun(long number, String at) -> {
          Channel channel = channel(group, number);
          if (channel != null && channel.server == null) {
            channel.server = sender;
            servers.put(at, sender);
            host.connected(number, at);
          }
        }
        case ClientGroupMessage.Answered(ClientGroupMessage.Place place, ByteBuffer said) -> {
          Channel channel = channel(group, place.channel());
          if (channel != null && sender.equals(channel.server)) {
            answered(channel, place.number(), said);
          }
        }
        case ClientGroupMessage.Ended(long number) -> {
          Channel channel = channel(group, number);
          if (channel != null && sender.equals(channel.server)) {
            over(channel, "it has ended the binding");
          }
        }
        default -> dropped++; // what only clients say
      }
    } catch (Malformed _) {
      dropped++;
    }
  }

  /// The channel, if it is one of now, in this group.
  private @Nullable Channel channel(String group, long number) {
    Channel channel = channels.get(number);
    return channel != null && channel.group.name.equals(group) ? channel : null;
  }

  private void answered(Channel channel, long number, ByteBuffer said) {
    if (number == channel.heard) {
      channel.heard++;
      host.received(channel.number, said);
    } else {
      dropped++;
      over(channel, "a frame is missing");
    }
  }

  // ---- what there is ---------------------------------------------------------------------------------------------

  /// The groups with servers that the client is in now.
  ///
  /// @return their names
  public List<String> groups() {
    return groups.values().stream().filter(group -> group.view != null).map(group -> group.name).toList();
  }

  /// How many groups it has formed.
  ///
  /// @return a count since the start
  public long formed() {
    return formed;
  }

  /// How many messages were dropped: they were none of this protocol, or one before them was missing.
  ///
  /// @return a count since the start
  public long dropped() {
    return dropped;
  }
}
