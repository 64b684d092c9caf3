package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.batch;
import static org.tutti.Members.primary;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect;
import org.tutti.order.Cut;
import org.tutti.order.Run;
import org.tutti.pack.Batch;

/// What a member fetches of the end of its history when attempts at the next view follow one another.
class CutRecoveryTest {
  private static final View ENDED = primary(3, A, B);

  private final RecordingEffects<ViewMessage> effects = new RecordingEffects<>();
  private final Kept kept = new Kept(ENDED.id());
  private final CutRecovery recovery = new CutRecovery(new MemberIdentity(B, List.of()), effects, kept, new Kept(null));
  private int complete;

  /// The batches of A that B has, in order.
  private static final class Kept extends NoBatches {
    final List<Batch> here = new ArrayList<>();

    Kept(@Nullable ViewId view) {
      of = view;
    }

    @Override
    public boolean holds(Cut cut) {
      return here.size() >= cut.end();
    }

    @Override
    public long missingFrom(Cut cut, int rank) {
      assertThat(of).isEqualTo(cut.view());
      return here.size();
    }

    @Override
    public boolean supplied(ViewId view, int rank, Batch batch) {
      return view.equals(of) && here.add(batch);
    }
  }

  /// The next attempt at a view behind three batches of A.
  private List<Effect<ViewMessage>> attempt(int epoch) {
    List<MemberId> sources = List.of(A, A);
    var cut = new Cut(ENDED.id(), 0, List.of(new Run(0, 0, 3)), true, sources, true);
    var proposal =
        new Proposal(
            primary(epoch, A, B),
            HistoryText.LINEAGE,
            ENDED,
            List.of(),
            3,
            Ordering.SEQUENCER,
            0,
            List.of(cut),
            List.of(),
            List.of());
    recovery.begin(proposal, ENDED, () -> complete++);
    return effects.take();
  }

  private static ViewMessage.Supply supply(long seq) {
    return new ViewMessage.Supply(ENDED.id(), 0, batch(A, seq));
  }

  private static Effect<ViewMessage> fetch(long from) {
    return new Effect.Sent<>(A, new ViewMessage.Fetch(ENDED.id(), 0, from, 3));
  }

  @Test
  void whatIsMissingIsFetchedAndThenTheProposalIsAccepted() {
    assertThat(attempt(5)).containsExactly(fetch(0));
    assertThat(recovery.supply(supply(0))).isTrue();
    assertThat(recovery.supply(supply(2))).isFalse();
    assertThat(recovery.supply(supply(1))).isTrue();
    assertThat(complete).isZero();
    assertThat(recovery.supply(supply(2))).isTrue();
    assertThat(complete).isEqualTo(1);
  }

  /// Otherwise a batch that takes longer than an attempt is fetched by each attempt, and none ever succeeds.
  @Test
  void whatComesTooLateForItsAttemptIsThereForTheNext() {
    attempt(5);
    recovery.abandon();
    assertThat(recovery.supply(supply(0))).isTrue();
    assertThat(attempt(6)).containsExactly(fetch(1));
    recovery.abandon();
    assertThat(recovery.supply(supply(0))).isFalse();
    assertThat(recovery.supply(supply(1))).isTrue();
    assertThat(recovery.supply(supply(2))).isTrue();
    assertThat(complete).isZero();
    assertThat(attempt(7)).isEmpty();
    assertThat(complete).isEqualTo(1);
  }

  @Test
  void nothingIsTakenForAHistoryThatHasEnded() {
    attempt(5);
    recovery.abandon();
    kept.of = primary(6, A, B).id();
    assertThat(recovery.supply(supply(0))).isFalse();
    assertThat(kept.here).isEmpty();
  }

  @Test
  void nothingIsTakenThatWasNeverAskedFor() {
    assertThat(recovery.supply(supply(0))).isFalse();
    assertThat(kept.here).isEmpty();
  }
}
