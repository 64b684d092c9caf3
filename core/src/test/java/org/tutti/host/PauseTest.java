package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.View;
import org.tutti.fixture.ForwardingTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Transport;
import org.tutti.transport.memory.InProcess;

/// A process that was stopped for longer than it waits for others (SIGSTOP, a suspended machine) must not suspect those
/// who went on speaking: it has to read what they said before it looks at the clock.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PauseTest {
  private static final Duration PATIENT = Duration.ofSeconds(20);
  private static final Duration IMPATIENT = Duration.ofMillis(1500);
  private static final long PAUSE_MILLIS = 2200;

  /// Where in a turn of the loop the process is stopped.
  enum Moment {
    BEFORE_READING,
    AFTER_READING,
    WHILE_READING
  }

  /// Stops the engine thread once, when told, at the moment told.
  private static final class Pausing extends ForwardingTransport implements Receiver {
    private final Moment moment;
    private final AtomicReference<@Nullable CountDownLatch> wanted = new AtomicReference<>();
    private @Nullable Receiver receiver;

    Pausing(Transport inner, Moment moment) {
      super(inner);
      this.moment = moment;
    }

    private void at(Moment here) {
      CountDownLatch paused = here == moment ? wanted.getAndSet(null) : null;
      if (paused != null) {
        try {
          assertThat(new CountDownLatch(1).await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        paused.countDown();
      }
    }

    @Override
    public void start(Receiver to) {
      receiver = to;
      super.start(this);
    }

    @Override
    public void poll(long waitNanosMax) {
      at(Moment.BEFORE_READING);
      super.poll(waitNanosMax);
      at(Moment.AFTER_READING);
    }

    @Override
    public void onFrame(ByteBuffer frame) {
      at(Moment.WHILE_READING);
      receiver.onFrame(frame);
    }

    @Override
    public void onReady(Address peer) {
      receiver.onReady(peer);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoWasStoppedDoesNotSuspectThoseWhoWentOn(Moment moment) throws Exception {
    var hub = new InProcess();
    var pausing = new Pausing(hub.open(new Address("here:2")), moment);
    NodeBuilder patient = Node.named("n1").times(Duration.ofMillis(50), PATIENT);
    NodeBuilder impatient =
        Node.named("n2").times(Duration.ofMillis(50), IMPATIENT).contacts(List.of(new Address("here:1")));
    try (Node first = patient.transport(hub.open(new Address("here:1"))).start();
        Node second = impatient.transport(pausing).start()) {
      Group going = first.create("bank", GroupConfig.standard());
      Group stopped = second.join("bank");
      untilTwo(going);
      untilTwo(stopped);
      for (int i = 0; i < 3; i++) {
        var paused = new CountDownLatch(1);
        pausing.wanted.set(paused);
        assertThat(paused.await(20, TimeUnit.SECONDS)).isTrue();
        going.multicast(new byte[1]);
        // A view without the other, had it been suspected, would come before this message.
        Event event = stopped.receive(PATIENT);
        while (event instanceof Event.ViewChange || event instanceof Event.CaughtUp) {
          if (event instanceof Event.ViewChange(View view)) {
            assertThat(view.members()).contains(first.self(), second.self());
          }
          event = stopped.receive(PATIENT);
        }
        assertThat(event).isInstanceOf(Event.Delivery.class);
      }
    }
  }

  private static void untilTwo(Group group) throws InterruptedException {
    Event event = group.receive(PATIENT);
    while (!(event instanceof Event.ViewChange change && change.view().size() == 2)) {
      event = group.receive(PATIENT);
    }
  }
}
