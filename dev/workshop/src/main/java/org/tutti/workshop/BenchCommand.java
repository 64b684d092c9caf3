package org.tutti.workshop;

import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.Ordering;
import org.tutti.bench.CostTable;
import org.tutti.bench.ManyTable;
import org.tutti.cli.OrderingConverter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti bench`: what orderings cost, and how fast they are.
@Command(
    name = "bench",
    description = "Counts and measures the costs of the orderings, and compares Tutti with the limits of the machine.",
    exitCodeList = {
      "0:success; some commands have further conditions",
      "1:failure; or a disturbed measurement, as other processes used the machine",
      "2:wrong usage"
    },
    subcommands = {
      ClientsCommand.class,
      ClosedCommand.class,
      BenchCommand.Cost.class,
      InstrumentCommand.Flood.class,
      IpcBenchCommand.class,
      RomiopBenchCommand.class,
      InstrumentCommand.Latency.class,
      InstrumentCommand.Metrics.class,
      LineCommand.class,
      BenchCommand.Many.class,
      InstrumentCommand.OpenLoop.class,
      PackingCommand.class,
      PolicyCommand.class,
      ReplicaCommand.class,
      InstrumentCommand.Scale.class,
      InstrumentCommand.Slow.class,
      InstrumentCommand.Versus.class
    })
final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /// `tutti bench cost`.
  @Command(
      name = "cost",
      description = {
        "Communication steps and messages of a multicast for 2 to 8 members, counted by the simulator, beside the "
            + "formula of the cost model; then 1000 multicasts with batching. Exit code 0 only if what was counted "
            + "equals the formula."
      })
  static final class Cost implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--order",
        paramLabel = "NAME",
        split = ",",
        converter = OrderingConverter.class,
        completionCandidates = OrderingConverter.class,
        description = "Only these orderings: ${COMPLETION-CANDIDATES}.")
    List<Ordering> orderings = List.of(Ordering.values());

    @Override
    public Integer call() {
      return CostTable.print(orderings, spec.commandLine().getOut()) ? 0 : 1;
    }
  }

  /// `tutti bench many`.
  @Command(
      name = "many",
      description = {
        "What grows how with the number of members, counted by the simulator: time, views and frames to found a group, "
            + "to join it, to leave a crashed member out, to multicast, and while nothing happens."
      })
  static final class Many implements Callable<Integer> {
    private static final int LEAST = 3; // of two the junior one has no quorum when the senior crashes
    private static final int MOST = 1000;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--members",
        paramLabel = "N",
        split = ",",
        description = "Groups of so many members, 3 to 1000 (default: ${DEFAULT-VALUE}, in 20 s).",
        defaultValue = "3,5,7,10,20,50,100")
    List<Integer> sizes = List.of();

    @Override
    public Integer call() {
      if (sizes.stream().anyMatch(size -> size < LEAST || size > MOST)) {
        throw new ParameterException(spec.commandLine(), "--members takes numbers from " + LEAST + " to " + MOST);
      }
      ManyTable.print(sizes, spec.commandLine().getOut());
      return 0;
    }
  }
}
