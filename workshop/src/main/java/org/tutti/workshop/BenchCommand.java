package org.tutti.workshop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.Ordering;
import org.tutti.bench.CostTable;
import org.tutti.bench.OrdersBenchmark;
import org.tutti.bench.OrdersOptions;
import org.tutti.bench.TransferBenchmark;
import org.tutti.cli.Failure;
import org.tutti.cli.OrderingConverter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti bench`: what orderings cost, and how fast they are.
@Command(
    name = "bench",
    description = "Counts and measures what the orderings cost, and how far Tutti is from what the machine can do.",
    exitCodeList = {
      "0:measured, and what else a command says",
      "1:failure; or what was measured does not count, as others used the machine",
      "2:wrong usage"
    },
    subcommands = {
      ClientsCommand.class,
      ClosedCommand.class,
      BenchCommand.Cost.class,
      BenchCommand.Orders.class,
      BenchCommand.Transfer.class,
      InstrumentCommand.Flood.class,
      InstrumentCommand.Latency.class,
      InstrumentCommand.OpenLoop.class,
      LossCommand.class,
      PackingCommand.class,
      InstrumentCommand.Scale.class,
      InstrumentCommand.Slow.class,
      InstrumentCommand.Stages.class,
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
        description = "Only these orderings: " + OrderingConverter.NAMES + ".")
    List<Ordering> orderings = new ArrayList<>();

    @Override
    public Integer call() {
      return CostTable.print(allIfNone(orderings), spec.commandLine().getOut()) ? 0 : 1;
    }
  }

  /// `tutti bench orders`.
  @Command(
      name = "orders",
      description = {
        "Measures over TCP on loopback, with all nodes in this process: latency and throughput of each ordering, "
            + "latency against offered load, and the gap that a change of the ordering makes (the latter two for the "
            + "first size only; the gap also with links of 1 ms between the nodes). About three minutes with --members "
            + "3,5,7, a good minute with --quick.",
        "Exit code 0 only if the gap of every switch, simulated and with links, is under two round trips."
      })
  static final class Orders implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
        names = "--members",
        paramLabel = "N",
        split = ",",
        description = "Sizes of the group (3,5,7; with --quick 3).")
    List<Integer> members = new ArrayList<>();

    @Option(
        names = "--order",
        paramLabel = "NAME",
        split = ",",
        converter = OrderingConverter.class,
        description = "Only these orderings: " + OrderingConverter.NAMES + ".")
    List<Ordering> orderings = new ArrayList<>();

    @Option(names = "--quick", description = "Shorter rounds.")
    boolean quick;

    @Option(names = "--only-switches", description = "Only the gap of a change of the ordering.")
    boolean onlySwitches;

    @Override
    public Integer call() throws InterruptedException {
      return OrdersBenchmark.run(options(), spec.commandLine().getOut()) ? 0 : 1;
    }

    private OrdersOptions options() {
      List<Integer> standard = quick ? List.of(3) : List.of(3, 5, 7);
      List<Integer> sizes = members.isEmpty() ? standard : members;
      List<Ordering> which = allIfNone(orderings);
      try {
        OrdersOptions options = quick ? OrdersOptions.quick(sizes, which) : OrdersOptions.full(sizes, which);
        return onlySwitches ? options.switchesOnly() : options;
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }
  }

  /// `tutti bench transfer`.
  @Command(
      name = "transfer",
      description = {
        "Gives a large state to a newcomer over TCP on loopback while multicasts go on, with three processes of little "
            + "heap. Prints the time, the longest gap between deliveries at the others, and each process's memory.",
        "Exit code 0 only if the state came whole and no message was lost, doubled or out of order."
      })
  static final class Transfer implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(names = "--mib", paramLabel = "N", description = "The length of the state in MiB (${DEFAULT-VALUE}).")
    int mib = 1024;

    @Option(names = "--rate", paramLabel = "N", description = "Multicasts per second (${DEFAULT-VALUE}).")
    int rate = 1000;

    @Option(names = "--heap", paramLabel = "N", description = "The heap of each process in MiB (${DEFAULT-VALUE}).")
    int heap = 64;

    @Override
    public Integer call() {
      try {
        TransferBenchmark.run(mib, rate, heap, spec.commandLine().getOut());
        return 0;
      } catch (IOException e) {
        throw new Failure(String.valueOf(e.getMessage()), e);
      }
    }
  }

  private static List<Ordering> allIfNone(List<Ordering> orderings) {
    return orderings.isEmpty() ? Arrays.asList(Ordering.values()) : orderings;
  }
}
