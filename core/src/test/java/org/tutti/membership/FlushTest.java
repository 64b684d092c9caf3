package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.D;
import static org.tutti.Members.E;
import static org.tutti.Members.nonPrimary;
import static org.tutti.Members.primary;

import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.order.Cut;

class FlushTest {
  private static final View VIEW = primary(5, A, B, C);
  private static final String NOTHING = "10: |10| 0-0 0-0 0-0";
  private static final ViewId BALLOT = new ViewId(9, A.incarnation());

  private final TreeMap<MemberId, Knowledge> reports = new TreeMap<>();

  private FlushTest report(MemberId member, HistoryText told) {
    reports.put(member, told.knowledge());
    return this;
  }

  private Flush.Decision decision() {
    return new Flush(A, BALLOT, reports, Set.of()).decide();
  }

  private Proposal proposed() {
    Flush.Decision decision = decision();
    assertThat(decision).isInstanceOf(Flush.Decision.Propose.class);
    return ((Flush.Decision.Propose) decision).proposal();
  }

  private Proposal finished() {
    Flush.Decision decision = decision();
    assertThat(decision).isInstanceOf(Flush.Decision.Finish.class);
    return ((Flush.Decision.Finish) decision).proposal();
  }

  private static Cut whole(String places) {
    return new Cut(VIEW.id(), 10, HistoryText.places(places), true, List.of(C, C, C), true);
  }

  private static Proposal successor(long epoch, String places, MemberId... members) {
    return HistoryText.proposal(primary(epoch, members), VIEW, 10, List.of(whole(places)));
  }

  // ---- founding by a number --------------------------------------------------------------------------------------

  private static final View TWO = Founding.of(2).zero();
  private static final String NEVER = "0: |0| 0-0 0-0";

  private static HistoryText founder(MemberId member) {
    return HistoryText.cutOff(nonPrimary(8, member), TWO, NEVER);
  }

  @Test
  void asManyAsTheNumberSaysFoundTheGroup() {
    report(A, founder(A));
    assertThat(proposed().view().primary()).as("one of two").isFalse();
    report(B, founder(B));
    report(D, HistoryText.newcomer(nonPrimary(7, D)).knows(TWO));
    Proposal next = proposed();
    assertThat(next.view().primary()).isTrue();
    assertThat(next.view().members()).containsExactlyInAnyOrder(A, B, D);
    assertThat(next.lastPrimary()).isEqualTo(TWO);
  }

  @Test
  void whoOnlyJoinsAndAnotherLifeOfOneNameDoNotCount() {
    report(C, founder(C));
    report(C_AGAIN, founder(C_AGAIN));
    report(D, HistoryText.newcomer(nonPrimary(7, D)).knows(TWO));
    assertThat(proposed().view().primary()).isFalse();
  }

  @Test
  void whatFoundersHaveAcceptedIsFinished() {
    var cut = new Cut(TWO.id(), 0, List.of(), true, List.of(B, B), true);
    Proposal unfinished = HistoryText.proposal(primary(6, B, C), TWO, 0, List.of(cut));
    report(A, founder(A)).report(B, founder(B).accepted(new ViewId(6, B.incarnation()), unfinished));
    assertThat(finished().view()).isEqualTo(unfinished.view());
  }

  // ---- versions --------------------------------------------------------------------------------------------------

  private static final int VERSION = VIEW.version();

  private HistoryText member(int newest) {
    return HistoryText.in(VIEW, NOTHING).speaks(VERSION, newest, newest);
  }

  private static HistoryText stranger(int oldest, int newest) {
    return HistoryText.newcomer(nonPrimary(1, D)).speaks(oldest, newest, newest);
  }

  @Test
  void theNextPrimaryViewHasTheHighestVersionOfItsMembers() {
    report(A, member(VERSION + 2)).report(B, member(VERSION + 1)).report(C, member(VERSION));
    assertThat(proposed().view().version()).isEqualTo(VERSION);
    report(C, member(VERSION).leaves());
    assertThat(proposed().view()).extracting(View::members, View::version).containsExactly(List.of(A, B), VERSION + 1);
  }

