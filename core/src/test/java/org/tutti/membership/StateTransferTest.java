package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.primary;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Counters;
import org.tutti.effect.RecordingEffects;
import org.tutti.membership.StateTransfer.Message;
import org.tutti.membership.StateTransfer.Start;

/// A donor and a newcomer that are told what the other side cannot have said.
class StateTransferTest {
  private static final View VIEW = primary(3, A, B);
  private static final Start START = new Start(10, 50, Map.of());
  private static final int CREDITS = StateTransfer.Application.CHUNKS_ON_THE_WAY;

  private final List<String> said = new ArrayList<>();
  private final Counters counters = new Counters();
  private boolean synced;

  private StateTransfer at(MemberId self) {
    synced = self.equals(A);
    var transfer = new StateTransfer(self, new RecordingEffects<>(), counters, new Recording(), new Group());
    var assignment = new Proposal.Assignment(B, new Knowledge.Transfer(A, VIEW.id()), true);
    transfer.installed(proposal(VIEW, assignment));
    return transfer;
  }

  private static Proposal proposal(View view, Proposal.Assignment... transfers) {
    return new Proposal(
        view,
        HistoryText.LINEAGE,
        null,
        List.of(),
        10,
        Ordering.SEQUENCER,
        0,
        List.of(),
        List.of(transfers),
        List.of());
  }

  private static Proposal nonPrimary(MemberId... members) {
    return proposal(new View(new ViewId(4, 1), List.of(members), false, List.of(VIEW.id())));
  }

  private final class Recording implements StateTransfer.Application {
    @Override
    public void stateRequested(long transfer, MemberId newcomer) {
      said.add("requested " + transfer);
    }

    @Override
    public void stateWanted(long transfer) {
      said.add("wanted");
    }

    @Override
    public void stateKnown(long transfer, ByteBuffer token) {
      said.add("known " + token.remaining());
    }

    @Override
    public void stateCancelled(long transfer) {
      said.add("cancelled");
    }

    @Override
    public void stateOffered(long transfer, MemberId donor, long index, long position) {
      said.add("offered");
    }

    @Override
    public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {
      said.add("chunk");
    }

    @Override
    public void stateInterrupted(long transfer) {
      said.add("interrupted");
    }
  }

  private final class Group implements StateTransfer.Host {
    @Override
    public boolean isAhead() {
      return false;
    }

    @Override
    public Start start() {
      return START;
    }

    @Override
    public boolean isSynced() {
      return synced;
    }

    @Override
    public boolean allows(Start start) {
      return start.index() == START.index();
    }

    @Override
    public void started(Start start) {
      said.add("started");
    }

    @Override
    public void complete() {
      said.add("complete");
    }

    @Override
    public void failed() {
      said.add("failed");
    }

    @Override
    public void stranded() {
      said.add("stranded");
    }
  }

  private static Message header(long index) {
    return new Message.Header(VIEW.id(), 7, new Start(index, 50, Map.of()), true);
  }

  private static Message chunk() {
    return new Message.Chunk(VIEW.id(), 7, null, ByteBuffer.allocate(1));
  }

