package org.tutti.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.replica.consolidation.Consistency;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.consolidation.Reply;
import org.tutti.replica.protocol.FailureWords;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Members of a group in one process that call each other.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupCallsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Consolidation ALL = Consolidation.all().consistent(Consistency.ANY).within(PATIENCE);

  /// Counts what it executes, and says its name and the count.
  private static class Counting implements CallHandler {
    final String name;
    final List<String> executed = new ArrayList<>(); // by the thread of events
    final LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();

    Counting(String name) {
      this.name = name;
    }

    @Override
    public ByteBuffer answer(MemberId caller, long position, ByteBuffer request) throws Exception {
      String text = UTF_8.decode(request).toString();
      executed.add(text);
      seen.add(text);
      if (text.equals("fail")) {
        throw new IOException("no paper");
      }
      return bytes(text.equals("count") ? "" + executed.size() : name + " " + text);
    }

    @Override
    public void event(Event event) throws IOException, InterruptedException {
      switch (event) {
        case Event.StateRequest request -> {
          try (var sink = request.sink()) {
            sink.write(bytes(String.join(",", executed)).array());
            sink.complete();
          }
        }
        case Event.StateOffer offer -> {
          String text = new String(offer.source().readAllBytes(), UTF_8);
          executed.clear();
          executed.addAll(text.isEmpty() ? List.of() : List.of(text.split(",")));
        }
        default -> CallHandler.super.event(event);
      }
    }
  }

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();
  private final List<GroupCalls> members = new ArrayList<>();
  private GroupConfig config = GroupConfig.builder().stateTransfer(false).build();

  @AfterEach
  void close() {
    members.forEach(GroupCalls::close);
    nodes.forEach(Node::close);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  private static String text(Answer answer) {
    return UTF_8.decode(answer.payload()).toString();
  }

  private static List<String> texts(Consolidated<Answer> outcome) {
    return outcome.replies().stream().map(Reply::value).map(GroupCallsTest::text).sorted().toList();
  }

  private Node node(String name) {
    Node node =
        Node.named(name)
            .contacts(List.of(new Address("n1"), new Address("n2"), new Address("n3")))
            .times(Duration.ofMillis(50), Duration.ofSeconds(30)) // nobody is suspected: a member leaves in order
            .transport(hub.open(new Address(name)))
            .start();
    nodes.add(node);
    return node;
  }

  private GroupCalls enter(String name, CallHandler handler) throws InterruptedException, TimeoutException {
    Node node = node(name);
    Group group = members.isEmpty() ? node.create("g", config) : node.join("g");
    GroupCalls calls = GroupCalls.on(group, handler);
    members.add(calls);
    group.awaitServing(PATIENCE);
    return calls;
  }

  private List<Counting> enterAll() throws InterruptedException, TimeoutException {
    List<Counting> all = List.of(new Counting("n1"), new Counting("n2"), new Counting("n3"));
    for (Counting one : all) {
      enter(one.name, one);
    }
    awaitViews(3);
    return all;
  }

  private void awaitViews(int size) {
    for (GroupCalls one : members) {
      while (one.group().view() == null || one.group().view().size() != size) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void everyMemberAnswersEachCallAtTheSamePlace() throws Exception {
    enterAll();
    List<CompletableFuture<Consolidated<Answer>>> open = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      open.add(members.get(i % 3).call(bytes("count"), Consolidation.all().consistent(Consistency.ALL_EQUAL)));
    }
    List<String> counts = new ArrayList<>();
    for (CompletableFuture<Consolidated<Answer>> one : open) {
      Consolidated<Answer> outcome = one.get();
      assertThat(outcome).isInstanceOf(Consolidated.Success.class);
      assertThat(outcome.replies()).hasSize(3);
      counts.add(text(outcome.replies().getFirst().value()));
    }
    assertThat(counts).doesNotHaveDuplicates().contains("1", "300");
    Consolidated<Answer> names = members.get(1).call(bytes("hello"), ALL).get();
    assertThat(texts(names)).containsExactly("n1 hello", "n2 hello", "n3 hello");
    Consolidated<Answer> different =
        members.get(1).call(bytes("hello"), Consolidation.majority().consistent(Consistency.ALL_EQUAL)).get();
    assertThat(different).isInstanceOf(Consolidated.Inconsistent.class);
  }

  /// Shown by docs/guides/calls.md.
  private static String search(GroupCalls calls, String words) throws InterruptedException, ExecutionException {
    var question = ByteBuffer.wrap(words.getBytes(UTF_8));
    Consolidation rule = Consolidation.all().consistent(Consistency.ANY).within(Duration.ofSeconds(20));
    return switch (calls.call(question, rule).get()) {
      case Consolidated.Success(Answer _, var replies) -> replies.size() + " members searched";
      case Consolidated.ReducedMembership(Answer _, var replies, var gone) ->
          replies.size() + " members searched; " + gone + " left meanwhile";
      case Consolidated.Timeout(var _, var replies, var silent) ->
          replies.size() + " members searched; " + silent + " did not answer in time";
      case Consolidated<Answer> other -> "not searched: " + other;
    };
  }

  @Test
  void aMemberAsksAllMembers() throws Exception {
    enterAll();
    assertThat(search(members.getLast(), "screws")).isEqualTo("3 members searched");
  }

  @Test
  void whatAHandlerThrowsIsAnAnswerThatHasFailed() throws Exception {
    enterAll();
    Consolidated<Answer> outcome = members.getFirst().call(bytes("fail"), ALL).get();
    assertThat(outcome.replies()).hasSize(3).allMatch(reply -> reply.value().failed());
    assertThat(texts(outcome)).containsOnly("no paper");
  }

  @Test
  void whatIsPostedIsExecutedByAllInOrder() throws Exception {
    List<Counting> handlers = enterAll();
    for (int i = 0; i < 100; i++) {
      members.getFirst().post(bytes("" + i));
    }
    for (Counting handler : handlers) {
      for (int i = 0; i < 100; i++) {
        assertThat(handler.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("" + i);
      }
    }
  }

  @Test
  void whoLeavesIsNotWaitedFor() throws Exception {
    var stuck = new CountDownLatch(1);
    enter("n1", new Counting("n1"));
    enter("n2", new Counting("n2"));
    GroupCalls third =
        enter(
            "n3",
            (_, _, request) -> {
              stuck.await();
              return request;
            });
    awaitViews(3);
    Future<Consolidated<Answer>> all = members.getFirst().call(bytes("x"), ALL);
    Consolidated<Answer> most =
        members.getFirst().call(bytes("y"), Consolidation.majority().consistent(Consistency.ANY)).get();
    assertThat(most).isInstanceOf(Consolidated.Success.class);
    assertThat(all).isNotDone();
    third.group().leave();
    assertThat(all.get()).isInstanceOf(Consolidated.ReducedMembership.class);
    assertThat(texts(all.get())).containsExactly("n1 x", "n2 x");
    stuck.countDown();
  }

  @Test
  void whoDoesNotAnswerInTimeIsNamed() throws Exception {
    var stuck = new CountDownLatch(1);
    enter("n1", new Counting("n1"));
    enter(
        "n2",
        (_, _, request) -> {
          stuck.await();
          return request;
        });
    awaitViews(2);
    Consolidated<Answer> outcome = members.getFirst().call(bytes("x"), ALL.within(Duration.ofMillis(300))).get();
    assertThat(outcome).isInstanceOf(Consolidated.Timeout.class);
    if (outcome instanceof Consolidated.Timeout<Answer> timeout) {
      assertThat(timeout.silent()).singleElement().extracting(MemberId::name).isEqualTo("n2");
    }
    stuck.countDown();
  }

  @Test
  void aNewcomerAnswersFromItsStateOn() throws Exception {
    config = GroupConfig.builder().stateTransfer(true).build();
    enter("n1", new Counting("n1"));
    for (int i = 0; i < 20; i++) {
      members.getFirst().post(bytes("a"));
    }
    enter("n2", new Counting("n2"));
    List<CompletableFuture<Consolidated<Answer>>> open = new ArrayList<>();
    Node node = node("n3");
    Group group = node.join("g");
    members.add(GroupCalls.on(group, new Counting("n3")));
    while (group.status().phase() != org.tutti.Status.Phase.CAUGHT_UP) {
      open.add(members.getFirst().call(bytes("count"), ALL.consistent(Consistency.ALL_EQUAL)));
      open.getLast().get();
    }
    open.add(members.getFirst().call(bytes("count"), ALL.consistent(Consistency.ALL_EQUAL)));
    for (CompletableFuture<Consolidated<Answer>> one : open) {
      assertThat(one.get()).isInstanceOfAny(Consolidated.Success.class, Consolidated.ReducedMembership.class);
    }
    assertThat(open.getLast().get().replies()).hasSize(3);
  }

  @Test
  void anObserverCallsAndIsNotAsked() throws Exception {
    enter("n1", new Counting("n1"));
    Node node = node("n2");
    Counting observer = new Counting("n2");
    GroupCalls calls = GroupCalls.on(node.observe("g", MemberConfig.standard()), observer);
    members.add(calls);
    awaitViews(2);
    Consolidated<Answer> outcome = calls.call(bytes("x"), ALL).get();
    assertThat(outcome).isInstanceOf(Consolidated.Success.class);
    assertThat(texts(outcome)).containsExactly("n1 x");
    assertThat(observer.seen.poll(60, TimeUnit.SECONDS)).isEqualTo("x");
  }

  @Test
  void openCallsEndWithTheMembership() throws Exception {
    var stuck = new CountDownLatch(1);
    GroupCalls first = enter("n1", new Counting("n1"));
    enter(
        "n2",
        (_, _, request) -> {
          stuck.await();
          return request;
        });
    awaitViews(2);
    Future<Consolidated<Answer>> open = first.call(bytes("x"), ALL);
    first.group().leave().get();
    assertThatThrownBy(open::get).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(GroupClosedException.class);
    assertThatThrownBy(() -> first.call(bytes("y"), ALL)).isInstanceOf(GroupClosedException.class);
    assertThatThrownBy(() -> first.post(bytes("y"))).isInstanceOf(GroupClosedException.class);
    stuck.countDown();
  }

  @Test
  void aHandlerThatBreaksEndsTheMembership() throws Exception {
    config = GroupConfig.builder().stateTransfer(true).build();
    GroupCalls first = enter("n1", (_, _, request) -> request); // which gives no state
    Group second = node("n2").join("g");
    members.add(GroupCalls.on(second, new Counting("n2")));
    assertThatThrownBy(
            () -> {
              while (true) {
                first.call(bytes("x"), ALL).get();
              }
            })
        .satisfiesAnyOf(
            why -> assertThat(why).isInstanceOf(GroupClosedException.class),
            why -> assertThat(why).hasCauseInstanceOf(GroupClosedException.class));
  }

  @Test
  void aHandlerThatCallsIsRefused() throws Exception {
    var calls = new CompletableFuture<GroupCalls>();
    GroupCalls alone =
        enter(
            "n1",
            (_, _, request) -> {
              calls.get().call(request, ALL);
              return request;
            });
    calls.complete(alone);
    Consolidated<Answer> outcome = alone.call(bytes("x"), ALL).get();
    assertThat(outcome.replies().getFirst().value().failed()).isTrue();
    assertThat(texts(outcome).getFirst()).contains("would wait for itself");
  }

  @Test
  void aCallThatIsGivenUpMakesRoomForAnother() throws Exception {
    var stuck = new CountDownLatch(1);
    GroupCalls alone =
        enter(
            "n1",
            (_, _, request) -> {
              stuck.await();
              return request;
            });
    List<Future<Consolidated<Answer>>> open = new ArrayList<>();
    for (int i = 0; i < GroupCalls.OPEN_MAX; i++) {
      open.add(alone.call(bytes("x"), ALL));
    }
    CompletableFuture<Consolidated<Answer>> more =
        CompletableFuture.supplyAsync(() -> {
          try {
            return alone.call(bytes("y"), ALL).get();
          } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
          }
        });
    open.removeFirst().cancel(true);
    stuck.countDown();
    assertThat(texts(more.get())).containsExactly("y");
    for (Future<Consolidated<Answer>> one : open) {
      assertThat(texts(one.get())).containsExactly("x");
    }
  }

  @Test
  void whatIsNoCallIsDroppedAndCounted() throws Exception {
    GroupCalls calls = enter("n1", new Counting("n1"));
    Group foreign = node("n2").join("g");
    foreign.awaitServing(PATIENCE);
    for (byte[] wrong : List.of(new byte[0], new byte[] {9}, new byte[] {2, 1}, new byte[] {3, 1, 2, 3})) {
      foreign.multicast(wrong).get();
    }
    foreign.close();
    assertThat(texts(calls.call(bytes("x"), ALL).get())).contains("n1 x");
    assertThat(calls.malformed()).isEqualTo(4);
    assertThatThrownBy(() -> calls.call(ByteBuffer.allocate(GroupCalls.REQUEST_BYTES_MAX + 1), ALL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a request has up to");
  }

  @Test
  void theLongestRequestsAndAnswersFitBesideTheLongestNames() throws Exception {
    List<GroupCalls> two = new ArrayList<>();
    for (String name : List.of("n1", "n".repeat(MemberId.NAME_BYTES_MAX))) {
      two.add(enter(name, (_, _, request) -> ByteBuffer.allocate(GroupCalls.ANSWER_BYTES_MAX - request.get(0))));
    }
    awaitViews(2);
    var longest = ByteBuffer.allocate(GroupCalls.REQUEST_BYTES_MAX);
    for (GroupCalls from : two) {
      Consolidated<Answer> outcome = from.call(longest, ALL).get();
      assertThat(outcome.replies()).hasSize(2);
      outcome.replies().forEach(reply -> assertThat(length(reply)).isEqualTo(GroupCalls.ANSWER_BYTES_MAX));
    }
  }

  private static int length(Reply<Answer> reply) {
    return reply.value().failed() ? -1 : reply.value().payload().remaining();
  }

  @Test
  void longWordsOfAFailureAreCut() throws Exception {
    GroupCalls alone =
        enter(
            "n1",
            (_, _, _) -> {
              throw new IOException("x".repeat(GroupCalls.ANSWER_BYTES_MAX + 1));
            });
    for (int i = 0; i < 2; i++) {
      Consolidated<Answer> outcome = alone.call(bytes("x"), ALL).get();
      assertThat(outcome.replies().getFirst().value().failed()).isTrue();
      assertThat(texts(outcome).getFirst()).startsWith("xxx").endsWith("x...").hasSize(FailureWords.CHARS_MAX);
    }
  }

  @Test
  void anAnswerThatIsTooLongHasFailed() throws Exception {
    GroupCalls alone = enter("n1", (_, _, _) -> ByteBuffer.allocate(GroupCalls.ANSWER_BYTES_MAX + 1));
    Consolidated<Answer> outcome = alone.call(bytes("x"), ALL).get();
    assertThat(outcome.replies().getFirst().value().failed()).isTrue();
    assertThat(texts(outcome).getFirst()).contains("an answer has up to");
  }
}