  @Test
  void whoCannotSpeakWithTheOthersIsRefused() {
    report(A, member(VERSION)).report(B, member(VERSION + 1));
    for (HistoryText its : List.of(stranger(VERSION - 1, VERSION - 1), stranger(VERSION + 1, VERSION + 2))) {
      assertThat(report(D, its).decision()).isEqualTo(new Flush.Decision.Refuse(List.of(D), VERSION, VIEW.id()));
    }
    report(A, member(VERSION + 1));
    assertThat(proposed().view().version()).as("all of them can rise").isEqualTo(VERSION + 1);
    assertThat(proposed().view().members()).containsExactly(A, B, D);
  }

  @Test
  void aViewThatIsNotPrimaryHasTheVersionOfTheLastPrimaryOne() {
    report(C, member(VERSION + 1));
    assertThat(proposed().view()).extracting(View::primary, View::version).containsExactly(false, VERSION);
    report(D, stranger(VERSION + 1, VERSION + 1));
    assertThat(decision()).isEqualTo(new Flush.Decision.Refuse(List.of(D), VERSION, VIEW.id()));
  }

  @Test
  void theLatestPrimaryViewThatAnybodyKnowsDecides() {
    View later = new View(new ViewId(7, 3), List.of(C), 1, true, List.of(VIEW.id()), VERSION + 1);
    report(A, member(VERSION + 1).knows(later)).report(B, member(VERSION));
    assertThat(decision()).isEqualTo(new Flush.Decision.Refuse(List.of(B), VERSION + 1, later.id()));
  }

  @Test
  void whoStandsForAMemberOfAnUnfinishedViewHasItsVersion() {
    View next = new View(new ViewId(6, 2), List.of(A, B), 2, true, List.of(VIEW.id()), VERSION + 1);
    Proposal unfinished = HistoryText.proposal(next, VIEW, 10, List.of(whole("")));
    report(A, member(VERSION + 1).accepted(next.id(), unfinished));
    report(B_AGAIN, restarted(B_AGAIN, NOTHING).standsFor(B).speaks(VERSION, VERSION, VERSION));
    assertThat(decision()).isEqualTo(new Flush.Decision.Refuse(List.of(B_AGAIN), VERSION + 1, VIEW.id()));
  }

  // ---- restarts from stable storage ------------------------------------------------------------------------------

  private static final MemberId B_AGAIN = Members.member("b", 12);
  private static final MemberId C_AGAIN = Members.member("c", 13);
  private static final MemberId C_AT_LAST = Members.member("c", 23);

  private static HistoryText restarted(MemberId member, String tail) {
    return HistoryText.cutOff(nonPrimary(8, member), VIEW, tail);
  }

  @Test
  void restartedMembersCountForTheLivesWhoseStorageTheyHave() {
    report(B_AGAIN, restarted(B_AGAIN, "10: a0 a1 |10| 0-2 0-0 0-0").standsFor(B));
    report(C_AGAIN, restarted(C_AGAIN, NOTHING).standsFor(C));
    Proposal next = proposed();
    assertThat(next.view().primary()).isTrue();
    assertThat(next.view().members()).containsExactlyInAnyOrder(B_AGAIN, C_AGAIN);
    assertThat(next.indexFirst()).isEqualTo(12);
    assertThat(next.cuts().getLast().sources().getFirst()).isEqualTo(B_AGAIN);
  }

  @Test
  void whoHasNoStorageCountsForNobody() {
    report(B_AGAIN, restarted(B_AGAIN, NOTHING).standsFor(B));
    report(C_AGAIN, HistoryText.newcomer(nonPrimary(8, C_AGAIN)));
    assertThat(proposed().view().primary()).isFalse();
  }

  @Test
  void twoLivesOfOneMemberCountOnce() {
    report(C_AGAIN, restarted(C_AGAIN, NOTHING).standsFor(C));
    report(C_AT_LAST, restarted(C_AT_LAST, NOTHING).standsFor(C, C_AGAIN));
    Proposal next = proposed();
    assertThat(next.view().primary()).isFalse();
    assertThat(next.view().members()).containsExactly(C_AT_LAST);
  }

