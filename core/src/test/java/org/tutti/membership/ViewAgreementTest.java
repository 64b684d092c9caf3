package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.D;
import static org.tutti.Members.nonPrimary;
import static org.tutti.Members.primary;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect.Sent;
import org.tutti.order.Clock;
import org.tutti.order.Cut;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;

/// The member B of the primary view {A, B}, message by message.
class ViewAgreementTest {
  private static final GroupConfig STATEFUL = GroupConfig.builder().stateTransfer(true).build();
  private static final View BOTH = primary(2, A, B);
  private static final Duration TICK = Duration.ofMillis(1);

  private final RecordingEffects<ViewMessage> effects = new RecordingEffects<>();
  private final RecordingGroup group = new RecordingGroup();
  private final ViewAgreement agreement =
      agreement(
          InitialState.joining(
              new MemberIdentity(B, List.of()),
              Terms.voter(STATEFUL, MemberConfig.standard()),
              SpokenVersions.OWN,
              null));

  private ViewAgreement agreement(InitialState beginning) {
    return new ViewAgreement(
        beginning, TICK, TICK.multipliedBy(20), effects, new Counters(), new Clock(), group, group.branch, group);
  }

  @BeforeEach
  void join() throws Malformed {
    offer(new ViewId(2, 1), withTransfer(HistoryText.proposal(BOTH, primary(1, A), 0, List.of())));
    agreement.receive(A, new ViewMessage.Install(BOTH.id()));
    assertThat(group.installed).containsExactly(BOTH);
  }

  private static Proposal withTransfer(Proposal of) {
    var transfer = new Proposal.Assignment(B, new Knowledge.Transfer(A, of.view().id()), true);
    return new Proposal(
        of.view(),
        of.lineage(),
        of.lastPrimary(),
        of.absentees(),
        of.indexFirst(),
        of.ordering(),
        of.clock(),
        of.cuts(),
        List.of(transfer),
        of.departed());
  }

  private void offer(ViewId ballot, Proposal proposal) throws Malformed {
    agreement.receive(A, new ViewMessage.Propose(ballot));
    agreement.receive(A, new ViewMessage.Accept(ballot, proposal));
  }

  private static Proposal successor(View view) {
    return HistoryText.proposal(view, BOTH, 0, List.of(new Cut(BOTH.id(), 0, List.of(), true, List.of(A, A), true)));
  }

  private List<ViewMessage> said(MemberId to) {
    List<ViewMessage> said = new ArrayList<>();
    for (RecordingEffects.Effect<ViewMessage> effect : effects.take()) {
      if (effect instanceof Sent<ViewMessage>(MemberId receiver, ViewMessage message) && receiver.equals(to)) {
        said.add(message);
      }
    }
    return said;
  }

  private void tick() {
    agreement.expire(new Effects.Timer("view tick"));
  }

  /// B has gone to a view of its own when it hears from A, who has left since, that their last attempt succeeded.
  @Test
  void anAnnouncementThatComesLateIsNotForgotten() throws Malformed {
    View last = new View(new ViewId(3, 1), List.of(B), true, List.of(BOTH.id()));
    offer(last.id(), successor(last));
    View apart = nonPrimary(4, B);
    offer(new ViewId(4, 1), HistoryText.proposal(apart, BOTH, 0, List.of()));
    agreement.receive(A, new ViewMessage.Install(apart.id()));
    assertThat(agreement.view()).isEqualTo(apart);
    assertThat(agreement.primary()).extracting(View::id).isEqualTo(BOTH.id());
    agreement.receive(A, new ViewMessage.Install(last.id()));
    assertThat(agreement.primary()).extracting(View::id).isEqualTo(last.id());
    effects.take();
    tick();
    assertThat(said(B)).as("it asks itself for a new view").hasSize(1).first().isInstanceOf(ViewMessage.Propose.class);
  }

  /// B gets the state, for which the others wait, when it has just reported that it has not.
  @Test
  void whatAMemberLearnsAfterItsReportMakesAnotherView() throws Malformed {
    View apart = nonPrimary(3, A, B);
    agreement.receive(A, new ViewMessage.Propose(apart.id()));
    agreement.want();
    agreement.receive(A, new ViewMessage.Accept(apart.id(), HistoryText.proposal(apart, BOTH, 0, List.of())));
    agreement.receive(A, new ViewMessage.Install(apart.id()));
    effects.take();
    tick();
    assertThat(said(A)).as("asks for a view by what it knows now").containsExactly(new ViewMessage.Ask(false));
    offer(new ViewId(4, 1), HistoryText.proposal(nonPrimary(4, A, B), BOTH, 0, List.of()));
    agreement.receive(A, new ViewMessage.Install(new ViewId(4, 1)));
    effects.take();
    tick();
    assertThat(said(A)).as("its report has said it").isEmpty();
  }

  /// Nobody waits for B when the view that is agreed meanwhile is primary.
  @Test
  void whatAMemberLearnsAfterItsReportMakesNoOtherViewThanAPrimaryOne() throws Malformed {
    View next = primary(3, A, B);
    agreement.receive(A, new ViewMessage.Propose(next.id()));
    agreement.want();
    agreement.receive(A, new ViewMessage.Accept(next.id(), successor(next)));
    agreement.receive(A, new ViewMessage.Install(next.id()));
    assertThat(agreement.view()).isEqualTo(next);
    effects.take();
    tick();
    assertThat(said(A)).isEmpty();
  }

