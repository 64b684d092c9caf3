package org.tutti.replica.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.Dissemination;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.protocol.ClientGroupMessage.Place;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;

/// A client and its servers in groups: what each asks of its host when it is told of views and messages.
class ClientGroupsProtocolTest {
  private static final MemberId C = member("c");
  private static final MemberId N1 = member("n1");
  private static final MemberId N2 = member("n2");
  private static final String CONTACTS = ClientBinding.contactGroup("bank", "h1:1");
  private static final String OTHER = ClientBinding.contactGroup("bank", "h2:1");
  private static final String FIRST = "bank.client.c.ff.1";
  private static final String SECOND = "bank.client.c.ff.2";
  private static final int VERSION = 6;
  private static final long AGAIN = 1_000_000_000L;
  private static final long PATIENCE = 10_000_000_000L;
  private static final long APART = 1_000_000_000L;

  private final List<String> asked = new ArrayList<>(); // of the host, since #asked

  private static MemberId member(String name) {
    return new MemberId(name, new Address(name + ":1"), 7);
  }

  private static View view(long epoch, boolean primary, MemberId... members) {
    return new View(new ViewId(epoch, 1), List.of(members), members.length, primary, List.of());
  }

  private static View contactGroup(long epoch, MemberId server) {
    return contactGroup(VERSION, epoch, server);
  }

  private static View contactGroup(int version, long epoch, MemberId server) {
    return new View(new ViewId(epoch, 1), List.of(server, C), 1, true, List.of(), version);
  }

  /// What an observer sees that does not hear the server.
  private static View cutOff(long epoch) {
    return new View(new ViewId(epoch, 1), List.of(C), 0, false, List.of(), VERSION);
  }

  private static ByteBuffer bytes(String text) {
    return UTF_8.encode(text);
  }

  private static String text(ByteBuffer bytes) {
    return UTF_8.decode(bytes.duplicate()).toString();
  }

  private static String words(ByteBuffer message) {
    try {
      return switch (ClientGroupMessage.read(message.duplicate())) {
        case ClientGroupMessage.Invite(var group, var kind, var ordering, var founds) ->
            "invite "
                + group
                + " "
                + kind
                + (ordering == Ordering.SYMMETRIC ? " symmetric" : "")
                + (founds ? " founds" : "");
        case ClientGroupMessage.Begin(long channel, String at) -> "begin " + channel + " '" + at + "'";
        case ClientGroupMessage.Begun(long channel) -> "begun " + channel;
        case ClientGroupMessage.Said(var to, var frame) ->
            "said " + to.stream().map(place -> place.channel() + "/" + place.number()).toList() + " " + text(frame);
        case ClientGroupMessage.Answered(var place, var frame) ->
            "answered " + place.channel() + "/" + place.number() + " " + text(frame);
        case ClientGroupMessage.Ended(long channel) -> "ended " + channel;
      };
    } catch (Malformed impossible) {
      throw new AssertionError(impossible);
    }
  }

  private List<String> asked() {
    List<String> all = List.copyOf(asked);
    asked.clear();
    return all;
  }

  private ClientBinding client(ClientGroup.Kind kind) {
    return client(kind, null);
  }

  private ClientBinding client(ClientGroup.Kind kind, @Nullable Policy policy) {
    return new ClientBinding(
        C,
        "bank",
        255,
        kind,
        policy,
        new ClientBinding.Host() {
          @Override
          public void observe(String group) {
            asked.add("observe " + group);
          }

          @Override
          public void join(String group, Dissemination dissemination) {
            asked.add("join " + group + (dissemination == Dissemination.RELAY ? " relayed" : ""));
          }

          @Override
          public void leave(String group) {
            asked.add("leave " + group);
          }

          @Override
          public void post(String group, ByteBuffer message) {
            asked.add(group + ": " + words(message));
          }

          @Override
          public void connected(long channel) {
            asked.add("connected " + channel);
          }

          @Override
          public void received(long channel, ByteBuffer frame) {
            asked.add("received " + channel + " " + text(frame));
          }

          @Override
          public void disconnected(long channel, String why) {
            asked.add("disconnected " + channel + ": " + why);
          }
        });
  }

