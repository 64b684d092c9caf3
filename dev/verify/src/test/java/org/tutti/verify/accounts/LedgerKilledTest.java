package org.tutti.verify.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.examples.accounts.ClientRequest;
import org.tutti.examples.accounts.Ledger;
import org.tutti.examples.accounts.Reply;
import org.tutti.examples.accounts.Transaction.Deposit;
import org.tutti.verify.lab.Hosts;

/// A process that writes a ledger is killed at any moment, again and again; the next one goes on.
class LedgerKilledTest {
  private static final int KILLS = 40;
  private static final int LIVES_OF_A_LEDGER = 5;
  private static final int LIFE_MILLIS_MAX = 500;

  @TempDir private Path directory;

  @Test
  @Tag("deep")
  @Timeout(300)
  void aLedgerGoesOnWhereItWasCommittedLast() throws IOException, InterruptedException {
    long seed = System.nanoTime();
    var random = new Random(seed);
    for (int kill = 0; kill < KILLS; kill++) {
      String ledger = directory.resolve("ledger" + kill / LIVES_OF_A_LEDGER).toString();
      List<String> command = new ArrayList<>(Hosts.java(LedgerKilledTest.class, List.of(ledger)));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (BufferedReader said = process.inputReader()) {
        assertThat(said.readLine()).as("seed %d, after %d kills", seed, kill).isEqualTo("it goes on");
        assertThat(process.waitFor(random.nextInt(LIFE_MILLIS_MAX), TimeUnit.MILLISECONDS)).as("it goes on").isFalse();
      } finally {
        process.destroyForcibly().onExit().join();
      }
    }
  }

  /// Deposits cent by cent until it is killed; the balance is the number of deposits.
  public static void main(String[] args) throws SQLException {
    try (Ledger ledger = Ledger.open(Path.of(args[0]))) {
      boolean first = true;
      while (true) {
        for (int i = 0; i < 5; i++) {
          long position = ledger.next();
          Reply reply = ledger.apply(position, new ClientRequest(1, position + 1, new Deposit("alice", 1)));
          if (reply.balance() != position + 1 || ledger.retries() > 0) {
            System.out.println("torn at " + position + ": " + reply);
            return;
          }
        }
        ledger.commit();
        if (first) {
          System.out.println("it goes on");
          first = false;
        }
      }
    }
  }
}