  /// B has missed C before A does, and hears A no more either: then it is B that is deaf.
  @Test
  void whoDoesNotHearTheCoordinatorReportsNobody() throws Malformed {
    View three = new View(new ViewId(3, 1), List.of(A, B, C), true, List.of(BOTH.id()));
    offer(three.id(), successor(three));
    agreement.receive(A, new ViewMessage.Install(three.id()));
    assertThat(agreement.view()).isEqualTo(three);
    group.suspected.add(C);
    effects.take();
    tick();
    assertThat(said(A)).contains(new ViewMessage.Report(List.of(C)));
    group.deaf = true;
    tick();
    assertThat(said(A)).noneMatch(ViewMessage.Report.class::isInstance);
  }

  /// C proposes, loses all others at once, and goes on alone. B has promised it to wait for its attempt.
  @Test
  void nobodyWaitsForAProposerThatHasMadeItsViewWithoutIt() throws Malformed {
    var ballot = new ViewId(3, C.incarnation());
    agreement.receive(C, new ViewMessage.Propose(ballot));
    effects.take();
    tick();
    assertThat(said(A)).isEmpty();
    agreement.wentTo(new View(new ViewId(2, C.incarnation()), List.of(C), false, List.of()));
    tick();
    assertThat(said(A)).as("its attempt may still succeed").isEmpty();
    agreement.wentTo(new View(ballot, List.of(C), false, List.of()));
    tick();
    assertThat(said(A)).containsExactly(new ViewMessage.Ask(false));
  }

  /// C was found alone, and is with D in a later primary view when it answers B's attempt.
  @Test
  void nobodyIsTakenOutOfALaterPrimaryView() throws Malformed {
    agreement.merge(List.of(C));
    effects.take();
    agreement.lost(A);
    ViewMessage.Propose attempt = (ViewMessage.Propose) said(C).getFirst();
    agreement.receive(B, attempt);
    assertThat(interest()).contains(C);
    HistoryText later = HistoryText.in(primary(7, C, D), "10: |10| 0-0 0-0");
    agreement.receive(C, new ViewMessage.Wedged(attempt.ballot(), later.knowledge()));
    assertThat(interest()).as("B goes on without C").doesNotContain(C);
  }

  private Set<MemberId> interest() {
    var interest = new HashSet<MemberId>();
    agreement.interest(interest);
    return interest;
  }

  /// What it tells itself waits for the disk, and a new attempt would be one of those who are in the old view.
  @Test
  void aMemberThatHasAnnouncedAViewDoesNotProposeAgainBeforeItInstallsIt() throws Malformed {
    agreement.lost(A);
    List<ViewMessage> own = said(B);
    while (own.stream().noneMatch(ViewMessage.Install.class::isInstance)) {
      assertThat(own).isNotEmpty();
      for (ViewMessage message : own) {
        agreement.receive(B, message);
      }
      own = said(B);
    }
    tick();
    assertThat(said(B)).noneMatch(ViewMessage.Propose.class::isInstance);
    agreement.receive(B, own.getLast());
    assertThat(group.installed.getLast().members()).containsExactly(B);
  }

  /// Kept until the next view, it would come after what is said later: a part of a state behind the end of it.
  @Test
  void whatAProposerSaysInTheInstalledViewDoesNotWait() throws Malformed {
    agreement.receive(A, new ViewMessage.Propose(new ViewId(3, 1)));
    assertThat(agreement.expected(BOTH.id(), A)).isNull();
    View next = primary(3, A, B);
    agreement.receive(A, new ViewMessage.Accept(next.id(), successor(next)));
    assertThat(agreement.expected(BOTH.id(), A)).isNull();
    assertThat(agreement.expected(next.id(), A)).isNotNull();
  }

  /// A donor may have caught up with it first, and its state is on the way.
  @Test
  void whatIsSaidInAnOlderViewWaitsUntilItIsCaughtUpWith() throws Malformed {
    View last = new View(new ViewId(3, 1), List.of(A, B), true, List.of(BOTH.id()));
    offer(last.id(), successor(last));
    View apart = nonPrimary(4, B);
    offer(new ViewId(4, 1), HistoryText.proposal(apart, BOTH, 0, List.of()));
    agreement.receive(A, new ViewMessage.Install(apart.id()));
    assertThat(agreement.view()).isEqualTo(apart);
    assertThat(agreement.expected(last.id(), A)).isNotNull();
  }

  /// Another member of the view may have given its own proposal up while others finished it.
  @Test
  void theAgreementOnTheLatestPrimaryViewIsReportedAfterItsInstallation() throws Malformed {
    effects.take();
    agreement.receive(A, new ViewMessage.Propose(new ViewId(3, 1)));
    assertThat(said(A))
        .filteredOn(ViewMessage.Wedged.class::isInstance)
        .extracting(message -> Objects.requireNonNull(((ViewMessage.Wedged) message).knowledge().accepted()))
        .extracting(kept -> kept.proposal().view())
        .containsExactly(BOTH);
  }

  @Test
  void anAnnouncementOfWhatWasNeverAcceptedSaysNothing() throws Malformed {
    agreement.receive(A, new ViewMessage.Install(new ViewId(3, 1)));
    assertThat(agreement.primary()).extracting(View::id).isEqualTo(BOTH.id());
    effects.take();
    tick();
    assertThat(said(B)).isEmpty();
  }

