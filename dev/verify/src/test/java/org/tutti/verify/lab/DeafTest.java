package org.tutti.verify.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.lab.Lab;
import org.tutti.lab.LabConfig;
import org.tutti.lab.LabVerdict;
import org.tutti.lab.network.Unavailable;
import org.tutti.transport.Profile;

/// A member that hears nobody, but is heard, stops the others for no longer than one that has crashed: processes of the
/// public API over the kernel's TCP and UDP. Frames to it are lost before its host, acknowledgements of TCP, too, while
/// what it sends arrives, as long as the window of TCP, or of our UDP, lets it say anything. The simulator has the same
/// fault, without windows, and with its bounds (`SingleFault`).
///
/// The bound is for the median of five rounds: on a machine of two processors five JVMs wait for each other, and a
/// round in which windows end at different moments for different members is longer (`docs/protocols/suspicion.md`).
@Tag("system")
@Tag("deep")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeafTest {
  private static final Duration SUSPECT_AFTER = Profile.LAN.suspectAfter();
  private static final Duration BOUND = SUSPECT_AFTER.plusMillis(500);
  private static final int ROUNDS = 5;

  @TempDir Path directory;

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({"udp, senior", "tcp, senior", "udp, member", "tcp, member"})
  void whoHearsNobodyHoldsUpTheOthersNoLongerThanACrash(String transport, String who) throws Exception {
    LabConfig config = LabConfig.standard(5).withTransport(transport).withDirectory(directory.resolve("lab"));
    var stops = new ArrayList<Duration>();
    LabVerdict verdict;
    try (Lab lab = Lab.open(config)) {
      lab.start();
      for (int round = 0; round < ROUNDS; round++) {
        stops.add(stop(lab, config.names(), who.equals("senior")));
      }
      verdict = lab.finish();
    } catch (Unavailable e) {
      Assumptions.abort("skipped: " + e.getMessage());
      return;
    }
    System.out.printf("%s, a deaf %s: the others delivered nothing for %s%n", transport, who, stops);
    assertThat(verdict.violations()).as("histories in " + directory).isEmpty();
    Duration median = stops.stream().sorted().toList().get(ROUNDS / 2);
    assertThat(median).as("the median of %s", stops).isLessThan(BOUND);
  }

  /// Makes one deaf for three suspicion times.
  ///
  /// @return the longest time in which one of the others delivered nothing
  private static Duration stop(Lab lab, List<String> names, boolean senior) {
    lab.pass(SUSPECT_AFTER);
    String first = lab.senior();
    String deaf = senior ? first : names.stream().filter(name -> !name.equals(first)).findFirst().orElseThrow();
    String[] others = names.stream().filter(name -> !name.equals(deaf)).toArray(String[]::new);
    long begin = System.nanoTime();
    lab.deafen(deaf);
    lab.pass(SUSPECT_AFTER.multipliedBy(3));
    Duration longest = lab.longestStop(begin, others);
    assertThat(lab.network().lost()).isPositive();
    lab.heal();
    lab.awaitCalm();
    return longest;
  }
}