  private ServedGroups server(int most) {
    return new ServedGroups(
        N1,
        "bank",
        "h1:1",
        most,
        new ServedGroups.Host() {
          private long connections;

          @Override
          public void enter(String group, Ordering ordering, boolean founds, int versionMax) {
            asked.add(
                (founds ? "found " : "join ")
                    + (ordering == Ordering.SYMMETRIC ? "symmetric " : "")
                    + group
                    + (versionMax == VERSION ? "" : " in " + versionMax));
          }

          @Override
          public void leave(String group) {
            asked.add("leave " + group);
          }

          @Override
          public void post(String group, ByteBuffer message) {
            asked.add(group + ": " + words(message));
          }

          @Override
          public long connected(MemberId client, long channel) {
            asked.add("connected " + client.name());
            return ++connections;
          }

          @Override
          public void said(long connection, ByteBuffer frame) {
            asked.add("said " + connection + " " + text(frame));
          }

          @Override
          public void disconnected(long connection) {
            asked.add("disconnected " + connection);
          }
        });
  }

  private static ByteBuffer answered(long channel, long number, String frame) {
    return new ClientGroupMessage.Answered(new Place(channel, number), bytes(frame)).encode();
  }

  /// A client with channel 1 to n1.
  private ClientBinding bound(ClientGroup.Kind kind) {
    return bound(kind, null);
  }

  private ClientBinding bound(ClientGroup.Kind kind, @Nullable Policy policy) {
    ClientBinding client = client(kind, policy);
    assertThat(client.connect("h1:1")).isEqualTo(1);
    client.flush(0);
    client.viewed(CONTACTS, contactGroup(1, N1));
    client.flush(0);
    client.viewed(FIRST, kind == ClientGroup.Kind.INCLUSIVE ? view(2, true, N1, C, N2) : view(2, true, N1, C));
    client.delivered(FIRST, N1, new ClientGroupMessage.Begun(1).encode());
    client.flush(0);
    client.ended(CONTACTS, "left", 0);
    asked.clear();
    return client;
  }

  @Test
  void aOneClusiveGroupIsInvitedFromItsServersContactGroupAndHasAChannelToItsServer() {
    ClientBinding client = client(ClientGroup.Kind.ONE_CLUSIVE);
    client.connect("h1:1");
    client.flush(0);
    assertThat(asked()).containsExactly("join " + FIRST, "observe " + CONTACTS);
    client.viewed(CONTACTS, contactGroup(1, N1));
    client.flush(0);
    client.viewed(CONTACTS, contactGroup(2, N1));
    client.flush(0);
    assertThat(asked()).containsExactly(CONTACTS + ": invite " + FIRST + " ONE_CLUSIVE founds");
    client.viewed(FIRST, view(1, false, C));
    client.flush(0);
    assertThat(asked()).isEmpty();
    client.viewed(FIRST, view(2, true, N1, C));
    client.flush(0);
    assertThat(asked()).containsExactly(FIRST + ": begin 1 'h1:1'", "leave " + CONTACTS);
    client.send(1, bytes("early"));
    client.flush(0);
    client.delivered(FIRST, N1, new ClientGroupMessage.Begun(1).encode());
    client.send(1, bytes("HELLO"));
    client.send(1, bytes("OPEN"));
    client.flush(0);
    client.delivered(FIRST, N1, answered(1, 0, "WELCOME"));
    assertThat(asked())
        .containsExactly(
            "connected 1", FIRST + ": said [1/0] HELLO", FIRST + ": said [1/1] OPEN", "received 1 WELCOME");
    assertThat(client.groups()).containsExactly(FIRST);
  }