  @Test
  void whatAnEarlierLifeHasAcceptedIsFinished() {
    Proposal accepted = successor(7, "a0", A, B, C);
    report(B_AGAIN, restarted(B_AGAIN, NOTHING).standsFor(B).accepted(new ViewId(8, 3), accepted));
    report(C_AGAIN, restarted(C_AGAIN, NOTHING).standsFor(C));
    assertThat(finished().view()).isEqualTo(accepted.view());
  }

  // ---- branches --------------------------------------------------------------------------------------------------

  @Test
  void eachBranchEndsWithAllThatThoseWhoComeFromItHave() {
    View left = nonPrimary(6, B, D);
    View right = nonPrimary(7, C, E);
    report(A, HistoryText.in(VIEW, NOTHING));
    report(B, HistoryText.cutOff(left, VIEW, NOTHING).branch("2: a2 | 3 | 2-4 0-0"));
    report(D, HistoryText.newcomer(left).branch("1: a1 a2 b0 | 2 | 1-3 0-1"));
    report(C, HistoryText.cutOff(right, VIEW, NOTHING).branch("0: | 0 | 0-0 0-2"));
    Proposal next = proposed();
    assertThat(next.view().primary()).isTrue();
    assertThat(HistoryText.texts(next))
        .containsExactly(left.id() + " whole 2: a2 b0 a3", right.id() + " whole 0: b0 b1", VIEW.id() + " whole 10:");
    assertThat(next.cutOf(left.id()).sources()).containsExactly(B, D);
  }

  @Test
  void aBranchEndsBeforeAnotherViewThatIsNotPrimary() {
    View branch = nonPrimary(6, C, D);
    report(C, HistoryText.cutOff(branch, VIEW, "10: a0 | 10 | 0-1 0-0 0-0").branch("0: a0 | 0 | 0-1 0-0"));
    Proposal next = proposed();
    assertThat(next.view().primary()).isFalse();
    assertThat(HistoryText.texts(next)).containsExactly(branch.id() + " whole 0: a0");
  }

  // ---- the next view ---------------------------------------------------------------------------------------------

  @Test
  void aQuorumOfAPrimaryViewFormsTheNextOne() {
    report(A, HistoryText.in(VIEW, NOTHING)).report(B, HistoryText.in(VIEW, NOTHING));
    Proposal next = proposed();
    assertThat(next.view().id()).isEqualTo(BALLOT);
    assertThat(next.view().primary()).isTrue();
    assertThat(next.view().members()).containsExactly(A, B);
    assertThat(next.view().predecessors()).containsExactly(VIEW.id());
    assertThat(next.lastPrimary()).isEqualTo(VIEW);
  }

  @Test
  void aMinorityGoesToAViewThatIsNotPrimary() {
    report(C, HistoryText.in(VIEW, "10: a0 b0 |11| 0-1 0-1 0-0"));
    Proposal next = proposed();
    assertThat(next.view().primary()).isFalse();
    assertThat(next.view().members()).containsExactly(C);
    assertThat(HistoryText.texts(next))
        .as("only what is decided is delivered")
        .containsExactly(VIEW.id() + " decided 10: a0");
    assertThat(next.lastPrimary()).isEqualTo(VIEW);
  }

  @Test
  void halfIsEnoughWithTheMostSenior() {
    View four = primary(5, A, B, C, D);
    String nothing = NOTHING + " 0-0";
    report(A, HistoryText.in(four, nothing)).report(D, HistoryText.in(four, nothing));
    assertThat(proposed().view().primary()).isTrue();
    reports.clear();
    report(B, HistoryText.in(four, nothing)).report(C, HistoryText.in(four, nothing));
    assertThat(proposed().view().primary()).isFalse();
  }

  @Test
  void membersStayInTheirOrderAndNewcomersComeLast() {
    report(E, HistoryText.newcomer(nonPrimary(0, E)))
        .report(D, HistoryText.newcomer(nonPrimary(0, D)))
        .report(C, HistoryText.in(VIEW, NOTHING))
        .report(A, HistoryText.in(VIEW, NOTHING))
        .report(B, HistoryText.in(VIEW, NOTHING));
    assertThat(proposed().view().members()).containsExactly(A, B, C, D, E);
  }

