package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.Dissemination;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Policy;
import org.tutti.wire.Malformed;

/// What a client has with its servers when it is a member of groups with them, in place of connections: channels over
/// which it says the frames that it would say over a connection, and gets theirs.
///
/// ```
///  client ==== INVITE g ====> contact group of n1     n1 founds the group g
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
/// **Contact groups.** Each server has one, named by its address, which it founds alone and in which nobody else votes
/// ([ServedGroups]). A client observes it as long as it wants that server in a group and it is not there yet: the one
/// that is to found a group, then, of an inclusive one, those that [#listed] names. It may observe the same one again
/// as often as it likes, also that of a later life of the server, which is another group of the same name.
///
/// **Through the sequencer.** In an inclusive group whose client asks the manager, and that has a sequencer, what the
/// client says goes to the sequencer alone, which sends it on with its place ([Dissemination#RELAY]): one
/// message over the client's distance instead of one to each server, the asymmetric protocol of NewTop. The manager is
/// to be the sequencer: when the server that has founded the group sends the client to another one before anybody has
/// welcomed it, another group is formed, which that one founds. Later the group stays, whoever becomes the manager.
///
/// Nobody becomes a member twice of one group in one life. When a server that has left an inclusive group is found in
/// its contact group again, another group is formed.
///
/// **Threads**: none, and no clock but times that are given: inputs come from one at a time.
public final class ClientBinding {
  /// What the client asks of its host.
  public interface Host {
    /// Begins to observe a contact group, whose end is told by [#ended] in any case, also when it is left.
    ///
    /// @param group which
    void observe(String group);

    /// Begins to be a member of a group that somebody else founds, as an observer: so no client is ever the one that
    /// orders, nor counts in a quorum of servers.
    ///
    /// @param group         which
    /// @param dissemination how what it says there travels: [Dissemination#RELAY] or [Dissemination#AUTO]
    void join(String group, Dissemination dissemination);

    /// Leaves a group, for which nothing more is told but, of a contact group, that this was done.
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
    void connected(long channel);

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
    boolean welcomed; // by any server
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

  /// The contact group of one server.
  private static final class Contact {
    final String name;
    final String at;
    @Nullable View view;
    @Nullable String ended; // why; null: it has not
    long againNanos; // when it has ended
    @Nullable Bound asked; // the inclusive group to which the server was invited
    @Nullable MemberId server; // which life of it

    Contact(String name, String at) {
      this.name = name;
      this.at = at;
    }
  }

  private static final long AGAIN_NANOS = 1_000_000_000L; // after a contact group has ended, until it is observed again

  private final MemberId self;
  private final String service;
  private final String prefix;
  private final ClientGroup.Kind kind;
  private final Ordering ordering; // in its groups
  private final boolean throughSequencer; // what is said there
  private final Host host;
  private final TreeMap<String, Bound> groups = new TreeMap<>();
  private final TreeMap<Long, Channel> channels = new TreeMap<>();
  private final TreeMap<String, MemberId> servers = new TreeMap<>(); // that were met, by address
  private final TreeMap<String, Contact> contacts = new TreeMap<>(); // that are observed, by address
  private final TreeSet<String> leaving = new TreeSet<>(); // contact groups, by name
  private final List<ClientGroupMessage.Place> to = new ArrayList<>(); // of the frame that is not multicast yet
  private @Nullable ByteBuffer frame;
  private @Nullable Bound frameIn;
  private @Nullable Bound all; // the inclusive group
  private List<String> listed = List.of(); // addresses of all servers
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
  /// @param policy  what the client wants, or null. In an inclusive group a symmetric one has what is multicast ordered
  ///                by all members; otherwise the founder orders it, which in a one-clusive group all goes to anyway
  /// @param host    joins groups and multicasts
  public ClientBinding(
      MemberId self, String service, long nonce, ClientGroup.Kind kind, @Nullable Policy policy, Host host) {
    this.self = self;
    this.service = service;
    this.prefix = prefix(service) + self.name() + "." + Long.toHexString(nonce) + ".";
    this.kind = kind;
    Policy its = kind == ClientGroup.Kind.INCLUSIVE ? policy : null;
    this.ordering = its == null ? Ordering.SEQUENCER : its.ordering();
    boolean toManager = its != null && its.dissemination() == Policy.Dissemination.MANAGER;
    this.throughSequencer = toManager && ordering == Ordering.SEQUENCER;
    this.host = host;
  }

