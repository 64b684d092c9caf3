package org.tutti.sim.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.protocol.PairProtocol;
import org.tutti.ipc.protocol.PairProtocol.Settings;
import org.tutti.ipc.protocol.PairProtocol.Sizes;
import org.tutti.sim.check.Violation;
import org.tutti.sim.ipc.PairChecks.Kind;
import org.tutti.sim.ipc.PairChecks.Message;
import org.tutti.sim.ipc.PairChecks.Wait;
import org.tutti.transport.Address;

/// Each property is broken by a story, and not by one that looks like it.
class PairChecksTest {
  private static final MemberId HOST = new MemberId("h0", new Address("h0"), 1);
  private static final ProcessId A = new ProcessId(HOST, 1);
  private static final ProcessId B = new ProcessId(HOST, 2);
  private static final ProcessId C = new ProcessId(HOST, 3);

  @Test
  void aMessageIsReceivedOnceAsItWasSentInOrder() {
    holds(checks -> {
      Message first = checks.sent(A, B, 20, 0);
      Message second = checks.sent(A, B, 20, 0);
      Message third = checks.sent(A, B, 20, 0);
      assertThat(checks.received(B, A, first.payload())).isSameAs(first);
      assertThat(checks.received(B, A, third.payload())).isSameAs(third);
      assertThat(second.payload()).isNotEqualTo(third.payload());
    });
    breaks(
        "PairOnceInOrder",
        checks -> {
          Message first = checks.sent(A, B, 20, 0);
          checks.received(B, A, first.payload());
          checks.received(B, A, first.payload());
        });
    breaks(
        "PairOnceInOrder",
        checks -> {
          Message first = checks.sent(A, B, 20, 0);
          checks.received(B, A, checks.sent(A, B, 20, 0).payload());
          checks.received(B, A, first.payload());
        });
    breaks("PairOnceInOrder", checks -> checks.received(B, A, checks.sent(A, C, 20, 0).payload()));
    breaks("PairOnceInOrder", checks -> checks.received(B, A, checks.sent(A, B, 20, 0).payload().limit(19)));
  }

  @Test
  void whatIsInTheQueueIsReceived() {
    holds(checks -> {
      checks.sent(A, B, 20, 0);
      checks.isEmpty(B);
    });
    breaks(
        "PairQueuedReceived",
        checks -> {
          checks.queued(checks.sent(A, B, 20, 0));
          checks.isEmpty(B);
        });
  }

  @Test
  void aReplyIsTakenInItsCommunicationOnce() {
    holds(checks -> {
      Message message = checks.sent(A, B, 20, 0);
      checks.took(message, B, checks.replies(message, 30, 0));
      checks.takenTold(message);
    });
    breaks("PairTakenTold", checks -> checks.takenTold(checks.sent(A, B, 20, 0)));
    breaks(
        "PairReplyInItsSession",
        checks -> {
          Message message = checks.sent(A, B, 20, 0);
          checks.took(message, C, checks.replies(message, 30, 0));
        });
    breaks(
        "PairReplyInItsSession",
        checks -> {
          Message other = checks.sent(A, B, 20, 0);
          Message message = checks.sent(A, B, 20, 0);
          checks.replies(message, 30, 0);
          checks.took(message, B, checks.replies(other, 30, 0));
        });
    breaks(
        "PairReplyInItsSession",
        checks -> {
          Message message = checks.sent(A, B, 20, 0);
          checks.took(message, B, checks.replies(message, 30, 0));
          checks.took(message, B, checks.replies(message, 30, 0));
        });
  }

  @Test
  void theDeadAreDead() {
    holds(checks -> {
      checks.ended(B, 5);
      checks.toldProcessDead(A, B);
      checks.toldHostDead(A, B, true);
    });
    breaks("PairDead", checks -> checks.toldProcessDead(A, B));
    breaks("PairDead", checks -> checks.toldHostDead(A, B, false));
  }