  @Test
  void newcomersAloneFormAViewThatIsNotPrimary() {
    report(D, HistoryText.newcomer(nonPrimary(0, D))).report(E, HistoryText.newcomer(nonPrimary(0, E)));
    Proposal next = proposed();
    assertThat(next.view().primary()).isFalse();
    assertThat(next.lastPrimary()).isNull();
    assertThat(next.lineage()).isNull();
  }

  @Test
  void whoLeavesHelpsToFormTheViewWithoutIt() {
    report(A, HistoryText.in(VIEW, NOTHING)).report(B, HistoryText.in(VIEW, NOTHING).leaves());
    Proposal next = proposed();
    assertThat(next.view().primary()).isTrue();
    assertThat(next.view().members()).containsExactly(A);
  }

  @Test
  void onlyAPrimaryViewLetsAMemberOfAPrimaryViewGo() {
    report(C, HistoryText.in(VIEW, NOTHING).leaves()).report(D, HistoryText.newcomer(nonPrimary(0, D)));
    assertThat(proposed().view().members()).containsExactly(C, D);
    assertThat(proposed().departed()).isEmpty();
    report(C, HistoryText.cutOff(nonPrimary(6, C), VIEW, NOTHING).leaves());
    assertThat(proposed().view().members()).containsExactly(D);
    assertThat(proposed().departed()).containsExactly(C);
  }

  @Test
  void oneStaysWhenAllLeave() {
    report(A, HistoryText.in(VIEW, NOTHING).leaves()).report(B, HistoryText.in(VIEW, NOTHING).leaves());
    assertThat(proposed().view().members()).containsExactly(A);
  }

  @Test
  void theOnlyOneWithTheStateCannotLeaveYet() {
    report(A, HistoryText.in(VIEW, NOTHING).leaves()).report(B, HistoryText.in(VIEW, NOTHING).waitsFor(A, VIEW.id()));
    assertThat(proposed().view().members()).containsExactly(A, B);
  }

  @Test
  void ofTwoLivesOnlyTheLaterIsInTheNextView() {
    MemberId again = Members.member("b", 20);
    report(A, HistoryText.in(VIEW, NOTHING))
        .report(B, HistoryText.in(VIEW, NOTHING))
        .report(C, HistoryText.in(VIEW, NOTHING))
        .report(again, HistoryText.newcomer(nonPrimary(0, again)));
    assertThat(proposed().view().members()).containsExactly(A, C, again);
  }

  // ---- observers -------------------------------------------------------------------------------------------------

  private static View observed(int voters, MemberId... members) {
    return new View(new ViewId(5, A.incarnation()), List.of(members), voters, true, List.of());
  }

  private static View observer(MemberId member) {
    return new View(new ViewId(0, member.incarnation()), List.of(member), 0, false, List.of());
  }

  @Test
  void observersMakeNoQuorum() {
    View of = observed(2, A, B, C, D);
    String nothing = NOTHING + " 0-0";
    for (MemberId member : List.of(B, C, D)) {
      report(member, HistoryText.in(of, nothing));
    }
    View next = proposed().view();
    assertThat(next.primary()).as("B is half of those that vote, without A").isFalse();
    assertThat(next.members()).containsExactly(B, C, D);
    assertThat(next.observers()).containsExactly(C, D);
  }

  @Test
  void observersStayBehindVotersThatComeLater() {
    View of = observed(1, A, B);
    report(A, HistoryText.in(of, "10: |10| 0-0 0-0")).report(B, HistoryText.in(of, "10: |10| 0-0 0-0"));
    report(C, HistoryText.newcomer(observer(C))).report(D, HistoryText.newcomer(nonPrimary(0, D)));
    View next = proposed().view();
    assertThat(next.members()).containsExactly(A, D, B, C);
    assertThat(next.observers()).containsExactly(B, C);
  }

  @Test
  void anObserverMayDoWithoutTheState() {
    report(A, HistoryText.in(VIEW, NOTHING)).report(B, HistoryText.in(VIEW, NOTHING));
    report(C, HistoryText.newcomer(observer(C))).report(D, HistoryText.newcomer(observer(D)).withoutState());
    assertThat(proposed().transfers().stream().filter(Proposal.Assignment::state))
        .extracting(Proposal.Assignment::newcomer)
        .containsExactly(C);
  }