  /// The name of the group from which clients invite a server.
  ///
  /// @param service the service's name
  /// @param at      the server's address, as it tells it to clients
  /// @return a name for a group, if it is not too long for one
  public static String contactGroup(String service, String at) {
    return service + ".clients@" + at;
  }

  /// What the names of all client/server groups of a service begin with.
  static String prefix(String service) {
    return service + ".client.";
  }

  // ---- what the client wants -------------------------------------------------------------------------------------

  /// Begins a channel; [Host#connected] or [Host#disconnected] follows, or neither when nobody is at the address.
  ///
  /// @param at the server's address, as clients know it
  /// @return the channel's number
  public long connect(String at) {
    if (closed) {
      throw new IllegalStateException("the client has left its groups");
    }
    Bound in = all;
    if (in != null && isMisplaced(in, at)) {
      leave(in);
      in = null;
    }
    if (in == null) {
      long number = ++formed;
      in = new Bound(prefix + number, at);
      all = kind == ClientGroup.Kind.INCLUSIVE ? in : null;
      groups.put(in.name, in);
      host.join(in.name, throughSequencer ? Dissemination.RELAY : Dissemination.AUTO);
    }
    var channel = new Channel(channelNext++, at, in);
    channels.put(channel.number, channel);
    ask(channel);
    return channel.number;
  }

  /// Whether the group's sequencer is another server than the one that the client goes to, and a group which that one
  /// founds costs nobody what he was told in this one.
  private boolean isMisplaced(Bound group, String at) {
    View view = group.view;
    return throughSequencer
        && view != null
        && !group.welcomed
        && of(group).isEmpty()
        && !view.members().getFirst().equals(servers.get(at));
  }