  @Test
  void aPrimaryViewOfWhichNeitherHistoryNorStateIsHereIsNotInstalled() throws Malformed {
    View far = primary(7, A, B);
    Proposal unknown = HistoryText.proposal(far, primary(6, A), 50, List.of());
    offer(far.id(), unknown);
    agreement.receive(A, new ViewMessage.Install(far.id()));
    assertThat(agreement.view()).isEqualTo(BOTH);
    View next = primary(8, A, B);
    offer(next.id(), withTransfer(HistoryText.proposal(next, far, 60, List.of())));
    agreement.receive(A, new ViewMessage.Install(next.id()));
    assertThat(agreement.view()).isEqualTo(next);
  }

  @Test
  void aViewThatIsInstalledIsNotInstalledAgain() throws Malformed {
    View apart = nonPrimary(4, B);
    for (int i = 0; i < 2; i++) {
      agreement.receive(A, new ViewMessage.Propose(new ViewId(4, 1)));
      agreement.receive(A, new ViewMessage.Accept(new ViewId(4, 1), HistoryText.proposal(apart, BOTH, 0, List.of())));
      agreement.receive(A, new ViewMessage.Install(apart.id()));
    }
    assertThat(group.installed).containsExactly(BOTH, apart);
    assertThat(group.caughtUp).isZero();
  }

