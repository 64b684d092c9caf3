package org.tutti.workshop;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.cli.Failure;
import org.tutti.cli.OrderingConverter;
import org.tutti.sim.FaultKind;
import org.tutti.sim.Findings;
import org.tutti.sim.Limits;
import org.tutti.sim.Plan;
import org.tutti.sim.RunResult;
import org.tutti.sim.Shrinking;
import org.tutti.sim.Simulation;
import org.tutti.sim.SingleFault;
import org.tutti.sim.diagram.Diagram;
import org.tutti.sim.diagram.Recording;
import org.tutti.sim.diagram.TimeWindow;
import org.tutti.sim.exhaustive.BoundedModel;
import org.tutti.sim.exhaustive.ExhaustiveCheck;
import org.tutti.sim.exhaustive.Exploration;
import org.tutti.sim.mutant.Mutant;
import org.tutti.sim.mutant.MutantSearch;
import org.tutti.sim.mutant.Mutants;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `tutti simulate`: runs seeds through the simulator, or one seed step by step, or the planted bugs.
@Command(
    name = "simulate",
    description = {
      "Simulates groups with all their faults, one run for each seed, and checks every guarantee.",
      "The same seed gives the same run, everywhere. Exit code 0 only if nothing was violated."
    })
final class SimulateCommand implements Callable<Integer> {
  private static final long MUTANTS_FIRST = 1; // the same each time: which seed finds one is worth comparing

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--seeds", paramLabel = "N", description = "Run N seeds (default: ${DEFAULT-VALUE}).")
  long seeds = 1000;

  @Option(
      names = "--first",
      paramLabel = "S",
      description = "The first seed (default: a fresh one, which is printed; with mutants 1).")
  @Nullable Long first;

  @Option(
      names = "--resume",
      paramLabel = "FILE",
      description = {
        "Write to FILE how far the campaign is, and go on from there when it was interrupted.",
        "The code and the options must be the same."
      })
  @Nullable Path resume;

  @Option(names = "--threads", paramLabel = "N", description = "Runs at a time (default: the number of processors).")
  int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--seed", paramLabel = "S", description = "Run one seed.")
  @Nullable Long seed;

  @Option(names = "--trace", description = "With --seed: print every step.")
  boolean trace;

  @Option(
      names = "--diagram",
      paramLabel = "FILE",
      description = {
        "With --seed: draw the run as a space-time diagram, SVG;",
        "by default its first split with views that are not primary, until its parts have merged."
      })
  @Nullable Path diagram;

  @Option(names = "--from", paramLabel = "MS", description = "With --diagram: where it begins, simulated milliseconds.")
  @Nullable Long from;

  @Option(names = "--to", paramLabel = "MS", description = "With --diagram: where it ends.")
  @Nullable Long to;

  @Option(
      names = "--without",
      paramLabel = "KIND",
      split = ",",
      description = "Leave out kinds of faults: ${COMPLETION-CANDIDATES}.",
      completionCandidates = Kinds.class)
  List<String> without = List.of();

  @Option(names = "--nodes", paramLabel = "N", description = "No more nodes than this.")
  int nodes = Integer.MAX_VALUE;

  @Option(names = "--multicasts", paramLabel = "N", description = "No more multicasts than this.")
  int multicasts = Integer.MAX_VALUE;

  @Option(
      names = "--order",
      paramLabel = "NAME",
      converter = OrderingConverter.class,
      completionCandidates = OrderingConverter.class,
      description = "Only this ordering, without switches: ${COMPLETION-CANDIDATES}; default: the seed draws.")
  @Nullable Ordering order;

  @Option(
      names = "--partitions",
      description = {
        "Splits in every run: halves, minority, one alone, everyone alone, one-way, bridge, ring, flapping, nested,",
        "during a merge, with crashes in between in some. The report has a table of what was met and merged."
      })
  boolean partitions;

  @Option(
      names = "--static-majority",
      description = "A static majority of all nodes goes on in every run, and members crash and come back.")
  boolean staticMajority;

  @Option(
      names = "--recovery",
      description = {
        "One fault in each run, which strikes a group at work and ends: how long nothing is delivered, how soon",
        "all deliver again and are in one view, how many views that takes; each fault has bounds. With --seed or",
        "--seeds, --first, --threads, --fault, --trace."
      })
  boolean recovery;

