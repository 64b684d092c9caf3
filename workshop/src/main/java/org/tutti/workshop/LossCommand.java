package org.tutti.workshop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.bench.LossBenchmark;
import org.tutti.bench.LossOptions;
import org.tutti.cli.Failure;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti bench loss`.
@Command(
    name = "loss",
    description = {
      "Throughput over UDP by the length of messages when datagrams get lost: three nodes in this process, their real "
          + "sockets, and a relay between them that loses datagrams by chance; then a receiver that is slow.",
      "Exit code 0 only if at each loss the longest messages reach seven tenths of the best throughput, no member was "
          + "taken for dead, and the slow receiver's socket overflowed not once. About two minutes; with --quick under "
          + "55 seconds."
    })
final class LossCommand implements Callable<Integer> {
  @Option(
      names = "--bytes",
      paramLabel = "N",
      split = ",",
      description = "Lengths of messages (1024,4096,16384,40000,65536,262144,1048576).")
  List<Integer> bytes = new ArrayList<>();

  @Option(
      names = "--loss",
      paramLabel = "SHARE",
      split = ",",
      description = "Shares of datagrams that are lost (0,0.01,0.05,0.2).")
  List<Double> losses = new ArrayList<>();

  @Option(names = "--datagram", paramLabel = "N", description = "The largest datagram in bytes (${DEFAULT-VALUE}).")
  int datagram = LossOptions.ETHERNET_BYTES;

  @Option(names = "--quick", description = "One short round.")
  boolean quick;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException {
    try {
      return LossBenchmark.run(options(), spec.commandLine().getOut()) ? 0 : 1;
    } catch (IOException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  private LossOptions options() {
    LossOptions options = quick ? LossOptions.quick() : LossOptions.full();
    try {
      options = options.withDatagramBytes(datagram);
      options = bytes.isEmpty() ? options : options.withBytes(bytes);
      return losses.isEmpty() ? options : options.withLosses(losses);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