  @Test
  void aReportThatCannotBeTrueIsRefused() {
    group.allows = false;
    var report = new ViewMessage.Wedged(new ViewId(3, 2), HistoryText.in(BOTH, "9: |9| 0-0 0-0").knowledge());
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> agreement.receive(A, report)).withMessage("report");
    group.allows = true;
    var another = new ViewMessage.Wedged(new ViewId(3, 2), HistoryText.newcomer(nonPrimary(0, B)).knowledge());
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> agreement.receive(A, another)).withMessage("report");
  }

  @Test
  void anAttemptIsNotWithoutWhoMakesIt() {
    agreement.lost(A);
    assertThat(said(B)).hasSize(1).first().isInstanceOf(ViewMessage.Propose.class);
    agreement.lost(B);
    assertThat(effects.take()).isEmpty();
  }

  /// Has B hear what it says to itself, up to the announcement of a view.
  ///
  /// @return the announcement, if there is one
  private ViewMessage.@Nullable Install untilAnnounced() throws Malformed {
    for (List<ViewMessage> toItself = said(B); !toItself.isEmpty(); toItself = said(B)) {
      for (ViewMessage message : toItself) {
        if (message instanceof ViewMessage.Install announced) {
          return announced;
        }
        agreement.receive(B, message);
      }
    }
    return null;
  }

  /// A newcomer calls until it is in a view, and on a slow network its call may come when the view is on its way.
  @Test
  void whoAsksToJoinTwiceIsTakenInOnce() throws Malformed {
    withoutA();
    View alone = agreement.view();
    assertThat(alone.members()).containsExactly(B);
    HistoryText newcomer = HistoryText.newcomer(nonPrimary(0, C));
    var call = new ViewMessage.Meet(nonPrimary(0, C), null, null, List.of(), Versions.OWN, true);
    Merge merge = merge();
    merge.receive(C, call);
    assertThat(untilAnnounced()).as("without its report").isNull();
    ViewId ballot = new ViewId(alone.id().epoch() + 1, B.incarnation());
    agreement.receive(C, new ViewMessage.Wedged(ballot, newcomer.knowledge()));
    assertThat(untilAnnounced()).as("without its acceptance").isNull();
    agreement.receive(C, new ViewMessage.Accepted(ballot));
    ViewMessage.Install announced = Objects.requireNonNull(untilAnnounced());
    merge.receive(C, call);
    agreement.receive(B, announced);
    assertThat(agreement.view().members()).containsExactlyInAnyOrder(B, C);
    merge.receive(C, call);
    tick();
    assertThat(said(B)).as("another attempt").isEmpty();
  }

  /// B waits for C, which had a primary view, and passes D on to it; C may wait for B and pass D back.
  @Test
  void whoIsLeftToAnotherViewIsPassedOnOnceUntilThatOneKnowsLess() throws Malformed {
    withoutA();
    Merge merge = merge();
    merge.receive(C, meet(primary(4, C), true));
    effects.take();
    merge.receive(D, meet(nonPrimary(1, D), true));
    assertThat(said(C)).containsExactly(new ViewMessage.Found(D));
    merge.receive(D, meet(nonPrimary(1, D), true));
    assertThat(said(C)).as("once more within a heartbeat").isEmpty();
    merge.receive(C, meet(nonPrimary(1, C), true));
    merge.receive(D, meet(nonPrimary(1, D), true));
    effects.now += 2 * TICK.toNanos();
    merge.call();
    assertThat(said(C)).as("it knows less by now").hasSize(1).first().isInstanceOf(ViewMessage.Propose.class);
  }

  private static ViewMessage.Meet meet(View view, boolean answer) {
    return new ViewMessage.Meet(view, HistoryText.LINEAGE, BOTH.id(), List.of(), Versions.OWN, answer);
  }

  // ---- deciders that have nothing of the history -----------------------------------------------------------------

  /// B, C and D are left of a primary view that C has not installed, and B proposes the next one.
  private ViewId withAMemberThatHasNotInstalled() throws Malformed {
    View four = primary(3, A, B, C, D);
    offer(four.id(), successor(four));
    agreement.receive(A, new ViewMessage.Install(four.id()));
    effects.take();
    agreement.lost(A);
    agreement.receive(B, new ViewMessage.Propose(nextBallot()));
    agreement.receive(B, lastReport());
    Knowledge ofC = HistoryText.newcomer(nonPrimary(3, C)).knows(four).of(HistoryText.LINEAGE).knowledge();
    agreement.receive(C, new ViewMessage.Wedged(nextBallot(), ofC));
    agreement.receive(
        D, new ViewMessage.Wedged(nextBallot(), HistoryText.in(four, "0: |0| 0-0 0-0 0-0 0-0").knowledge()));
    return nextBallot();
  }

  private ViewMessage lastReport() {
    return said(B).stream().filter(ViewMessage.Wedged.class::isInstance).findFirst().orElseThrow();
  }

  /// Whom the last steps asked to accept.
  private List<MemberId> asked() {
    List<MemberId> asked = new ArrayList<>();
    for (RecordingEffects.Effect<ViewMessage> effect : effects.take()) {
      if (effect instanceof Sent<ViewMessage>(MemberId to, ViewMessage.Accept _)) {
        asked.add(to);
      }
    }
    return asked;
  }

  /// What it accepts has to be finished, and it holds no batch of the cut.
  @Test
  void whoHasNothingOfTheHistoryAcceptsAfterThoseWhoHaveIt() throws Malformed {
    ViewId ballot = withAMemberThatHasNotInstalled();
    assertThat(asked()).containsExactlyInAnyOrder(B, D);
    agreement.receive(B, new ViewMessage.Accepted(ballot));
    assertThat(asked()).as("D has not accepted").isEmpty();
    agreement.receive(C, new ViewMessage.Accepted(ballot));
    agreement.receive(D, new ViewMessage.Accepted(ballot));
    assertThat(asked()).containsExactly(C);
    agreement.receive(C, new ViewMessage.Accepted(ballot));
    assertThat(effects.take()).contains(new Sent<>(C, new ViewMessage.Install(ballot)));
  }

  @Test
  void whoIsNotYetAskedToAcceptOwesNothing() throws Malformed {
    ViewId ballot = withAMemberThatHasNotInstalled();
    assertThat(agreement.owing()).containsExactlyInAnyOrder(B, D);
    agreement.receive(B, new ViewMessage.Accepted(ballot));
    assertThat(agreement.owing()).containsExactly(D);
    effects.now += TICK.multipliedBy(15).toNanos();
    agreement.receive(D, new ViewMessage.Accepted(ballot));
    assertThat(agreement.owing()).containsExactly(C);
    effects.take();
    effects.now += TICK.multipliedBy(15).toNanos();
    tick();
    assertThat(saidTo(C, effects.take())).as("another attempt").isEmpty();
    agreement.receive(C, new ViewMessage.Accepted(ballot));
    assertThat(saidTo(C, effects.take())).containsExactly(new ViewMessage.Install(ballot));
  }

  // ---- a name that is in use -------------------------------------------------------------------------------------

  private static final MemberId LATER_A = new MemberId(A.name(), new Address("elsewhere:1"), 9);
  private static final MemberId LATER_D = new MemberId(D.name(), new Address("elsewhere:1"), 9);

  private void calls(Merge merge, MemberId newcomer, List<MemberId> earlier) throws Malformed {
    merge.receive(newcomer, new ViewMessage.Meet(nonPrimary(0, newcomer), null, null, earlier, Versions.OWN, true));
  }

  /// B is cut off from A, for so long that newcomers need not wait for others any more.
  private void withoutA() throws Malformed {
    agreement.lost(A);
    agreement.receive(B, Objects.requireNonNull(untilAnnounced()));
    effects.now += TICK.toNanos();
    effects.take();
  }

  /// B is cut off from A and has taken somebody in.
  private Merge amongBAnd(MemberId other) throws Malformed {
    withoutA();
    Merge merge = merge();
    calls(merge, other, List.of());
    assertThat(untilAnnounced()).isNull();
    agreement.receive(
        other, new ViewMessage.Wedged(nextBallot(), HistoryText.newcomer(nonPrimary(0, other)).knowledge()));
    assertThat(untilAnnounced()).isNull();
    agreement.receive(other, new ViewMessage.Accepted(nextBallot()));
    agreement.receive(B, Objects.requireNonNull(untilAnnounced()));
    assertThat(agreement.view().members()).containsExactlyInAnyOrder(B, other);
    effects.take();
    return merge;
  }

  private ViewId nextBallot() {
    return new ViewId(agreement.view().id().epoch() + 1, B.incarnation());
  }

  private static List<ViewMessage> saidTo(MemberId member, List<RecordingEffects.Effect<ViewMessage>> of) {
    List<ViewMessage> said = new ArrayList<>();
    for (RecordingEffects.Effect<ViewMessage> effect : of) {
      if (effect instanceof Sent<ViewMessage>(MemberId to, ViewMessage message) && to.equals(member)) {
        said.add(message);
      }
    }
    return said;
  }

  @Test
  void whoHasTheNameOfAMemberThatIsHeardIsRefused() throws Malformed {
    Merge merge = amongBAnd(D);
    calls(merge, LATER_D, List.of());
    merge.heard(D, Hello.within(agreement.view(), Hello.Regard.HEARD));
    calls(merge, LATER_D, List.of());
    assertThat(effects.take()).as("what was heard may be a last word").isEmpty();
    effects.now += TICK.toNanos();
    merge.heard(D, Hello.within(agreement.view(), Hello.Regard.HEARD));
    calls(merge, LATER_D, List.of());
    assertThat(effects.take()).containsExactly(new Sent<>(LATER_D, new ViewMessage.NameInUse(D, BOTH.id())));
    tick();
    assertThat(said(B)).as("an attempt").isEmpty();
  }

  @Test
  void whoShowsTheStorageOfAMemberTakesItsPlace() throws Malformed {
    Merge merge = amongBAnd(D);
    calls(merge, LATER_D, List.of(D));
    assertThat(said(LATER_D)).containsExactly(new ViewMessage.Propose(nextBallot()));
  }

  @Test
  void whoIsStartedAgainAtTheSameAddressTakesItsPlace() throws Malformed {
    Merge merge = amongBAnd(D);
    var again = new MemberId(D.name(), D.address(), 9);
    calls(merge, again, List.of());
    assertThat(said(again)).containsExactly(new ViewMessage.Propose(nextBallot()));
  }

  /// Without A the group could not go on.
  @Test
  void aMemberOfTheLastPrimaryViewIsNotKeptOutByItsNamesake() throws Malformed {
    Merge merge = amongBAnd(LATER_A);
    merge.receive(A, new ViewMessage.Meet(nonPrimary(1, A), null, BOTH.id(), List.of(), Versions.OWN, true));
    List<RecordingEffects.Effect<ViewMessage>> done = effects.take();
    assertThat(saidTo(LATER_A, done)).containsExactly(new ViewMessage.NameInUse(A, BOTH.id()));
    assertThat(saidTo(A, done)).containsExactly(new ViewMessage.Propose(nextBallot()));
  }

  @Test
  void whoIsRefusedEndsUnlessItIsInAPrimaryView() throws Malformed {
    var other = new MemberId(B.name(), new Address("elsewhere:1"), 9);
    merge().receive(C, new ViewMessage.NameInUse(other, BOTH.id()));
    merge().receive(C, new ViewMessage.NameInUse(other, null));
    assertThat(ends).as("no later primary view is known").isEmpty();
    merge().receive(C, new ViewMessage.NameInUse(other, new ViewId(3, 1)));
    assertThat(ends)
        .containsExactly(new End(End.Cause.NAME_TAKEN, "the name b is in use by b@elsewhere:1, which is heard"));
  }

  @Test
  void whoHasAcceptedAPrimaryViewDoesNotEndBeforeItIsKnownWhatBecameOfIt() throws Malformed {
    var other = new MemberId(B.name(), new Address("elsewhere:1"), 9);
    View next = primary(3, A, B);
    offer(next.id(), successor(next));
    merge().receive(C, new ViewMessage.NameInUse(other, next.id()));
    assertThat(ends).as("the others may be in that view with it").isEmpty();
    agreement.receive(A, new ViewMessage.Install(next.id()));
    merge().receive(C, new ViewMessage.NameInUse(other, next.id()));
    assertThat(ends).as("it is in the latest one").isEmpty();
    merge().receive(C, new ViewMessage.NameInUse(other, new ViewId(4, 1)));
    assertThat(ends).hasSize(1);
  }

  // ---- an attempt that takes in another view ----------------------------------------------------------------------

  @Test
  void theBallotIsAboveWhatTheMembersOfTheOtherViewHavePromised() throws Malformed {
    Merge merge = amongBAnd(D);
    effects.now += TICK.toNanos();
    View its = nonPrimary(agreement.view().id().epoch() + 5, C);
    merge.receive(C, new ViewMessage.Meet(its, null, null, List.of(), Versions.OWN, true));
    var ballot = new ViewId(its.id().epoch() + 1, B.incarnation());
    assertThat(said(C)).containsExactly(new ViewMessage.Propose(ballot));
  }

  /// After the last epoch there would be no other attempt.
  @Test
  void nobodyIsLedToTheLastEpoch() throws Malformed {
    Merge merge = amongBAnd(D);
    effects.now += TICK.toNanos();
    ViewId own = nextBallot();
    var last = new ViewId(Long.MAX_VALUE, C.incarnation());
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> agreement.receive(C, new ViewMessage.Propose(last)));
    assertThatExceptionOfType(Malformed.class)
        .isThrownBy(() -> agreement.receive(C, new ViewMessage.Refused(own, last)));
    var its = new View(last, List.of(C), false, List.of());
    merge.receive(C, new ViewMessage.Meet(its, null, null, List.of(), Versions.OWN, true));
    assertThat(said(C)).containsExactly(new ViewMessage.Propose(own));
  }

  // ---- members that are heard and do not hear ----------------------------------------------------------------------

  private static Hello leaving(ViewId its) {
    return Hello.leftBehind(BOTH, new View(its, List.of(A), false, List.of(BOTH.id())));
  }

  @Test
  void whoSaysThatItIsInALaterViewWithoutThisMemberHasGone() {
    effects.take();
    merge().heard(A, leaving(new ViewId(3, 1)));
    assertThat(said(B)).as("B speaks for itself").hasSize(1).first().isInstanceOf(ViewMessage.Propose.class);
  }

  @Test
  void whatAMemberSaidBeforeItProposedAViewIsOld() throws Malformed {
    agreement.receive(A, new ViewMessage.Propose(new ViewId(4, 1)));
    effects.take();
    merge().heard(A, leaving(new ViewId(3, 1)));
    assertThat(said(B)).isEmpty();
  }

  @Test
  void whoHasLeftWithOthersSaysWhoTheyAre() {
    View before = primary(2, A, B, C, D);
    Hello words = Hello.leftBehind(before, nonPrimary(3, A, C));
    assertThat(words.gone(A, before)).containsExactlyInAnyOrder(A, A, C);
    assertThat(words.gone(A, primary(1, A, B, C, D))).as("of another view").containsExactly(A);
  }

  @Test
  void whoDoesNotHearTheCoordinatorHasGoneWhenItGoesOnToSaySo() throws Malformed {
    View mine = new View(new ViewId(3, 2), List.of(B, C), false, List.of(BOTH.id()));
    offer(new ViewId(3, 1), HistoryText.proposal(mine, BOTH, 0, List.of()));
    agreement.receive(A, new ViewMessage.Install(mine.id()));
    Merge merge = merge();
    Hello unheard = Hello.within(agreement.view(), Hello.Regard.UNHEARD);
    effects.take();
    merge.heard(C, unheard);
    effects.now += TICK.toNanos() / 2;
    merge.heard(C, unheard);
    assertThat(said(B)).as("too early").isEmpty();
    effects.now += TICK.toNanos() / 2;
    merge.heard(C, Hello.within(agreement.view(), Hello.Regard.HEARD));
    merge.heard(C, unheard);
    assertThat(said(B)).as("it has heard B meanwhile").isEmpty();
    effects.now += TICK.toNanos();
    merge.heard(C, unheard);
    assertThat(said(B)).hasSize(1).first().isInstanceOf(ViewMessage.Propose.class);
  }

  /// Two that do not hear each other, while others hear both, cannot confirm anything to each other.
  @Test
  void whoDoesNotConfirmTheViewHasGoneUnlessOthersHearIt() {
    group.spared.add(A);
    for (int i = 0; i < 200; i++) {
      effects.now += TICK.toNanos();
      tick();
    }
    assertThat(said(B)).as("others hear A").isEmpty();
    group.spared.clear();
    for (int i = 0; i < 40; i++) {
      effects.now += TICK.toNanos();
      tick();
    }
    assertThat(said(B)).as("it has its time to confirm then").isEmpty();
    effects.now += TICK.toNanos();
    tick();
    assertThat(said(B)).hasSize(1).first().isInstanceOf(ViewMessage.Propose.class);
  }

  // ---- a group that was founded twice ----------------------------------------------------------------------------

  private final List<End> ends = new ArrayList<>();

  private Merge merge() {
    return merge(new MemberIdentity(B, List.of()), agreement);
  }

  private Merge merge(MemberIdentity identity, ViewAgreement by) {
    return new Merge(identity, List::of, TICK, TICK, by, effects, (address, hello) -> {}, new Counters(), ends::add);
  }

  // ---- who takes in whom -----------------------------------------------------------------------------------------

  private static InitialState founder(MemberId self) {
    var founding = new Founding(Set.of(A.name(), B.name(), D.name()));
    Terms terms = Terms.voter(STATEFUL, MemberConfig.standard());
    return InitialState.founding(founding.identity(self), terms, SpokenVersions.OWN, 1, founding);
  }

  private static ViewMessage.Meet meets(InitialState founder) {
    View zero = Objects.requireNonNull(founder.primary());
    return new ViewMessage.Meet(
        founder.view(), founder.lineage(), zero.id(), founder.identity().earlier(), Versions.OWN, true);
  }

  private List<MemberId> proposedTo() {
    return effects.take().stream()
        .filter(Sent.class::isInstance)
        .map(sent -> (Sent<ViewMessage>) sent)
        .filter(sent -> sent.message() instanceof ViewMessage.Propose)
        .map(Sent::to)
        .toList();
  }

  /// Otherwise each would take in the first that it meets, and their attempts would be in each other's way.
  @Test
  void aFounderTakesInAllThatItExpectsAtOnce() throws Malformed {
    InitialState own = founder(D);
    Merge merge = merge(own.identity(), agreement(own));
    effects.take();
    merge.receive(A, meets(founder(A)));
    assertThat(proposedTo()).as("B may come soon").isEmpty();
    merge.receive(B, meets(founder(B)));
    assertThat(proposedTo()).containsExactlyInAnyOrder(A, B, D);
  }

  @Test
  void aFounderWaitsForTheOthersNoLongerThanTheyNeedToAnswer() throws Malformed {
    InitialState own = founder(D);
    Merge merge = merge(own.identity(), agreement(own));
    merge.receive(A, meets(founder(A)));
    effects.take();
    effects.now += TICK.toNanos();
    merge.call();
    assertThat(proposedTo()).isEmpty();
    effects.now += TICK.toNanos();
    merge.call();
    assertThat(proposedTo()).as("most of them").containsExactlyInAnyOrder(A, D);
  }

  /// Their attempt would be in the way of the one of whoever has the history.
  @Test
  void aNewcomerTakesInNoOtherNewcomer() throws Malformed {
    var identity = new MemberIdentity(D, List.of());
    ViewAgreement newcomer =
        agreement(
            InitialState.joining(identity, Terms.voter(STATEFUL, MemberConfig.standard()), SpokenVersions.OWN, null));
    Merge merge = merge(identity, newcomer);
    effects.take();
    calls(merge, C, List.of());
    assertThat(proposedTo()).isEmpty();
  }

  private static Lineage founded(long micros) {
    return new Lineage(new ViewId(1, 9), micros, STATEFUL);
  }

  @Test
  void anOlderHistoryEndsThisOneForAllItsMembers() throws Malformed {
    Merge merge = merge();
    var claim = new ViewMessage.Meet(primary(5, C), founded(99), new ViewId(5, 3), List.of(), Versions.OWN, false);
    merge.receive(C, claim);
    merge.receive(
        C, new ViewMessage.Meet(primary(5, C), founded(98), new ViewId(5, 3), List.of(), Versions.OWN, false));
    effects.now = TICK.toNanos();
    merge.receive(C, claim);
    assertThat(ends).as("it is not sure yet").isEmpty();
    effects.take();
    effects.now = 2 * TICK.toNanos();
    merge.receive(C, claim);
    assertThat(ends).singleElement().asString().startsWith("the group was founded twice").contains("join " + C);
    assertThat(said(A)).containsExactly(new ViewMessage.Overruled(founded(99), C));
    tick();
    assertThat(effects.take()).as("it proposes nothing any more").noneMatch(Sent.class::isInstance);
  }

  @Test
  void aMemberBelievesItsOwnViewThatTheHistoryIsOver() throws Malformed {
    merge().receive(C, new ViewMessage.Overruled(founded(99), C));
    merge().receive(A, new ViewMessage.Overruled(founded(101), C));
    assertThat(ends).as("a stranger, or a younger history").isEmpty();
    merge().receive(A, new ViewMessage.Overruled(founded(99), C));
    assertThat(ends).singleElement().asString().startsWith("the group was founded twice").contains("join " + C);
  }

  @Test
  void whoIsInAYoungerHistoryIsTold() throws Malformed {
    effects.take();
    assertThat(merge().isOfOtherHistory(C, HistoryText.newcomer(primary(5, C)).of(founded(101)).knowledge())).isTrue();
    assertThat(merge().isOfOtherHistory(C, HistoryText.newcomer(primary(5, C)).of(agreement.lineage()).knowledge()))
        .isFalse();
    assertThat(ends).isEmpty();
    assertThat(said(C)).hasSize(1).first().isInstanceOf(ViewMessage.Meet.class);
  }

  private Lineage forced() {
    Lineage own = Objects.requireNonNull(agreement.lineage());
    return own.forced(new Forcing(C, new ViewId(9, C.incarnation()), own.founded() + 1000, new ViewId(1, 1), 7));
  }

  @Test
  void aHistoryThatWasForcedReplacesThisOne() throws Malformed {
    Merge merge = merge();
    var claim = new ViewMessage.Meet(primary(5, C), forced(), new ViewId(5, 3), List.of(), Versions.OWN, false);
    merge.receive(C, claim);
    assertThat(ends).isEmpty();
    effects.take();
    effects.now = 2 * TICK.toNanos();
    merge.receive(C, claim);
    assertThat(ends)
        .singleElement()
        .asString()
        .startsWith("this history was replaced: an operator forced c to be primary")
        .contains("from position 7 on", "join " + C);
    assertThat(said(A)).containsExactly(new ViewMessage.Overruled(forced(), C));
  }

  /// Its voters may only be away: what was replaced must not go on in their place.
  @Test
  void anObserverOfAForcedHistoryDoesNotGiveWayToTheReplacedOne() throws Malformed {
    Lineage replaced = Objects.requireNonNull(agreement.lineage());
    var alone = new View(new ViewId(20, D.incarnation()), List.of(D), 0, false, List.of());
    var terms = new Terms(STATEFUL, MemberConfig.standard(), true);
    ViewAgreement observer =
        agreement(
            new InitialState(alone, new MemberIdentity(D, List.of()), terms, SpokenVersions.OWN, forced(), BOTH, null));
    Merge merge = merge(new MemberIdentity(D, List.of()), observer);
    for (int i = 0; i < 4; i++) {
      merge.receive(C, new ViewMessage.Meet(primary(5, C), replaced, new ViewId(5, 3), List.of(), Versions.OWN, false));
      effects.now += 2 * TICK.toNanos();
    }
    assertThat(ends).isEmpty();
  }

  /// It knows a primary view of that history, and could bring it into another one.
  @Test
  void whoHasAcceptedAProposalIsInItsHistory() throws Malformed {
    ViewAgreement newcomer =
        agreement(
            InitialState.joining(
                new MemberIdentity(D, List.of()),
                Terms.voter(STATEFUL, MemberConfig.standard()),
                SpokenVersions.OWN,
                null));
    Proposal proposal = HistoryText.proposal(primary(3, A, D), BOTH, 0, List.of());
    newcomer.receive(A, new ViewMessage.Propose(new ViewId(3, 1)));
    newcomer.receive(A, new ViewMessage.Accept(new ViewId(3, 1), proposal));
    assertThat(newcomer.lineage()).isEqualTo(proposal.lineage());
    assertThat(newcomer.primary()).isEqualTo(BOTH);
  }

  /// The successor may have been announced: whoever proposes next has to hear of it.
  @Test
  void whoIsToldOfAnAgreedViewKeepsWhatItHasAcceptedAfterIt() throws Malformed {
    View agreed = primary(3, A, B); // which B has never heard of
    View apart = nonPrimary(4, B);
    offer(new ViewId(4, 1), HistoryText.proposal(apart, BOTH, 0, List.of()));
    agreement.receive(A, new ViewMessage.Install(apart.id()));
    View next = primary(5, A, B);
    offer(next.id(), withTransfer(HistoryText.proposal(next, agreed, 0, List.of())));
    assertThat(said(A)).endsWith(new ViewMessage.Accepted(next.id()));
    agreement.receive(A, new ViewMessage.Propose(new ViewId(6, 1)));
    agreement.receive(A, new ViewMessage.Agreed(new ViewId(6, 1), successor(agreed)));
    ViewMessage.Wedged report = (ViewMessage.Wedged) said(A).getLast();
    assertThat(report.knowledge().accepted()).extracting(what -> what.proposal().view()).isEqualTo(next);
  }

  /// Somebody else may have gone from this branch into the view, and have delivered what is not here.
  @Test
  void fromABranchThatCannotBeEndedAsAgreedOnlyTheHistoryIsTakenOver() throws Malformed {
    View apart = nonPrimary(3, B);
    offer(new ViewId(3, 1), HistoryText.proposal(apart, BOTH, 0, List.of()));
    agreement.receive(A, new ViewMessage.Install(apart.id()));
    View next = primary(5, A, B);
    group.branch.of = apart.id();
    agreement.receive(A, new ViewMessage.Propose(new ViewId(6, 1)));
    agreement.receive(A, new ViewMessage.Agreed(new ViewId(6, 1), successor(next)));
    assertThat(agreement.view()).isEqualTo(apart);
    assertThat(agreement.primary()).extracting(View::id).isEqualTo(next.id());
    assertThat(group.caughtUp).isEqualTo(1);
  }

  @Test
  void fromABranchThatIsHereToItsEndAViewIsInstalled() throws Malformed {
    View apart = nonPrimary(3, B);
    offer(new ViewId(3, 1), HistoryText.proposal(apart, BOTH, 0, List.of()));
    agreement.receive(A, new ViewMessage.Install(apart.id()));
    group.branch.of = apart.id();
    View alone = nonPrimary(4, B);
    offer(new ViewId(4, 1), HistoryText.proposal(alone, BOTH, 0, List.of()));
    agreement.receive(A, new ViewMessage.Install(alone.id()));
    assertThat(agreement.view()).as("nothing was said of the branch").isEqualTo(apart);
    var end = new Cut(apart.id(), 0, List.of(), true, List.of(B), true);
    offer(new ViewId(5, 1), HistoryText.proposal(nonPrimary(5, B), BOTH, 0, List.of(end)));
    agreement.receive(A, new ViewMessage.Install(nonPrimary(5, B).id()));
    assertThat(agreement.view()).isEqualTo(nonPrimary(5, B));
  }

  @Test
  void whoIsToldThatItMayNotVoteEndsUnlessItIsInAPrimaryView() throws Malformed {
    merge().receive(A, new ViewMessage.MayNotVote(null));
    merge().receive(A, new ViewMessage.MayNotVote(BOTH.id()));
    assertThat(ends).as("no later primary view is known").isEmpty();
    merge().receive(A, new ViewMessage.MayNotVote(new ViewId(3, 1)));
    assertThat(ends).singleElement().returns(End.Cause.REFUSED, End::cause);
  }

  // ---- versions --------------------------------------------------------------------------------------------------

  private static final int VERSION = BOTH.version();

  @Test
  void aStrangerWithoutTheVersionIsToldAndCostsNoAttempt() throws Malformed {
    withoutA();
    var old = new Versions(1, VERSION - 1);
    merge().receive(C, new ViewMessage.Meet(nonPrimary(2, C), null, BOTH.id(), List.of(), old, true));
    assertThat(effects.take()).containsExactly(new Sent<>(C, new ViewMessage.OtherVersion(VERSION, BOTH.id())));
  }

  @Test
  void anAttemptGoesOnWithoutWhoHasNotTheVersion() throws Malformed {
    withoutA();
    View alone = agreement.view();
    agreement.merge(List.of(C, D));
    assertThat(untilAnnounced()).isNull();
    ViewId ballot = new ViewId(alone.id().epoch() + 1, B.incarnation());
    Knowledge old =
        HistoryText.newcomer(new View(new ViewId(0, 3), List.of(C), false, List.of())).speaks(1, 1, 1).knowledge();
    agreement.receive(D, new ViewMessage.Wedged(ballot, HistoryText.newcomer(nonPrimary(0, D)).knowledge()));
    agreement.receive(C, new ViewMessage.Wedged(ballot, old));
    List<RecordingEffects.Effect<ViewMessage>> done = effects.take();
    assertThat(saidTo(C, done)).containsExactly(new ViewMessage.OtherVersion(VERSION, BOTH.id()));
    assertThat(saidTo(D, done)).singleElement().isInstanceOf(ViewMessage.Accept.class);
  }

  @Test
  void whoIsToldThatItLacksTheVersionEnds() throws Malformed {
    merge().receive(A, new ViewMessage.OtherVersion(VERSION, new ViewId(9, 1)));
    assertThat(ends).as("it has that one").isEmpty();
    merge().receive(A, new ViewMessage.OtherVersion(VERSION + 1, null));
    merge().receive(A, new ViewMessage.OtherVersion(VERSION + 1, BOTH.id()));
    assertThat(ends).as("no later primary view is known").isEmpty();
    merge().receive(A, new ViewMessage.OtherVersion(VERSION + 1, new ViewId(3, 1)));
    String words = "the group speaks version " + (VERSION + 1) + ", this node version " + VERSION;
    assertThat(ends).containsExactly(new End(End.Cause.OTHER_VERSION, words));
  }

  @Test
  void aViewInAVersionThatThisMemberLacksIsNotAccepted() {
    View next = new View(new ViewId(3, 1), List.of(A, B), 2, true, List.of(BOTH.id()), VERSION + 1);
    assertThatExceptionOfType(Malformed.class)
        .isThrownBy(() -> offer(next.id(), successor(next)))
        .withMessage("version");
  }

  /// B makes an attempt with C and D, of whom neither answers.
  @Test
  void whoIsLeftOutOfAnAttemptIsTold() throws Malformed {
    agreement.merge(List.of(C, D));
    agreement.lost(A);
    for (int i = 0; i < 2; i++) { // the proposal to itself and the answer
      for (ViewMessage own : said(B)) {
        agreement.receive(B, own);
      }
    }
    agreement.lost(C);
    effects.now += TICK.multipliedBy(20).toNanos();
    tick();
    assertThat(group.omitted).containsExactly("3 without [c] GONE", "3 without [d] SILENT");
  }
}
