package org.tutti.workshop;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.sim.CampaignFile;
import org.tutti.sim.check.Violation;
import org.tutti.sim.ipc.IpcReport;
import org.tutti.sim.ipc.IpcRun;

/// `tutti simulate --ipc`: processes that send to groups of processes, and what is promised to them.
final class IpcRuns implements SeedsRun.Kind<IpcRun.Outcome, IpcReport> {
  private static final String OPTION = " --ipc";

  @Override
  public String options() {
    return OPTION;
  }

  @Override
  public CampaignFile<IpcReport> open(Path path, @Nullable Long first) throws IOException {
    return CampaignFile.open(path, first, OPTION, IpcReport::read);
  }

  @Override
  public IpcReport empty() {
    return new IpcReport();
  }

  @Override
  public IpcRun.Outcome run(long seed) {
    return IpcRun.run(seed);
  }

  @Override
  public long seed(IpcRun.Outcome outcome) {
    return outcome.seed();
  }

  @Override
  public String describe(IpcRun.Outcome outcome) {
    var text = new StringBuilder();
    text.append(String.format("seed=%d: %s%n", outcome.seed(), outcome.plan()));
    for (Violation violation : outcome.violations()) {
      text.append(String.format("  %s%n", violation));
    }
    return text.append(String.format("  replay: ./tutti simulate --ipc --seed %d --trace%n", outcome.seed()))
        .toString();
  }

  /// Such a run is short, and has nothing that could be left out.
  @Override
  public String shrunk(IpcRun.Outcome outcome) {
    return "";
  }

  /// Runs one seed.
  ///
  /// @param trace whether every message, fault and outcome of a call is printed
  /// @return the exit code
  int one(long seed, boolean trace, PrintWriter out) {
    IpcRun.Outcome outcome = trace ? IpcRun.run(seed, out::println) : IpcRun.run(seed);
    out.println("seed " + seed + ": " + outcome.plan());
    out.printf("%,d steps, %s%n", outcome.steps(), outcome.met());
    out.printf("trace hash %016x%n", outcome.hash());
    if (!outcome.violations().isEmpty()) {
      out.print(describe(outcome));
    }
    out.flush();
    return outcome.violations().isEmpty() ? 0 : 1;
  }
}