  @Test
  void whatOnlyAnObserverAcceptedNeedNotBeFinished() {
    View of = observed(2, A, B, C);
    var end = new Cut(of.id(), 10, List.of(), true, List.of(C, C, C), true);
    Proposal unfinished = HistoryText.proposal(primary(7, B, C), of, 10, List.of(end));
    report(A, HistoryText.in(of, NOTHING)).report(B, HistoryText.in(of, NOTHING));
    report(C, HistoryText.in(of, NOTHING).accepted(new ViewId(7, B.incarnation()), unfinished));
    assertThat(proposed().view().members()).containsExactly(A, B, C);
  }

  @Test
  void anObserverGivesNobodyTheState() {
    View of = observed(2, A, B, C);
    report(A, HistoryText.in(of, NOTHING).waitsFor(B, of.id()))
        .report(B, HistoryText.in(of, NOTHING).waitsFor(A, of.id()));
    report(C, HistoryText.in(of, NOTHING));
    assertThat(proposed().view().primary()).isFalse();
  }

  @Test
  void theHistoryEndsForTheObserversWhenTheLastVoterLeaves() {
    View of = observed(1, A, B, C);
    report(A, HistoryText.in(of, "10: a0 |10| 0-1 0-0 0-0").leaves()).report(B, HistoryText.in(of, NOTHING));
    Proposal last = proposed();
    assertThat(last.endsHistory()).isTrue();
    assertThat(last.view().primary()).isFalse();
    assertThat(last.view().members()).containsExactly(B);
    assertThat(HistoryText.texts(last)).as("they get all of it").containsExactly(of.id() + " whole 10: a0");
    assertThat(last.departed()).containsExactly(A);
  }

  @Test
  void theHistoryGoesOnWhileSomebodyVotes() {
    View of = observed(1, A, B);
    String nothing = "10: |10| 0-0 0-0";
    report(A, HistoryText.in(of, nothing).leaves())
        .report(B, HistoryText.in(of, nothing))
        .report(D, HistoryText.newcomer(nonPrimary(0, D)));
    assertThat(proposed().endsHistory()).isFalse();
    assertThat(proposed().view().members()).as("A has to give D the state first").containsExactly(A, D, B);
    View two = observed(2, A, B, C);
    reports.clear();
    report(A, HistoryText.in(two, NOTHING).leaves()).report(B, HistoryText.in(two, NOTHING).leaves());
    report(C, HistoryText.in(two, NOTHING));
    assertThat(proposed().view().members()).as("one stays when all leave").containsExactly(A, C);
    assertThat(proposed().view().primary()).isTrue();
  }

  // ---- where histories end ---------------------------------------------------------------------------------------

  @Test
  void theWholeHistoryEndsAPrimaryViewThatGoesOn() {
    report(A, HistoryText.in(VIEW, "10: a0 |10| 0-1 0-0 0-0"))
        .report(B, HistoryText.in(VIEW, "10: a0 b0 |11| 0-1 0-2 0-0"));
    Proposal next = proposed();
    assertThat(HistoryText.texts(next)).containsExactly(VIEW.id() + " whole 10: a0 b0 b1");
    assertThat(next.indexFirst()).isEqualTo(13);
  }

  @Test
  void membersOfAnOlderPrimaryViewDeliverWhatIsDecidedThere() {
    View old = primary(3, C, D);
    report(A, HistoryText.in(VIEW, NOTHING))
        .report(B, HistoryText.in(VIEW, NOTHING))
        .report(D, HistoryText.in(old, "4: a0 b0 |5| 0-1 0-1").knows(old));
    Proposal next = proposed();
    assertThat(HistoryText.texts(next))
        .containsExactlyInAnyOrder(old.id() + " decided 4: a0", VIEW.id() + " whole 10:");
    assertThat(next.view().members()).containsExactly(A, B, D);
  }

