package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.sim.HandWrittenHistory.nonPrimary;
import static org.tutti.sim.HandWrittenHistory.observed;
import static org.tutti.sim.HandWrittenHistory.primary;
import static org.tutti.sim.HandWrittenHistory.speaking;
import static org.tutti.sim.HandWrittenHistory.uniform;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.PrimaryViews;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.sim.check.Content;
import org.tutti.sim.check.Deciders;
import org.tutti.sim.check.History;
import org.tutti.sim.check.NoContradiction;
import org.tutti.sim.check.Role;
import org.tutti.sim.check.StaticMajorityGoesOn;
import org.tutti.sim.check.Violation;
import org.tutti.transport.Address;
import org.tutti.user.GroupUser;

/// Every checker catches a history that breaks its property, and lets a good one pass.
class CheckersTest {
  private static final View ABC = primary(1, "a", "b", "c");
  private static final View AB = primary(2, "a", "b");

  @Test
  void aGoodHistoryPasses() {
    HandWrittenHistory run = uniform().submit("a", 2).install(ABC, "a", "b", "c").caughtUp(0, "a").caughtUp(0, "b");
    Content first = run.batch("a", 0);
    Content second = run.batch("a", 1);
    run.deliver(0, first, "a", "b", "c").consume(1, "a", "b", "c").release("a", 1).crash("c");
    run.deliver(1, second, "a", "b").consume(2, "a", "b").install(AB, "a", "b");
    run.give("a", 1, 2).install(primary(3, "a", "b", "d"), "a", "b", "d");
    run.offer("d", "a", 2).restore("d", "a", 1, 2).consume(2, "d").begin("d", 2).caughtUp(2, "d").release("a", 1);
    assertThat(run.violated()).isEmpty();
    assertThat(run.violatedAtRest()).isEmpty();
  }

  private static HandWrittenHistory mixed() {
    HandWrittenHistory run = uniform().install(ABC, "a", "b", "c");
    return run.submit("a", Service.CAUSAL, 0).submit("a", Service.FIFO, 1).submit("a", Service.FIFO, 2);
  }

  @Test
  void aGoodHistoryOfSeveralServicesPasses() {
    HandWrittenHistory run = mixed();
    Content causal = run.batch("a", 0, Service.CAUSAL);
    Content fifo = run.batch("a", 1, Service.FIFO);
    run.early(causal, "a", "b", "c").early(fifo, "a", "b").submit("b", Service.TOTAL, 0);
    run.pass(0, 0, causal, "a", "b", "c").deliver(1, 0, run.batch("b", 0), "a", "b").pass(2, 1, fifo, "a", "b");
    run.install(AB, "a", "b");
    assertThat(run.violated()).isEmpty();
  }

  @Test
  void causalOrder() {
    HandWrittenHistory run = mixed();
    run.early(run.batch("a", 0, Service.CAUSAL), "b").submit("b", Service.TOTAL, 0).deliver(0, run.batch("b", 0), "c");
    assertThat(run.violated()).contains("CausalOrder");
    HandWrittenHistory own =
        uniform().install(ABC, "a", "b", "c").submit("a", Service.CAUSAL, 0).submit("a", Service.CAUSAL, 1);
    own.early(own.batch("a", 1, Service.CAUSAL), "b").early(own.batch("a", 0, Service.CAUSAL), "b");
    assertThat(own.violated()).contains("CausalOrder");
  }

  @Test
  void fifoService() {
    HandWrittenHistory run = mixed();
    run.early(run.batch("a", 2, Service.FIFO), "b").early(run.batch("a", 1, Service.FIFO), "b");
    assertThat(run.violated()).containsExactly("FifoService");
  }

  @Test
  void weakSynchrony() {
    HandWrittenHistory run = mixed();
    run.early(run.batch("a", 0, Service.CAUSAL), "a").install(AB, "a", "b");
    assertThat(run.violated()).containsExactly("WeakSynchrony");
  }

  @Test
  void integrityOfEarlyDeliveries() {
    HandWrittenHistory twice = mixed();
    Content causal = twice.batch("a", 0, Service.CAUSAL);
    twice.early(causal, "b").deliverUntold(0, causal, "b");
    assertThat(twice.violated()).contains("Integrity");
    HandWrittenHistory never = mixed();
    never.pass(0, 0, never.batch("a", 0, Service.CAUSAL), "b");
    assertThat(never.violated()).contains("Integrity");
    HandWrittenHistory other = mixed();
    other.early(other.batch("a", 0, Service.UNORDERED), "b");
    assertThat(other.violated()).contains("Integrity");
  }

