package org.tutti.workshop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.tutti.bench.trial.BenchException;
import org.tutti.bench.trial.Instrument;
import org.tutti.bench.trial.InstrumentOptions;
import org.tutti.bench.trial.RomiopOptions;
import org.tutti.bench.trial.RomiopOptions.Part;
import org.tutti.cli.Failure;
import org.tutti.cli.TimeConverter;
import org.tutti.cli.WordConverter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti bench romiop`.
@Command(
    name = "romiop",
    description = {
      "CORBA objects in groups, by the plug-in of JacORB; servers and clients are processes, on loopback. How long one "
          + "client's call to a group takes, by the rule for replies (all, the first, 51 %%), and how many one-way "
          + "calls are executed in a second, beside plain IIOP to one server; what it costs when requests wait for "
          + "others before they are ordered; and, one-way, what a group without a common order does, and JacORB's "
          + "MIOP, for which a network namespace is made that has only loopback (Linux, root; else it is left out).",
      "About 15 minutes; with --quick one."
    })
final class RomiopBenchCommand implements Callable<Integer> {
  private static final int PROCESSES = 2; // of the smallest group; the others are as the servers say

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--what",
      paramLabel = "NAME",
      split = ",",
      converter = PartConverter.class,
      completionCandidates = PartConverter.class,
      description = "Which measurements: ${COMPLETION-CANDIDATES} (all).")
  List<Part> parts = new ArrayList<>(List.of(Part.values()));

  @Option(
      names = "--servers",
      paramLabel = "N",
      split = ",",
      description = "Sizes of the groups, rising, to 7 (1,2,3; with --quick 3).")
  List<Integer> servers = new ArrayList<>();

  @Option(
      names = "--sizes",
      paramLabel = "BYTES",
      split = ",",
      description = "What a call carries, to 8388608 (32,1024,4096,40000,262144,1048576; with --quick 32).")
  List<Integer> sizes = new ArrayList<>();

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds that must count (5; with --quick 3).")
  int rounds;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "How long one trial lasts, for example 1s (500ms; with --quick 200ms).")
  Duration time = Duration.ZERO;

  @Mixin RoundOptions each = RoundOptions.withHeap("256m");

  @Option(names = "--quick", description = "Short rounds, and fewer of everything.")
  boolean quick;

  static final class PartConverter extends WordConverter<Part> {
    PartConverter() {
      super(List.of(Part.values()));
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    RomiopOptions what;
    InstrumentOptions options;
    try {
      what =
          new RomiopOptions(
              Set.copyOf(parts),
              orElse(servers, quick ? List.of(3) : List.of(1, 2, 3)),
              orElse(sizes, quick ? List.of(32) : List.of(32, 1 << 10, 1 << 12, 40_000, 1 << 18, 1 << 20)));
      options = options();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    try {
      return Instrument.romiop(what, options, spec.commandLine().getOut()) ? 0 : 1;
    } catch (BenchException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  private static List<Integer> orElse(List<Integer> chosen, List<Integer> standard) {
    return chosen.isEmpty() ? standard : chosen;
  }

  private InstrumentOptions options() {
    Duration standard = Duration.ofMillis(quick ? 200 : 500);
    int most = rounds == 0 ? quick ? 3 : 5 : rounds;
    return each.options(PROCESSES, most, time.isZero() ? standard : time, false, quick);
  }
}
