package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.replica.Command;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;
import org.tutti.replica.consolidation.Reply;
import org.tutti.transport.Address;

/// Three replicas, of which a is the request manager and gathers the replies of all for a client.
class ReplyBundlesTest {
  private static final long CLIENT = 1;
  private static final SessionTable.Secret SECRET = new SessionTable.Secret(3, 4);
  private static final SessionTable.Limits LIMITS = new SessionTable.Limits(60_000, 10, 4, 1 << 20);
  private static final Policy ALL = policy(Policy.Collection.ALL);
  private static final Policy MAJORITY = policy(Policy.Collection.MAJORITY);

  private static Policy policy(Policy.Collection collection) {
    return new Policy(Policy.Dissemination.MANAGER, collection, Replication.ACTIVE, Ordering.SEQUENCER);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  /// Answers what it is told, and who it is if it is asked that.
  private static final class Echo implements StateMachine {
    final String name;

    Echo(String name) {
      this.name = name;
    }

    @Override
    public ByteBuffer apply(Command command) {
      String what = text(command.payload());
      return what.equals("who") ? bytes(name) : what.isEmpty() ? ByteBuffer.allocate(5 << 20) : bytes(what);
    }

    @Override
    public ByteBuffer query(ByteBuffer request) {
      return request;
    }

    @Override
    public Snapshot snapshot() {
      return _ -> {};
    }

    @Override
    public void restore(InputStream in) {}
  }

  private record Posted(Server by, ByteBuffer message) {}

  private final class Server implements ReplicaProtocol.Group, ReplicaProtocol.Clients, ReplicaProtocol.Clock {
    final MemberId self;
    final ReplicaProtocol protocol;
    final List<String> told = new ArrayList<>(); // the client, of commands
    int room = Integer.MAX_VALUE;

    Server(String name) {
      self = new MemberId(name, new Address(name + ":1"), 1);
      protocol =
          new ReplicaProtocol("echo", name, name + ":2", LIMITS, Replication.ACTIVE, new Echo(name), this, this, this);
    }

    @Override
    public boolean post(ByteBuffer message) {
      posted.add(new Posted(this, message));
      return true;
    }

    @Override
    public boolean reply(ByteBuffer message) {
      if (room > 0) {
        room--;
        said.add(new Posted(this, message));
        return true;
      }
      return false;
    }

    @Override
    public void confirm() {}

    @Override
    public long clients(MemberId member) {
      return serves.getOrDefault(member.name(), -1L);
    }

    @Override
    public void show(long clients, long commands) {
      serves.put(self.name(), clients);
    }

    @Override
    public void send(long connection, ByteBuffer frame) {
      try {
        switch (Frame.decode(frame.position(Integer.BYTES).slice())) {
          case Frame.Replied replied -> told.add(replied.number() + " alone " + text(replied.reply().payload()));
          case Frame.Bundle bundle -> told.add(bundle.number() + " " + words(bundle));
          case Frame.Refused refused -> told.add(refused.number() + " refused " + refused.why());
          case Frame.Live _ -> told.add("live");
          case Frame.Redirected to -> told.add("redirected to " + to.replica());
          default -> {}
        }
      } catch (Frame.MalformedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void read(long connection, boolean on) {}

    @Override
    public void close(long connection, ReplicaProtocol.Fault fault) {
      told.add("closed " + fault);
    }

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public long wallMillis() {
      return 1000;
    }

    void say(Frame frame) {
      protocol.said(CLIENT, frame.encode().position(Integer.BYTES).slice());
    }

    void greet(Policy policy) {
      protocol.connected(CLIENT);
      say(new Frame.Hello("echo", policy.code() | Frame.BUNDLED));
    }

    void call(long number, String what) {
      say(new Frame.Call(session, number, 1, false, bytes(what)));
    }
  }

  private static String words(Frame.Bundle bundle) {
    List<String> replies = new ArrayList<>();
    for (Reply<CommandReply> reply : bundle.replies()) {
      ByteBuffer payload = reply.value().payload();
      replies.add(reply.member().name() + ":" + (payload.remaining() < 100 ? text(payload) : "long"));
    }
    String asked = String.join("", bundle.asked().stream().map(MemberId::name).toList());
    return replies
        + " of "
        + asked
        + (bundle.gone().isEmpty() ? "" : ", gone " + bundle.gone().stream().map(MemberId::name).toList());
  }

  private final ArrayDeque<Posted> posted = new ArrayDeque<>(); // in order
  private final ArrayDeque<Posted> said = new ArrayDeque<>(); // in none
  private final TreeMap<String, Long> serves = new TreeMap<>();
  private long now = 5;
  private long position;
  private long session;
  private long viewNext = 1;
  private List<Server> here = List.of();
  private final Server a = new Server("a");
  private final Server b = new Server("b");
  private final Server c = new Server("c");

  private void view(Server... members) {
    here = List.of(members);
    List<MemberId> ids = Stream.of(members).map(one -> one.self).toList();
    for (Server one : here) {
      one.protocol.viewed(new View(new ViewId(viewNext, 1), ids, true, List.of()));
    }
    viewNext++;
  }

  /// Delivers what was multicast in order, at some of those that are there.
  private void deliver(Server... at) {
    while (!posted.isEmpty()) {
      Posted next = posted.remove();
      for (Server one : at) {
        one.protocol.delivered(next.by.self.name(), position, next.message.duplicate());
      }
      position++;
      for (Server one : at) {
        one.protocol.work();
      }
    }
  }

  private void deliverSaid(@Nullable Server but) {
    for (Posted next = said.poll(); next != null; next = said.poll()) {
      for (Server one : here) {
        if (one != but) {
          one.protocol.heard(next.by.self, next.message.duplicate());
          one.protocol.work();
        }
      }
    }
  }

  private void settle() {
    while (!posted.isEmpty() || !said.isEmpty()) {
      deliver(here.toArray(Server[]::new));
      deliverSaid(null);
    }
  }

  private void begin(Policy policy) {
    view(a, b, c);
    here.forEach(one -> one.protocol.caughtUp(0));
    here.forEach(one -> one.protocol.work());
    settle();
    here.forEach(one -> one.protocol.work());
    settle();
    a.greet(policy);
    a.say(new Frame.Open(9, SECRET));
    session = position + 1;
    settle();
    assertThat(a.told).isEmpty();
  }

  @Test
  void theManagerGivesTheRepliesOfAllInOneMessage() {
    begin(ALL);
    a.call(1, "x");
    a.call(2, "y");
    deliver(a, b, c);
    assertThat(a.told).as("those of the others have not come").isEmpty();
    settle();
    assertThat(a.told).containsExactly("1 [a:x, b:x, c:x] of abc", "2 [a:y, b:y, c:y] of abc");
    assertThat(a.protocol.bundles()).isEqualTo(2);
  }

  @Test
  void aMajorityIsEnoughForWhoWantsNoMore() {
    begin(MAJORITY);
    a.call(1, "x");
    settle();
    assertThat(a.told).containsExactly("1 [a:x, b:x] of abc");
  }

  @Test
  void repliesThatDifferSayWhoHasGivenThem() {
    begin(ALL);
    a.call(1, "who");
    settle();
    assertThat(a.told).containsExactly("1 [a:a, b:b, c:c] of abc");
  }

  @Test
  void aReplyThatComesBeforeTheManagerHasExecutedTheCommandCounts() {
    begin(ALL);
    a.call(1, "x");
    List<Posted> calls = List.copyOf(posted);
    long at = position;
    deliver(b, c);
    deliverSaid(null);
    assertThat(a.told).isEmpty();
    for (Posted call : calls) {
      a.protocol.delivered("a", at++, call.message.duplicate());
    }
    assertThat(a.told).containsExactly("1 [b:x, c:x, a:x] of abc");
  }

  @Test
  void whoLeavesIsNotWaitedForAndNamed() {
    begin(ALL);
    a.call(1, "x");
    deliver(a, b, c);
    said.removeIf(one -> one.by == c);
    deliverSaid(null);
    assertThat(a.told).isEmpty();
    view(a, b);
    assertThat(a.told).containsExactly("1 [a:x, b:x] of abc, gone [c]");
  }

  @Test
  void whatHasNotComeIsAskedForAndNothingIsExecutedAgain() {
    begin(ALL);
    a.call(1, "x");
    deliver(a, b, c);
    said.clear();
    long history = position;
    now += ReplyBundles.ASK_NANOS - 1;
    a.protocol.work();
    assertThat(said).isEmpty();
    assertThat(a.protocol.deadlineNanos()).isLessThanOrEqualTo(now + 1);
    now++;
    a.protocol.work();
    deliverSaid(null);
    assertThat(a.told).containsExactly("1 [a:x, b:x, c:x] of abc");
    assertThat(position).isEqualTo(history);
    assertThat(b.protocol.executed()).isEqualTo(1);
  }

  /// It was a member when the command was executed, and did not serve yet.
  @Test
  void aNewcomerSaysWhatItHasGotWithTheState() throws IOException {
    view(a, b, c);
    a.protocol.caughtUp(0);
    b.protocol.caughtUp(0);
    serves.put("c", 0L);
    a.protocol.work();
    b.protocol.work();
    deliver(a, b);
    posted.add(new Posted(c, OrderedMessage.announce("c:2")));
    deliver(a, b);
    a.greet(ALL);
    a.say(new Frame.Open(9, SECRET));
    session = position + 1;
    deliver(a, b);
    a.call(1, "x");
    deliver(a, b);
    deliverSaid(c);
    assertThat(a.told).isEmpty();
    var state = new ByteArrayOutputStream();
    b.protocol.snapshot().writeTo(state);
    now += ReplyBundles.ASK_NANOS;
    a.protocol.work();
    deliverSaid(null);
    assertThat(a.told).as("it does not serve").isEmpty();
    c.protocol.restore(new ByteArrayInputStream(state.toByteArray()), true);
    c.protocol.caughtUp(position);
    now += ReplyBundles.ASK_NANOS;
    a.protocol.work();
    deliverSaid(null);
    assertThat(a.told).containsExactly("1 [a:x, b:x, c:x] of abc");
  }

  @Test
  void theNextManagerGathersAnewWhatWasExecuted() {
    begin(ALL);
    a.call(1, "x");
    deliver(a, b, c);
    said.clear();
    view(b, c);
    serves.remove("a");
    b.protocol.work();
    b.greet(ALL);
    b.say(new Frame.Resume(session, SECRET, false));
    b.call(1, "x");
    settle();
    assertThat(b.told).containsExactly("1 [b:x, c:x] of bc");
    assertThat(c.protocol.executed()).isEqualTo(1);
    assertThat(c.protocol.repeated()).isEqualTo(1);
  }

  @Test
  void aCommandThatWasGivenUpIsAnsweredByTheManagerAlone() {
    begin(ALL);
    a.say(new Frame.Call(session, 1, 1, true, bytes("")));
    settle();
    assertThat(a.told).containsExactly("1 alone ");
  }

  @Test
  void noMoreIsGatheredThanAClientMayHaveUnacknowledged() {
    begin(ALL);
    for (long number = 1; number <= LIMITS.window() + 2; number++) {
      a.call(number, "x");
    }
    deliver(a, b, c);
    assertThat(a.told).containsExactly("5 refused FULL", "6 refused GAP");
    a.told.clear();
    deliverSaid(null);
    assertThat(a.told).hasSize(LIMITS.window());
    a.say(new Frame.Call(session, 5, 5, false, bytes("y")));
    settle();
    assertThat(a.told).last().isEqualTo("5 [a:y, b:y, c:y] of abc");
  }

  @Test
  void aReplyForWhichThereIsNoRoomIsSaidLater() {
    begin(ALL);
    b.room = 0;
    a.call(1, "x");
    settle();
    assertThat(a.told).isEmpty();
    assertThat(b.protocol.deadlineNanos()).isLessThanOrEqualTo(now + 1_000_000);
    b.room = 1;
    b.protocol.work();
    settle();
    assertThat(a.told).containsExactly("1 [a:x, c:x, b:x] of abc");
  }

  @Test
  void equalRepliesStandInTheBundleOnce() {
    begin(ALL);
    a.call(1, "");
    settle();
    assertThat(a.told).containsExactly("1 [a:long, b:long, c:long] of abc");
  }

  @Test
  void aViewThatIsNotPrimaryEndsWhatIsGathered() {
    begin(ALL);
    a.call(1, "x");
    deliver(a, b, c);
    a.protocol.viewed(new View(new ViewId(viewNext, 1), List.of(a.self), false, List.of()));
    deliverSaid(null);
    assertThat(a.told).isEmpty();
  }

  @Test
  void whatIsNoReplyIsDroppedAndCounted() {
    begin(ALL);
    a.call(1, "x");
    deliver(a, b, c);
    List<ByteBuffer> wrong =
        List.of(
            ByteBuffer.allocate(0),
            ByteBuffer.wrap(new byte[] {OrderedMessage.CALL}),
            ByteBuffer.wrap(new byte[] {OrderedMessage.REPLY, 0}),
            ByteBuffer.allocate(26).put(0, (byte) OrderedMessage.REPLY).put(17, (byte) 9),
            ByteBuffer.wrap(new byte[] {OrderedMessage.ASK, 0}),
            ByteBuffer.allocate(1 + 5000 * 16).put(0, (byte) OrderedMessage.ASK));
    wrong.forEach(message -> a.protocol.heard(b.self, message));
    assertThat(a.protocol.droppedReplies()).isEqualTo(wrong.size());
    var another = new CommandReply(CommandReply.Status.DONE, 1, bytes("z"));
    a.protocol.heard(b.self, OrderedMessage.reply(new Frame.Replied(session + 1, 1, another)));
    a.protocol.heard(
        new MemberId("d", new Address("d:1"), 1), OrderedMessage.reply(new Frame.Replied(session, 1, another)));
    settle();
    assertThat(a.told).as("of others than were asked, nothing").containsExactly("1 [a:x, b:x, c:x] of abc");
  }
}