  @Test
  void whenItsServerHasGoneTheBindingBreaksAndTheNextOneHasAnotherGroup() {
    ClientBinding client = bound(ClientGroup.Kind.ONE_CLUSIVE);
    client.viewed(FIRST, view(3, true, C));
    assertThat(asked()).containsExactly("leave " + FIRST, "disconnected 1: no server is in the group any more");
    assertThat(client.connect("h2:1")).isEqualTo(2);
    client.flush(0);
    client.viewed(OTHER, contactGroup(1, N2));
    client.flush(0);
    assertThat(asked())
        .containsExactly("join " + SECOND, "observe " + OTHER, OTHER + ": invite " + SECOND + " ONE_CLUSIVE founds");
  }

  @Test
  void theSameContactGroupIsObservedAgainWhenItHasBeenLeft() {
    ClientBinding client = client(ClientGroup.Kind.ONE_CLUSIVE);
    client.connect("h1:1");
    client.flush(0);
    client.disconnect(1);
    client.connect("h2:1");
    client.flush(0);
    client.disconnect(2);
    client.connect("h1:1");
    asked.clear();
    client.flush(0);
    assertThat(asked()).as("not while it is just being left").containsExactly("leave " + OTHER);
    client.viewed(CONTACTS, contactGroup(1, N1)); // of the membership before
    client.flush(0);
    client.ended(OTHER, "left", 0);
    assertThat(asked()).isEmpty();
    client.ended(CONTACTS, "left", 0);
    assertThat(asked()).containsExactly("observe " + CONTACTS);
  }

  @Test
  void aGroupIsOverWhoseServerHasGoneBeforeItHasFoundedIt() {
    ClientBinding client = client(ClientGroup.Kind.ONE_CLUSIVE);
    client.connect("h1:1");
    client.flush(0);
    client.viewed(CONTACTS, cutOff(1));
    client.flush(0);
    client.viewed(CONTACTS, contactGroup(2, N1));
    client.flush(0);
    asked.clear();
    client.viewed(CONTACTS, cutOff(3));
    client.flush(0);
    String gone = ": the server that was to found the group ";
    assertThat(asked()).containsExactly("leave " + FIRST, "disconnected 1" + gone + "has gone");
    client.connect("h1:1");
    client.ended(CONTACTS, "nobody votes there any more", 0);
    client.flush(0);
    String why = gone + "cannot be asked: nobody votes there any more";
    assertThat(asked()).containsExactly("join " + SECOND, "leave " + SECOND, "disconnected 2" + why);
    client.flush(0);
    client.connect("h1:1");
    client.flush(0);
    assertThat(asked()).as("a later life may be there").contains("observe " + CONTACTS);
  }

  @Test
  void aGroupThatIsNotPrimaryIsOver() {
    for (ClientGroup.Kind kind : ClientGroup.Kind.values()) {
      ClientBinding client = bound(kind);
      client.viewed(FIRST, view(3, false, N1, C));
      assertThat(asked()).containsExactly("leave " + FIRST, "disconnected 1: the group has no primary view any more");
      assertThat(client.groups()).isEmpty();
    }
  }