  @Option(
      names = "--fault",
      paramLabel = "NAME",
      description = "With --recovery: only this fault (default: the seed draws), such as senior-deaf.",
      converter = FaultConverter.class)
  @Nullable SingleFault fault;

  @Option(names = "--replica", description = "A service is replicated on all nodes in every run, and clients call it.")
  boolean replica;

  @Option(
      names = "--calls",
      description = "All nodes are in one more group in every run, whose members call each other.")
  boolean calls;

  @Option(
      names = "--ipc",
      description = {
        "Processes send to groups of processes and take replies, without a history. With --seed or --seeds, --first,",
        "--threads, --trace, --resume."
      })
  boolean ipc;

  @Option(names = "--observers", description = "Some members are observers in every run.")
  boolean observers;

  @Option(
      names = "--forced",
      description = "Nodes have disks, and in the end an operator forces a member, in every run. Not with a service.")
  boolean forced;

  @Option(
      names = "--upgrades",
      description = "Nodes speak different versions of the protocol and come back with others, in every run.")
  boolean upgrades;

  @Option(names = "--mutants", description = "Plant every known bug in turn; each must be caught.")
  boolean mutants;

  @Option(names = "--mutant", paramLabel = "NAME", description = "Plant one bug.")
  @Nullable String mutant;

  @Option(
      names = "--exhaustive",
      description = {
        "Look at every state of two and three members with a few messages and one fault.",
        "With --order, --members, --messages."
      })
  boolean exhaustive;

  @Option(names = "--members", paramLabel = "N", description = "With --exhaustive: only groups of 2, or of 3.")
  @Nullable Integer members;

  @Option(
      names = "--messages",
      paramLabel = "N",
      description = "With --exhaustive: so many multicasts, and fewer only where there are too many states.")
  @Nullable Integer messages;

  /// The names of the kinds of faults.
  static final class Kinds extends java.util.ArrayList<String> {
    private static final long serialVersionUID = 1;

    Kinds() {
      for (FaultKind kind : FaultKind.values()) {
        add(kind.option());
      }
    }
  }

  /// Reads the name of a fault.
  static final class FaultConverter implements ITypeConverter<SingleFault> {
    @Override
    public SingleFault convert(String name) {
      for (SingleFault each : SingleFault.values()) {
        if (each.words().replace(' ', '-').equals(name)) {
          return each;
        }
      }
      throw new TypeConversionException(
          "'"
              + name
              + "' is none of "
              + Stream.of(SingleFault.values())
                  .map(each -> each.words().replace(' ', '-'))
                  .collect(Collectors.joining(", ")));
    }
  }

  @Override
  public Integer call() {
    if (seeds < 1 || threads < 1 || nodes < 1 || multicasts < 0) {
      throw new ParameterException(spec.commandLine(), "--seeds, --threads and --nodes are at least 1");
    }
    if (trace && seed == null || seed != null && spec.commandLine().getParseResult().hasMatchedOption("--seeds")) {
      throw new ParameterException(spec.commandLine(), "--seed or --seeds, --trace with --seed");
    }
    if (diagram != null && (seed == null || trace) || diagram == null && (from != null || to != null)) {
      throw new ParameterException(
          spec.commandLine(), "--diagram with --seed, without --trace; --from and --to with it");
    }
    if (resume != null && (seed != null || exhaustive || mutants || mutant != null)) {
      throw new ParameterException(spec.commandLine(), "--resume goes with --seeds");
    }
    if (fault != null && !recovery) {
      throw new ParameterException(spec.commandLine(), "--fault goes with --recovery");
    }
    if (recovery
        && (exhaustive
            || mutants
            || mutant != null
            || partitions
            || staticMajority
            || resume != null
            || diagram != null)) {
      throw new ParameterException(
          spec.commandLine(), "--recovery with --seed or --seeds, --first, --threads, --fault, --trace");
    }
    if (ipc
        && (recovery || exhaustive || mutants || mutant != null || diagram != null || !limits().equals(Limits.NONE))) {
      throw new ParameterException(
          spec.commandLine(), "--ipc with --seed or --seeds, --first, --threads, --trace, --resume");
    }
    if (ipc) {
      return seed != null
          ? new IpcRuns().one(seed, trace, spec.commandLine().getOut())
          : new SeedsRun<>(spec, new IpcRuns(), resume).run(first, seeds, threads);
    }
    if (recovery) {
      return new RecoveryRuns(spec.commandLine().getOut(), fault).run(seed, first, seeds, threads, trace);
    }
    if (exhaustive) {
      return everything();
    }
    if (mutant != null || mutants) {
      return search(mutant == null ? Mutants.all() : List.of(named(mutant)));
    }
    return seed != null ? one(seed) : many();
  }

