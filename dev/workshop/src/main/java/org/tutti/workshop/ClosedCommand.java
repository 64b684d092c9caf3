package org.tutti.workshop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.Callable;
import org.tutti.Ordering;
import org.tutti.bench.ClosedBenchmark;
import org.tutti.cli.OrderingConverter;
import org.tutti.transport.TransportProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti bench closed`.
@Command(
    name = "closed",
    description = {
      "A closed system: one multicast at a time, of each member in turn, until all have delivered it; for every "
          + "transport, ordering and size of the group, beside the figures of the thesis that Tutti comes from and the "
          + "estimate of its cost model. First the ping of each transport.",
      "About two minutes with all there is; 20 seconds with --quick."
    })
final class ClosedCommand implements Callable<Integer> {
  private static final String ALL = "all";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--transports",
      paramLabel = "NAME",
      split = ",",
      description = "Which transports, or all (${DEFAULT-VALUE}).")
  List<String> transports = List.of(ALL);

  @Option(
      names = "--orders",
      paramLabel = "NAME",
      split = ",",
      completionCandidates = OrderingConverter.class,
      description = "Which orderings, or all (${DEFAULT-VALUE}): ${COMPLETION-CANDIDATES}.")
  List<String> orderings = List.of(ALL);

  @Option(
      names = "--members",
      paramLabel = "N",
      split = ",",
      description = "Sizes of the group (2,4,6; with --quick 2).")
  List<Integer> members = new ArrayList<>();

  @Option(names = "--bytes", paramLabel = "N", split = ",", description = "Lengths of messages (${DEFAULT-VALUE}).")
  List<Integer> bytes = List.of(100);

  @Mixin LocalRounds local = new LocalRounds();

  @Override
  public Integer call() throws InterruptedException {
    ClosedBenchmark.run(options(), spec.commandLine().getOut());
    return 0;
  }

  private ClosedBenchmark.Options options() {
    List<Integer> sizes = local.quick ? List.of(2) : List.of(2, 4, 6);
    try {
      return new ClosedBenchmark.Options(
          transports(), orderings(), members.isEmpty() ? sizes : members, bytes, local.rounds(), local.time());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private List<TransportProvider> transports() {
    if (transports.contains(ALL)) {
      NavigableMap<String, TransportProvider> all = ClosedBenchmark.transportsByName();
      var tcpFirst = new ArrayList<>(List.of(all.remove("tcp"))); // what the others are compared with
      tcpFirst.addAll(all.values());
      return tcpFirst;
    }
    return transports.stream().map(LocalRounds::transport).toList();
  }

  private List<Ordering> orderings() {
    var converter = new OrderingConverter();
    return orderings.contains(ALL)
        ? Arrays.asList(Ordering.values())
        : orderings.stream().map(converter::convert).toList();
  }
}
