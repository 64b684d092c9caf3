package org.tutti.workshop;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.Guarantee;
import org.tutti.Ordering;
import org.tutti.bench.trial.BenchException;
import org.tutti.bench.trial.Instrument;
import org.tutti.bench.trial.Instrument.Subject;
import org.tutti.bench.trial.InstrumentOptions;
import org.tutti.cli.Failure;
import org.tutti.cli.OrderingConverter;
import org.tutti.cli.TimeConverter;
import org.tutti.net.udp.UdpConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The subcommands of `tutti bench` that measure members as processes.
final class InstrumentCommand {
  private static final int SIZE_MAX = 32;

  private InstrumentCommand() {}

  /// What they have in common.
  static final class Common {

    @Option(names = "--members", paramLabel = "N", description = "Processes of a group (${DEFAULT-VALUE}).")
    int members = 3;

    @Option(
        names = "--bytes",
        paramLabel = "N",
        split = ",",
        description =
            "Lengths of messages, but for closed loops (100,1024,10240,102400; other commands than flood,"
                + " stages and versus raw 1024).")
    List<Integer> bytes = new ArrayList<>();

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds that must count (${DEFAULT-VALUE}).")
    int rounds = 5;

    @Option(
        names = "--time",
        paramLabel = "TIME",
        converter = TimeConverter.class,
        description = "How long one flood lasts, for example 500ms; closed loops half of it (1s; with --quick 300ms).")
    Duration time = Duration.ZERO;

    @Option(names = "--unix", description = "Unix domain sockets instead of TCP, for all.")
    boolean unix;

    @Option(
        names = "--udp",
        paramLabel = "BYTES",
        description = "Tutti over UDP instead of TCP, with datagrams of at most so many bytes.")
    int udp;

    @Option(names = "--no-trains", description = "With --udp a system call for each datagram.")
    boolean noTrains;

    @Option(
        names = "--order",
        paramLabel = "NAME",
        split = ",",
        converter = OrderingConverter.class,
        completionCandidates = OrderingConverter.class,
        description = "The ordering, or several that are compared: ${COMPLETION-CANDIDATES} (sequencer).")
    List<Ordering> orderings = List.of(Ordering.SEQUENCER);

    @Option(names = "--agreed", description = "Agreed instead of uniform delivery.")
    boolean agreed;

    @Option(names = "--futures", description = "Floods take a future for each message, instead of none.")
    boolean futures;

    @Option(names = "--window", paramLabel = "BYTES", description = "The window of a member (Tutti's default).")
    int window;

    @Option(
        names = "--spin",
        paramLabel = "TIME",
        converter = TimeConverter.class,
        description = "How long engine threads spin before they wait, for dedicated cores (0ms).")
    Duration spin = Duration.ZERO;

    @Mixin RoundOptions each = RoundOptions.withHeap("512m");

    @Option(names = "--quick", description = "Short rounds, under 55 seconds.")
    boolean quick;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    interface Measurement {
      boolean run(InstrumentOptions options, PrintWriter out) throws InterruptedException;
    }

    /// Measures one length if none was chosen.
    int measureOne(Measurement measurement) throws InterruptedException {
      bytes = bytes.isEmpty() ? List.of(1 << 10) : bytes;
      return measure(measurement, 1);
    }

    int measure(Measurement measurement, int senders) throws InterruptedException {
      try {
        return measurement.run(options(senders), spec.commandLine().getOut()) ? 0 : 1;
      } catch (BenchException e) {
        throw new Failure(String.valueOf(e.getMessage()), e);
      }
    }

    private InstrumentOptions options(int senders) {
      List<Integer> lengths = bytes.isEmpty() ? List.of(100, 1 << 10, 10 << 10, 100 << 10) : bytes;
      Duration standard = quick ? Duration.ofMillis(300) : Duration.ofSeconds(1);
      try {
        return new InstrumentOptions(
            members,
            senders,
            orderings,
            lengths,
            rounds,
            time.isZero() ? standard : time,
            unix,
            settings(),
            each.jvm(),
            each.record,
            each.out,
            each.others(),
            each.steal(),
            quick);
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage(), e);
      }
    }

