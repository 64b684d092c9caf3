package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.sim.HandWrittenHistory.branching;
import static org.tutti.sim.HandWrittenHistory.nonPrimary;
import static org.tutti.sim.HandWrittenHistory.primary;

import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.sim.check.Content;

/// Each checker of branches sees what it is there for.
class BranchCheckersTest {
  private static final View ALL = primary(1, "a", "b", "c", "d", "e");
  private static final View PART = nonPrimary(2, "a", "b", "c");
  private static final View NEXT = nonPrimary(3, "a", "b");

  private static HandWrittenHistory apart() {
    return branching().install(ALL, "a", "b", "c", "d", "e").install(PART, "a", "b", "c");
  }

  @Test
  void aGoodBranchPasses() {
    HandWrittenHistory run = branching().install(ALL, "a", "b", "c", "d", "e").submit("a", 2);
    run.deliver(0, run.batch("a", 0), "a", "b", "c").consume(1, "a", "b", "c", "d", "e");
    run.install(PART, "a", "b", "c").doubt("a", 1).submitInBranch("a", 7).submitInBranch("b", 8);
    Content first = run.inBranch(PART, "a", 0, 7);
    Content second = run.inBranch(PART, "b", 0, 8);
    run.branch(first, "a", "b", "c").branch(second, "a", "b").releaseInBranch("a").install(NEXT, "a", "b");
    assertThat(run.violated()).isEmpty();
  }

  @Test
  void branchIntegrity() {
    HandWrittenHistory unsent = apart();
    unsent.branch(unsent.inBranch(PART, "a", 0, 7), "a");
    assertThat(unsent.violated()).contains("BranchIntegrity");
    HandWrittenHistory changed = apart().submitInBranch("a", 7);
    changed.branch(changed.inBranch(PART, "a", 0, 6), "a");
    assertThat(changed.violated()).contains("BranchIntegrity");
    HandWrittenHistory gap = apart();
    gap.branch(gap.inBranch(PART, "a", 1, 7), "b");
    assertThat(gap.violated()).containsExactly("BranchIntegrity");
    HandWrittenHistory different = apart();
    different.branch(different.inBranch(PART, "a", 0, 7), "b").branch(different.inBranch(PART, "a", 0, 6), "c");
    assertThat(different.violated()).contains("BranchIntegrity");
    HandWrittenHistory strange = apart();
    strange.branch(strange.inBranch(PART, "e", 0, 7), "b");
    assertThat(strange.violated()).containsExactly("BranchIntegrity");
    HandWrittenHistory primary = branching().install(ALL, "a", "b");
    primary.branch(primary.inBranch(ALL, "a", 0, 7), "b");
    assertThat(primary.violated()).containsExactly("BranchIntegrity");
    HandWrittenHistory suspended = HandWrittenHistory.uniform().install(PART, "a", "b");
    suspended.branch(suspended.inBranch(PART, "a", 0, 7), "b");
    assertThat(suspended.violated()).containsExactly("BranchIntegrity");
  }

  @Test
  void branchApart() {
    HandWrittenHistory run = apart().submitInBranch("b", 7);
    run.branch(run.inBranch(PART, "b", 0, 7), "a", "b")
        .install(NEXT, "a", "b")
        .branch(run.inBranch(NEXT, "b", 0, 7), "a");
    assertThat(run.violated()).containsExactly("BranchApart");
  }

  @Test
  void branchTotalOrder() {
    HandWrittenHistory run = apart();
    Content first = run.inBranch(PART, "a", 0, 7);
    Content second = run.inBranch(PART, "b", 0, 8);
    run.branch(first, "c").branch(second, "c");
    assertThat(run.violated()).isEmpty();
    run.submitInBranch("b", 8).branch(second, "b");
    assertThat(run.violated()).containsExactly("BranchTotalOrder");
  }

  @Test
  void whatOneDeliversInABranchIsHadByTheQuorumThatGoesOn() {
    HandWrittenHistory run = apart();
    run.branch(run.inBranch(PART, "b", 0, 8), "c").install(NEXT, "a", "b");
    assertThat(run.violated()).containsExactly("BranchTotalOrder");
  }

  /// There the next view is told later than it was installed.
  @Test
  void whatIsDeliveredAtLastInADomainMayBeWhatTheViewChangeBrought() {
    GroupConfig domain = GroupConfig.builder().stateTransfer(true).partitions(Partitions.CONTINUE).domain("d").build();
    HandWrittenHistory run =
        new HandWrittenHistory(domain).install(ALL, "a", "b", "c", "d", "e").install(PART, "a", "b", "c");
    run.submitInBranch("b", 8).submitInBranch("b", 9).branch(run.inBranch(PART, "b", 0, 8), "c");
    run.install(NEXT, "a", "b");
    assertThat(run.violated()).isEmpty();
    run.branch(run.inBranch(PART, "b", 1, 9), "c");
    assertThat(run.violated()).containsExactly("BranchTotalOrder");
  }

  @Test
  void branchSynchrony() {
    HandWrittenHistory run = apart();
    run.branch(run.inBranch(PART, "c", 0, 8), "b").install(NEXT, "a", "b");
    assertThat(run.violated()).contains("BranchSynchrony");
  }
}
