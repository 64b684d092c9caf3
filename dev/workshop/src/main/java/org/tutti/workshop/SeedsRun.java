package org.tutti.workshop;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.cli.Failure;
import org.tutti.sim.Campaign;
import org.tutti.sim.CampaignFile;
import org.tutti.sim.FirstSeed;
import org.tutti.sim.SeedReport;
import picocli.CommandLine.Model.CommandSpec;

/// `tutti simulate --seeds N`: many seeds, how far they are, and what came of them. When it is interrupted it reports
/// what is done.
///
/// @param <R> what comes of one run
/// @param <T> what comes of all
final class SeedsRun<R, T extends SeedReport<R>> {
  private static final int FAILURES_SHOWN = 5;
  private static final int SHRUNK_MAX = 2;
  private static final long LINE_EVERY_NANOS = 200_000_000;
  private static final long PLAIN_LINE_EVERY_NANOS = 10_000_000_000L;

  /// What is run.
  ///
  /// @param <R> what comes of one run
  /// @param <T> what comes of all
  interface Kind<R, T extends SeedReport<R>> {
    /// The options that choose it, each with a space before it.
    String options();

    /// Opens the file of a campaign.
    CampaignFile<T> open(Path path, @Nullable Long first) throws IOException;

    /// The report of no runs.
    T empty();

    /// Runs a seed.
    R run(long seed);

    /// Whose outcome it is.
    long seed(R outcome);

    /// A failing run in words: several lines.
    String describe(R outcome);

    /// What is left of a failing run when it is made smaller: several lines, or none.
    String shrunk(R outcome);
  }

  private final PrintWriter out;
  private final Kind<R, T> kind;
  private final @Nullable Path resume;
  private int named; // of the failing runs

  SeedsRun(CommandSpec spec, Kind<R, T> kind, @Nullable Path resume) {
    this.out = spec.commandLine().getOut();
    this.kind = kind;
    this.resume = resume;
  }

  /// Runs them.
  ///
  /// @param given   the first seed, or null for a fresh one
  /// @param seeds   how many, those of earlier runs that are gone on with included
  /// @param threads runs at a time
  /// @return the exit code
  int run(@Nullable Long given, long seeds, int threads) {
    CampaignFile<T> file = resume == null ? null : open(resume, given);
    long first = file != null ? file.first() : given != null ? given : FirstSeed.fresh();
    FirstSeed.record("simulate" + kind.options(), first);
    T before = file == null ? kind.empty() : file.before();
    var campaign = new Campaign<R, T>(first, seeds, kind::run, before);
    out.printf("first seed %d%s%n", first, file == null ? "" : ", " + before.seeds() + " seeds are done");
    out.flush();
    try (var _ = new Interruption()) {
      T report = run(campaign, file, threads);
      tell(report, first, seeds);
      return report.failed() == 0 && report.seeds() >= seeds ? 0 : 1;
    }
  }

  private CampaignFile<T> open(Path path, @Nullable Long given) {
    try {
      return kind.open(path, given);
    } catch (IOException e) {
      throw new Failure("cannot read " + path + ": " + Failure.reason(e), e);
    } catch (IllegalArgumentException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  private T run(Campaign<R, T> campaign, @Nullable CampaignFile<T> file, int threads) {
    var progress = new Progress(out);
    long start = System.nanoTime();
    T report =
        campaign.run(
            threads,
            soFar -> {
              progress.show(soFar);
              nameFailures(soFar, progress);
              write(file, soFar, false);
            });
    progress.end();
    write(file, report, true);
    out.print(report.table());
    out.printf("%-30s %15.1f s%n", "time", (System.nanoTime() - start) / 1e9);
    return report;
  }

  /// The end of a campaign may be hours away.
  private void nameFailures(T report, Progress progress) {
    List<R> failures = report.failed() > named ? report.failures() : List.of();
    for (; named < failures.size(); named++) {
      progress.say("a violation: ./tutti simulate" + kind.options() + " --seed " + kind.seed(failures.get(named)));
    }
  }

  private static <T extends SeedReport<?>> void write(@Nullable CampaignFile<T> file, T report, boolean last) {
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

  private void tell(T report, long first, long seeds) {
    boolean interrupted = Thread.currentThread().isInterrupted();
    int shown = 0;
    for (R failure : report.failures()) {
      if (shown < FAILURES_SHOWN) {
        out.println();
        out.print(kind.describe(failure));
        if (shown < SHRUNK_MAX && !interrupted) {
          out.flush();
          out.print(kind.shrunk(failure));
        }
      }
      shown++;
    }
    if (shown > FAILURES_SHOWN) {
      out.println();
      out.println("and seeds " + report.failures().stream().skip(FAILURES_SHOWN).map(kind::seed).toList());
    }
    if (interrupted) {
      out.printf(
          "interrupted: %,d of %,d seeds are done; the rest: ./tutti simulate%s %s%n",
          report.seeds(),
          seeds,
          kind.options(),
          resume != null
              ? "--seeds " + seeds + " --resume " + resume
              : "--first " + (first + report.seeds()) + " --seeds " + (seeds - report.seeds()));
    }
    out.flush();
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

    void show(SeedReport<?> report) {
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

    void say(String line) {
      end();
      out.println(line);
      out.flush();
    }

    void end() {
      if (open) {
        out.print("\r\033[K");
        open = false;
      }
    }
  }
}