  @Test
  void oneIsToldOfACycle() {
    holds(checks -> checks.toldDeadlock(ring(checks).getLast()));
    breaks(
        "PairDeadlock",
        checks -> {
          List<Wait> ring = ring(checks);
          checks.toldDeadlock(ring.getLast());
          checks.toldDeadlock(ring.getFirst());
        });
    breaks("PairDeadlock", checks -> checks.toldDeadlock(request(checks, A, B)));
    breaks(
        "PairDeadlock",
        checks -> {
          Wait first = request(checks, A, B);
          checks.goesOn(first);
          checks.toldDeadlock(request(checks, B, A));
        });
    breaks(
        "PairDeadlock",
        checks -> {
          Message message = checks.sent(A, B, 20, 0);
          checks.waits(A, B, Kind.REPLY, message);
          checks.replies(message, 20, 0);
          checks.toldDeadlock(request(checks, B, A));
        });
    holds(checks -> {
      Message message = checks.sent(A, B, 20, 0);
      checks.waits(A, B, Kind.REPLY, message);
      checks.replies(message, 20, 0);
      checks.repliesNot(message);
      checks.toldDeadlock(request(checks, B, A));
    });
    holds(checks -> {
      request(checks, A, B);
      Wait wait = checks.waits(B, A, Kind.RECEIVE, null);
      assertThat(checks.closes(wait)).as("it comes if there is room").isEmpty();
      checks.toldDeadlock(wait);
    });
  }

  @Test
  void whoWaitForEachOtherAreToldSoon() {
    breaks(
        "PairDeadlockTold",
        checks -> {
          List<Wait> ring = ring(checks);
          checks.isOld(checks.closes(ring.getLast()));
        });
    holds(checks -> {
      List<Wait> ring = ring(checks);
      List<Wait> cycle = checks.closes(ring.getLast());
      checks.goesOn(ring.get(1));
      checks.isOld(cycle);
    });
    holds(checks -> {
      checks.replies(checks.sent(C, A, 20, 0));
      assertThat(checks.closes(ring(checks).getLast())).as("one replies").isEmpty();
    });
    holds(checks -> {
      List<Wait> cycle = checks.closes(ring(checks).getLast());
      checks.replies(checks.sent(C, A, 20, 0));
      checks.isOld(cycle);
    });
  }

  @Test
  void whatIsLateIsLate() {
    breaks("PairArrives", checks -> checks.isLate(checks.sent(A, B, 20, 0), "the message"));
    holds(checks -> {
      checks.replies(checks.sent(A, B, 20, 0));
      checks.endsIts(B, 10);
      checks.ended(A, 11);
      checks.endsIts(B, 10);
    });
    breaks(
        "PairArrives",
        checks -> {
          checks.replies(checks.sent(A, B, 20, 0));
          checks.ended(A, 10);
          checks.endsIts(B, 10);
        });
  }

  @Test
  void whatIsKeptIsBounded() {
    var settings = new Settings(1, 2, 10, 10);
    int queue = PairProtocol.QUEUE_MAX;
    int received = PairProtocol.RECEIVED_MAX;
    int offers = PairProtocol.OFFERS_MAX;
    int calls = PairProtocol.CALLS_MAX;
    holds(checks -> checks.keeps(HOST, new Sizes(queue, received, offers, calls, 10, 10, 10), settings));
    for (Sizes more :
        List.of(
            new Sizes(queue + 1, 0, 0, 0, 0, 0, 0),
            new Sizes(0, received + 1, 0, 0, 0, 0, 0),
            new Sizes(0, 0, offers + 1, 0, 0, 0, 0),
            new Sizes(0, 0, 0, calls + 1, 0, 0, 0),
            new Sizes(0, 0, 0, 0, 11, 0, 0),
            new Sizes(0, 0, 0, 0, 0, 11, 0),
            new Sizes(0, 0, 0, 0, 0, 0, 11))) {
      breaks("PairBuffersBounded", checks -> checks.keeps(HOST, more, settings));
    }
  }

  private static List<Wait> ring(PairChecks checks) {
    return List.of(request(checks, A, B), request(checks, B, C), request(checks, C, A));
  }

  private static Wait request(PairChecks checks, ProcessId from, ProcessId to) {
    return checks.waits(from, to, Kind.REPLY, checks.sent(from, to, 20, 0));
  }

  private static void holds(Consumer<PairChecks> story) {
    assertThat(after(story)).isEmpty();
  }

  private static void breaks(String property, Consumer<PairChecks> story) {
    assertThat(after(story).stream().map(Violation::property)).isNotEmpty().containsOnly(property);
  }

  private static List<Violation> after(Consumer<PairChecks> story) {
    List<Violation> violations = new ArrayList<>();
    story.accept(new PairChecks(violations));
    return violations;
  }
}