  /// Ends a channel, of which nothing more is told. When it is that to the server that was to found the group, and has
  /// not, the group is over.
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
    Bound group = channel.group;
    if (group.view == null && channel.at.equals(group.at)) {
      over(group, "the server that was to found the group does not answer");
    } else if (kind == ClientGroup.Kind.ONE_CLUSIVE) {
      leave(group);
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

  /// Names the servers of the service, which an inclusive group is to have.
  ///
  /// @param addresses of all that clients are told of
  public void listed(List<String> addresses) {
    listed = addresses;
  }

  /// Multicasts what was said last, and invites servers: to be called after each run of inputs.
  ///
  /// @param now the time, in nanoseconds
  public void flush(long now) {
    multicast();
    if (closed) {
      return;
    }
    observe(now);
    for (Contact contact : List.copyOf(contacts.values())) {
      if (contacts.get(contact.at) == contact) { // else a channel that was over has changed it
        look(contact);
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
    List.copyOf(contacts.values()).forEach(this::release);
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
    Contact contact = contact(group);
    if (contact != null) {
      contact.view = view;
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

  // ---- contact groups --------------------------------------------------------------------------------------------

  /// Observes those of the servers that are wanted in a group and not there.
  private void observe(long now) {
    TreeSet<String> wanted = wanted();
    for (Contact contact : List.copyOf(contacts.values())) {
      if (!wanted.contains(contact.at)) {
        release(contact);
      } else if (contact.ended != null && now - contact.againNanos >= 0) {
        contacts.remove(contact.at);
      }
    }
    for (String at : wanted) {
      String name = contactGroup(service, at);
      if (!contacts.containsKey(at) && Names.fault(name) == null) {
        contacts.put(at, new Contact(name, at));
        if (!leaving.contains(name)) { // else when it has been left
          host.observe(name);
        }
      }
    }
  }

  private TreeSet<String> wanted() {
    var wanted = new TreeSet<String>();
    for (Bound group : groups.values()) {
      if (group.view == null) {
        wanted.add(group.at);
      }
    }
    Bound in = all;
    if (in != null && in.view != null) {
      wanted.addAll(listed);
      of(in).stream().filter(channel -> channel.server == null).forEach(channel -> wanted.add(channel.at));
      View view = in.view;
      wanted.removeIf(at -> {
        MemberId server = servers.get(at);
        return server != null && view.contains(server);
      });
    }
    return wanted;
  }

  private void release(Contact contact) {
    contacts.remove(contact.at);
    if (contact.ended == null && !leaving.contains(contact.name)) {
      leaving.add(contact.name);
      host.leave(contact.name);
    }
  }

  private @Nullable Contact contact(String group) {
    return leaving.contains(group)
        ? null
        : contacts.values().stream().filter(contact -> contact.name.equals(group)).findFirst().orElse(null);
  }

  /// Invites a server that is in its contact group, as often as it comes there, and gives those groups up that it was
  /// to found when it has gone.
  private void look(Contact contact) {
    View view = contact.view;
    MemberId server = view == null || !view.primary() ? null : view.members().getFirst();
    if (server != null && contact.ended == null) {
      servers.put(contact.at, server);
    }
    for (Bound group : List.copyOf(groups.values())) {
      if (group.view != null || !group.at.equals(contact.at)) {
        continue;
      }
      String why = contact.ended;
      if (why != null) {
        over(group, "the server that was to found the group cannot be asked: " + why);
      } else if (server == null && group.invited) {
        over(group, "the server that was to found the group has gone");
      } else if (server != null && !group.invited) {
        group.invited = true;
        invite(contact, group, true);
      }
    }
    Bound in = all;
    if (in == null || in.view == null || server == null || contact.ended != null || in.view.contains(server)) {
      return;
    }
    if (in.had.contains(server)) {
      over(in, "a server that had left the group is back");
    } else if (contact.asked != in || !server.equals(contact.server)) {
      contact.asked = in;
      contact.server = server;
      invite(contact, in, false);
    }
  }

  private void invite(Contact contact, Bound group, boolean founds) {
    multicast();
    host.post(contact.name, new ClientGroupMessage.Invite(group.name, kind, ordering, founds).encode());
  }

  private void ask(Channel channel) {
    if (channel.group.view != null) {
      channel.asked = true;
      post(channel.group, new ClientGroupMessage.Begin(channel.number, channel.at));
    }
  }

  /// A membership has ended, by no wish of the client's, or that in a contact group by any.
  ///
  /// @param group which
  /// @param why   in words
  /// @param now   the time, in nanoseconds
  public void ended(String group, String why, long now) {
    Bound its = groups.get(group);
    if (its != null) {
      over(its, why);
      return;
    }
    boolean left = leaving.remove(group);
    Contact contact = contact(group);
    if (contact != null && left) {
      host.observe(group);
    } else if (contact != null) {
      contact.ended = why;
      contact.againNanos = now + AGAIN_NANOS;
      contact.view = null;
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
    if (!groups.containsKey(group) || sender.equals(self)) {
      return; // in a contact group only clients speak
    }
    try {
      switch (ClientGroupMessage.read(message)) {
        case ClientGroupMessage.Begun(long number) -> {
          Channel channel = channel(group, number);
          if (channel != null && channel.server == null) {
            channel.server = sender;
            servers.put(channel.at, sender);
            host.connected(number);
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
      channel.group.welcomed |= number == 0 && isWelcome(said);
      channel.heard++;
      host.received(channel.number, said);
    } else {
      dropped++;
      over(channel, "a frame is missing");
    }
  }

  private static boolean isWelcome(ByteBuffer said) {
    try {
      return Frame.decode(said.duplicate()) instanceof Frame.Welcome;
    } catch (Frame.MalformedException _) {
      return false; // as the client finds, too
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
