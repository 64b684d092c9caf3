package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.D;
import static org.tutti.Members.member;
import static org.tutti.Members.nonPrimary;
import static org.tutti.Members.primary;

import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.PrimaryViews;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.order.Cut;

/// Votes of a static majority belong to lives; whose they are follows from the chain of views.
class StaticMajorityTest {
  private static final Electorate THREE = new Electorate(Set.of("a", "b", "c"));
  private static final PrimaryRule RULE = PrimaryRule.of(PrimaryViews.STATIC_MAJORITY, THREE);
  private static final Lineage STATIC = lineage(PrimaryViews.STATIC_MAJORITY);
  private static final MemberId B_AGAIN = member("b", 12);
  private static final View ALL = primary(5, A, B, C);
  private static final View TWO = primary(6, B, C); // A is its absentee
  private static final ViewId BALLOT = new ViewId(9, C.incarnation());
  private static final String NOTHING = "10: |10| 0-0 0-0";

  private final TreeMap<MemberId, Knowledge> reports = new TreeMap<>();

  private static Lineage lineage(PrimaryViews choice) {
    Set<String> names = choice.needsElectorate() ? THREE.names() : Set.of();
    var group = GroupConfig.builder().stateTransfer(true).electorate(names).primaryViews(choice).build();
    return new Lineage(new ViewId(1, 1), 100, group);
  }

  private static boolean mayGoOn(View from, List<MemberId> absentees, MemberId... here) {
    return RULE.mayGoOn(from, absentees, List.of(here)::contains);
  }

  private StaticMajorityTest report(MemberId member, HistoryText told) {
    reports.put(member, told.knowledge());
    return this;
  }

  private Flush.Decision decision() {
    return new Flush(C, BALLOT, reports, Set.of()).decide();
  }

  private View proposed() {
    assertThat(decision()).isInstanceOf(Flush.Decision.Propose.class);
    return ((Flush.Decision.Propose) decision()).proposal().view();
  }

  // ---- votes -----------------------------------------------------------------------------------------------------

  @Test
  void whoIsLeftOutKeepsItsVoteUntilALaterLifeOfItsNameIsInAView() {
    assertThat(RULE.absentees(TWO, ALL, List.of())).containsExactly(A);
    View withoutB = primary(7, A, C);
    assertThat(RULE.absentees(withoutB, TWO, List.of(A))).containsExactly(B);
    assertThat(RULE.absentees(primary(8, A, C, D), withoutB, List.of(B))).as("D has no name of it").containsExactly(B);
    assertThat(RULE.absentees(primary(8, A, C, B_AGAIN), withoutB, List.of(B))).isEmpty();
    assertThat(RULE.deciders(withoutB, List.of(B))).containsExactly(A, C, B);
  }

  @Test
  void aMajorityOfVotesGoesOnWhereverItsLivesAre() {
    assertThat(mayGoOn(TWO, List.of(A), C, A)).isTrue();
    assertThat(mayGoOn(TWO, List.of(A), C, B)).isTrue();
    assertThat(mayGoOn(TWO, List.of(A), A, B_AGAIN)).as("B_AGAIN knows nothing").isFalse();
    assertThat(mayGoOn(TWO, List.of(), C, A)).as("A was in no primary view").isFalse();
    assertThat(mayGoOn(TWO, List.of(A), B)).isFalse();
    assertThat(mayGoOn(primary(6, B, C, D), List.of(A), C, D)).as("D has no vote").isFalse();
  }

  @Test
  void deliveryWaitsForAMajorityOfTheNames() {
    assertThat(RULE.isQuorum(TWO, rank -> rank == 0)).isFalse();
    assertThat(RULE.isQuorum(TWO, rank -> true)).isTrue();
    assertThat(RULE.isQuorum(primary(6, D, B, C), rank -> rank < 2)).isFalse();
    View observed = new View(new ViewId(6, 2), List.of(B, C, A), 2, true, List.of());
    assertThat(RULE.isQuorum(observed, rank -> rank > 0)).as("A observes").isFalse();
  }

  @Test
  void theFirstViewOfAFounderIsItsOwnAffair() {
    View own = primary(1, A);
    assertThat(mayGoOn(own, List.of(), A)).isTrue();
    assertThat(mayGoOn(own, List.of(), B, C)).isFalse();
    assertThat(RULE.absentees(primary(2, B, C), own, List.of())).isEmpty();
  }

  @Test
  void aViewZeroLeavesNoAbsentees() {
    View zero = new Founding(Set.of("a", "b", "c")).zero();
    assertThat(RULE.absentees(primary(2, B, C), zero, List.of())).isEmpty();
  }

  @Test
  void withDynamicLinearVotingNobodyIsAbsent() {
    for (PrimaryViews choice : List.of(PrimaryViews.DYNAMIC_LINEAR, PrimaryViews.BOTH)) {
      PrimaryRule rule = PrimaryRule.of(choice, THREE);
      assertThat(rule.absentees(TWO, ALL, List.of())).isEmpty();
      assertThat(rule.deciders(TWO, List.of())).containsExactly(B, C);
      assertThat(rule.mayGoOn(TWO, List.of(), List.of(A, C)::contains)).isFalse();
    }
  }

  // ---- decisions -------------------------------------------------------------------------------------------------

  private static HistoryText cutOff(MemberId member, Lineage by) {
    return HistoryText.cutOff(nonPrimary(8, member), TWO, NOTHING).ruled(by, A);
  }

