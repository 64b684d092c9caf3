package org.tutti.workshop;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.cli.Failure;
import org.tutti.cli.OrderingConverter;
import org.tutti.lab.Fault;
import org.tutti.lab.HistoryFiles;
import org.tutti.lab.LabCampaign;
import org.tutti.lab.LabConfig;
import org.tutti.lab.LabVerdict;
import org.tutti.lab.network.Unavailable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti lab`: real processes on a network that is cut, slowed and damaged, and their histories checked.
@Command(
    name = "lab",
    description = {
      "Runs members as processes in network namespaces of their own, and makes one fault after another: splits of "
          + "all shapes, loss, delay, resets, stopped and killed processes. At the end all faults cease, the group "
          + "must come together again, and the histories of all members are checked as the simulator's are. Needs "
          + "Linux and root; nothing leaves the namespaces."
    },
    exitCodeList = {
      "0:every guarantee held",
      "1:one was violated; histories and logs are kept",
      "2:wrong usage",
      "3:no network namespaces here; one line on standard error says why"
    })
final class LabCommand implements Callable<Integer> {
  private static final int UNAVAILABLE = 3;
  private static final double MINUTES_MAX = 24 * 60;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--minutes", paramLabel = "N", description = "How long faults are made (${DEFAULT-VALUE}).")
  double minutes = 2;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Which faults, in which order: the same for the same seed (${DEFAULT-VALUE}).")
  long seed = 1;

  @Option(names = "--members", paramLabel = "N", description = "How many members, 3 to 16 (${DEFAULT-VALUE}).")
  int members = 5;

  @Option(
      names = "--order",
      paramLabel = "NAME",
      converter = OrderingConverter.class,
      completionCandidates = OrderingConverter.class,
      description = "The ordering: ${COMPLETION-CANDIDATES}; default: sequencer.")
  Ordering order = Ordering.SEQUENCER;

  @Option(names = "--transport", paramLabel = "NAME", description = "The transport, tcp or udp (${DEFAULT-VALUE}).")
  String transport = "tcp";

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Multicasts per second of each member, or calls of each client, up to 1000 (${DEFAULT-VALUE}).")
  double rate = LabConfig.standard(LabConfig.MEMBERS_MIN).rate();

  @Option(
      names = "--clients",
      paramLabel = "N",
      description =
          "Members are replicas of a map; so many clients, up to 64, call it, and it is checked that their calls are "
              + "linearizable.")
  int clients;

  @Option(
      names = "--fault",
      paramLabel = "KIND",
      split = ",",
      completionCandidates = Kinds.class,
      description = "Only these faults, of: ${COMPLETION-CANDIDATES}.")
  List<String> faults = List.of();

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Put histories and logs into this new directory and leave them there.")
  @Nullable Path keep;

  @Option(
      names = "--check",
      paramLabel = "DIR",
      description = "Only check the histories that were kept in a directory.")
  @Nullable Path check;

  /// The names of the faults.
  static final class Kinds extends ArrayList<String> {
    private static final long serialVersionUID = 1;

    Kinds() {
      Arrays.stream(Fault.values()).map(Fault::option).forEach(this::add);
    }
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    LabCampaign campaign = campaign(out);
    try {
      LabVerdict verdict = check == null ? campaign.run() : HistoryFiles.read(check).judge();
      if (check != null) {
        if (verdict.calls() != null) {
          out.println(verdict.calls());
        }
        verdict.violations().forEach(violation -> out.println("VIOLATED " + violation));
        out.println("verdict: " + verdict.word());
      }
      return verdict.holds() ? 0 : 1;
    } catch (Unavailable e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(spec.qualifiedName() + ": " + e.getMessage());
      return UNAVAILABLE;
    } catch (IOException e) {
      throw Failure.ofFile(e);
    }
  }

  private LabCampaign campaign(PrintWriter out) {
    if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
      throw new ParameterException(spec.commandLine(), "--minutes is above 0 and at most " + (long) MINUTES_MAX);
    }
    try {
      LabConfig config =
          LabConfig.standard(members)
              .withSeed(seed)
              .withOrdering(order)
              .withTransport(transport)
              .withRate(rate)
              .withClients(clients)
              .withDirectory(keep);
      List<Fault> kinds = faults.isEmpty() ? Fault.over(transport) : faults.stream().map(Fault::of).toList();
      if (!Fault.over(transport).containsAll(kinds)) {
        throw new IllegalArgumentException("over " + transport + " there is no connection to reset");
      }
      return new LabCampaign(config, Duration.ofMillis((long) (minutes * 60_000)), kinds, out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
