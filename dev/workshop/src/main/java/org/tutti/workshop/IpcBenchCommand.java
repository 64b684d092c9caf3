package org.tutti.workshop;

import java.time.Duration;
import java.util.NavigableMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.tutti.bench.ClosedBenchmark;
import org.tutti.bench.IpcBenchmark;
import org.tutti.cli.Failure;
import org.tutti.cli.TimeConverter;
import org.tutti.transport.TransportProvider;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti bench ipc`.
@Command(
    name = "ipc",
    description = {
      "Group interprocess communication: how long a send to a process, to remote, local or no members takes, and a "
          + "question to one member, beside the figures of the thesis that it comes from and a ping of the transport; "
          + "and how many questions to three members are answered in a second.",
      "About a minute; 15 seconds with --quick."
    })
final class IpcBenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--transport", paramLabel = "NAME", description = "Between the hosts (${DEFAULT-VALUE}).")
  String transport = "tcp";

  @Option(
      names = "--askers",
      paramLabel = "N",
      description = "How many processes ask three members at a time, 1 to 512 (${DEFAULT-VALUE}).")
  int askers = 64;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds (5; with --quick 3).")
  int rounds;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "How long one measurement lasts (200ms; with --quick 80ms).")
  Duration time = Duration.ZERO;

  @Option(names = "--quick", description = "Short rounds.")
  boolean quick;

  @Override
  public Integer call() throws InterruptedException {
    try {
      IpcBenchmark.run(options(), spec.commandLine().getOut());
      return 0;
    } catch (ExecutionException | TimeoutException failure) {
      throw new Failure(String.valueOf(failure.getMessage()), failure);
    }
  }

  private IpcBenchmark.Options options() {
    NavigableMap<String, TransportProvider> all = ClosedBenchmark.transportsByName();
    TransportProvider chosen = all.get(transport);
    try {
      if (chosen == null) {
        throw new IllegalArgumentException("'" + transport + "' is none of: " + String.join(", ", all.keySet()));
      }
      Duration standard = Duration.ofMillis(quick ? 80 : 200);
      return new IpcBenchmark.Options(
          chosen, askers, rounds > 0 ? rounds : quick ? 3 : 5, time.isZero() ? standard : time);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
