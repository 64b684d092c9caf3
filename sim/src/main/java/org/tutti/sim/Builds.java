package org.tutti.sim;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.tutti.wire.Versions;

/// Which build each life of each node runs ([FaultKind#UPGRADE]): what differs is which versions of the protocol it
/// understands. Nodes begin with one of two old builds, and come back from their restarts with a newer one, now and
/// then with an older one; as a rule only as long as the group has not changed its version, as an operator would do.
/// Who does otherwise is refused, and started again with the newest build.
///
/// All builds have a version in common, so that links work. In runs without this kind of fault all nodes run the build
/// that there is.
final class Builds {
  private static final int OLDEST = Versions.OWN.oldest();
  private static final int NEWEST = OLDEST + 2; // of all builds
  private static final int BACK_ONE_IN = 4; // of the starts that change the build
  private static final int RASH_ONE_IN = 4; // of those that go back

  private final boolean differ;
  private final double rate;
  private final SplittableRandom random;
  private final RunCounts tally;
  private final int[] newest; // by place: what the build of its last life understands; 0 before
  private int spoken; // by the group, as far as any application was told

  Builds(Simulation.Setting setting) {
    this.differ = setting.plan().has(FaultKind.UPGRADE);
    this.rate = 0.5 + setting.plan().strength(FaultKind.UPGRADE) / 2;
    this.random = setting.streams().open(Streams.Purpose.UPGRADE, 1);
    this.tally = setting.tally();
    this.newest = new int[setting.plan().nodes()];
  }

  /// What the next life of a place understands.
  Versions next(int place) {
    if (!differ) {
      return Versions.OWN;
    }
    int before = newest[place];
    if (before == 0) {
      newest[place] = OLDEST + random.nextInt(2);
    } else if (random.nextDouble() < rate) {
      newest[place] = random.nextInt(BACK_ONE_IN) == 0 ? before(before) : Math.min(NEWEST, before + 1);
    }
    if (Arrays.stream(newest).anyMatch(other -> other != 0 && other != newest[place])) {
      tally.fault(FaultKind.UPGRADE);
    }
    return new Versions(OLDEST, newest[place]);
  }

  private int before(int build) {
    int older = Math.max(OLDEST, build - 1);
    return older >= spoken || random.nextInt(RASH_ONE_IN) == 0 ? older : build;
  }

  /// A group speaks a version.
  void spoken(int version) {
    spoken = Math.max(spoken, version);
  }

  /// The newest build is installed at a place.
  void upgrade(int place) {
    newest[place] = NEWEST;
  }
}
