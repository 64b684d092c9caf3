package org.tutti.workshop;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.sim.CampaignFile;
import org.tutti.sim.CampaignReport;
import org.tutti.sim.Findings;
import org.tutti.sim.Limits;
import org.tutti.sim.Plan;
import org.tutti.sim.RunResult;
import org.tutti.sim.Shrinking;
import org.tutti.sim.Simulation;

/// Runs of groups, with what the options leave out.
record GroupRuns(Limits limits) implements SeedsRun.Kind<RunResult, CampaignReport> {
  @Override
  public String options() {
    return limits.options();
  }

  @Override
  public CampaignFile<CampaignReport> open(Path path, @Nullable Long first) throws IOException {
    return CampaignFile.open(path, first, limits);
  }

  @Override
  public CampaignReport empty() {
    return new CampaignReport();
  }

  @Override
  public RunResult run(long seed) {
    return Simulation.run(Plan.draw(seed).within(limits));
  }

  @Override
  public long seed(RunResult outcome) {
    return outcome.plan().seed();
  }

  @Override
  public String describe(RunResult outcome) {
    return Findings.describe(outcome, limits);
  }

  @Override
  public String shrunk(RunResult outcome) {
    return Findings.describe(Shrinking.shrink(outcome, limits));
  }
}