    private List<String> settings() {
      Guarantee how = agreed ? Guarantee.AGREED : Guarantee.UNIFORM;
      var settings = new ArrayList<>(List.of("guarantee=" + how));
      if (futures) {
        settings.add("futures=true");
      }
      if (!spin.isZero()) {
        settings.add("spin=" + spin.toNanos());
      }
      if (udp != 0) {
        UdpConfig.lan().withDatagramBytesMax(udp); // or it is refused here, not by each process
        settings.add("udp=" + udp);
        settings.add("trains=" + !noTrains);
      }
      if (window > 0) {
        settings.add("window=" + window);
      }
      return settings;
    }
  }

  /// `tutti bench flood`.
  @Command(
      name = "flood",
      description = {
        "Throughput: members, each a process, multicast as fast as they may; messages per second until the slowest "
            + "member has all."
      })
  static final class Flood implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Option(names = "--senders", paramLabel = "N", description = "How many members send (${DEFAULT-VALUE}).")
    int senders = 1;

    @Override
    public Integer call() throws InterruptedException {
      return common.measure((options, out) -> Instrument.measure(Subject.FLOOD, options, out), senders);
    }
  }

  /// `tutti bench latency`.
  @Command(
      name = "latency",
      description = {
        "Latency: one member multicasts one 100-byte message after the other, each when it has delivered the one "
            + "before: the sequencer and another one, and the listener itself or a thread that waits."
      })
  static final class Latency implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Override
    public Integer call() throws InterruptedException {
      return common.measure((options, out) -> Instrument.measure(Subject.LATENCY, options, out), 1);
    }
  }

  /// `tutti bench openloop`.
  @Command(
      name = "openloop",
      description = {
        "Latency at half of the peak: the sequencer multicasts at a fixed rate, regardless of the messages "
            + "before; times count from when a message was due. Beside closed loops."
      })
  static final class OpenLoop implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Override
    public Integer call() throws InterruptedException {
      return common.measureOne((options, out) -> Instrument.measure(Subject.OPEN_LOOP, options, out));
    }
  }

  /// `tutti bench slow`.
  @Command(
      name = "slow",
      description = {
        "One slow member: while another one multicasts as fast as it may, it takes messages as fast as it can, then "
            + "ten times slower, then fast again. The rates, how long recovery takes, views, and live heap meanwhile."
      })
  static final class Slow implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Override
    public Integer call() throws InterruptedException {
      return common.measureOne((options, out) -> Instrument.measure(Subject.SLOW, options, out));
    }
  }

  /// `tutti bench scale`.
  @Command(
      name = "scale",
      description = {"Throughput with one sender of groups of several sizes, beside plain sockets to as many."})
  static final class Scale implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Option(names = "--sizes", paramLabel = "N", split = ",", description = "Sizes, rising (${DEFAULT-VALUE}).")
    List<Integer> sizes = new ArrayList<>(List.of(3, 5, 7));

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
      for (int size : sizes) {
        if (size < 2 || size > SIZE_MAX) {
          throw new ParameterException(spec.commandLine(), "groups have 2 to " + SIZE_MAX + " members, not " + size);
        }
      }
      return common.measureOne((options, out) -> Instrument.scale(options, sizes, out));
    }
  }

  /// `tutti bench metrics`.
  @Command(
      name = "metrics",
      description = {
        "What reading metrics costs: groups whose members show them by Micrometer, beside two whose metrics nobody "
            + "reads; a flood and a closed loop."
      })
  static final class Metrics implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Option(
        names = "--every",
        paramLabel = "TIME",
        split = ",",
        converter = TimeConverter.class,
        description = "How often they are read, at least 1ms; a group for each (5s,10ms).")
    List<Duration> every = List.of(Duration.ofSeconds(5), Duration.ofMillis(10));

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
      if (every.stream().anyMatch(time -> time.toMillis() < 1)) {
        throw new ParameterException(spec.commandLine(), "metrics are read every 1ms at most: --every");
      }
      return common.measureOne((options, out) -> Instrument.metrics(options, every, out));
    }
  }

  /// `tutti bench versus`.
  @Command(
      name = "versus",
      description = "Tutti side by side with something else, in the same rounds.",
      subcommands = {Raw.class, JGroups.class, AeronCluster.class})
  static final class Versus implements Runnable {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
      throw new ParameterException(spec.commandLine(), "a command is missing: raw, jgroups or aeron-cluster");
    }
  }

  /// `tutti bench versus raw`.
  @Command(
      name = "raw",
      description = {
        "Plain sockets without any order: one process sends to all others, which count; or it sends one message and "
            + "gets it back. Prints the ratios."
      })
  static final class Raw implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Override
    public Integer call() throws InterruptedException {
      return common.measure((options, out) -> Instrument.measure(Subject.VERSUS_RAW, options, out), 1);
    }
  }

  /// `tutti bench versus jgroups`.
  @Command(
      name = "jgroups",
      description = {
        "JGroups with total order: its shipped stacks with SEQUENCER, on loopback. One sender, and all members; closed "
            + "loops, too, without --quick."
      })
  static final class JGroups implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Option(
        names = "--stacks",
        paramLabel = "NAME",
        split = ",",
        description = "Which: tcp, tcp-new (with SEQUENCER2), udp (IP multicast) (${DEFAULT-VALUE}).")
    List<String> stacks = new ArrayList<>(List.of("tcp", "tcp-new", "udp"));

    @Override
    public Integer call() throws InterruptedException {
      return common.measureOne((options, out) -> Instrument.versus(Instrument.JGROUPS, stacks, options, out));
    }
  }

  /// `tutti bench versus aeron-cluster`.
  @Command(
      name = "aeron-cluster",
      description = {
        "Aeron Cluster (Raft, uniform, its log in memory-mapped files that are not forced to the disk), on loopback. "
            + "One client, and one at each member; closed loops, too, without --quick."
      })
  static final class AeronCluster implements Callable<Integer> {
    @Mixin Common common = new Common();

    @Option(
        names = "--stacks",
        paramLabel = "NAME",
        split = ",",
        description =
            "Which: shipped (its threads wait as by default), tuned (they park for short times only; longer packets)"
                + " (${DEFAULT-VALUE}).")
    List<String> stacks = new ArrayList<>(List.of("shipped", "tuned"));

    @Override
    public Integer call() throws InterruptedException {
      return common.measureOne((options, out) -> Instrument.versus(Instrument.AERON, stacks, options, out));
    }
  }
}
