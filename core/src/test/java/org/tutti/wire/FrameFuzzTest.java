package org.tutti.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.wire.FrameFuzz.Aim;

/// Malformed input never stops a node; it is dropped for a reason that is counted, and costs little.
///
/// The quick tests throw a hundredth of what the deep ones do. `-Dfuzz.frames=`, `-Dfuzz.seed=` ask for other runs.
/// Each prints what was thrown and what became of it: *dropped* with a `drop.` counter, *counted* otherwise, or *taken*
/// as what a member might well say.
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FrameFuzzTest {
  private static final Set<Aim> STRANGERS = EnumSet.of(Aim.STRANGER, Aim.DAMAGE);
  private static final Set<Aim> MEMBERS = EnumSet.of(Aim.FORGERY, Aim.MESSAGE, Aim.LIE, Aim.RELAY);
  private static final long FRAMES = 1_000_000;
  private static final long MEMBERS_FRAMES = 100_000; // they cost ten times as much
  private static final int QUICK = 100;
  private static final long SEED = Long.getLong("fuzz.seed", 1);

  @Test
  void strangersAndDamagedFramesStopNobody() {
    fuzz(STRANGERS, Long.getLong("fuzz.frames", FRAMES / QUICK));
  }

  @Test
  void framesInTheNameOfAMemberStopNoNode() {
    fuzz(MEMBERS, Long.getLong("fuzz.frames", MEMBERS_FRAMES / QUICK));
  }

  @Test
  @Tag("deep")
  void aMillionStrangersAndDamagedFramesStopNobody() {
    fuzz(STRANGERS, FRAMES);
  }

  @Test
  @Tag("deep")
  void aHundredThousandFramesInTheNameOfAMemberStopNoNode() {
    fuzz(MEMBERS, MEMBERS_FRAMES);
  }

  private static void fuzz(Set<Aim> aims, long frames) {
    var fuzz = new FrameFuzz(SEED, aims);
    assertThat(fuzz.corpus(false).kinds()).as("kinds of messages in the play").hasSizeGreaterThanOrEqualTo(14);
    assertThat(fuzz.corpus(true).kinds())
        .containsKeys(
            "subset multicast 1",
            "subset multicast 2",
            "subset multicast 3",
            "subset multicast 4",
            "board",
            "propagation");
    fuzz.run(frames);
    System.out.println(fuzz.tally());
    assertThat(fuzz.findings()).isEmpty();
  }
}