  /// With agreed delivery a member may be ahead of what others have accepted.
  @Test
  void nobodyDeliversBeyondAnEndThatItHasAccepted() {
    Proposal unfinished = successor(7, "a0", A, C);
    HistoryText bound = HistoryText.in(VIEW, "10: a0 |11| 0-1 0-0 0-0").accepted(unfinished.view().id(), unfinished);
    View apart = nonPrimary(6, E);
    View five = primary(4, A, B, C, D, E);
    report(C, bound.knows(five)).report(E, HistoryText.cutOff(apart, VIEW, "10: a0 b0 |12| 0-1 0-1 0-0").knows(five));
    Proposal next = proposed();
    assertThat(next.view().members()).containsExactly(C, E);
    assertThat(HistoryText.texts(next)).containsExactly(VIEW.id() + " decided 10: a0");
  }

  @Test
  void whoIsAheadOfAnAcceptedEndTakesAViewOfItsOwn() {
    View five = primary(5, A, B, C, D, E);
    var end = new Cut(five.id(), 10, HistoryText.places("a0"), true, List.of(A, A, A, A, A), true);
    Proposal unfinished = HistoryText.proposal(primary(7, A, C, D), five, 11, List.of(end));
    report(B, HistoryText.in(five, "10: a0 b0 |12| 0-1 0-1 0-0 0-0 0-0"))
        .report(
            C, HistoryText.in(five, "10: a0 |11| 0-1 0-0 0-0 0-0 0-0").accepted(unfinished.view().id(), unfinished));
    Proposal next = proposed();
    assertThat(next.view().members()).containsExactly(C);
    assertThat(HistoryText.texts(next)).containsExactly(five.id() + " decided 10: a0");
  }

  /// B has delivered b0, which is in no accepted end: what follows it there has another place than at B.
  @Test
  void whoHasDeliveredWhatAnAcceptedEndLeavesOutTakesAViewOfItsOwn() {
    View five = primary(5, A, B, C, D, E);
    var end = new Cut(five.id(), 10, HistoryText.places("a0 c0 c1"), true, List.of(A, A, A, A, A), true);
    Proposal unfinished = HistoryText.proposal(primary(7, A, C, D), five, 13, List.of(end));
    report(B, HistoryText.in(five, "10: a0 b0 c0 |13| 0-1 0-1 0-1 0-0 0-0"))
        .report(
            C, HistoryText.in(five, "10: a0 |11| 0-1 0-0 0-2 0-0 0-0").accepted(unfinished.view().id(), unfinished));
    Proposal next = proposed();
    assertThat(next.view().members()).containsExactly(C);
    assertThat(HistoryText.texts(next)).containsExactly(five.id() + " decided 10: a0");
  }

  @Test
  void whoHasLeftAPrimaryViewForAnotherStillCountsAsItsMember() {
    View apart = nonPrimary(7, C);
    report(B, HistoryText.in(VIEW, "10: |10| 0-0 0-1 0-0"))
        .report(C, HistoryText.cutOff(apart, VIEW, "10: |10| 0-0 0-0 0-3"));
    Proposal next = proposed();
    assertThat(next.view().primary()).isTrue();
    assertThat(next.view().predecessors()).containsExactly(VIEW.id(), apart.id());
    assertThat(HistoryText.texts(next)).containsExactly(VIEW.id() + " whole 10: b0 c0 c1 c2");
  }

  // ---- attempts that were not finished ---------------------------------------------------------------------------

  @Test
  void aProposalThatSomebodyAcceptedIsFinished() {
    Proposal unfinished = successor(7, "a0", B, C);
    report(A, HistoryText.in(VIEW, "10: a0 |10| 0-1 0-0 0-0"))
        .report(B, HistoryText.in(VIEW, NOTHING).accepted(unfinished.view().id(), unfinished));
    Proposal again = finished();
    assertThat(again.view()).isEqualTo(unfinished.view());
    assertThat(HistoryText.texts(again)).isEqualTo(HistoryText.texts(unfinished));
    assertThat(again.cuts().getFirst().sources()).as("from who is here").containsExactly(A, A, A);
    assertThat(again.cuts().getFirst().available()).isTrue();
  }

