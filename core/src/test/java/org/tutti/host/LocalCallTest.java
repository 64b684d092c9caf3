package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.ManualMembership.batch;
import static org.tutti.fixture.ManualMembership.untilBlocked;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.LocalRequest;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Service;
import org.tutti.fixture.ManualMembership;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;
import org.tutti.user.Request;

/// Calls into a member's own flow of events.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalCallTest {
  private static final int OPEN_MAX = 1024;
  private static final GroupListener MUTE = (sender, service, position, payload) -> {};

  private final ManualMembership hand = new ManualMembership();
  private final ConcurrentLinkedQueue<Object> responses = new ConcurrentLinkedQueue<>();

  private record Increment(int of) implements LocalRequest<Integer> {}

  private static Increment increment(int of) {
    return new Increment(of);
  }

  private Thread caller(int of) {
    return caller(increment(of));
  }

  private Thread caller(LocalRequest<?> request) {
    return Thread.startVirtualThread(() -> {
      try {
        responses.add(Objects.requireNonNull(hand.group.localCall(request)));
      } catch (InterruptedException | RuntimeException e) {
        responses.add(e);
      }
    });
  }

  /// The engine passes on what was asked.
  private int pass() {
    List<Request.LocalCall> asked = hand.asked(Request.LocalCall.class);
    asked.forEach(request -> hand.group.localCall(request.call()));
    return asked.size();
  }

  private void passUntil(int count) {
    for (int passed = 0; passed < count; passed += pass()) {
      Thread.onSpinWait();
    }
  }

  private Event.@Nullable LocalCall taken() throws InterruptedException {
    return (Event.LocalCall) hand.group.receive(Duration.ZERO);
  }

  private static boolean answer(Event.@Nullable LocalCall call) {
    return call != null && call.request() instanceof Increment one && call.respond(one, one.of + 1);
  }

  @Test
  void aCallComesBetweenWhatWasBeforeAndWhatIsAfterAndIsAnswered() throws Exception {
    hand.group.deliver(0, batch(0, new byte[1]), 0);
    Increment request = increment(20);
    Thread caller = caller(request);
    untilBlocked(caller);
    assertThat(pass()).isEqualTo(1);
    hand.group.deliver(1, batch(1, new byte[1]), 1);
    assertThat(hand.group.receive()).isInstanceOf(Event.Delivery.class);
    Event.LocalCall call = taken();
    assertThat(call.request()).isSameAs(request);
    assertThat(hand.group.receive()).isInstanceOf(Event.Delivery.class);
    assertThat(responses).isEmpty();
    assertThat(answer(call)).isTrue();
    caller.join();
    assertThat(responses).containsExactly(21);
    assertThat(answer(call)).as("answered already").isFalse();
    assertThat(call.fail(new IllegalStateException())).as("answered already").isFalse();
  }

  @Test
  void anAnswerToTheRequestOfAnotherCallIsRefused() throws Exception {
    Thread caller = caller(1);
    untilBlocked(caller);
    pass();
    Event.LocalCall call = taken();
    assertThatThrownBy(() -> call.respond(increment(1), 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the request of this call is Increment[of=1], not Increment[of=1]");
    assertThat(responses).isEmpty();
    assertThat(answer(call)).isTrue();
    caller.join();
    assertThat(responses).containsExactly(2);
  }

  @Test
  void theCallerLearnsThatItsCallHasFailed() throws Exception {
    Thread caller = caller(1);
    untilBlocked(caller);
    pass();
    var cause = new IllegalArgumentException("no such account");
    assertThat(taken().fail(cause)).isTrue();
    caller.join();
    assertThat((Throwable) responses.remove()).isInstanceOf(CompletionException.class).hasCause(cause);
  }

  @Test
  void aResponseMayBeNothing() throws Exception {
    record Pause() implements LocalRequest<@Nullable Void> {}
    Thread caller =
        Thread.startVirtualThread(() -> {
          try {
            responses.add(hand.group.localCall(new Pause()) == null);
          } catch (InterruptedException e) {
            responses.add(e);
          }
        });
    untilBlocked(caller);
    pass();
    Event.LocalCall call = taken();
    assertThat(call.request() instanceof Pause pause && call.respond(pause, null)).isTrue();
    caller.join();
    assertThat(responses).containsExactly(true);
  }

  @Test
  void theEndOfTheMembershipEndsTheCalls() throws Exception {
    Thread caller = caller(1);
    untilBlocked(caller);
    pass();
    Event.LocalCall call = taken();
    hand.group.closed(new End(End.Cause.LEFT, "left"));
    caller.join();
    assertThat(answer(call)).isFalse();
    assertThat(responses.remove())
        .isInstanceOf(GroupClosedException.class)
        .hasToString("org.tutti.GroupClosedException: n1 is no longer a member of group \"bank\": left");
    assertThatThrownBy(() -> hand.group.localCall(increment(2))).isInstanceOf(GroupClosedException.class);
  }

  @Test
  void aCallThatItsCallerGaveUpIsNotShown() throws Exception {
    Thread caller = caller(1);
    untilBlocked(caller);
    pass();
    caller.interrupt();
    caller.join();
    assertThat(responses.remove()).isInstanceOf(InterruptedException.class);
    assertThat(taken()).isNull();
  }

  @Test
  void whoAnswersIsToldThatTheCallerHasGivenUp() throws Exception {
    Thread caller = caller(1);
    untilBlocked(caller);
    pass();
    Event.LocalCall call = taken();
    caller.interrupt();
    caller.join();
    assertThat(answer(call)).isFalse();
  }

  @Test
  void callersWaitWhenManyCallsAreOpen() throws Exception {
    var callers = new ArrayList<Thread>();
    for (int i = 0; i < OPEN_MAX + 2; i++) {
      callers.add(caller(i));
    }
    passUntil(OPEN_MAX);
    for (Thread caller : callers) {
      untilBlocked(caller);
    }
    assertThat(pass()).isZero();
    assertThat(answer(taken())).isTrue();
    passUntil(1);
    callers.forEach(Thread::interrupt);
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(taken()).as("nobody waits any more").isNull();
    Thread late = caller(-1);
    untilBlocked(late);
    assertThat(pass()).as("given up calls that were skipped make room").isEqualTo(1);
    assertThat(answer(taken())).isTrue();
    late.join();
  }

  @Test
  void aListenerIsCalledOnTheEngineThreadWhichItselfMustNotCall() throws Exception {
    var refused = new CompletableFuture<Throwable>();
    try (Node node = Node.named("n1").transport(new InProcess().open(new Address("here:1"))).start()) {
      Group mute = node.create("mute", GroupConfig.standard(), MemberConfig.builder().listener(MUTE).build());
      assertThatThrownBy(() -> mute.localCall(increment(1)))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(UnsupportedOperationException.class);
      var answering = new Answering(refused);
      Group group = node.create("bank", GroupConfig.standard(), MemberConfig.builder().listener(answering).build());
      answering.group.complete(group);
      assertThat(group.localCall(increment(20))).isEqualTo(21);
      group.multicast(new byte[1]).get(20, TimeUnit.SECONDS);
      assertThat(refused.get(20, TimeUnit.SECONDS))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("localCall would block the engine thread; call it from another thread");
    }
  }

  private static final class Answering implements GroupListener {
    final CompletableFuture<Group> group = new CompletableFuture<>();
    private final CompletableFuture<Throwable> refused;

    Answering(CompletableFuture<Throwable> refused) {
      this.refused = refused;
    }

    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      try {
        group.join().localCall(increment(0));
      } catch (InterruptedException | IllegalStateException e) {
        refused.complete(e);
      }
    }

    @Override
    public void localCall(Event.LocalCall call) {
      answer(call);
    }
  }
}
