package org.tutti.workshop;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.tutti.bench.IpcBenchmark;
import org.tutti.cli.Failure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

  @Option(
      names = "--askers",
      paramLabel = "N",
      description = "How many processes ask three members at a time, 1 to 512 (${DEFAULT-VALUE}).")
  int askers = 64;

  @Mixin LocalRounds.OverOne over = new LocalRounds.OverOne();

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
    try {
      return new IpcBenchmark.Options(over.transport(), askers, over.local.rounds(), over.local.time());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