  @Test
  void whatAnEarlierBindingSaysIsNotTaken() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE);
    client.disconnect(1);
    assertThat(client.connect("h1:1")).isEqualTo(2);
    client.delivered(FIRST, N1, answered(1, 0, "late"));
    client.delivered(FIRST, N1, new ClientGroupMessage.Begun(2).encode());
    client.delivered(FIRST, N2, answered(2, 0, "of another server"));
    client.delivered(SECOND, N1, answered(2, 0, "of another group"));
    client.delivered(FIRST, N1, answered(2, 0, "good"));
    assertThat(asked())
        .containsExactly(FIRST + ": ended 1", FIRST + ": begin 2 'h1:1'", "connected 2", "received 2 good");
  }

  @Test
  void aMissingFrameEndsTheChannel() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE);
    client.delivered(FIRST, N1, answered(1, 1, "second"));
    assertThat(asked()).containsExactly("disconnected 1: a frame is missing");
    assertThat(client.dropped()).isEqualTo(1);
    client.delivered(FIRST, N1, bytes("nonsense"));
    assertThat(client.dropped()).isEqualTo(2);
  }

  @Test
  void inAnInclusiveGroupAFrameToAllIsOneMulticastAndOneServerMayGo() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE);
    assertThat(client.connect("h2:1")).isEqualTo(2);
    client.delivered(FIRST, N2, new ClientGroupMessage.Begun(2).encode());
    asked.clear();
    client.send(1, bytes("CALL 1"));
    client.send(2, bytes("CALL 1"));
    client.send(1, bytes("CALL 2"));
    client.flush(0);
    assertThat(asked()).containsExactly(FIRST + ": said [1/0, 2/0] CALL 1", FIRST + ": said [1/1] CALL 2");
    client.viewed(FIRST, view(3, true, C, N2));
    assertThat(asked()).containsExactly("disconnected 1: n1 is not in the group any more");
    assertThat(client.groups()).containsExactly(FIRST);
  }

  @Test
  void serversThatAreListedAreInvitedToAnInclusiveGroup() {
    ClientBinding client = client(ClientGroup.Kind.INCLUSIVE);
    client.connect("h1:1");
    client.listed(List.of("h1:1", "h2:1"));
    client.flush(0);
    client.viewed(CONTACTS, contactGroup(1, N1));
    client.flush(0);
    assertThat(asked())
        .containsExactly("join " + FIRST, "observe " + CONTACTS, CONTACTS + ": invite " + FIRST + " INCLUSIVE founds");
    client.viewed(FIRST, view(2, true, N1, C));
    client.flush(0);
    assertThat(asked()).containsExactly(FIRST + ": begin 1 'h1:1'", "leave " + CONTACTS, "observe " + OTHER);
    client.viewed(OTHER, contactGroup(1, N2));
    client.flush(0);
    client.viewed(OTHER, contactGroup(2, N2));
    client.flush(0);
    assertThat(asked()).as("once").containsExactly(OTHER + ": invite " + FIRST + " INCLUSIVE");
    client.viewed(FIRST, view(3, true, N1, C, N2));
    client.flush(0);
    assertThat(asked()).contains("leave " + OTHER);
  }

  @Test
  void anInclusiveGroupIsOrderedAsItsClientsPolicySaysAndAOneClusiveOneByItsManager() {
    Policy symmetric =
        new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SYMMETRIC);
    for (ClientGroup.Kind kind : ClientGroup.Kind.values()) {
      ClientBinding client = client(kind, symmetric);
      client.connect("h1:1");
      client.flush(0);
      client.viewed(CONTACTS, contactGroup(2, N1));
      client.flush(0);
      String how = kind == ClientGroup.Kind.INCLUSIVE ? " INCLUSIVE symmetric founds" : " ONE_CLUSIVE founds";
      assertThat(asked()).contains(CONTACTS + ": invite " + FIRST + how);
    }
    assertThatThrownBy(() -> new ClientGroupMessage.Invite("g", ClientGroup.Kind.INCLUSIVE, Ordering.SKEEN, true))
        .hasMessage("no ordering of a client's group: SKEEN");
  }

  @Test
  void whatAClientOfTheManagerSaysGoesThroughTheSequencerOfAnInclusiveGroup() {
    List<String> relayed = new ArrayList<>();
    for (ClientGroup.Kind kind : ClientGroup.Kind.values()) {
      client(kind, null).connect("h1:1");
      assertThat(asked()).containsExactly("join " + FIRST);
      for (Policy policy : Policy.all()) {
        client(kind, policy).connect("h1:1");
        if (asked().equals(List.of("join " + FIRST + " relayed"))) {
          relayed.add(kind + " " + policy.dissemination() + " " + policy.ordering());
        }
      }
    }
    assertThat(relayed).isNotEmpty().containsOnly("INCLUSIVE MANAGER SEQUENCER");
  }

  private static final Policy TO_MANAGER =
      new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);

  private static ByteBuffer answered(long channel, Frame frame) {
    ByteBuffer bytes = frame.encode();
    ByteBuffer bare = bytes.slice(Integer.BYTES, bytes.remaining() - Integer.BYTES);
    return new ClientGroupMessage.Answered(new Place(channel, 0), bare).encode();
  }

  @Test
  void theManagerFoundsTheGroupToWhichTheFounderSendsTheClient() {
    for (boolean toManager : new boolean[] {true, false}) {
      ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE, toManager ? TO_MANAGER : null);
      client.delivered(FIRST, N1, answered(1, new Frame.Redirected("h2:1")));
      client.disconnect(1);
      asked.clear();
      client.connect("h2:1");
      assertThat(asked())
          .isEqualTo(
              toManager
                  ? List.of("leave " + FIRST, "join " + SECOND + " relayed")
                  : List.of(FIRST + ": begin 2 'h2:1'"));
    }
  }

  @Test
  void aGroupInWhichAServerHasWelcomedTheClientStays() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE, TO_MANAGER);
    client.delivered(FIRST, N1, answered(1, new Frame.Welcome(1, 1, Frame.NO_POLICY, List.of("h1:1", "h2:1"))));
    client.disconnect(1);
    asked.clear();
    client.connect("h2:1");
    assertThat(asked()).containsExactly(FIRST + ": begin 2 'h2:1'");
  }

  @Test
  void aGroupStaysThatHasAnotherChannel() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE, TO_MANAGER);
    client.connect("h2:1");
    client.disconnect(1);
    client.connect("h1:1");
    assertThat(client.groups()).containsExactly(FIRST);
    client.disconnect(2);
    client.disconnect(3);
    client.connect("h1:1");
    assertThat(client.groups()).as("the sequencer is asked").containsExactly(FIRST);
  }

  @Test
  void aServerThatAChannelIsToIsInvitedThoughNobodyListsIt() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE);
    client.connect("h3:1");
    client.flush(0);
    String third = ClientBinding.contactGroup("bank", "h3:1");
    assertThat(asked()).containsExactly(FIRST + ": begin 2 'h3:1'", "observe " + third);
    client.disconnect(2);
    client.flush(0);
    assertThat(asked()).containsExactly(FIRST + ": ended 2", "leave " + third);
  }

  @Test
  void aContactGroupThatHasEndedIsObservedAgainAfterAWhile() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE);
    client.listed(List.of("h1:1", "h3:1"));
    client.flush(0);
    String third = ClientBinding.contactGroup("bank", "h3:1");
    assertThat(asked()).containsExactly("observe " + third);
    client.ended(third, "nobody votes there any more", 5);
    client.flush(AGAIN + 4);
    assertThat(asked()).isEmpty();
    client.flush(AGAIN + 5);
    assertThat(asked()).containsExactly("observe " + third);
  }

  @Test
  void aServerThatHasLeftAnInclusiveGroupIsInAnotherOne() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE);
    client.listed(List.of("h1:1", "h2:1"));
    client.viewed(FIRST, view(3, true, N1, C));
    client.delivered(FIRST, N1, new ClientGroupMessage.Begun(1).encode());
    client.flush(0);
    assertThat(asked()).containsExactly("observe " + OTHER);
    client.viewed(OTHER, contactGroup(3, N2));
    client.flush(0);
    assertThat(asked()).containsExactly("leave " + FIRST, "disconnected 1: a server that had left the group is back");
    client.connect("h1:1");
    client.flush(0);
    client.viewed(CONTACTS, contactGroup(4, N1));
    client.flush(0);
    assertThat(asked())
        .containsExactly(
            "join " + SECOND,
            "leave " + OTHER,
            "observe " + CONTACTS,
            CONTACTS + ": invite " + SECOND + " INCLUSIVE founds");
    ServedGroups server = serving();
    server.viewed(FIRST, view(3, false, N1), 0);
    asked.clear();
    invite(server, FIRST, ClientGroup.Kind.INCLUSIVE, false);
    assertThat(asked()).as("it does not enter a group again").isEmpty();
  }

  /// In a view without a server the client is the first member.
  @Test
  void aClientThatIsCutOffFromAServerGoesOnObservingIt() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE);
    client.listed(List.of("h1:1", "h3:1"));
    client.flush(0);
    String third = ClientBinding.contactGroup("bank", "h3:1");
    client.viewed(third, cutOff(1));
    client.flush(0);
    client.flush(0);
    client.viewed(third, contactGroup(2, member("n3")));
    client.flush(0);
    assertThat(asked()).containsExactly("observe " + third, third + ": invite " + FIRST + " INCLUSIVE");
  }

  @Test
  void aLaterLifeOfAServerIsInvitedToTheSameGroup() {
    ClientBinding client = bound(ClientGroup.Kind.INCLUSIVE);
    client.listed(List.of("h1:1", "h2:1"));
    client.viewed(FIRST, view(3, true, N1, C));
    client.flush(0);
    client.viewed(OTHER, contactGroup(3, new MemberId(N2.name(), N2.address(), N2.incarnation() + 1)));
    client.flush(0);
    assertThat(asked()).containsExactly("observe " + OTHER, OTHER + ": invite " + FIRST + " INCLUSIVE");
  }

  @Test
  void aClientThatIsClosedLeavesItsGroups() {
    ClientBinding client = bound(ClientGroup.Kind.ONE_CLUSIVE);
    client.send(1, bytes("CLOSE"));
    client.close();
    assertThat(asked()).containsExactly(FIRST + ": said [1/0] CLOSE", "leave " + FIRST);
    assertThatThrownBy(() -> client.connect("h1:1")).isInstanceOf(IllegalStateException.class);
  }

  // ---- the server's side -----------------------------------------------------------------------------------------

  private void invite(ServedGroups server, String group, ClientGroup.Kind kind, boolean founds) {
    server.delivered(CONTACTS, C, new ClientGroupMessage.Invite(group, kind, Ordering.SEQUENCER, founds).encode(), 0);
  }

  private void say(ServedGroups server, long number, String frame) {
    server.delivered(FIRST, C, new ClientGroupMessage.Said(List.of(new Place(1, number)), bytes(frame)).encode(), 0);
  }

  /// A server with channel 1 of c, which is connection 1.
  private ServedGroups serving() {
    ServedGroups server = server(10);
    server.viewed(CONTACTS, contactGroup(1, N1), 0);
    invite(server, FIRST, ClientGroup.Kind.ONE_CLUSIVE, true);
    server.viewed(FIRST, view(1, true, N1), 0);
    server.viewed(FIRST, view(2, true, N1, C), 0);
    server.delivered(FIRST, C, new ClientGroupMessage.Begin(1, "h1:1").encode(), 0);
    return server;
  }

  @Test
  void aServerFoundsTheGroupThatIsMeantForItAndTheClientIsAConnectionOfItsReplica() {
    ServedGroups server = serving();
    say(server, 0, "HELLO");
    server.send(1, ByteBuffer.allocate(11).putInt(7).put(bytes("WELCOME")).flip());
    assertThat(asked())
        .containsExactly(
            "found " + FIRST, "connected c", FIRST + ": begun 1", "said 1 HELLO", FIRST + ": answered 1/0 WELCOME");
    assertThat(server.groups()).containsExactly(new ServedGroups.Served(FIRST, ClientGroup.Kind.ONE_CLUSIVE, C));
    server.viewed(FIRST, view(3, true, N1), 0);
    assertThat(asked()).containsExactly("disconnected 1", "leave " + FIRST);
    assertThat(server.groups()).isEmpty();
  }

  @Test
  void aServerJoinsAnInclusiveGroupThatIsThere() {
    ServedGroups server = server(10);
    server.viewed(CONTACTS, contactGroup(1, N1), 0);
    invite(server, FIRST, ClientGroup.Kind.INCLUSIVE, false);
    invite(server, FIRST, ClientGroup.Kind.INCLUSIVE, false);
    assertThat(asked()).containsExactly("join " + FIRST);
    invite(server, SECOND, ClientGroup.Kind.ONE_CLUSIVE, false); // has another server
    assertThat(asked()).isEmpty();
    assertThat(server.dropped()).isEqualTo(1);
    server.viewed(FIRST, view(2, true, N2, C, N1), 0);
    server.delivered(FIRST, C, new ClientGroupMessage.Begin(1, "h2:1").encode(), 0);
    assertThat(asked()).as("to the other one").isEmpty();
  }

  @Test
  void whoCouldNotJoinAGroupMayBeInvitedToItAgain() {
    ServedGroups server = server(10);
    server.viewed(CONTACTS, contactGroup(1, N1), 0);
    invite(server, FIRST, ClientGroup.Kind.INCLUSIVE, false);
    server.ended(FIRST);
    invite(server, FIRST, ClientGroup.Kind.INCLUSIVE, false);
    assertThat(asked()).containsExactly("join " + FIRST, "join " + FIRST);
  }

  /// Whoever is in the contact group has its version; a newer server would choose a higher one alone.
  @Test
  void aGroupRisesNoFurtherThanTheContactGroup() {
    ServedGroups server = server(10);
    server.viewed(CONTACTS, contactGroup(0, 1, N1), 0);
    invite(server, FIRST, ClientGroup.Kind.ONE_CLUSIVE, true);
    assertThat(asked()).isEmpty();
    server.viewed(CONTACTS, contactGroup(VERSION - 1, 1, N1), 0);
    invite(server, FIRST, ClientGroup.Kind.ONE_CLUSIVE, true);
    assertThat(asked()).containsExactly("found " + FIRST + " in " + (VERSION - 1));
    server.viewed(CONTACTS, contactGroup(VERSION + 1, 1, N1), 0);
    invite(server, SECOND, ClientGroup.Kind.INCLUSIVE, false);
    assertThat(asked()).containsExactly("join " + SECOND + " in " + (VERSION + 1));
  }

  @Test
  void anInvitationOfWhoIsNotInTheContactGroupIsOfLongAgo() {
    ServedGroups server = server(10);
    invite(server, FIRST, ClientGroup.Kind.ONE_CLUSIVE, true);
    server.viewed(CONTACTS, view(1, false, N1), 0);
    invite(server, FIRST, ClientGroup.Kind.ONE_CLUSIVE, true);
    assertThat(asked()).isEmpty();
  }

  @Test
  void aGroupIsLeftToWhichItsClientDoesNotCome() {
    ServedGroups server = server(10);
    server.viewed(CONTACTS, contactGroup(1, N1), 0);
    invite(server, FIRST, ClientGroup.Kind.ONE_CLUSIVE, true);
    server.viewed(FIRST, view(1, true, N1), 0);
    assertThat(server.deadlineNanos()).isEqualTo(PATIENCE);
    server.work(PATIENCE - 1);
    server.work(PATIENCE);
    assertThat(asked()).as("it is there yet, and wants it").containsExactly("found " + FIRST);
    assertThat(server.deadlineNanos()).isEqualTo(2 * PATIENCE);
    server.viewed(CONTACTS, view(2, true, N1), 0);
    server.work(2 * PATIENCE - 1);
    assertThat(asked()).isEmpty();
    server.work(2 * PATIENCE);
    assertThat(asked()).containsExactly("leave " + FIRST);
    assertThat(server.deadlineNanos()).isEqualTo(Long.MAX_VALUE);
  }

  /// It came when the member that was to tell it where the group is went.
  @Test
  void aServerThatHasMissedSomethingStaysInTheGroup() {
    ServedGroups server = serving();
    asked.clear();
    server.viewed(FIRST, view(3, false, N1), 5);
    assertThat(asked()).as("it has missed frames").containsExactly(FIRST + ": ended 1", "disconnected 1");
    assertThat(server.groups()).isEmpty();
    assertThat(server.deadlineNanos()).isEqualTo(5 + APART);
    server.viewed(FIRST, view(4, true, N2, C, N1), 6);
    server.work(5 + APART);
    server.delivered(FIRST, C, new ClientGroupMessage.Begin(2, "h1:1").encode(), 6);
    assertThat(asked()).containsExactly("connected c", FIRST + ": begun 2");
  }

  @Test
  void aServerThatStaysCutOffFromItsClientLeavesTheGroup() {
    ServedGroups server = serving();
    server.viewed(FIRST, view(3, false, N1), 5);
    asked.clear();
    server.work(4 + APART);
    assertThat(asked()).isEmpty();
    server.work(5 + APART);
    assertThat(asked()).containsExactly("leave " + FIRST);
    invite(server, FIRST, ClientGroup.Kind.ONE_CLUSIVE, true);
    assertThat(asked()).as("it was there").isEmpty();
  }

  @Test
  void whatIsNotReadWaitsInOrder() {
    ServedGroups server = serving();
    asked.clear();
    server.read(1, false);
    say(server, 0, "a");
    say(server, 1, "b");
    assertThat(server.work(0)).isFalse();
    assertThat(asked()).isEmpty();
    server.read(1, true);
    assertThat(server.work(0)).isTrue();
    assertThat(asked()).containsExactly("said 1 a", "said 1 b");
  }

  @Test
  void badInputIsDroppedAndCounted() {
    ServedGroups server = serving();
    asked.clear();
    server.delivered(CONTACTS, C, bytes("nonsense"), 0);
    invite(server, "bank", ClientGroup.Kind.ONE_CLUSIVE, true); // the servers' own group
    server.delivered(FIRST, C, new ClientGroupMessage.Begun(1).encode(), 0);
    assertThat(server.dropped()).isEqualTo(3);
    server.delivered(FIRST, N2, bytes("nonsense"), 0); // another server's
    assertThat(server.dropped()).isEqualTo(3);
    assertThat(asked()).isEmpty();
    say(server, 1, "second");
    assertThat(asked()).containsExactly(FIRST + ": ended 1", "disconnected 1");
    assertThat(server.dropped()).isEqualTo(4);
  }

  @Test
  void thereAreNotMoreGroupsThanMayBe() {
    ServedGroups server = server(1);
    server.viewed(CONTACTS, contactGroup(1, N1), 0);
    invite(server, FIRST, ClientGroup.Kind.ONE_CLUSIVE, true);
    invite(server, SECOND, ClientGroup.Kind.ONE_CLUSIVE, true);
    assertThat(asked()).containsExactly("found " + FIRST);
    assertThat(server.refused()).isEqualTo(1);
  }

  @Test
  void clientsAreTurnedAwayWhileTheStateIsReplaced() {
    ServedGroups server = serving();
    asked.clear();
    server.away(true);
    server.delivered(FIRST, C, new ClientGroupMessage.Begin(2, "h1:1").encode(), 0);
    assertThat(asked()).containsExactly(FIRST + ": ended 1", "disconnected 1");
    server.away(false);
    server.delivered(FIRST, C, new ClientGroupMessage.Begin(3, "h1:1").encode(), 0);
    assertThat(asked()).containsExactly("connected c", FIRST + ": begun 3");
  }
}
