package org.tutti.cli;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.examples.accounts.Demo;
import org.tutti.examples.accounts.DemoOptions;
import org.tutti.examples.accounts.TransactionFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti demo`: the replicated accounts service as processes, some of which are killed.
@Command(
    name = "demo",
    customSynopsis = {"tutti demo [OPTION...]", "tutti demo --make FILE [--transactions N] [--seed N]"},
    description = {
      "Runs a replicated accounts service as processes of this host: replicas, each with an SQL database of its own, "
          + "and clients that replay a file of transactions. Kills the sequencer at one third, starts it again at two "
          + "thirds, and compares the databases at the end. Exit code 0 only if they are equal and hold every "
          + "acknowledged transaction exactly once."
    })
final class DemoCommand implements Callable<Integer> {
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

  @Option(names = "--seed", paramLabel = "N", description = "What to make: the same file for the same seed (1).")
  @Nullable Long seed;

  @Option(names = "--replicas", paramLabel = "N", description = "How many replicas (${DEFAULT-VALUE}).")
  int replicas = DemoOptions.standard().replicas();

  @Option(names = "--clients", paramLabel = "N", description = "How many clients (${DEFAULT-VALUE}).")
  int clients = DemoOptions.standard().clients();

  @Option(names = "--kill", paramLabel = "N", description = "How many replicas to kill at once (${DEFAULT-VALUE}).")
  int kill = DemoOptions.standard().kill();

  @Option(
      names = "--order",
      paramLabel = "NAME",
      converter = OrderingConverter.class,
      description = "Who decides the order: " + OrderingConverter.NAMES + "; default: sequencer.")
  Ordering order = Ordering.SEQUENCER;

  @Option(names = "--kill-during-transfer", description = "Kill the first of them again while it receives the state.")
  boolean killDuringTransfer;

  @Option(names = "--port-base", paramLabel = "PORT", description = "The first of two ports per replica (free ones).")
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
    try {
      if (make != null) {
        TransactionFile.make(make, options.transactions(), options.seed());
        return 0;
      }
      return Demo.run(options, System.out) ? 0 : 1;
    } catch (NoSuchFileException e) {
      throw new Failure("no such file: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
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
          replicas,
          clients,
          kill,
          killDuringTransfer,
          order,
          portBase,
          keep);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
