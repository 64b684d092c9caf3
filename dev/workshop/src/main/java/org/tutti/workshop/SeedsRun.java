package org.tutti.workshop;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.Failure;
import org.tutti.sim.Campaign;
import org.tutti.sim.CampaignFile;
import org.tutti.sim.CampaignReport;
import org.tutti.sim.Findings;
import org.tutti.sim.FirstSeed;
import org.tutti.sim.Limits;
import org.tutti.sim.RunResult;
import org.tutti.sim.Shrinking;
import picocli.CommandLine.Model.CommandSpec;

/// `tutti simulate --seeds N`: many seeds, how far they are, and what came of them. When it is interrupted it reports
/// what is done.
final class SeedsRun {
  private static final int FAILURES_SHOWN = 5;
  private static final int SHRUNK_MAX = 2;
  private static final long LINE_EVERY_NANOS = 200_000_000;
  private static final long PLAIN_LINE_EVERY_NANOS = 10_000_000_000L;
  private static final long END_SECONDS_MAX = 60; // for the runs that are under way when it is interrupted

  private final PrintWriter out;
  private final Limits limits;
  private final @Nullable Path resume;

  SeedsRun(CommandSpec spec, Limits limits, @Nullable Path resume) {
    this.out = spec.commandLine().getOut();
    this.limits = limits;
    this.resume = resume;
  }

  /// Runs them.
  ///
  /// @param given   the first seed, or null for a fresh one
  /// @param seeds   how many, those of earlier runs that are gone on with included
  /// @param threads runs at a time
  /// @return the exit code
  int run(@Nullable Long given, long seeds, int threads) {
    CampaignFile file = resume == null ? null : open(resume, given);
    long first = file != null ? file.first() : given != null ? given : FirstSeed.fresh();
    FirstSeed.record("simulate" + limits.options(), first);
    Campaign campaign =
        file == null ? new Campaign(first, seeds, limits) : new Campaign(first, seeds, limits, file.before());
    out.printf("first seed %d%s%n", first, file == null ? "" : ", " + file.before().seeds() + " seeds are done");
    out.flush();
    var ended = new CountDownLatch(1);
    Thread hook = atInterrupt(Thread.currentThread(), ended);
    CampaignReport report;
    try {
      report = run(campaign, file, threads);
      tell(report, first, seeds);
    } finally {
      ended.countDown();
    }
    remove(hook);
    return report.failed() == 0 && report.seeds() >= seeds ? 0 : 1;
  }

  private CampaignFile open(Path path, @Nullable Long given) {
    try {
      return CampaignFile.open(path, given, limits);
    } catch (IOException e) {
      throw new Failure("cannot read " + path + ": " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  private CampaignReport run(Campaign campaign, @Nullable CampaignFile file, int threads) {
    var progress = new Progress(out);
    long start = System.nanoTime();
    CampaignReport report =
        campaign.run(
            threads,
            soFar -> {
              progress.show(soFar);
              write(file, soFar, false);
            });
    progress.end();
    write(file, report, true);
    out.print(report.table());
    out.printf("%-30s %15.1f s%n", "time", (System.nanoTime() - start) / 1e9);
    return report;
  }

  private static void write(@Nullable CampaignFile file, CampaignReport report, boolean last) {
    try {
      if (file != null && last) {
        file.write(report);
      } else if (file != null) {
        file.update(report);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void tell(CampaignReport report, long first, long seeds) {
    boolean interrupted = Thread.currentThread().isInterrupted();
    int shown = 0;
    for (RunResult failure : report.failures()) {
      if (shown < FAILURES_SHOWN) {
        out.println();
        out.print(Findings.describe(failure, limits));
        if (shown < SHRUNK_MAX && !interrupted) {
          out.flush();
          out.print(Findings.describe(Shrinking.shrink(failure, limits)));
        }
      }
      shown++;
    }
    if (shown > FAILURES_SHOWN) {
      out.println();
      out.println("and seeds " + report.failures().stream().skip(FAILURES_SHOWN).map(f -> f.plan().seed()).toList());
    }
    if (interrupted) {
      out.printf(
          "interrupted: %,d of %,d seeds are done; the rest: ./tutti simulate%s %s%n",
          report.seeds(),
          seeds,
          limits.options(),
          resume != null
              ? "--seeds " + seeds + " --resume " + resume
              : "--first " + (first + report.seeds()) + " --seeds " + (seeds - report.seeds()));
    }
    out.flush();
  }

  /// An interrupt ends the process as soon as what is done has been told.
  private static Thread atInterrupt(Thread running, CountDownLatch ended) {
    var hook =
        new Thread(() -> {
          running.interrupt();
          try {
            ended.await(END_SECONDS_MAX, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    Runtime.getRuntime().addShutdownHook(hook);
    return hook;
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      Thread.interrupted(); // the process ends already: it was interrupted
    }
  }

  /// How far the campaign is: one line that is written over again on a terminal, a line now and then elsewhere.
  private static final class Progress {
    private final PrintWriter out;
    private final boolean terminal = System.console() != null && System.console().isTerminal();
    private long shownNanos = System.nanoTime();
    private boolean open;

    Progress(PrintWriter out) {
      this.out = out;
    }

    void show(CampaignReport report) {
      long now = System.nanoTime();
      if (now - shownNanos >= (terminal ? LINE_EVERY_NANOS : PLAIN_LINE_EVERY_NANOS)) {
        shownNanos = now;
        if (terminal) {
          out.print("\r\033[K" + report.line());
          open = true;
        } else {
          out.println(report.line());
        }
        out.flush();
      }
    }

    void end() {
      if (open) {
        out.print("\r\033[K");
      }
    }
  }
}
