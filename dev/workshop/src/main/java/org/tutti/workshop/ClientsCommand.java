package org.tutti.workshop;

import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.Callable;
import org.tutti.Ordering;
import org.tutti.bench.ClientServerBenchmark;
import org.tutti.bench.ClosedBenchmark;
import org.tutti.cli.OrderingConverter;
import org.tutti.cli.TimeConverter;
import org.tutti.transport.TransportProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti bench clients`.
@Command(
    name = "clients",
    description = {
      "Clients that multicast their requests to all servers and take the first reply, beside clients that ask one "
          + "server, which multicasts among the servers and replies; and how long the ordering takes at the server "
          + "that orders and at the others.",
      "About a minute; some seconds with --quick."
    })
final class ClientsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = "tcp",
      description = "The transport; default: ${DEFAULT-VALUE}.")
  String transport = "tcp";

  @Option(
      names = "--order",
      paramLabel = "NAME",
      converter = OrderingConverter.class,
      completionCandidates = OrderingConverter.class,
      description = "The ordering: ${COMPLETION-CANDIDATES}; default: sequencer.")
  Ordering order = Ordering.SEQUENCER;

  @Option(names = "--servers", paramLabel = "N", split = ",", description = "How many servers (${DEFAULT-VALUE}).")
  List<Integer> servers = List.of(2, 4);

  @Option(names = "--clients", paramLabel = "N", split = ",", description = "How many clients (${DEFAULT-VALUE}).")
  List<Integer> clients = List.of(1, 2, 3, 4);

  @Option(names = "--bytes", paramLabel = "N", description = "The length of a request (${DEFAULT-VALUE}).")
  int bytes = 100;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds (5; with --quick 3).")
  int rounds;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "How long one measurement lasts (500ms; with --quick 100ms).")
  Duration time = Duration.ZERO;

  @Option(names = "--quick", description = "Short rounds.")
  boolean quick;

  @Override
  public Integer call() throws InterruptedException {
    ClientServerBenchmark.run(options(), spec.commandLine().getOut());
    return 0;
  }

  private ClientServerBenchmark.Options options() {
    NavigableMap<String, TransportProvider> all = ClosedBenchmark.transportsByName();
    TransportProvider provider = all.get(transport);
    try {
      if (provider == null) {
        throw new IllegalArgumentException("'" + transport + "' is none of: " + String.join(", ", all.keySet()));
      }
      Duration standard = Duration.ofMillis(quick ? 100 : 500);
      return new ClientServerBenchmark.Options(
          provider,
          order,
          servers,
          clients,
          bytes,
          rounds > 0 ? rounds : quick ? 3 : 5,
          time.isZero() ? standard : time);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
