package org.tutti.workshop;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.tutti.bench.IpcBenchmark;
import org.tutti.bench.trial.BenchException;
import org.tutti.bench.trial.Instrument;
import org.tutti.bench.trial.InstrumentOptions;
import org.tutti.bench.trial.IpcOptions;
import org.tutti.cli.Failure;
import org.tutti.transport.TransportProvider;
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
      "These hosts are all in one process. Then, with each host a process of its own, questions to three members, "
          + "asked by one and by --askers at a time, beside JGroups' RpcDispatcher (GET_ALL, without SEQUENCER); each "
          + "measurement lasts five times as long.",
      "About four minutes; a minute with --quick."
    })
final class IpcBenchCommand implements Callable<Integer> {
  private static final int PROCESSES = 4; // one asks three
  private static final int LONGER = 5; // than a row of a table: other processes take longer to run evenly

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--askers",
      paramLabel = "N",
      description = "How many processes ask three members at a time, 1 to 64 (${DEFAULT-VALUE}).")
  int askers = 64;

  @Option(
      names = "--peers",
      paramLabel = "NAME",
      split = ",",
      description =
          "What questions to other processes are measured beside: jgroups-tcp, jgroups-udp, or none (jgroups-tcp).")
  List<String> peers = new ArrayList<>(List.of("jgroups-tcp"));

  @Mixin LocalRounds.OverOne over = new LocalRounds.OverOne();

  @Mixin RoundOptions each = RoundOptions.withHeap("512m");

  @Override
  public Integer call() throws InterruptedException {
    IpcBenchmark.Options tables;
    IpcOptions what;
    InstrumentOptions options;
    try {
      TransportProvider transport = over.transport();
      tables = new IpcBenchmark.Options(transport, askers, over.local.rounds(), over.local.time());
      what = new IpcOptions(transport.name(), askers, peers.equals(List.of("none")) ? List.of() : peers);
      options = options();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    try {
      IpcBenchmark.run(tables, out);
      return Instrument.ipc(what, options, out) ? 0 : 1;
    } catch (ExecutionException | TimeoutException | BenchException failure) {
      throw new Failure(String.valueOf(failure.getMessage()), failure);
    }
  }

  private InstrumentOptions options() {
    Duration time = over.local.time().multipliedBy(LONGER);
    return each.options(PROCESSES, over.local.rounds(), time, false, over.local.quick);
  }
}
