package org.tutti.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.batch;
import static org.tutti.Members.primary;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Durability;
import org.tutti.Invariant;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.durable.Journal.Staged;
import org.tutti.fixture.MemoryStorage;
import org.tutti.membership.PersistentState;
import org.tutti.membership.StateTransfer;
import org.tutti.order.Log;
import org.tutti.pack.Batch;
import org.tutti.storage.Region;

/// What is said is written before, and what the group did not agree on is cut off.
class JournalTest {
  private static final View VIEW = primary(1, A, B, C);
  private static final int SELF = 2;

  /// A commit, and where things stood at that moment.
  ///
  /// @param written      the index behind what the region has
  /// @param acknowledged the index behind what may have been said
  private record Commit(Staged what, long written, long acknowledged) {}

  private final Region region = new MemoryStorage().region("bank");
  private final List<Commit> commits = new ArrayList<>();

  private Journal journal(Durability policy) {
    var self = new Journal[1];
    self[0] = new Journal(region, policy, null, what -> commits.add(new Commit(what, region.next(), self[0].next())));
    return self[0];
  }

  /// A log of the view that holds these, in this order.
  private static Log holding(Batch... batches) {
    var log = new Log(VIEW, SELF, 0, Ordering.SEQUENCER, _ -> {});
    for (Batch each : batches) {
      int rank = VIEW.rankOf(each.sender());
      assertThat(log.add(rank, each)).isTrue();
      log.place(rank, each.seq());
    }
    assertThat(log.heldNext()).isEqualTo(batches.length);
    return log;
  }

  private static PersistentState promised(long ballot) {
    View accepted = primary(ballot, A, B, C);
    return new PersistentState(C, List.of(), VIEW.id(), accepted.id(), null, VIEW, List.of(), null, null);
  }

  private List<Batch> written() {
    return RegionCodec.between(region, region.first(), region.next());
  }

  @Test
  void aNewPromiseIsForcedAndAnOldOneIsNotWrittenAgain() {
    Journal journal = journal(Durability.VIEWS);
    assertThat(journal.stage(promised(2), null)).isEqualTo(Staged.FORCE);
    assertThat(RegionCodec.views(region)).isEqualTo(new RegionCodec.Views(promised(2), null));
    byte[] record = region.record("views");
    assertThat(journal.stage(promised(2), null)).isEqualTo(Staged.NOTHING);
    assertThat(region.record("views")).isSameAs(record);
    assertThat(journal.stage(promised(3), null)).isEqualTo(Staged.FORCE);
    assertThat(RegionCodec.views(region)).isEqualTo(new RegionCodec.Views(promised(3), null));
  }

  /// The end of a history is delivered as soon as the view is installed, so it is committed at once.
  @ParameterizedTest
  @CsvSource({"VIEWS, WRITE", "EACH, FORCE"})
  void theEndOfAHistoryIsCommittedBeforeItMayBeAcknowledged(Durability policy, Staged expected) {
    Journal journal = journal(policy);
    journal.adopted(holding(batch(A, 0), batch(B, 0)));
    assertThat(commits).containsExactly(new Commit(expected, 2, 0));
    assertThat(journal.next()).isEqualTo(2);
    assertThat(written()).containsExactly(batch(A, 0), batch(B, 0));
    journal.check();
  }

  @Test
  void whatIsWrittenAlreadyIsNotCommittedAgain() {
    Journal journal = journal(Durability.VIEWS);
    journal.adopted(holding(batch(A, 0), batch(B, 0)));
    journal.adopted(holding(batch(A, 0), batch(B, 0)));
    assertThat(commits).hasSize(1);
    assertThat(journal.committed()).as("more may be acknowledged").isFalse();
  }

  /// Two batches had other places here than the group agreed on: the log goes on behind what is equal, which stays as
  /// it is, and until the rest is committed nothing of it may be acknowledged.
  @Test
  void whatTheGroupDidNotAgreeOnIsReplaced() {
    Journal journal = journal(Durability.VIEWS);
    journal.adopted(holding(batch(A, 0), batch(B, 0), batch(B, 1)));
    byte[] equal = region.read(0);
    journal.adopted(holding(batch(A, 0), batch(C, 0), batch(B, 0)));
    assertThat(written()).containsExactly(batch(A, 0), batch(C, 0), batch(B, 0));
    assertThat(region.read(0)).isSameAs(equal);
    assertThat(commits).last().isEqualTo(new Commit(Staged.WRITE, 3, 1));
    assertThat(journal.next()).isEqualTo(3);
    journal.check();
  }

  @Test
  void whatTheGroupDoesNotHaveIsCutOff() {
    Journal journal = journal(Durability.VIEWS);
    journal.adopted(holding(batch(A, 0), batch(B, 0), batch(B, 1)));
    journal.adopted(holding(batch(A, 0)));
    assertThat(written()).containsExactly(batch(A, 0));
    assertThat(journal.next()).isEqualTo(1);
    journal.check();
  }

  /// Whoever gets the state of others has no use for a log that ends before; nothing of it is left when the application
  /// gets the first of that state.
  @Test
  void deliveriesThatBeginAnewBeginAnEmptyLog() {
    Journal journal = journal(Durability.VIEWS);
    journal.adopted(holding(batch(A, 0), batch(B, 0)));
    commits.clear();
    journal.restarted(7);
    assertThat(journal.next()).as("what is gone does not count").isLessThanOrEqualTo(2);
    journal.began(promised(2), null);
    assertThat(commits).containsExactly(new Commit(Staged.FORCE, region.next(), 2));
    assertThat(region.first()).isEqualTo(region.next());
    assertThat(journal.next()).isEqualTo(7);
    journal.check();
  }

  /// With a known beginning the ordinary commit, at the end of the turn, is soon enough.
  @Test
  void whoGoesOnCommitsNothingAtTheBeginningOfAView() {
    Journal journal = journal(Durability.VIEWS);
    journal.began(promised(2), null);
    assertThat(commits).isEmpty();
  }

  /// From then on others rely on this member to have the state, also when the power has failed here.
  @ParameterizedTest
  @CsvSource({"VIEWS, WRITE", "EACH, FORCE"})
  void thatTheStateIsHereIsAsDurableAsMessages(Durability policy, Staged expected) {
    Journal journal = journal(policy);
    journal.restarted(7);
    var log = new Log(VIEW, SELF, 7, Ordering.SEQUENCER, _ -> {});
    journal.began(promised(2), log);
    journal.stage(promised(2), log);
    journal.started(new StateTransfer.Start(7, 40, new LinkedHashMap<>()));
    assertThat(journal.stage(promised(2), log)).isEqualTo(expected);
    assertThat(journal.stage(promised(2), log)).isEqualTo(Staged.NOTHING);
  }

  @Test
  void aStateThatBeginsElsewhereIsABugOfTheCaller() {
    Journal journal = journal(Durability.VIEWS);
    journal.restarted(7);
    journal.started(new StateTransfer.Start(7, 40, new LinkedHashMap<>()));
    journal.check();
    assertThatExceptionOfType(Invariant.Broken.class)
        .isThrownBy(() -> journal.started(new StateTransfer.Start(8, 41, new LinkedHashMap<>())));
  }
}