  @Test
  void nothingIsEarlyInNonPrimary() {
    HandWrittenHistory run = mixed().install(nonPrimary(2, "b"), "b");
    run.early(run.batch("a", 0, Service.CAUSAL), "b");
    assertThat(run.violated()).contains("NoDeliveryInNonPrimary");
  }

  @Test
  void viewsAgree() {
    HandWrittenHistory run = uniform().install(ABC, "a").install(primary(1, "a", "b"), "b");
    assertThat(run.violated()).contains("ViewsAgree");
  }

  @Test
  void monotoneViews() {
    assertThat(uniform().install(AB, "a").install(ABC, "a").violated()).contains("MonotoneViews");
  }

  @Test
  void selfInclusion() {
    assertThat(uniform().install(AB, "c").violated()).contains("SelfInclusion");
  }

  @Test
  void primaryUniqueness() {
    HandWrittenHistory run = uniform().install(ABC, "a", "b", "c").install(AB, "a", "b").install(primary(3, "c"), "c");
    assertThat(run.violated()).containsExactly("PrimaryUniqueness");
  }

  @Test
  void exactlyHalfNeedsTheSenior() {
    HandWrittenHistory good = uniform().install(AB, "a", "b").install(primary(3, "a"), "a");
    assertThat(good.violated()).isEmpty();
    HandWrittenHistory bad = uniform().install(AB, "a", "b").install(primary(3, "b"), "b");
    assertThat(bad.violated()).containsExactly("PrimaryUniqueness");
  }

