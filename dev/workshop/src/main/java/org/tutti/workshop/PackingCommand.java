package org.tutti.workshop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.bench.trial.Instrument;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti bench packing`.
@Command(
    name = "packing",
    description = {
      "Packing: natural packing and hill climb (JBora's adaptive policy) beside fixed packing degrees, with that "
          + "paper's sources at the first member: continuous, with lengths that alternate, in bursts, at a constant "
          + "rate. Bursts are longer than the paper's by as much as this machine is faster. Prints rates, latencies, "
          + "CPU time, ratios to no packing, and how long a policy takes to settle.",
      "Continuous sources have messages of 100, 1000 and 10000 bytes, with --quick 1000, or those of --bytes. About 20 "
          + "minutes; with --quick three sources and degrees 1, 8 and 64."
    })
final class PackingCommand implements Callable<Integer> {
  private static final List<Integer> DEGREES = List.of(1, 2, 3, 4, 6, 8, 11, 16, 28, 64, 128, 256, 512);
  private static final List<Integer> QUICK_DEGREES = List.of(1, 8, 64);
  private static final List<Integer> BYTES = List.of(100, 1000, 10_000); // table 2
  private static final List<Integer> QUICK_BYTES = List.of(1000);

  @Mixin InstrumentCommand.Common common = new InstrumentCommand.Common();

  @Option(
      names = "--degrees",
      paramLabel = "N",
      split = ",",
      description = "Fixed degrees besides 1, as far as a batch of 64 KiB allows (2,3,4,6,8,11,16,28,64,128,256,512).")
  List<Integer> degrees = new ArrayList<>();

  @Option(
      names = "--database",
      description = {
        "Only continuous sources, each with members that count deliveries, and with members that write each one to a "
            + "database of their own (H2 in files on the disk, a transaction for each) by a thread of the application."
      })
  boolean database;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException {
    if (common.orderings.size() > 1) {
      throw new ParameterException(spec.commandLine(), "packing is compared with one ordering");
    }
    for (int degree : degrees) {
      if (degree < 1) {
        throw new ParameterException(spec.commandLine(), "a packing degree is at least 1, not " + degree);
      }
    }
    List<Integer> standard = common.quick ? QUICK_DEGREES : DEGREES;
    var which = new ArrayList<>(degrees.isEmpty() ? standard : degrees);
    which.add(1);
    if (common.bytes.isEmpty()) {
      common.bytes = common.quick ? QUICK_BYTES : BYTES;
    }
    List<Integer> rising = which.stream().sorted().distinct().toList();
    return common.measure(
        (options, out) ->
            database ? Instrument.packingIntoDatabases(options, rising, out) : Instrument.packing(options, rising, out),
        1);
  }
}
