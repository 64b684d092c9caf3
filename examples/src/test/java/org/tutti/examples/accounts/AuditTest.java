package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.examples.accounts.Reply.Outcome;
import org.tutti.replica.Command;

class AuditTest {
  private static final List<Transaction> SHARE = List.of(deposit(1), deposit(2));

  @TempDir private Path directory;
  private Audit audit;

  /// A client that was told of three transactions, the first of its share again at the end.
  @BeforeEach
  void takeStock() {
    List<AnswerLog.Entry> told =
        IntStream.rangeClosed(1, 3).mapToObj(n -> new AnswerLog.Entry(n, Outcome.ACCEPTED, 10, 1000 * n * n)).toList();
    audit = new Audit(Map.of(1L, new Audit.Client(SHARE, told).repeated()));
  }

  @Test
  void aReplicaThatLeftMayHoldABeginning() throws SQLException, IOException {
    audit.inspect("stayed", ledger("stayed", 1, 2, 1));
    audit.inspectDeparted("left", ledger("left", 1, 2));
    assertThat(audit.findings()).isEmpty();
    assertThat(audit.longestGapMicros()).isEqualTo(5000);
  }

  @Test
  void aReplicaThatLeftMustNotHoldAnythingElse() throws SQLException, IOException {
    audit.inspect("stayed", ledger("stayed", 1, 2, 1));
    audit.inspectDeparted("other", ledger("other", 1, 3));
    audit.inspectDeparted("longer", ledger("longer", 1, 2, 1, 1));
    audit.inspectDeparted("empty", ledger("empty"));
    assertThat(audit.findings()).hasSize(3).allMatch(finding -> finding.contains("does not hold a beginning"));
  }

  @Test
  void whatWasAcknowledgedMustBeThere() throws SQLException, IOException {
    audit.inspect("stayed", ledger("stayed", 1, 2));
    assertThat(audit.findings()).anyMatch(finding -> finding.contains("was told of 3 transactions, the journal has 2"));
  }

  private Path ledger(String name, long... amounts) throws SQLException, IOException {
    Path files = directory.resolve(name);
    try (Ledger ledger = Ledger.open(files)) {
      for (int i = 0; i < amounts.length; i++) {
        ByteBuffer payload = ByteBuffer.wrap(new ClientRequest(1, i + 1, deposit(amounts[i])).encode());
        ledger.apply(new Command(1, i + 1, i, Instant.EPOCH, payload));
      }
    }
    return files;
  }

  private static Transaction deposit(long amount) {
    return new Transaction.Deposit("alice", amount);
  }
}
