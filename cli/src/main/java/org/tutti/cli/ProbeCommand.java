package org.tutti.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `tutti probe`: whether a running member serves, or lives, as an exit code.
@Command(
    name = "probe",
    customSynopsis = "tutti probe [--live] [--wait TIME] [--tls DIR] [--json] HOST:PORT",
    description = {
      "Ends with 0 if a running member serves: it is in a primary view and caught up. Else it ends with 1 and says"
          + " how the member stands.",
      "For scripts and for probes of containers that run a command. HOST:PORT is where that member answers health"
          + " checks: its --health."
    })
final class ProbeCommand implements Callable<Integer> {
  private static final Duration PAUSE = Duration.ofMillis(200);

  @Mixin Output out = new Output();

  @Mixin HealthClient asked = new HealthClient();

  @Option(names = "--live", description = "Whether its engine takes turns, instead; it may wait for others.")
  boolean live;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      defaultValue = "0s",
      converter = TimeConverter.class,
      description = "Ask again until it does, for so long at most (${DEFAULT-VALUE}).")
  Duration patience = Duration.ZERO;

  @Override
  public Integer call() throws InterruptedException {
    String what = live ? "live" : "ready";
    if (asked.tls != null) {
      TransportOption.credentials(asked.tls); // to wait would not make these files usable
    }
    long end = System.nanoTime() + patience.toNanos();
    while (end - System.nanoTime() > PAUSE.toNanos()) {
      try {
        HealthClient.Verdict early = asked.verdict(what);
        if (early.yes()) {
          return tell(what, early);
        }
      } catch (Failure nobody) {
        // It may be about to start.
      }
      Thread.sleep(PAUSE);
    }
    return tell(what, asked.verdict(what));
  }

  private int tell(String what, HealthClient.Verdict verdict) {
    if (verdict.yes() || out.json) {
      out.line(verdict.words(), "probe", what, verdict.yes(), "words", verdict.words());
      out.flush();
    }
    if (!verdict.yes()) {
      throw new Failure("no: " + verdict.words());
    }
    return 0;
  }
}