  private int everything() {
    PrintWriter out = spec.commandLine().getOut();
    List<BoundedModel> scenarios;
    try {
      scenarios = ExhaustiveCheck.scenarios(order, members, messages);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    if (scenarios.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "--exhaustive: 2 or 3 members");
    }
    out.println(Exploration.Result.header());
    boolean passed =
        ExhaustiveCheck.run(
            scenarios,
            ExhaustiveCheck.STATES_MAX,
            result -> {
              out.println(result);
              result.trace().forEach(step -> out.println("    " + step));
              out.flush();
            });
    return passed ? 0 : 1;
  }

  private Mutant named(String name) {
    try {
      return Mutants.named(name);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private Limits limits() {
    Set<FaultKind> kinds = EnumSet.noneOf(FaultKind.class);
    for (String name : without) {
      try {
        kinds.add(FaultKind.of(name));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }
    Map<Limits.Theme, Boolean> asked =
        Map.of(
            Limits.Theme.PARTITIONS, partitions,
            Limits.Theme.STATIC_MAJORITY, staticMajority,
            Limits.Theme.OBSERVERS, observers,
            Limits.Theme.REPLICA, replica,
            Limits.Theme.CALLS, calls,
            Limits.Theme.FORCED, forced,
            Limits.Theme.UPGRADES, upgrades);
    Set<Limits.Theme> about = EnumSet.allOf(Limits.Theme.class);
    about.removeIf(theme -> !asked.get(theme));
    try {
      return new Limits(kinds, about, nodes, multicasts, order);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private int one(long number) {
    PrintWriter out = spec.commandLine().getOut();
    Plan plan = Plan.draw(number).within(limits());
    out.println("seed " + number + ": " + plan.describe());
    RunResult outcome = run(plan, out);
    out.printf(
        "%,d steps, %.3f s simulated, %,d multicasts, %,d deliveries, %,d views%s%n",
        outcome.steps(),
        outcome.endNanos() / 1e9,
        outcome.multicasts(),
        outcome.deliveries(),
        outcome.views(),
        outcome.quorumLost() ? ", quorum lost for good" : "");
    out.printf("trace hash %016x%n", outcome.traceHash());
    if (!outcome.passed()) {
      out.print(Findings.describe(outcome, limits()));
      if (!trace) {
        out.print(Findings.describe(Shrinking.shrink(outcome, limits())));
      }
    }
    out.flush();
    return outcome.passed() ? 0 : 1;
  }

  private RunResult run(Plan plan, PrintWriter out) {
    if (diagram == null) {
      return trace ? Simulation.run(plan, out::println) : Simulation.run(plan);
    }
    var recording = new Recording(plan);
    RunResult outcome = Simulation.run(plan, recording);
    TimeWindow part = TimeWindow.ofSplitAndMerge(recording).with(from, to);
    if (part.fromNanos() >= part.toNanos()) {
      throw new ParameterException(spec.commandLine(), "--from is before --to");
    }
    try {
      Files.writeString(diagram, Diagram.draw(recording, part));
    } catch (IOException e) {
      throw new Failure("cannot write " + diagram + ": " + Failure.reason(e), e);
    }
    return outcome;
  }

  private int many() {
    return new SeedsRun<>(spec, new GroupRuns(limits()), resume).run(first, seeds, threads);
  }

  private int search(List<Mutant> prey) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf("%-28s %6s  %-22s %s%n", "mutant", "seed", "property", "what it breaks");
    boolean all = true;
    for (Mutant planted : prey) {
      MutantSearch.Result result =
          MutantSearch.search(planted, first == null ? MUTANTS_FIRST : first, Mutants.SEEDS_MAX);
      String number = result.caught() ? Long.toString(result.seed()) : "-";
      out.printf("%-28s %6s  %-22s %s%n", planted.name(), number, result.property(), planted.breaks());
      out.flush();
      all &= result.caught();
    }
    return all ? 0 : 1;
  }
}
