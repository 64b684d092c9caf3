package org.tutti.workshop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tutti.bench.trial.PolicyOptions;
import org.tutti.bench.trial.PolicyOptions.Failure;
import org.tutti.bench.trial.PolicyOptions.Way;
import org.tutti.bench.trial.PolicyRun;
import org.tutti.cli.TimeConverter;
import org.tutti.lab.network.Unavailable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `tutti bench policies`.
@Command(
    name = "policies",
    description = {
      "How long calls of distant clients take with each policy, without and with a failure of the request manager, as "
          + "in section 5 of Morgan and Ezhilchelvan: makes a network of namespaces, one for each of three servers and "
          + "one for all clients, whose frames to and from the servers are delayed. Needs Linux and root; nothing "
          + "leaves the namespaces, which are removed in any case."
    },
    exitCodeList = {
      "0:success",
      "1:something could not be measured",
      "2:wrong usage",
      "3:no network namespaces here; one line on standard error says why"
    })
final class PolicyCommand implements Callable<Integer> {
  private static final int UNAVAILABLE = 3;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--way",
      paramLabel = "NAME",
      split = ",",
      converter = WayConverter.class,
      completionCandidates = Ways.class,
      description = "How clients call (all): ${COMPLETION-CANDIDATES}.")
  List<Way> ways = new ArrayList<>(List.of(Way.values()));

  @Option(
      names = "--failure",
      paramLabel = "NAME",
      split = ",",
      converter = FailureConverter.class,
      completionCandidates = Failures.class,
      description = "What fails (all): ${COMPLETION-CANDIDATES}.")
  List<Failure> failures = new ArrayList<>(List.of(Failure.values()));

  @Option(names = "--clients", paramLabel = "N", split = ",", description = "Numbers of clients (1,5,10).")
  List<Integer> clients = new ArrayList<>(List.of(1, 5, 10));

  @Option(
      names = "--requests",
      paramLabel = "N",
      description = "How many each client makes when nothing fails (${DEFAULT-VALUE}).")
  int requests = 100;

  @Option(
      names = "--round-trip",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "From the clients to the servers and back (83ms).")
  Duration roundTrip = Duration.ofMillis(83);

  @Option(
      names = "--suspect",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "After which silence members suspect each other (500ms).")
  Duration suspect = Duration.ofMillis(500);

  @Option(
      names = "--silence",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "After which silence a client with a connection goes to another server (500ms).")
  Duration silence = Duration.ofMillis(500);

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds, interleaved (${DEFAULT-VALUE}).")
  int rounds = 5;

  @Option(
      names = "--jvm",
      paramLabel = "FLAGS",
      description = "Flags of all JVMs, separated by spaces (${DEFAULT-VALUE}).")
  String flags = "-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  @Option(names = "--out", paramLabel = "DIR", description = "Where results and logs go (${DEFAULT-VALUE}).")
  Path out = Path.of("target", "bench");

  static final class Ways extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    Ways() {
      addAll(List.of(PolicyOptions.words(Way.values()).split(",")));
    }
  }

  static final class Failures extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    Failures() {
      addAll(List.of(PolicyOptions.words(Failure.values()).split(",")));
    }
  }

  static final class WayConverter implements ITypeConverter<Way> {
    @Override
    public Way convert(String word) {
      return constant(Way.values(), word);
    }
  }

  static final class FailureConverter implements ITypeConverter<Failure> {
    @Override
    public Failure convert(String word) {
      return constant(Failure.values(), word);
    }
  }

  private static <E extends Enum<E>> E constant(E[] all, String word) {
    try {
      return PolicyOptions.of(all, word);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      return PolicyRun.measure(options(), spec.commandLine().getOut()) ? 0 : 1;
    } catch (Unavailable e) {
      spec.commandLine().getErr().println(spec.qualifiedName() + ": " + e.getMessage());
      return UNAVAILABLE;
    }
  }

  private PolicyOptions options() {
    try {
      return new PolicyOptions(
          ways,
          failures,
          clients,
          requests,
          roundTrip,
          suspect,
          silence,
          rounds,
          List.of(flags.strip().split("\\s+")),
          out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