  @Test
  void withoutTheStateNothingIsFinished() {
    Proposal unfinished = successor(7, "a0", B, C);
    report(A, HistoryText.in(VIEW, "10: a0 |10| 0-1 0-0 0-0").waitsFor(C, VIEW.id()))
        .report(B, HistoryText.in(VIEW, NOTHING).waitsFor(C, VIEW.id()).accepted(unfinished.view().id(), unfinished));
    assertThat(proposed().view().primary()).isFalse();
    report(C, HistoryText.in(VIEW, NOTHING));
    assertThat(finished().view()).isEqualTo(unfinished.view());
  }

  @Test
  void whoLeavesDoesNotFinishAViewWhoseOthersWaitForTheState() {
    Proposal unfinished = successor(7, "a0", B, A);
    report(
            A,
            HistoryText.in(VIEW, "10: a0 |10| 0-1 0-0 0-0")
                .waitsFor(B, VIEW.id())
                .accepted(new ViewId(7, B.incarnation()), unfinished))
        .report(C, HistoryText.in(VIEW, NOTHING).leaves());
    Proposal next = proposed();
    assertThat(next.view().primary()).isFalse();
    assertThat(next.view().members()).as("C sees first that it is cut off").containsExactly(A, C);
    reports.remove(C);
    report(B, HistoryText.in(VIEW, NOTHING));
    Proposal again = finished();
    assertThat(again.view()).isEqualTo(unfinished.view());
    assertThat(again.cuts().getFirst().available()).as("A has kept what B misses").isTrue();
  }

  @Test
  void ofSeveralTheOneWithTheHighestBallotIsFinished() {
    Proposal earlier = successor(6, "", A, B);
    Proposal later = successor(7, "", B, C);
    report(A, HistoryText.in(VIEW, NOTHING).accepted(new ViewId(8, 3), earlier)) // taken up by a later ballot
        .report(B, HistoryText.in(VIEW, NOTHING).accepted(new ViewId(7, 2), later));
    assertThat(finished().view()).isEqualTo(earlier.view());
  }

  @Test
  void anOwnAttemptThatWasGivenUpIsVoid() {
    Proposal own = HistoryText.proposal(primary(7, A, B), VIEW, 10, List.of(whole("")));
    report(A, HistoryText.in(VIEW, NOTHING).accepted(new ViewId(7, A.incarnation()), own))
        .report(B, HistoryText.in(VIEW, NOTHING));
    assertThat(proposed().view().id()).isEqualTo(BALLOT);
  }

  @Test
  void anothersViewTakenUpByThisProposerMayHaveBeenAnnounced() {
    Proposal others = successor(7, "", B, C);
    report(A, HistoryText.in(VIEW, NOTHING).accepted(new ViewId(8, A.incarnation()), others))
        .report(B, HistoryText.in(VIEW, NOTHING));
    assertThat(finished().view()).isEqualTo(others.view());
  }

  @Test
  void whatAMinorityAcceptedIsLeftAlone() {
    Proposal unfinished = successor(7, "", B, C);
    report(C, HistoryText.in(VIEW, NOTHING).accepted(new ViewId(7, 2), unfinished));
    Proposal next = proposed();
    assertThat(next.view().primary()).isFalse();
    assertThat(next.view().members()).containsExactly(C);
  }

  @Test
  void aProposalForAnOlderPrimaryViewIsHistory() {
    Proposal outdated = successor(4, "", B, C);
    View later = primary(6, A, B, C);
    report(A, HistoryText.in(later, NOTHING))
        .report(B, HistoryText.in(later, NOTHING).accepted(new ViewId(4, 2), outdated));
    assertThat(proposed().view().primary()).isTrue();
    assertThat(proposed().lastPrimary()).isEqualTo(later);
  }

  @Test
  void aBatchThatNobodyHereHasKeepsItsPlaceButMembersMustWait() {
    Proposal unfinished = successor(7, "c0", B, C);
    report(A, HistoryText.in(VIEW, NOTHING))
        .report(B, HistoryText.in(VIEW, NOTHING).accepted(new ViewId(7, 2), unfinished));
    Proposal again = finished();
    assertThat(HistoryText.texts(again)).containsExactly(VIEW.id() + " whole 10: c0");
    assertThat(again.cuts().getFirst().available()).isFalse();
  }

