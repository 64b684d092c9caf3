package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Node;
import org.tutti.examples.accounts.Reply.Outcome;
import org.tutti.replica.Client;
import org.tutti.replica.Read;
import org.tutti.replica.Replica;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Clients of a service that has one replica.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AccountClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<Transaction> TRANSACTIONS =
      LongStream.rangeClosed(1, 5).<Transaction>mapToObj(amount -> new Transaction.Deposit("alice", amount)).toList();

  @TempDir private Path directory;
  private Ledger ledger;
  private Node node;
  private Replica replica;
  private Client calls;

  @BeforeEach
  void start() throws Exception {
    ledger = Ledger.open(directory.resolve("ledger"));
    node = Node.named("a").transport(new InProcess().open(new Address("a"))).start();
    replica = Replica.of(AccountReplica.SERVICE, ledger).founding().start(node);
    calls = Client.of(AccountReplica.SERVICE).at(replica.clients()).callsMax(3).deadline(PATIENCE).connect();
  }

  @AfterEach
  void stop() throws Exception {
    calls.close();
    replica.close();
    node.close();
    ledger.close();
  }

  private FutureTask<List<AnswerLog.Entry>> run(AccountClient client, AnswerLog log, Path file) {
    var task =
        new FutureTask<>(() -> {
          try (log) {
            client.run();
          }
          return AnswerLog.read(file);
        });
    Thread.ofVirtual().start(task);
    return task;
  }

  private long balance() throws Exception {
    return calls.query(ByteBuffer.wrap("alice".getBytes(StandardCharsets.UTF_8)), Read.LINEARIZABLE).get().getLong();
  }

  @Test
  void itGoesThroughItsTransactionsOnceAndLogsTheAnswersInTheirOrder() throws Exception {
    Path file = directory.resolve("log");
    AnswerLog log = AnswerLog.create(file);
    List<AnswerLog.Entry> told = run(new AccountClient(5, TRANSACTIONS, calls, 0, log), log, file).get();
    assertThat(told).extracting(AnswerLog.Entry::number).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(told).extracting(AnswerLog.Entry::outcome).containsOnly(Outcome.ACCEPTED);
    assertThat(balance()).isEqualTo(15);
  }

  @Test
  void withARateItGoesOnUntilItIsStopped() throws Exception {
    Path file = directory.resolve("log");
    AnswerLog log = AnswerLog.create(file);
    var client = new AccountClient(5, TRANSACTIONS, calls, 1000, log);
    FutureTask<List<AnswerLog.Entry>> run = run(client, log, file);
    while (balance() < 30) { // twice through all
      Thread.onSpinWait();
    }
    client.stop();
    List<AnswerLog.Entry> told = run.get();
    long rounds = told.size() / TRANSACTIONS.size();
    long rest = told.size() % TRANSACTIONS.size();
    assertThat(balance()).isEqualTo(15 * rounds + rest * (rest + 1) / 2);
  }

  /// So that something happens to the replicas before the work is done, however quick the client is.
  @Test
  void nothingBehindItsLimitIsSentBeforeItIsLifted() throws Exception {
    Path file = directory.resolve("log");
    AnswerLog log = AnswerLog.create(file);
    var client = new AccountClient(5, TRANSACTIONS, calls, 0, log);
    client.limit(2);
    FutureTask<List<AnswerLog.Entry>> run = run(client, log, file);
    while (balance() < 3) {
      Thread.onSpinWait();
    }
    assertThat(run.isDone()).isFalse();
    assertThat(balance()).isEqualTo(3);
    client.limit(Integer.MAX_VALUE);
    assertThat(run.get()).hasSize(5);
  }
}
