package org.tutti.workshop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.bench.trial.BenchException;
import org.tutti.bench.trial.LineOptions;
import org.tutti.bench.trial.LineRun;
import org.tutti.bench.trial.LineStack;
import org.tutti.cli.Failure;
import org.tutti.cli.TimeConverter;
import org.tutti.cli.WordConverter;
import org.tutti.lab.network.LineNetwork;
import org.tutti.lab.network.Unavailable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `tutti bench line`.
@Command(
    name = "line",
    description = {
      "Throughput on lines of limited rate: makes a network of namespaces, one for each member, whose lines to a "
          + "bridge carry so many Mbit/s in each direction (tc tbf), and floods it with Tutti over TCP, UDP and UDP "
          + "multicast, JGroups over UDP and TCP, plain TCP to all others and plain multicast. Prints what each member "
          + "delivers, over the line and over the optimum, views, what was sent again or lost, and CPU time. Needs "
          + "Linux and root; nothing leaves the namespaces, which are removed in any case."
    },
    exitCodeList = {
      "0:success",
      "1:failure; or a disturbed measurement, as other processes used the machine",
      "2:wrong usage",
      "3:no network namespaces here; one line on standard error says why"
    })
final class LineCommand implements Callable<Integer> {
  private static final int UNAVAILABLE = 3;
  private static final double OF_MILLION_IN_PERCENT = 10_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--mbit", paramLabel = "N", split = ",", description = "Rates of lines, in Mbit/s (100).")
  List<Integer> rates = new ArrayList<>(List.of(100));

  @Option(names = "--members", paramLabel = "N", split = ",", description = "Sizes of groups (3,5).")
  List<Integer> members = new ArrayList<>(List.of(3, 5));

  @Option(
      names = "--senders",
      paramLabel = "WHO",
      split = ",",
      converter = SendersConverter.class,
      description = "Who sends: one, all (one,all).")
  List<LineOptions.Senders> senders = new ArrayList<>(List.of(LineOptions.Senders.values()));

  @Option(
      names = "--queue-ms",
      paramLabel = "N",
      description = "How many milliseconds the queue before a line holds (${DEFAULT-VALUE}).")
  int queueMillis = 40;

  @Option(
      names = "--loss",
      paramLabel = "PERCENT",
      description = "How many packets each host loses at random; needs nftables (${DEFAULT-VALUE}).")
  double lossPercent;

  @Option(names = "--size", paramLabel = "BYTES", description = "The length of messages (${DEFAULT-VALUE}).")
  int bytes = 1000;

  @Option(names = "--seconds", paramLabel = "N", description = "How long each flood is measured (${DEFAULT-VALUE}).")
  double seconds = 4;

  @Option(
      names = "--warm-up",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "How long each flood runs before it is measured (3s).")
  Duration warmUp = Duration.ofSeconds(3);

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds, interleaved (${DEFAULT-VALUE}).")
  int rounds = 3;

  @Option(
      names = "--what",
      paramLabel = "NAME",
      split = ",",
      converter = StackConverter.class,
      completionCandidates = Stacks.class,
      description = "What is compared (all): ${COMPLETION-CANDIDATES}.")
  List<LineStack> stacks = new ArrayList<>(List.of(LineStack.values()));

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      split = ",",
      description = "Settings for Tutti's members, such as window=8388608 or guarantee=agreed.")
  List<String> settings = new ArrayList<>();

  @Option(
      names = "--optimize",
      paramLabel = "WHAT",
      converter = OptimizedConverter.class,
      description =
          "What C2 of the JVMs compiles: none, ciphers or all; C1 compiles the rest (ciphers). The compilers of many "
              + "JVMs on few processors take these for long; but ciphers without C2 are six times as slow.")
  LineOptions.Optimized optimized = LineOptions.Optimized.CIPHERS;

  @Option(
      names = "--busy",
      paramLabel = "N",
      description = "How many busy loops use the processors meanwhile (${DEFAULT-VALUE}).")
  int busy;

  @Option(
      names = "--stream",
      description = "A TCP stream from the last member's host competes for the line to the second one's.")
  boolean stream;

  @Mixin RoundOptions each = RoundOptions.ofMany("256m");

  /// The names of what can be compared.
  static final class Stacks extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    Stacks() {
      addAll(List.of(LineStack.words().split(",")));
    }
  }

  static final class StackConverter implements ITypeConverter<LineStack> {
    @Override
    public LineStack convert(String word) {
      try {
        return LineStack.of(word);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  static final class SendersConverter extends WordConverter<LineOptions.Senders> {
    SendersConverter() {
      super(List.of(LineOptions.Senders.values()));
    }
  }

  static final class OptimizedConverter extends WordConverter<LineOptions.Optimized> {
    OptimizedConverter() {
      super(List.of(LineOptions.Optimized.values()));
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      return LineRun.measure(options(), spec.commandLine().getOut()) ? 0 : 1;
    } catch (Unavailable e) {
      spec.commandLine().getErr().println(spec.qualifiedName() + ": " + e.getMessage());
      return UNAVAILABLE;
    } catch (BenchException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  private LineOptions options() {
    try {
      var queue = Duration.ofMillis(queueMillis);
      int loss = (int) Math.round(lossPercent * OF_MILLION_IN_PERCENT);
      return new LineOptions(
          rates.stream().map(mbit -> LineNetwork.Line.of(mbit).withQueue(queue).withLoss(loss)).toList(),
          members,
          senders,
          stacks,
          bytes,
          warmUp,
          Duration.ofMillis((long) (seconds * 1000)),
          rounds,
          each.jvm(),
          optimized,
          busy,
          stream,
          settings,
          each.record,
          each.out,
          each.others(),
          each.steal());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