  @Test
  void whoHasAcceptedTheLatestPrimaryViewButNotSeenItIsTold() {
    Proposal agreed = successor(7, "a0", A, B, C);
    report(A, HistoryText.in(agreed.view(), "11: |11| 0-0 0-0 0-0").accepted(new ViewId(7, 1), agreed))
        .report(B, HistoryText.in(VIEW, "10: a0 |10| 0-1 0-0 0-0").accepted(new ViewId(7, 1), agreed));
    Flush.Decision decision = decision();
    assertThat(decision).isInstanceOf(Flush.Decision.Tell.class);
    assertThat(((Flush.Decision.Tell) decision).members()).containsExactly(B);
    assertThat(((Flush.Decision.Tell) decision).agreed().view()).isEqualTo(agreed.view());
  }

  // ---- state -----------------------------------------------------------------------------------------------------

  private static Proposal.Assignment assigned(MemberId newcomer, MemberId donor, ViewId since) {
    return new Proposal.Assignment(newcomer, new Knowledge.Transfer(donor, since), true);
  }

  @Test
  void newcomersGetTheirStateFromTheDonorsInTurn() {
    report(A, HistoryText.in(VIEW, NOTHING))
        .report(B, HistoryText.in(VIEW, NOTHING))
        .report(D, HistoryText.newcomer(nonPrimary(0, D)))
        .report(E, HistoryText.newcomer(nonPrimary(0, E)));
    assertThat(proposed().transfers()).containsExactlyInAnyOrder(assigned(D, B, BALLOT), assigned(E, A, BALLOT));
  }

  @Test
  void aTransferGoesOnAsLongAsItsDonorStays() {
    report(A, HistoryText.in(VIEW, NOTHING))
        .report(B, HistoryText.in(VIEW, NOTHING))
        .report(C, HistoryText.in(VIEW, NOTHING).waitsFor(A, VIEW.id()));
    assertThat(proposed().transfers()).containsExactly(assigned(C, A, VIEW.id()));
  }

  @Test
  void whenTheDonorIsGoneAnotherStartsOver() {
    report(B, HistoryText.in(VIEW, NOTHING)).report(C, HistoryText.in(VIEW, NOTHING).waitsFor(A, VIEW.id()));
    assertThat(proposed().transfers()).containsExactly(assigned(C, B, BALLOT));
  }

  /// Its application takes it as fast as it can.
  @Test
  void whoHasAllOfItsStateGoesOnWithoutTheDonor() {
    report(B, HistoryText.in(VIEW, NOTHING)).report(C, HistoryText.in(VIEW, NOTHING).waitsFor(C, VIEW.id()));
    assertThat(proposed().transfers()).containsExactly(assigned(C, C, VIEW.id()));
  }

  @Test
  void whoMissedAPrimaryViewNeedsTheState() {
    View later = primary(7, A, B);
    report(A, HistoryText.in(later, "20: |20| 0-0 0-0"))
        .report(B, HistoryText.in(later, "20: |20| 0-0 0-0"))
        .report(C, HistoryText.cutOff(nonPrimary(6, C), VIEW, NOTHING));
    Proposal next = proposed();
    assertThat(next.view().members()).containsExactly(A, B, C);
    assertThat(next.transfers()).extracting(Proposal.Assignment::newcomer).containsExactly(C);
  }

  @Test
  void aQuorumWithoutTheStateDoesNotCarryTheHistoryOn() {
    report(A, HistoryText.in(VIEW, NOTHING).waitsFor(C, VIEW.id()))
        .report(B, HistoryText.in(VIEW, NOTHING).waitsFor(C, VIEW.id()));
    assertThat(proposed().view().primary()).isFalse();
  }

  @Test
  void everybodyIsUpToDateWithoutNewcomers() {
    report(A, HistoryText.in(VIEW, NOTHING))
        .report(B, HistoryText.in(VIEW, NOTHING))
        .report(C, HistoryText.in(VIEW, NOTHING));
    assertThat(proposed().transfers()).isEmpty();
  }
}