  @Test
  void theHistoryIsToldOnce() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(10));
    newcomer.receive(A, header(10));
    assertThat(said).containsExactly("started", "offered");
    assertThat(Metric.byKey(counters.metrics())).containsEntry("state.messages.stale", 1L);
  }

  /// The donor's first word may have come, and been dropped, before this member knew of the view.
  @Test
  void aTransferOfAnEarlierViewOfWhichNothingHasComeIsNotReported() {
    StateTransfer newcomer = at(B);
    var transfer = new Knowledge.Transfer(A, VIEW.id());
    ViewId later = new ViewId(4, 1);
    assertThat(newcomer.reported(VIEW.id())).as("the word may be on the way").isEqualTo(transfer);
    assertThat(newcomer.reported(later)).isNull();
    newcomer.receive(A, header(10));
    assertThat(newcomer.reported(later)).isEqualTo(transfer);
  }

  @Test
  void aTransferThatIsToGoOnAlthoughNothingHasComeNeedsAnotherView() {
    var goesOn = new Proposal.Assignment(B, new Knowledge.Transfer(A, VIEW.id()), true);
    StateTransfer newcomer = at(B);
    newcomer.installed(proposal(primary(4, A, B), goesOn));
    assertThat(said).containsExactly("failed");
    newcomer.receive(A, header(10));
    newcomer.installed(proposal(primary(5, A, B), goesOn));
    assertThat(said).containsExactly("failed", "started", "offered");
  }

  @Test
  void aStartThatCannotBeTrueEndsTheTransfer() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(11));
    assertThat(said).containsExactly("failed");
    assertThat(newcomer.running()).isNull();
    assertThat(Metric.byKey(counters.metrics())).containsEntry("engine.messages.malformed{reason=state}", 1L);
  }

  @Test
  void moreChunksThanTheApplicationTakesEndTheTransfer() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(10));
    for (int i = 0; i < CREDITS; i++) {
      newcomer.receive(A, chunk());
    }
    newcomer.taken(1);
    newcomer.receive(A, chunk());
    assertThat(said).doesNotContain("failed").hasSize(2 + CREDITS + 1);
    newcomer.receive(A, chunk());
    assertThat(said).endsWith("interrupted", "failed");
  }

  private static Message end(int... bytes) {
    var all = new byte[bytes.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) bytes[i];
    }
    StateChecksum.Sum sum = StateChecksum.of(ByteBuffer.wrap(all));
    return new Message.Chunk(VIEW.id(), 7, sum, ByteBuffer.wrap(new byte[] {all[all.length - 1]}));
  }

  @Test
  void aWholeStateIsTaken() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(10));
    newcomer.receive(A, chunk());
    newcomer.receive(A, end(0, 5));
    assertThat(said).containsExactly("started", "offered", "chunk", "chunk");
    newcomer.taken(1);
    assertThat(said).as("one chunk is not taken").hasSize(4);
    newcomer.taken(1);
    assertThat(said).endsWith("complete").hasSize(5);
    assertThat(newcomer.running()).isNull();
    newcomer.taken(1);
    assertThat(said).hasSize(5);
  }

  /// All that is missing is that the application takes it: that does not depend on the donor any more.
  @Test
  void aStateThatIsWholeOutlivesItsDonor() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(10));
    newcomer.receive(A, end(5));
    var fromItself = new Knowledge.Transfer(B, VIEW.id());
    assertThat(newcomer.running()).isEqualTo(fromItself);
    assertThat(newcomer.reported(VIEW.id())).isEqualTo(fromItself);
    assertThat(watched(newcomer)).isEmpty();
    newcomer.receive(A, new Message.Cancelled(VIEW.id()));
    newcomer.lost(A);
    newcomer.installed(nonPrimary(B));
    newcomer.installed(proposal(primary(5, A, B), new Proposal.Assignment(B, fromItself, true)));
    assertThat(said).containsExactly("started", "offered", "chunk");
    newcomer.taken(1);
    assertThat(said).endsWith("complete");
  }

  /// The others went on without it.
  @Test
  void aStateThatIsWholeAndTooOldIsVoid() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(10));
    newcomer.receive(A, end(5));
    View later = primary(9, A, B);
    newcomer.installed(proposal(later, new Proposal.Assignment(B, new Knowledge.Transfer(A, later.id()), true)));
    assertThat(said).containsExactly("started", "offered", "chunk", "interrupted");
    newcomer.taken(1);
    assertThat(said).doesNotContain("complete");
  }

  /// A chunk twice, one that is missing, or another byte: no state, but another transfer.
  @Test
  void aStateThatIsNotWhatTheDonorWroteIsNone() {
    for (Message last : List.of(end(0, 0, 5), end(5), end(1, 5))) {
      said.clear();
      StateTransfer newcomer = at(B);
      newcomer.receive(A, header(10));
      newcomer.receive(A, chunk());
      newcomer.receive(A, last);
      assertThat(said).containsExactly("started", "offered", "chunk", "interrupted", "failed");
      assertThat(newcomer.running()).isNull();
    }
    assertThat(Metric.byKey(counters.metrics())).containsEntry("engine.messages.malformed{reason=state}", 3L);
  }

  @Test
  void noMoreIsTakenThanWasGiven() {
    StateTransfer donor = at(A);
    var taken = new Message.Taken(VIEW.id(), 1);
    donor.receive(B, taken);
    assertThat(said).containsExactly("requested 1");
    donor.give(1, ByteBuffer.allocate(1), null);
    donor.receive(B, taken);
    donor.receive(B, taken);
    assertThat(said).containsExactly("requested 1", "wanted");
  }

  @Test
  void whoeverReadsIsToldInAViewThatIsNotPrimaryThatItsDonorIsNotThere() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(10));
    newcomer.installed(nonPrimary(B));
    assertThat(said).containsExactly("started", "offered", "interrupted", "stranded");
    assertThat(newcomer.running()).isNull();
  }

  @Test
  void aTransferGoesOnInAViewThatIsNotPrimary() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(10));
    newcomer.installed(nonPrimary(A, B));
    newcomer.receive(A, chunk());
    assertThat(said).containsExactly("started", "offered", "chunk");
  }

  @Test
  void whoeverWritesIsToldThatItsNewcomerIsNotThereButIsNeededStill() {
    StateTransfer donor = at(A);
    donor.installed(nonPrimary(A));
    assertThat(said).containsExactly("requested 1", "cancelled");
    assertThat(donor.isDonor()).isTrue();
    donor.give(1, ByteBuffer.allocate(1), StateChecksum.of(ByteBuffer.allocate(1)));
    donor.receive(B, new Message.Taken(VIEW.id(), 1));
    donor.installed(proposal(primary(5, A, B)));
    assertThat(said).containsExactly("requested 1", "cancelled");
    assertThat(donor.isDonor()).isFalse();
  }

  @Test
  void aNewcomerIsWatchedUntilItIsNotThere() {
    StateTransfer donor = at(A);
    assertThat(watched(donor)).containsExactly(B);
    donor.installed(nonPrimary(A));
    assertThat(watched(donor)).isEmpty();
  }

  private static List<MemberId> watched(StateTransfer transfer) {
    var members = new ArrayList<MemberId>();
    transfer.interest(members);
    return members;
  }

  @Test
  void theTokenIsToldOnce() {
    StateTransfer donor = at(A);
    donor.receive(B, new Message.Known(VIEW.id(), 1, ByteBuffer.allocate(3)));
    donor.receive(B, new Message.Known(VIEW.id(), 1, ByteBuffer.allocate(4)));
    assertThat(said).containsExactly("requested 1", "known 3");
  }

  @Test
  void aNewcomerThatDoesNotWantTheStateTellsTheDonor() {
    StateTransfer newcomer = at(B);
    newcomer.receive(A, header(10));
    newcomer.refuse();
    assertThat(said).containsExactly("started", "offered", "interrupted", "failed");
    said.clear();
    StateTransfer donor = at(A);
    donor.receive(B, new Message.Cancelled(VIEW.id()));
    donor.receive(B, new Message.Cancelled(VIEW.id()));
    assertThat(said).containsExactly("requested 1", "cancelled");
    assertThat(donor.isDonor()).isFalse();
  }
}
