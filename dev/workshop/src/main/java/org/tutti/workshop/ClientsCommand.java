package org.tutti.workshop;

import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.Ordering;
import org.tutti.bench.ClientServerBenchmark;
import org.tutti.cli.OrderingConverter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      "About half a minute; some seconds with --quick."
    })
final class ClientsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

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

  @Mixin LocalRounds.OverOne over = new LocalRounds.OverOne();

  @Override
  public Integer call() throws InterruptedException {
    ClientServerBenchmark.run(options(), spec.commandLine().getOut());
    return 0;
  }

  private ClientServerBenchmark.Options options() {
    try {
      return new ClientServerBenchmark.Options(
          over.transport(), order, servers, clients, bytes, over.local.rounds(), over.local.time());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
