package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.batch;
import static org.tutti.Members.nonPrimary;
import static org.tutti.Members.primary;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.wire.Versions;

/// What members say of themselves.
class ViewMessageTest {
  private static final View BOTH = new View(new ViewId(3, 1), List.of(A, B), 1, true, List.of());

  @Test
  void onlyWhoIsNoObserverOfItsViewClaimsAVote() {
    var meet = new ViewMessage.Meet(BOTH, null, null, List.of(), Versions.OWN, false);
    assertThat(meet.claimsVote(A)).isTrue();
    assertThat(meet.claimsVote(B)).as("it observes").isFalse();
    assertThat(meet.claimsVote(C)).as("it is not in that view").isFalse();
    Knowledge known = HistoryText.newcomer(new View(new ViewId(0, 3), List.of(C), false, List.of())).knowledge();
    assertThat(new ViewMessage.Wedged(BOTH.id(), known).claimsVote(C)).isTrue();
    Proposal next =
        new Proposal(BOTH, null, null, List.of(), 0, Ordering.SEQUENCER, 0, List.of(), List.of(), List.of());
    assertThat(new ViewMessage.Accept(BOTH.id(), next).claimsVote(A)).isTrue();
    assertThat(new ViewMessage.Agreed(BOTH.id(), next).claimsVote(A)).isTrue();
    assertThat(new ViewMessage.Agreed(BOTH.id(), next).claimsVote(B)).isFalse();
    assertThat(new ViewMessage.Propose(BOTH.id()).claimsVote(A)).as("it says nothing of a view").isFalse();
  }

  private static String summary(ViewMessage message) {
    return message.summary();
  }

  /// Ballots end with the incarnation of who made them.
  @Test
  void aViewChangeIsSaidInAFewWords() {
    ViewId ballot = new ViewId(4, 1);
    View next = primary(4, A, C);
    Knowledge newcomer = HistoryText.newcomer(nonPrimary(0, C)).knowledge();
    Knowledge apart = HistoryText.cutOff(nonPrimary(5, B), primary(3, A, B), "0: |0| 0-0 0-0").leaves().knowledge();
    Proposal proposal =
        new Proposal(
            next,
            null,
            primary(3, A, B),
            List.of(),
            0,
            Ordering.SEQUENCER,
            0,
            List.of(),
            List.of(new Proposal.Assignment(C, new Knowledge.Transfer(A, ballot), true)),
            List.of(B));
    Knowledge behind = HistoryText.in(primary(3, A, B), "0: |0| 0-0 0-0").accepted(ballot, proposal).knowledge();
    assertThat(summary(new ViewMessage.Propose(ballot))).isEqualTo("propose 4.1");
    assertThat(summary(new ViewMessage.Wedged(ballot, newcomer)))
        .isEqualTo("wedged for 4.1 in 0.3 non-primary [c], has not caught up");
    assertThat(summary(new ViewMessage.Wedged(ballot, behind)))
        .isEqualTo("wedged for 4.1 in 3.1 primary [a, b], has accepted in 4.1: 4.1 primary [a, c]");
    assertThat(summary(new ViewMessage.Wedged(ballot, apart)))
        .isEqualTo("wedged for 4.1 in 5.2 non-primary [b], knows 3.1 primary [a, b], wants to leave");
    assertThat(summary(new ViewMessage.Accept(ballot, proposal)))
        .isEqualTo("accept in 4.1: 4.1 primary [a, c] after 3.1, b leaves, a brings c up to date");
    assertThat(summary(new ViewMessage.Agreed(ballot, proposal))).startsWith("for 4.1, it was agreed: 4.1 primary");
    assertThat(summary(new ViewMessage.Accepted(ballot))).isEqualTo("accepted in 4.1");
    assertThat(summary(new ViewMessage.Install(ballot))).isEqualTo("install 4.1");
    assertThat(summary(new ViewMessage.Refused(ballot, new ViewId(5, 2)))).isEqualTo("refuse 4.1, promised is 5.2");
    assertThat(summary(new ViewMessage.Refused(ballot, ballot)))
        .isEqualTo("refuse what 4.1 decided, as more is known here");
    assertThat(summary(new ViewMessage.Fetch(ballot, 1, 5, 8))).isEqualTo("send batches 5 to 7 of rank 1 in 4.1");
    assertThat(summary(new ViewMessage.Supply(ballot, 1, batch(B, 5)))).isEqualTo("batch 5 of rank 1 in 4.1");
  }

  @Test
  void whatElseIsSaidIsShort() {
    var signs = List.of(new ViewMessage.Sign(B, 7, 40_000_000), new ViewMessage.Sign(C, 0, 4_000_000_000L));
    var meet = new ViewMessage.Meet(BOTH, null, null, List.of(), Versions.OWN, true);
    assertThat(summary(new ViewMessage.Report(List.of(B, C)))).isEqualTo("does not hear b, c");
    assertThat(summary(new ViewMessage.Doubted(signs)))
        .isEqualTo("who has heard later than this: b 40 ms ago, c 4000 ms ago");
    assertThat(summary(new ViewMessage.Refuted(signs))).isEqualTo("has heard b 40 ms ago, c 4000 ms ago");
    assertThat(summary(new ViewMessage.Ask(true))).isEqualTo("wants to leave");
    assertThat(summary(new ViewMessage.Ask(false))).isEqualTo("wants another view");
    assertThat(summary(new ViewMessage.Found(C))).isEqualTo("a member of another view calls, of c");
    assertThat(summary(meet)).isEqualTo("answers from 3.1 primary [a] observers [b]");
    assertThat(summary(new ViewMessage.NameInUse(B, null))).isEqualTo("the name is in use, by b at here:b");
    assertThat(summary(new ViewMessage.OtherVersion(5, null))).isEqualTo("the group speaks version 5");
    assertThat(summary(new ViewMessage.MayNotVote(null))).isEqualTo("the certificate is only for observers");
    assertThat(summary(new ViewMessage.TooSlow(4711))).isEqualTo("more than 4711 bytes behind");
    assertThat(summary(new ViewMessage.Behind(1_500_000_000)))
        .isEqualTo("leaves, as its application is 1500 ms behind");
    assertThat(summary(new ViewMessage.Overruled(HistoryText.LINEAGE, B)))
        .isEqualTo("the history gives way to that of b");
  }
}
