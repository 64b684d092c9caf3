package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.batch;
import static org.tutti.Members.primary;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect;
import org.tutti.order.Clock;
import org.tutti.order.Cut;
import org.tutti.order.Log;
import org.tutti.order.Skeen;
import org.tutti.order.Tail;
import org.tutti.order.TotalOrder;
import org.tutti.wire.Malformed;

/// The two points of the thesis's figure 10 at which the sender of a batch, who decides its timestamp, may crash, and
/// what the view change makes of it.
class SkeenCrashTest {
  private static final View VIEW = primary(1, A, B, C);

  private final Member a = new Member(0);
  private final Member b = new Member(1);
  private final Member c = new Member(2);

  /// One member's ordering and log; what it says waits until it is heard.
  private static final class Member {
    final int rank;
    final Log log;
    final RecordingEffects<Skeen.Message> effects = new RecordingEffects<>();
    final Skeen skeen;
    final List<ArrayDeque<Skeen.Message>> out = List.of(new ArrayDeque<>(), new ArrayDeque<>(), new ArrayDeque<>());

    Member(int rank) {
      this.rank = rank;
      this.log = new Log(VIEW, rank, 10, Ordering.SKEEN, _ -> {});
      this.skeen =
          new Skeen(
              new TotalOrder.Context(rank, VIEW, 10, _ -> true, new Clock(), _ -> false, Duration.ofMillis(100)),
              effects,
              log::place);
    }

    void gets(Member sender, long seq) {
      log.add(sender.rank, batch(VIEW.members().get(sender.rank), seq));
      skeen.arrived(sender.rank, seq, 0);
      speak();
    }

    private void speak() {
      skeen.flush();
      for (Effect<Skeen.Message> effect : effects.take()) {
        switch (effect) {
          case Effect.Sent<Skeen.Message>(MemberId to, Skeen.Message message) -> out.get(VIEW.rankOf(to)).add(message);
          case Effect.Broadcast<Skeen.Message>(Skeen.Message message) -> out.forEach(queue -> queue.add(message));
          default -> throw new AssertionError("no timers: " + effect);
        }
      }
    }

    /// All that a member has said to this one arrives.
    void hears(Member from) throws Malformed {
      ArrayDeque<Skeen.Message> queue = from.out.get(rank);
      while (!queue.isEmpty()) {
        skeen.receive(VIEW.members().get(from.rank), queue.remove());
        speak();
      }
    }

    String places() {
      return HistoryText.text(new Cut(VIEW.id(), 10, log.tail(10).places(), true, List.of(), true));
    }
  }

  private void allGet(Member sender) {
    for (Member member : List.of(a, b, c)) {
      member.gets(sender, 0);
    }
  }

  /// C's batch has come to all, then A's. C knows all proposals for its own, and has said that it places it first. A's
  /// is not decided yet.
  private void cDecides() throws Malformed {
    allGet(c);
    allGet(a);
    c.hears(a);
    c.hears(b);
    assertThat(c.places()).isEqualTo("10: c0");
  }

  /// C crashes before its decision is on the way to some of the others; what else was said arrives.
  private void cTellsAllBut(Member... untold) throws Malformed {
    for (Member member : untold) {
      c.out.get(member.rank).removeLast();
    }
    a.hears(c);
    a.hears(b); // A decides on a0
    b.hears(c);
    b.hears(a);
  }

  /// The end of the view for A and B, which are a quorum.
  private Cut cut() {
    var histories = new TreeMap<MemberId, Tail>();
    histories.put(A, a.log.tail(10));
    histories.put(B, b.log.tail(10));
    return CutBuilder.whole(VIEW, histories);
  }

  private void bothEndWith(String places) {
    Cut cut = cut();
    assertThat(HistoryText.text(cut)).isEqualTo(places);
    for (Member member : List.of(a, b)) {
      member.log.adopt(cut, 10);
      assertThat(member.places()).isEqualTo(places);
      assertThat(member.log.heldNext()).isEqualTo(cut.end());
    }
  }

  /// Position 1: the sender has the proposals, and has told nobody what it decided. Nobody else has placed its batch,
  /// nor anything that might come after it.
  @Test
  void theSenderCrashesBeforeItTellsItsDecision() throws Malformed {
    cDecides();
    cTellsAllBut(a, b);
    assertThat(List.of(a.places(), b.places())).as("a0 is decided and waits for c0").containsOnly("10:");
    bothEndWith("10: a0 c0");
  }

  /// Position 2: the sender has told one of the others only, which has gone on from there.
  @Test
  void theSenderCrashesWhileItTellsItsDecision() throws Malformed {
    cDecides();
    cTellsAllBut(a);
    assertThat(List.of(a.places(), b.places())).containsExactly("10:", "10: c0 a0");
    bothEndWith("10: c0 a0");
  }

  @Test
  void itDoesNotMatterWhomTheSenderTold() throws Malformed {
    cDecides();
    cTellsAllBut(b);
    assertThat(List.of(a.places(), b.places())).containsExactly("10: c0 a0", "10:");
    bothEndWith("10: c0 a0");
  }

  @Test
  void withoutACrashAllPlaceTheSame() throws Malformed {
    cDecides();
    cTellsAllBut();
    c.hears(a);
    assertThat(List.of(a.places(), b.places(), c.places())).containsOnly("10: c0 a0");
    bothEndWith("10: c0 a0");
  }
}
