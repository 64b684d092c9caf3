package org.tutti.workshop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.Ordering;
import org.tutti.cli.Failure;
import org.tutti.cli.FsyncConverter;
import org.tutti.cli.OrderingConverter;
import org.tutti.cli.TransportOption;
import org.tutti.examples.accounts.Demo;
import org.tutti.examples.accounts.DemoOptions;
import org.tutti.examples.accounts.Scenario;
import org.tutti.examples.accounts.TransactionFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti demo`: the replicated accounts service as processes, some of which are killed, cut off, restarted, replaced.
@Command(
    name = "demo",
    customSynopsis = {"tutti demo [OPTION...]", "tutti demo --make FILE [--transactions N] [--seed N]"},
    description = {
      "Runs a replicated accounts service as processes of this host: replicas, each with an SQL database of its own, "
          + "and clients that replay a file of transactions. Kills the sequencer at one third and starts it again at "
          + "two thirds, or does something else to the replicas, and compares the databases at the end. Exit code 0 "
          + "only if they are equal and hold every acknowledged transaction exactly once."
    })
final class DemoCommand implements Callable<Integer> {
  private static final String CLUSTER = "tutti"; // the replicas' own
  private static final int QUICK = 3000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = {
        "Transactions, one per line: deposit,ACCOUNT,AMOUNT or withdraw,ACCOUNT,AMOUNT or transfer,FROM,TO,AMOUNT; "
            + "amounts in cents. Without it a file is made."
      })
  @Nullable Path input;

  @Option(names = "--make", paramLabel = "FILE", description = "Only make such a file.")
  @Nullable Path make;

  @Option(names = "--transactions", paramLabel = "N", description = "How many transactions to make (50000).")
  @Nullable Integer transactions;

  @Option(names = "--seed", paramLabel = "N", description = "The seed of the file (1).")
  @Nullable Long seed;

  @Option(names = "--replicas", paramLabel = "N", description = "How many replicas (3).")
  @Nullable Integer replicas;

  @Option(names = "--clients", paramLabel = "N", description = "How many clients (${DEFAULT-VALUE}).")
  int clients = DemoOptions.standard().clients();

  @Option(
      names = "--kill",
      paramLabel = "N",
      description = "How many replicas to kill at once (1; none of a single one).")
  @Nullable Integer kill;

  @Option(names = "--kill-during-transfer", description = "Kill the first of them again while it receives the state.")
  boolean killDuringTransfer;

  @Option(
      names = "--split",
      paramLabel = "WHO",
      arity = "0..1",
      fallbackValue = "sequencer",
      description = {
        "Instead of killing: cut the network between the replicas into a minority and a majority, and heal it. WHO is "
            + "in the minority: sequencer (the default: the oldest replica, whatever the order) or youngest. The "
            + "network is a relay in this process, through which all connections between replicas pass: nothing "
            + "arrives on the other side, and connections stay open. Clients reach all replicas."
      })
  @Nullable String split;

  @Option(names = "--reject", description = "With --split: connections between the sides break, and new ones too.")
  boolean reject;

  @Option(
      names = "--rolling",
      paramLabel = "HOW",
      arity = "0..1",
      fallbackValue = "leave",
      description = "Instead: restart every replica, one after another, by leave (the default) or kill.")
  @Nullable String rolling;

  @Option(
      names = "--resize",
      paramLabel = "SIZES",
      arity = "0..1",
      split = ",",
      fallbackValue = "1,7,3",
      description = {
        "Instead: go through these numbers of replicas (1,7,3): newcomers come at once, the oldest leave first. Then "
            + "replace one replica by one of another name and address."
      })
  @Nullable List<Integer> sizes;

  @Option(
      names = "--total-failure",
      description = {
        "Instead: kill all replicas at once and start them again, in an order drawn from the seed, the last one late; "
            + "then start an outdated replica alone."
      })
  boolean totalFailure;

  @Option(
      names = "--fsync",
      paramLabel = "POLICY",
      converter = FsyncConverter.class,
      completionCandidates = FsyncConverter.class,
      description = {
        "Store on disk what the replicas need for a restart: each or views, as with tutti member. Default: "
            + "each with --total-failure, else nothing."
      })
  @Nullable Durability fsync;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = {
        "How many transactions per second the clients send together with --split, --rolling, --resize and "
            + "--total-failure, where they go on until the end (${DEFAULT-VALUE})."
      })
  int rate = DemoOptions.standard().rate();

  @Option(
      names = "--order",
      paramLabel = "NAME",
      converter = OrderingConverter.class,
      completionCandidates = OrderingConverter.class,
      description = "The ordering: ${COMPLETION-CANDIDATES}; default: sequencer.")
  Ordering order = Ordering.SEQUENCER;

  @Mixin TransportOption carrier = new TransportOption();

  @Option(names = "--port-base", paramLabel = "PORT", description = "The first of three ports per replica (free ones).")
  int portBase;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Put the data into this new directory and leave it there.")
  @Nullable Path keep;

  @Option(names = "--quick", description = "Only " + QUICK + " transactions.")
  boolean quick;

  @Override
  public Integer call() throws InterruptedException {
    DemoOptions options = options();
    carrier.check(CLUSTER);
    try {
      if (make != null) {
        TransactionFile.make(make, options.transactions(), options.seed());
        return 0;
      }
      return Demo.run(options, System.out) ? 0 : 1;
    } catch (IOException e) {
      throw Failure.ofFile(e);
    }
  }

  private DemoOptions options() {
    DemoOptions standard = DemoOptions.standard();
    if (input != null && (make != null || transactions != null || seed != null || quick)) {
      throw new ParameterException(spec.commandLine(), "--input takes all of a file; nothing is made then");
    }
    int many = quick ? QUICK : standard.transactions();
    try {
      return new DemoOptions(
          input,
          transactions == null ? many : transactions,
          seed == null ? standard.seed() : seed,
          clients,
          scenario(),
          rate,
          order,
          carrier.transport(),
          carrier.tls(),
          fsync != null ? fsync : totalFailure ? Durability.EACH : Durability.NONE,
          portBase,
          keep);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private Scenario scenario() {
    long chosen = Stream.of(split, rolling, sizes, totalFailure ? "yes" : null).filter(Objects::nonNull).count();
    if (chosen > 1 || chosen == 1 && (kill != null || killDuringTransfer)) {
      throw new IllegalArgumentException("one of --kill, --split, --rolling, --resize and --total-failure at a time");
    }
    if (reject && split == null) {
      throw new IllegalArgumentException("--reject is about --split");
    }
    if (sizes != null) {
      if (replicas != null) {
        throw new IllegalArgumentException("--resize says how many replicas there are");
      }
      return new Scenario.Resize(sizes);
    }
    int count = replicas == null ? DemoOptions.standard().scenario().replicas() : replicas;
    if (totalFailure) {
      return new Scenario.TotalFailure(count);
    }
    if (split != null) {
      return new Scenario.Split(count, choose(split, "sequencer", "youngest"), reject);
    }
    return rolling != null
        ? new Scenario.Rolling(count, choose(rolling, "kill", "leave"))
        : new Scenario.Kill(count, kill == null ? Math.min(1, count - 1) : kill, killDuringTransfer);
  }

  private static boolean choose(String text, String yes, String no) {
    if (!text.equals(yes) && !text.equals(no)) {
      throw new IllegalArgumentException(yes + " or " + no + ", not " + text);
    }
    return text.equals(yes);
  }
}
