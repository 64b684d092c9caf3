package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import org.tutti.user.GroupUser;

/// All properties.
public final class Checkers {
  private static final int MESSAGES_MAX = 3; // of one property; the first says most

  private Checkers() {}

  /// What must hold at every moment of every run.
  ///
  /// @return the checkers
  public static List<Checker> safety() {
    return List.of(
        new ViewsAgree(),
        new NameHeld(),
        new RolesKept(),
        new EntitledVoters(),
        new SpokenVersion(),
        new VersionNeverFalls(),
        new HighestVersion(),
        new MonotoneViews(),
        new SelfInclusion(),
        new PrimaryUniqueness(),
        new ElectorateHeld(),
        new NoDeliveryInNonPrimary(),
        new Integrity(),
        new UniformTotalOrder(),
        new UniformAgreement(),
        new AgreedTotalOrder(),
        new VirtualSynchrony(),
        new SameViewDelivery(),
        new PrefixDelivery(),
        new BranchIntegrity(),
        new BranchApart(),
        new BranchTotalOrder(),
        new BranchSynchrony(),
        new FifoOrder(),
        new FifoService(),
        new CausalOrder(),
        new WeakSynchrony(),
        new SubsetIntegrity(),
        new SubsetAgreement(),
        new SubsetOrder(),
        new StateContinuity(),
        new StateIntegrity(),
        new ReaderTold(),
        new CaughtUpTold(false),
        new DecidedMatchesDelivery(),
        new UndecidedTold(),
        new WindowRespected(GroupUser.MESSAGE_OVERHEAD));
  }

  /// What must hold in addition when a run has come to rest.
  ///
  /// @return the checkers
  public static List<Checker> liveness() {
    return List.of(new NothingLost(), new CaughtUpTold(true));
  }

  /// Checks a history.
  ///
  /// @param history  the run
  /// @param checkers the properties
  /// @return what did not hold, a few messages for each property
  public static List<Violation> check(History history, List<Checker> checkers) {
    List<History> lineages = history.lineages();
    var violations = new ArrayList<Violation>();
    boolean forced = lineages.size() > 1;
    check(history, checkers.stream().filter(checker -> !forced || !checker.isOfLineage()).toList(), violations);
    if (forced) {
      lineages.forEach(each -> check(each, checkers.stream().filter(Checker::isOfLineage).toList(), violations));
    }
    return violations;
  }

  private static void check(History history, List<Checker> checkers, List<Violation> violations) {
    var intervals = new ViewIntervals(history);
    for (Checker checker : checkers) {
      int before = violations.size();
      checker.check(
          history,
          intervals,
          message -> {
            if (violations.size() < before + MESSAGES_MAX) {
              violations.add(new Violation(checker.property(), message));
            }
          });
    }
  }
}
