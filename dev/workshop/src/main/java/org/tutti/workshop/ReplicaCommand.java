package org.tutti.workshop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.tutti.bench.trial.BenchException;
import org.tutti.bench.trial.Instrument;
import org.tutti.bench.trial.InstrumentOptions;
import org.tutti.bench.trial.ReplicaOptions;
import org.tutti.bench.trial.ReplicaOptions.Part;
import org.tutti.cli.Failure;
import org.tutti.cli.TimeConverter;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `tutti bench replica`.
@Command(
    name = "replica",
    description = {
      "What clients of a replicated service get; its replicas, its clients and all others are processes, on loopback. "
          + "Calls and linearizable reads per second of many clients, beside multicasts with futures of members, a raw "
          + "echo, JGroups' RpcDispatcher (GET_ALL, with SEQUENCER) and Aeron Cluster; how long one client's call "
          + "takes, beside a raw ping; how long clients wait when the manager is killed; how soon a new replica has "
          + "its share of the clients; the heap of a replica with many sessions.",
      "About 10 minutes; with --quick 2."
    })
final class ReplicaCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--what",
      paramLabel = "NAME",
      split = ",",
      converter = PartConverter.class,
      description = "Which measurements: calls, latency, failover, balance, sessions (all).")
  List<Part> parts = new ArrayList<>(List.of(Part.values()));

  @Option(names = "--members", paramLabel = "N", description = "Replicas, and members of others (${DEFAULT-VALUE}).")
  int members = 3;

  @Option(names = "--clients", paramLabel = "N", description = "How many clients call (${DEFAULT-VALUE}).")
  int clients = 64;

  @Option(
      names = "--open",
      paramLabel = "N",
      description = "How many calls each client has open in a second comparison (${DEFAULT-VALUE}); 1 for none.")
  int open = 16;

  @Option(
      names = "--peers",
      paramLabel = "NAME",
      split = ",",
      description =
          "What calls are measured beside: jgroups-tcp, jgroups-tcp-new, jgroups-udp, aeron-shipped, aeron-tuned, or "
              + "none (jgroups-tcp,jgroups-udp,aeron-shipped,aeron-tuned; with --quick jgroups-tcp,aeron-tuned).")
  List<String> peers = new ArrayList<>();

  @Option(names = "--kills", paramLabel = "N", description = "How often the manager is killed, to 100 (10; --quick 2).")
  int kills;

  @Option(names = "--sessions", paramLabel = "N", description = "Sessions, to 10000 (10000; with --quick 1000).")
  int sessions;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds that must count (5; with --quick 3).")
  int rounds;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "How long one trial lasts, for example 500ms (1s; with --quick 300ms).")
  Duration time = Duration.ZERO;

  @Option(names = "--unix", description = "Unix domain sockets between members instead of TCP; not for clients.")
  boolean unix;

  @Mixin RoundOptions each = RoundOptions.withHeap("512m");

  @Option(names = "--quick", description = "Short rounds, and fewer of everything.")
  boolean quick;

  static final class PartConverter implements ITypeConverter<Part> {
    @Override
    public Part convert(String word) {
      for (Part part : Part.values()) {
        if (part.name().equalsIgnoreCase(word)) {
          return part;
        }
      }
      throw new TypeConversionException("'" + word + "' is none of calls, latency, failover, balance, sessions");
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    ReplicaOptions what;
    InstrumentOptions options;
    try {
      what = what();
      options = options();
      what.check(members);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    try {
      return Instrument.replica(what, options, spec.commandLine().getOut()) ? 0 : 1;
    } catch (BenchException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  private ReplicaOptions what() {
    List<String> beside = peers;
    if (peers.isEmpty()) {
      beside = List.of("jgroups-tcp", "jgroups-udp", "aeron-shipped", "aeron-tuned");
      beside = quick ? List.of("jgroups-tcp", "aeron-tuned") : beside;
    } else if (peers.equals(List.of("none"))) {
      beside = List.of();
    }
    return new ReplicaOptions(
        Set.copyOf(parts),
        clients,
        open,
        beside,
        orElse(kills, quick ? 2 : 10),
        orElse(sessions, quick ? 1000 : 10_000));
  }

  private static int orElse(int chosen, int standard) {
    return chosen == 0 ? standard : chosen;
  }

  private InstrumentOptions options() {
    Duration standard = quick ? Duration.ofMillis(300) : Duration.ofSeconds(1);
    return each.options(members, orElse(rounds, quick ? 3 : 5), time.isZero() ? standard : time, unix, quick);
  }
}