  private static HistoryText leftOut(Lineage by) {
    return HistoryText.cutOff(nonPrimary(7, A), ALL, "10: |10| 0-0 0-0 0-0").ruled(by);
  }

  @Test
  void anAbsenteeHelpsToGoOnAndGetsTheState() {
    report(C, cutOff(C, STATIC)).report(A, leftOut(STATIC));
    Proposal next = ((Flush.Decision.Propose) decision()).proposal();
    assertThat(next.view().primary()).isTrue();
    assertThat(next.view().members()).containsExactly(C, A);
    assertThat(next.absentees()).as("of the view before").containsExactly(A);
    assertThat(next.nextAbsentees()).containsExactly(B);
    assertThat(next.transferTo(A)).isNotNull();
  }

  @Test
  void byDynamicLinearVotingItDoesNot() {
    for (PrimaryViews choice : List.of(PrimaryViews.DYNAMIC_LINEAR, PrimaryViews.BOTH)) {
      report(C, cutOff(C, lineage(choice))).report(A, leftOut(lineage(choice)));
      assertThat(proposed().primary()).as("%s", choice).isFalse();
    }
  }

  @Test
  void aLifeWithoutTheStateDoesNotCount() {
    report(C, cutOff(C, STATIC)).report(B_AGAIN, HistoryText.newcomer(nonPrimary(7, B_AGAIN)));
    assertThat(proposed().primary()).isFalse();
    report(B_AGAIN, HistoryText.newcomer(nonPrimary(7, B_AGAIN)).standsFor(B));
    assertThat(proposed().primary()).as("with B's storage it does").isTrue();
  }

  @Test
  void absenteesAloneCannotGoOn() {
    report(A, leftOut(STATIC).knows(TWO).ruled(STATIC, A))
        .report(B_AGAIN, HistoryText.newcomer(nonPrimary(7, B_AGAIN)));
    assertThat(proposed().primary()).isFalse();
  }

  @Test
  void whatOnlyAnAbsenteeHasAcceptedIsFinishedWhenItsStateIsHere() {
    Cut cut = new Cut(TWO.id(), 10, List.of(), true, List.of(C, C), true);
    Proposal accepted = HistoryText.proposal(primary(8, C, A), TWO, 10, List.of(cut));
    report(A, leftOut(STATIC).knows(TWO).ruled(STATIC, A).accepted(new ViewId(8, 3), accepted));
    report(B, cutOff(B, STATIC));
    Flush.Decision atB = new Flush(B, new ViewId(9, B.incarnation()), reports, Set.of()).decide();
    assertThat(atB).isInstanceOf(Flush.Decision.Propose.class);
    assertThat(((Flush.Decision.Propose) atB).proposal().view().primary()).as("no other one follows").isFalse();
    report(C, cutOff(C, STATIC));
    Flush.Decision together = new Flush(B, new ViewId(9, B.incarnation()), reports, Set.of()).decide();
    assertThat(together).isInstanceOf(Flush.Decision.Finish.class);
    assertThat(((Flush.Decision.Finish) together).proposal().view()).isEqualTo(accepted.view());
  }

  @Test
  void anAbsenteeIsAskedLastToAcceptASuccessor() {
    report(C, cutOff(C, STATIC)).report(A, leftOut(STATIC));
    var flush = new Flush(C, BALLOT, reports, Set.of());
    assertThat(flush.withoutHistory(((Flush.Decision.Propose) flush.decide()).proposal())).containsExactly(A);
    Proposal apart = HistoryText.proposal(nonPrimary(9, C, A), TWO, 10, List.of());
    assertThat(flush.withoutHistory(apart)).as("need not be finished").isEmpty();
  }

  @Test
  void whoStandsForAMemberAndHasItsHistoryIsAskedFirst() {
    report(C, cutOff(C, STATIC)).report(B_AGAIN, cutOff(B_AGAIN, STATIC).standsFor(B)).report(D, newcomer());
    var flush = new Flush(C, BALLOT, reports, Set.of());
    Proposal next = ((Flush.Decision.Propose) flush.decide()).proposal();
    assertThat(next.view().members()).containsExactlyInAnyOrder(B_AGAIN, C, D);
    assertThat(flush.withoutHistory(next)).as("D decides about nothing").isEmpty();
    report(B_AGAIN, newcomer().standsFor(B));
    assertThat(new Flush(C, BALLOT, reports, Set.of()).withoutHistory(next)).containsExactly(B_AGAIN);
  }

  private static HistoryText newcomer() {
    return HistoryText.newcomer(nonPrimary(7, D));
  }

  @Test
  void theNextViewNeedsAMajorityOfNamesWhoeverHelpedToFormIt() {
    report(C, cutOff(C, STATIC)).report(A, leftOut(STATIC).leaves());
    assertThat(proposed().primary()).isFalse();
    report(B_AGAIN, HistoryText.newcomer(nonPrimary(7, B_AGAIN)));
    assertThat(proposed().primary()).isTrue();
    assertThat(proposed().members()).containsExactly(C, B_AGAIN);
  }

  @Test
  void storageStandsForAnAbsentee() {
    var since = new ViewId(2, A.incarnation());
    var kept = new PersistentState(A, List.of(), since, since, STATIC, TWO, List.of(A), null, null);
    MemberId again = member("a", 11);
    assertThat(kept.identity(again).earlier()).containsExactly(A);
    var forgotten = new PersistentState(A, List.of(), since, since, STATIC, TWO, List.of(), null, null);
    assertThat(forgotten.identity(again).earlier()).isEmpty();
  }
}
