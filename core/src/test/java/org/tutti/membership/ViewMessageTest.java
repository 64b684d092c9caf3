package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;

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
}