  @Test
  void noDeliveryInNonPrimary() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b", "c").install(nonPrimary(2, "c"), "c");
    run.deliver(0, run.batch("a", 0), "c").install(primary(3, "a", "b"), "a").deliver(0, run.batch("a", 0), "a");
    assertThat(run.violated()).contains("NoDeliveryInNonPrimary");
    HandWrittenHistory early = uniform().submit("a", 1);
    early.deliver(0, early.batch("a", 0), "c");
    assertThat(early.violated()).contains("NoDeliveryInNonPrimary");
  }

  @Test
  void integrityAgainstChange() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "b");
    run.deliver(0, run.batch("a", 0, 999), "b");
    assertThat(run.violated()).containsExactly("Integrity");
  }

  @Test
  void integrityAgainstInvention() {
    HandWrittenHistory run = uniform().install(ABC, "b");
    run.deliver(0, run.batch("a", 0), "b");
    assertThat(run.violated()).containsExactly("Integrity");
  }

  @Test
  void integrityAgainstRepetition() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "b");
    run.deliver(0, run.batch("a", 0), "b").deliver(1, run.batch("a", 0), "b");
    assertThat(run.violated()).contains("Integrity");
  }

  @Test
  void uniformTotalOrder() {
    HandWrittenHistory run = uniform().submit("a", 1).submit("b", 1).install(ABC, "b", "c");
    run.deliver(0, run.batch("a", 0), "c").crash("c").deliver(0, run.batch("b", 0), "b");
    assertThat(run.violated()).contains("UniformTotalOrder");
  }

  @Test
  void uniformAgreement() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "c").crash("c").install(AB, "a", "b");
    run.submit("b", 1).deliver(0, run.batch("b", 0), "a", "b");
    assertThat(run.violated()).contains("UniformAgreement");
  }

  @Test
  void uniformAgreementOfTheStart() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a").install(AB, "a", "b");
    assertThat(run.violated()).contains("UniformAgreement");
  }

  @Test
  void totalOrder() {
    var run = new HandWrittenHistory(Guarantee.AGREED, false).submit("a", 1).submit("b", 1).install(ABC, "a", "c");
    Content one = run.batch("a", 0);
    Content other = run.batch("b", 0);
    run.deliver(0, one, "a").deliver(1, other, "a").deliver(0, other, "c").deliver(1, one, "c");
    run.install(primary(2, "a", "c"), "a", "c");
    assertThat(run.violated()).containsExactly("AgreedTotalOrder");
  }

  @Test
  void agreedDeliveryOfTheCrashedIsNoViolation() {
    var run = new HandWrittenHistory(Guarantee.AGREED, false).submit("a", 1).submit("b", 1).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "c").crash("c").deliver(0, run.batch("b", 0), "a", "b");
    run.deliver(1, run.batch("a", 0), "a", "b").install(AB, "a", "b");
    assertThat(run.violated()).isEmpty();
  }

  @Test
  void virtualSynchrony() {
    var run = new HandWrittenHistory(Guarantee.AGREED, false).submit("a", 1).install(ABC, "b", "c");
    run.deliver(0, run.batch("a", 0), "b").install(primary(2, "b", "c"), "b", "c");
    assertThat(run.violated()).contains("VirtualSynchrony");
  }

  @Test
  void sameViewDelivery() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b");
    run.deliver(0, run.batch("a", 0), "a").install(AB, "a", "b").deliver(0, run.batch("a", 0), "b");
    assertThat(run.violated()).contains("SameViewDelivery");
  }

  @Test
  void prefixDelivery() {
    HandWrittenHistory run = uniform().submit("a", 1).submit("c", 1).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a", "b", "c")
        .install(nonPrimary(2, "c"), "c")
        .install(primary(3, "a", "b"), "a");
    assertThat(run.violated()).isEmpty();
    HandWrittenHistory longer = uniform().submit("a", 2).install(ABC, "a", "b", "c");
    Content second = longer.batch("a", 1);
    longer.deliver(0, longer.batch("a", 0), "a", "b", "c").deliver(1, second, "c").install(nonPrimary(2, "c"), "c");
    longer.install(primary(3, "a", "b"), "a", "b");
    assertThat(longer.violated()).contains("PrefixDelivery");
  }

  @Test
  void fifoOrder() {
    HandWrittenHistory run = uniform().submit("a", 2).install(ABC, "b");
    run.deliver(0, run.batch("a", 1), "b").deliver(1, run.batch("a", 0), "b");
    assertThat(run.violated()).containsExactly("CausalOrder", "FifoOrder");
  }

  @Test
  void fifoOrderBehindAState() {
    HandWrittenHistory run = uniform().submit("a", 3).install(ABC, "a");
    run.deliver(0, run.batch("a", 0), "a").give("a", 1, 1).install(primary(2, "a", "b", "c", "d"), "a", "d");
    run.offer("d", "a", 1).restore("d", "a", 1, 1).begin("d", 1).deliver(1, run.batch("a", 2), "d");
    run.batch("a", 1);
    assertThat(run.violated()).containsExactly("FifoOrder");
  }

  /// What only a minority had may be missing, and the application there may see it later than others what follows.
  @Test
  void fifoOrderOfWhatASenderDeliversLate() {
    for (boolean late : new boolean[] {true, false}) {
      var run = new HandWrittenHistory(Guarantee.AGREED, false).submit("a", 3).install(ABC, "a", "b", "c");
      run.deliver(0, run.batch("a", 0), "a", "b", "c");
      Content lost = run.batch("a", 1);
      run.deliver(1, run.batch("a", 2), "b");
      if (late) {
        run.deliver(1, lost, "a");
        assertThat(run.violated()).doesNotContain("FifoOrder");
      } else {
        assertThat(run.violated()).contains("FifoOrder");
        run.crash("a");
        assertThat(run.violated()).doesNotContain("FifoOrder");
      }
    }
  }

  @Test
  void stateIntegrity() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a", "b", "c").give("a", 1, 1).give("b", 1, 0);
    run.install(primary(2, "a", "b", "c", "d"), "a", "b", "c", "d").offer("d", "a", 1).read("d", 31);
    assertThat(run.violated()).isEmpty();
    // Wrong: a state that the donor had, but not at the place of the offer; then one of nobody.
    assertThat(run.offer("d", "a", 1).read("d", 0).violated()).containsExactly("StateIntegrity");
    assertThat(run.offer("d", "a", 1).read("d", 32).violated()).containsExactly("StateIntegrity");
  }

  @Test
  void stateContinuityAgainstHoles() {
    HandWrittenHistory run = uniform().submit("a", 2).install(ABC, "b");
    run.deliver(0, run.batch("a", 0), "b").deliver(2, run.batch("a", 1), "b");
    assertThat(run.violated()).containsExactly("StateContinuity");
  }

  @Test
  void stateContinuityAgainstDeliveryBeforeState() {
    HandWrittenHistory run = uniform().submit("a", 2).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a", "b", "c").install(primary(2, "a", "b", "c", "d"), "a", "b", "c", "d");
    run.deliver(1, run.batch("a", 1), "d");
    assertThat(run.violated()).contains("StateContinuity");
  }

  @Test
  void stateContinuityAgainstAStateOfAnotherMoment() {
    HandWrittenHistory run = uniform().submit("a", 2).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a", "b", "c").give("a", 1, 1);
    run.install(primary(2, "a", "b", "c", "d"), "a", "b", "c", "d").offer("d", "a", 2).restore("d", "a", 1, 1);
    assertThat(run.violated()).containsExactly("StateContinuity");
  }

  @Test
  void stateContinuityAgainstABeginningElsewhere() {
    HandWrittenHistory run = uniform().submit("a", 2).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a", "b", "c").give("a", 1, 1);
    run.install(primary(2, "a", "b", "c", "d"), "a", "b", "c", "d").offer("d", "a", 1).restore("d", "a", 1, 1);
    run.begin("d", 2);
    assertThat(run.violated()).containsExactly("StateContinuity");
  }

  @Test
  void noDeliveryOfAForeignHistory() {
    HandWrittenHistory run = uniform().submit("a", 3).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a", "b", "c").install(AB, "a", "b").install(nonPrimary(3, "c"), "c");
    run.deliver(1, run.batch("a", 1), "a", "b");
    assertThat(run.violated()).isEmpty();
    // Wrong: c is alone, and what it delivers is of the history of a primary view that it is not in.
    run.deliver(1, run.batch("a", 1), "c");
    assertThat(run.violated()).contains("NoDeliveryInNonPrimary");
  }

  @Test
  void aSuffixDecidedByAnEarlierPrimaryViewIsLate() {
    HandWrittenHistory run = uniform().submit("a", 2).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a", "b", "c").deliver(1, run.batch("a", 1), "a", "b");
    run.install(AB, "a", "b").install(nonPrimary(3, "c"), "c").deliver(1, run.batch("a", 1), "c");
    assertThat(run.violated()).isEmpty();
  }

  /// As where the end of a member's branch is not to be had: it takes over the history of the view that it could not
  /// enter when it goes on into the next one, and not earlier.
  @Test
  void theHistoryOfAViewThatTookInAMemberMayComeWhenItGoesOn() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b", "c").install(nonPrimary(2, "c"), "c");
    run.install(primary(3, "a", "b", "c"), "a", "b").deliver(0, run.batch("a", 0), "a", "b");
    run.deliver(0, run.batch("a", 0), "c").goOn(primary(4, "a", "b", "c"), "c");
    run.install(primary(4, "a", "b", "c"), "a", "b");
    assertThat(run.violated()).isEmpty();
    HandWrittenHistory sooner = uniform().submit("a", 1).install(ABC, "a", "b", "c").install(nonPrimary(2, "c"), "c");
    sooner.install(primary(3, "a", "b", "c"), "a", "b").deliver(0, sooner.batch("a", 0), "a", "b");
    sooner.deliver(0, sooner.batch("a", 0), "c").install(primary(4, "a", "b", "c"), "a", "b", "c");
    assertThat(sooner.violated()).containsExactlyInAnyOrder("NoDeliveryInNonPrimary", "UniformAgreement");
  }

  @Test
  void decidedMatchesDelivery() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a").decide("a", 1, 5);
    run.deliverUntold(0, run.batch("a", 0), "a");
    assertThat(run.violated()).containsExactly("DecidedMatchesDelivery");
    HandWrittenHistory untold = uniform().submit("a", 1).install(ABC, "a");
    untold.deliverUntold(0, untold.batch("a", 0), "a");
    assertThat(untold.violated()).containsExactly("DecidedMatchesDelivery");
  }

  @Test
  void electorateHeld() {
    var run = new HandWrittenHistory(GroupConfig.builder().electorate(Set.of("a", "b", "c")).build());
    assertThat(run.install(nonPrimary(1, "a"), "a").install(AB, "a", "b").violated()).isEmpty();
    assertThat(run.install(primary(3, "a", "d"), "a", "d").violated()).contains("ElectorateHeld");
  }

  @Test
  void aStaticMajorityIsOneOfLives() {
    GroupConfig config = GroupConfig.builder().electorate(Set.of("a", "b", "c")).build();
    var run = new HandWrittenHistory(config).install(ABC, "a", "b", "c").install(primary(2, "b", "c"), "b", "c");
    assertThat(run.install(primary(3, "c", "a"), "c", "a").violated()).isEmpty();
    var dynamic =
        new HandWrittenHistory(config.toBuilder().primaryViews(PrimaryViews.BOTH).build()).install(ABC, "a", "b", "c");
    dynamic.install(primary(2, "b", "c"), "b", "c").install(primary(3, "c", "a"), "c", "a");
    assertThat(dynamic.violated()).contains("PrimaryUniqueness");
    var forgetful = new HandWrittenHistory(config).install(ABC, "a", "b", "c").install(primary(2, "b", "c"), "b", "c");
    var again = new MemberId("a", new Address("a:1"), 2);
    View view = new View(new ViewId(3, 1), List.of(HandWrittenHistory.id("c"), again), true, List.of());
    assertThat(forgetful.install(view, "c").violated()).contains("PrimaryUniqueness");
  }

  /// All who had installed it crashed before their applications were shown it; c may have its vote from there.
  @Test
  void aViewThatNobodyWasShownMayHaveGivenVotesBeforeTheFirstOneThatWas() {
    GroupConfig config = GroupConfig.builder().electorate(Set.of("a", "b", "c")).build();
    View first = primary(2, "a", "b");
    View next = primary(3, "b", "c");
    var shown = new HandWrittenHistory(config).install(first, "a", "b").install(next, "b", "c");
    assertThat(shown.violated()).as("c was in no view").contains("PrimaryUniqueness");
    var unseen = new HandWrittenHistory(config).announce(ABC, "a").install(first, "a", "b").install(next, "b", "c");
    assertThat(unseen.violated()).isEmpty();
  }

  @Test
  void aPrimaryViewContinuesTheOneBefore() {
    var before = primary(2, "a", "b");
    var next =
        new View(
            new ViewId(3, 1),
            List.of(HandWrittenHistory.id("a"), HandWrittenHistory.id("b")),
            true,
            List.of(before.id()));
    var other = new View(new ViewId(4, 1), next.members(), true, List.of(before.id()));
    HandWrittenHistory run = uniform().install(ABC, "a", "b", "c").install(before, "a", "b").install(next, "a");
    assertThat(run.violated()).isEmpty();
    assertThat(run.install(other, "b").violated()).contains("PrimaryUniqueness");
  }

  @Test
  void aStaticMajorityGoesOn() {
    GroupConfig config = GroupConfig.builder().electorate(Set.of("a", "b", "c")).build();
    var deciders = new Deciders(config);
    deciders.next(ABC, false);
    deciders.next(primary(2, "b", "c"), false);
    List<MemberId> both = List.of(HandWrittenHistory.id("a"), HandWrittenHistory.id("c"));
    List<MemberId> holders = List.of(HandWrittenHistory.id("c"));
    assertThat(StaticMajorityGoesOn.isDue(new History(config), deciders, both, holders)).isTrue();
    assertThat(StaticMajorityGoesOn.isDue(new History(config), deciders, both, List.of())).isFalse();
    assertThat(StaticMajorityGoesOn.isDue(new History(config), deciders, holders, holders)).isFalse();
    var again = new MemberId("a", new Address("a:1"), 2);
    List<MemberId> one = List.of(again, HandWrittenHistory.id("c"));
    assertThat(StaticMajorityGoesOn.isDue(new History(config), deciders, one, holders)).isFalse();
    GroupConfig other = config.toBuilder().primaryViews(PrimaryViews.BOTH).build();
    assertThat(StaticMajorityGoesOn.isDue(new History(other), new Deciders(other), both, holders)).isFalse();
  }

  @Test
  void nameHeld() {
    var run = new HandWrittenHistory(GroupConfig.standard()).install(AB, "a", "b");
    assertThat(run.install(nonPrimary(3, "a"), "a").close("b", End.Cause.NAME_TAKEN).violated())
        .doesNotContain("NameHeld");
    var living = new HandWrittenHistory(GroupConfig.standard()).install(AB, "a", "b");
    assertThat(living.close("b", End.Cause.NAME_TAKEN).violated()).contains("NameHeld");
  }

  @Test
  void aViewContinuesTheOneBeforeItOrOneThatNobodyWasShown() {
    for (View from : List.of(AB, nonPrimary(4, "a"))) {
      View next = new View(new ViewId(6, 1), List.of(HandWrittenHistory.id("a")), true, List.of(from.id()));
      HandWrittenHistory run = uniform().install(AB, "a", "b").install(nonPrimary(4, "a"), "a").install(next, "a");
      assertThat(run.violated().contains("PrimaryUniqueness")).as("from " + from).isEqualTo(!from.primary());
    }
    View unseen = new View(new ViewId(6, 1), List.of(HandWrittenHistory.id("a")), true, List.of(new ViewId(5, 1)));
    assertThat(uniform().install(AB, "a", "b").install(unseen, "a").violated()).doesNotContain("PrimaryUniqueness");
  }

  @Test
  void rolesKept() {
    for (Role role : List.of(Role.OBSERVER, Role.STATELESS)) {
      HandWrittenHistory kept = uniform().assignRole("c", role).install(observed(ABC, 2), "a", "b");
      assertThat(kept.violated()).doesNotContain("RolesKept");
      assertThat(kept.install(nonPrimary(4, "c"), "c").violated()).as("a voter meanwhile").contains("RolesKept");
      assertThat(uniform().assignRole("c", role).install(ABC, "a", "b").violated()).contains("RolesKept");
    }
    assertThat(uniform().install(observed(ABC, 2), "a", "b").violated()).contains("RolesKept");
  }

  @Test
  void whoExpectsAnotherGroupIsRefusedAndNobodyElse() {
    HandWrittenHistory mistaken =
        uniform().assignRole("c", Role.MISTAKEN).install(AB, "a", "b").close("c", End.Cause.REFUSED);
    assertThat(mistaken.violated()).isEmpty();
    assertThat(mistaken.install(ABC, "a", "b").violated()).contains("RolesKept");
    assertThat(uniform().install(AB, "a", "b").close("b", End.Cause.REFUSED).violated()).containsExactly("RolesKept");
  }

  @Test
  void nobodyVotesWhoseCertificateIsForObserversOnly() {
    HandWrittenHistory barred = uniform().assignRole("c", Role.BARRED).limitToObserving("c").install(AB, "a", "b");
    assertThat(barred.close("c", End.Cause.REFUSED).violated()).isEmpty();
    assertThat(barred.install(ABC, "a", "b").violated()).contains("EntitledVoters");
    HandWrittenHistory observer = uniform().assignRole("c", Role.OBSERVER).limitToObserving("c");
    assertThat(observer.install(observed(ABC, 2), "a", "b").violated()).isEmpty();
    assertThat(observer.install(nonPrimary(4, "b", "c"), "b").violated()).contains("EntitledVoters");
  }

  private static HandWrittenHistory ofBuilds() {
    return uniform().assignBuild("a", 5, 7, 7).assignBuild("b", 5, 6, 6).assignBuild("c", 5, 5, 5);
  }

  @Test
  void allMembersOfAViewSpeakItsVersion() {
    assertThat(ofBuilds().install(speaking(5, ABC), "a", "b", "c").violated()).isEmpty();
    assertThat(ofBuilds().install(speaking(6, ABC), "a").violated()).contains("SpokenVersion");
    assertThat(ofBuilds().install(ABC, "a").violated()).as("in none").contains("SpokenVersion");
    assertThat(ofBuilds().install(nonPrimary(1, "c"), "c").violated()).as("as it knows no history").isEmpty();
  }

  @Test
  void theVersionNeverFalls() {
    View high = speaking(6, AB);
    HandWrittenHistory run = ofBuilds().install(speaking(5, ABC), "a", "b", "c").install(high, "a", "b");
    assertThat(run.violated()).isEmpty();
    assertThat(run.install(speaking(6, nonPrimary(3, "b"), high), "b").violated()).isEmpty();
    assertThat(run.install(speaking(5, nonPrimary(4, "b"), high), "b").violated()).containsExactly("VersionNeverFalls");
  }

  @Test
  void aPrimaryViewSpeaksTheHighestVersionThatItsMembersAdmitTo() {
    View first = speaking(5, ABC);
    View second = speaking(5, AB, first);
    HandWrittenHistory stays = ofBuilds().install(first, "a", "b", "c").install(second, "a", "b");
    assertThat(stays.violated()).containsExactly("HighestVersion");
    HandWrittenHistory kept = ofBuilds().assignBuild("a", 5, 7, 5).install(first, "a", "b", "c");
    assertThat(kept.install(second, "a", "b").violated()).as("a keeps the way back open").isEmpty();
    HandWrittenHistory pushed = ofBuilds().assignBuild("a", 5, 7, 5).install(first, "a", "b", "c");
    assertThat(pushed.install(speaking(6, AB, first), "a", "b").violated()).containsExactly("HighestVersion");
  }

  @Test
  void onlyWhoLacksTheVersionIsRefusedForIt() {
    HandWrittenHistory run = ofBuilds().install(speaking(5, ABC), "a", "b", "c");
    assertThat(run.refuse("c", "the group speaks version 6, this node version 5").violated()).isEmpty();
    assertThat(run.refuse("b", "the group speaks version 6, this node versions 5 to 6").violated())
        .containsExactly("RolesKept");
  }

  @Test
  void anObserverIsNotWaitedFor() {
    var run = new HandWrittenHistory(GroupConfig.standard()).assignRole("c", Role.OBSERVER).submit("a", 1);
    run.install(observed(ABC, 2), "a", "b", "c").deliver(0, run.batch("a", 0), "a", "b", "c").consume(1, "a", "b");
    assertThat(run.release("a", 1).violated()).isEmpty();
  }

  @Test
  void undecidedTold() {
    HandWrittenHistory untold = uniform().submit("c", 2).install(ABC, "a", "b", "c");
    untold.deliver(0, untold.batch("c", 0), "a", "b").install(AB, "a", "b").install(nonPrimary(3, "c"), "c");
    assertThat(untold.violated()).isEmpty();
    untold.submit("c", 1);
    assertThat(untold.violated()).containsExactly("UndecidedTold");
    HandWrittenHistory told = uniform().submit("c", 1).install(ABC, "a", "b", "c");
    told.deliver(0, told.batch("c", 0), "a", "b").install(AB, "a", "b").install(nonPrimary(3, "c"), "c");
    told.doubt("c", 1);
    assertThat(told.violated()).isEmpty();
    told.doubt("c", 2);
    assertThat(told.violated()).containsExactly("UndecidedTold");
  }

  @Test
  void caughtUpTold() {
    HandWrittenHistory run = uniform().install(ABC, "a", "b", "c").caughtUp(0, "a").caughtUp(0, "b");
    assertThat(run.violatedAtRest()).as("c is not told").containsExactly("CaughtUpTold");
    run.crash("a");
    assertThat(run.caughtUp(0, "c").violatedAtRest()).isEmpty();
    run.install(primary(2, "a"), "a").install(nonPrimary(3, "a"), "a").install(primary(4, "a"), "a").caughtUp(0, "a");
    assertThat(run.violated()).as("it has come back").doesNotContain("CaughtUpTold");
    run.install(nonPrimary(3, "c"), "c").install(primary(4, "a", "c"), "c").caughtUp(0, "c");
    assertThat(run.violated()).as("again behind a view that is not primary").doesNotContain("CaughtUpTold");
    assertThat(run.caughtUp(0, "c").violated()).as("twice").contains("CaughtUpTold");
    assertThat(uniform().install(ABC, "c").caughtUp(2, "c").violated())
        .as("another position")
        .containsExactly("CaughtUpTold");
    assertThat(uniform().install(nonPrimary(3, "c"), "c").caughtUp(0, "c").violated())
        .as("not primary")
        .containsExactly("CaughtUpTold");
  }

  @Test
  void prefixDeliveryOfWhoComesBackWithAState() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b", "c");
    run.deliver(0, run.batch("a", 0), "a", "b").install(AB, "a", "b").install(primary(3, "a", "b", "c"), "a", "b");
    HandWrittenHistory seamless = run.install(primary(3, "a", "b", "c"), "c").begin("c", 1);
    assertThat(seamless.violated())
        .doesNotContain("PrefixDelivery"); // c's sequence is a prefix, though of another next view
    HandWrittenHistory together = uniform().submit("a", 1).install(ABC, "a", "b", "c");
    together.deliver(0, together.batch("a", 0), "a", "b").install(AB, "a", "b", "c").begin("c", 1);
    assertThat(together.violated()).contains("PrefixDelivery");
  }

  @Test
  void subsetIntegrity() {
    HandWrittenHistory run =
        uniform().install(ABC, "a", "b", "c").submitSubset("a", 1, "b", "c").submitSubset("a", 2, "b");
    run.deliverSubset("a", 1, "b", "c").deliverSubset("a", 2, "b");
    assertThat(run.violated()).isEmpty();
    assertThat(run.deliverSubset("a", 2, "b").violated()).as("twice").containsExactly("SubsetIntegrity");
    HandWrittenHistory stranger =
        uniform().install(ABC, "a", "b", "c").submitSubset("a", 1, "b").deliverSubset("a", 1, "c");
    assertThat(stranger.violated()).containsExactly("SubsetIntegrity");
    HandWrittenHistory refused =
        uniform().install(ABC, "a", "b", "c").submitSubset("a", 1, "b").deliverSubset("a", 1, "b");
    assertThat(refused.decideSubset("a", 1, GroupUser.SubsetOutcome.NOT_ORDERED).violated())
        .containsExactly("SubsetIntegrity");
  }

  @Test
  void subsetAgreement() {
    HandWrittenHistory run =
        uniform().install(ABC, "a", "b", "c").submitSubset("c", 1, "a", "b").deliverSubset("c", 1, "a");
    assertThat(run.violated()).isEmpty();
    assertThat(run.crash("a").install(primary(2, "b", "c"), "b", "c").violated()).containsExactly("SubsetAgreement");
    HandWrittenHistory held =
        uniform()
            .install(ABC, "a", "b", "c")
            .submitSubset("a", 1, "b")
            .decideSubset("a", 1, GroupUser.SubsetOutcome.HELD);
    assertThat(held.violated()).isEmpty();
    assertThat(held.install(AB, "a", "b").violated()).containsExactly("SubsetAgreement");
  }

  @Test
  void subsetOrder() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b", "c");
    run.submitSubset("b", 1, "a", "b").submitSubset("c", 1, "b", "c").submitSubset("a", 1, "a", "c");
    run.deliverSubset("b", 1, "a").deliverSubset("a", 1, "a");
    run.deliverSubset("c", 1, "b").deliverSubset("b", 1, "b");
    assertThat(run.violated()).isEmpty();
    run.deliverSubset("a", 1, "c").deliverSubset("c", 1, "c");
    assertThat(run.violated()).as("a: b1 a1; b: c1 b1; c: a1 c1").containsExactly("SubsetOrder");
  }

  @Test
  void subsetOrderOfASender() {
    HandWrittenHistory run = uniform().install(AB, "a", "b").submitSubset("a", 1, "b").submit("a", 1);
    run.deliver(0, run.batch("a", 0), "a", "b").deliverSubset("a", 1, "b");
    assertThat(run.violated()).containsExactly("SubsetOrder");
  }

  @Test
  void windowRespected() {
    assertThat(uniform().submit("a", 1).install(primary(1, "a"), "a").release("a", 1).violated())
        .containsExactly("WindowRespected");
    HandWrittenHistory odd = uniform().submit("a", 2).install(primary(1, "a"), "a");
    odd.deliver(0, odd.batch("a", 0), "a").deliver(1, odd.batch("a", 1), "a").consume(2, "a").releaseCost("a", 21);
    assertThat(odd.violated()).containsExactly("WindowRespected");
  }

  @Test
  void windowRespectedByEverybody() {
    HandWrittenHistory run = uniform().submit("a", 1).submit("b", 1).install(AB, "a", "b");
    run.deliver(0, run.batch("a", 0), "a", "b").consume(1, "a").release("a", 1);
    assertThat(run.violated()).containsExactly("WindowRespected");
  }

  @Test
  void windowRespectedByWhoComesBackFromALostBranch() {
    HandWrittenHistory run = uniform().submit("a", 1).install(AB, "a", "b");
    run.deliver(0, run.batch("a", 0), "a").begin("a", 0).release("a", 1);
    assertThat(run.violated()).doesNotContain("WindowRespected");
  }

  /// The view before was decided and nobody installed it; b was not in that one, and waits for the state.
  @Test
  void windowRespectedWhileAFounderWaits() {
    View unseen = primary(1, "a");
    var first =
        new View(
            new ViewId(2, 1),
            List.of(HandWrittenHistory.id("a"), HandWrittenHistory.id("b")),
            true,
            List.of(unseen.id()));
    HandWrittenHistory run = new HandWrittenHistory(Guarantee.AGREED, true).submit("a", 1).install(first, "a", "b");
    run.deliver(0, run.batch("a", 0), "a").consume(1, "a").release("a", 1);
    assertThat(run.violated()).as("a founder that may be waiting until the end").doesNotContain("WindowRespected");
    assertThat(run.begin("b", 0).violated()).as("a founder that waited").doesNotContain("WindowRespected");

    HandWrittenHistory other = new HandWrittenHistory(Guarantee.AGREED, true).submit("a", 1).install(first, "a", "b");
    other.deliver(0, other.batch("a", 0), "a").consume(1, "a").release("a", 1);
    assertThat(other.deliver(0, other.batch("a", 0), "b").violated())
        .as("a founder that has the history")
        .containsExactly("WindowRespected");
  }

  @Test
  void nothingLost() {
    HandWrittenHistory run = uniform().submit("a", 1).install(ABC, "a", "b", "c").caughtUp(0, "b").caughtUp(0, "c");
    assertThat(run.caughtUp(0, "a").violatedAtRest()).containsExactly("NothingLost");
    run.crash("a");
    assertThat(run.violatedAtRest()).isEmpty();
  }

  @Test
  void noContradiction() {
    var counters = new Counters();
    counters.damaged("checksum");
    counters.count(Count.MESSAGE_OF_OTHER_VIEW);
    counters.malformed("fetch");
    assertThat(NoContradiction.check("a", counters.metrics())).isEmpty();
    counters.malformed("place");
    assertThat(NoContradiction.check("a", counters.metrics()))
        .extracting(Violation::property)
        .containsExactly("NoContradiction");
  }
}
