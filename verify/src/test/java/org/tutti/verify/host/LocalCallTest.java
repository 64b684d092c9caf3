package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.verify.host.HandDriven.batch;
import static org.tutti.verify.host.HandDriven.untilBlocked;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.NodeConfig;
import org.tutti.Service;
import org.tutti.engine.Request;
import org.tutti.transport.Address;
import org.tutti.transport.InProcess;

/// Calls into a member's own flow of events.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalCallTest {
  private static final int OPEN_MAX = 1024;

  private final HandDriven hand = new HandDriven();
  private final ConcurrentLinkedQueue<Object> responses = new ConcurrentLinkedQueue<>();

  private Thread caller(Object request) {
    return Thread.startVirtualThread(() -> {
      try {
        responses.add(hand.group.localCall(request));
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

  @Test
  void aCallComesBetweenWhatWasBeforeAndWhatIsAfterAndIsAnswered() throws Exception {
    hand.group.deliver(0, batch(0, new byte[1]), 0);
    Thread caller = caller("how many?");
    untilBlocked(caller);
    assertThat(pass()).isEqualTo(1);
    hand.group.deliver(1, batch(1, new byte[1]), 1);
    assertThat(hand.group.receive()).isInstanceOf(Event.Delivery.class);
    Event.LocalCall call = taken();
    assertThat(call.request()).isEqualTo("how many?");
    assertThat(hand.group.receive()).isInstanceOf(Event.Delivery.class);
    assertThat(responses).isEmpty();
    assertThat(hand.group.localRespond(call, 1)).isTrue();
    caller.join();
    assertThat(responses).containsExactly(1);
    assertThat(hand.group.localRespond(call, 2)).as("answered already").isFalse();
  }

  @Test
  void theEndOfTheMembershipEndsTheCalls() throws Exception {
    Thread caller = caller(1);
    untilBlocked(caller);
    pass();
    Event.LocalCall call = taken();
    hand.group.closed(new End(End.Cause.LEFT, "left"));
    caller.join();
    assertThat(hand.group.localRespond(call, 1)).isFalse();
    assertThat(responses.remove())
        .isInstanceOf(GroupClosedException.class)
        .hasToString("org.tutti.GroupClosedException: no longer a member of group \"bank\": left");
    assertThatThrownBy(() -> hand.group.localCall(2)).isInstanceOf(GroupClosedException.class);
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
    hand.group.localRespond(taken(), "done");
    passUntil(1);
    callers.forEach(Thread::interrupt);
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(taken()).as("nobody waits any more").isNull();
    Thread late = caller("late");
    untilBlocked(late);
    assertThat(pass()).as("given up calls that were skipped make room").isEqualTo(1);
    hand.group.localRespond(taken(), "yes");
    late.join();
  }

  @Test
  void aListenerIsCalledOnTheEngineThreadWhichItselfMustNotCall() throws Exception {
    var refused = new CompletableFuture<Throwable>();
    try (Node node = Node.start(NodeConfig.lan("n1"), new InProcess().open(new Address("here:1")))) {
      var answering = new Answering(refused);
      Group group = node.create("bank", GroupConfig.standard(), MemberConfig.builder().listener(answering).build());
      answering.group.complete(group);
      assertThat(group.localCall(20)).isEqualTo(21);
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
        group.join().localCall("now");
      } catch (InterruptedException | IllegalStateException e) {
        refused.complete(e);
      }
    }

    @Override
    public void localCall(Event.LocalCall call) {
      group.join().localRespond(call, (int) call.request() + 1);
    }
  }
}
