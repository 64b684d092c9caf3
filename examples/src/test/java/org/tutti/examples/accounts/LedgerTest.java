package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOError;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.examples.accounts.Reply.Outcome;
import org.tutti.examples.accounts.Transaction.Deposit;
import org.tutti.examples.accounts.Transaction.Transfer;
import org.tutti.examples.accounts.Transaction.Withdraw;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

class LedgerTest {
  private static final long CLIENT = 7;

  @TempDir private Path directory;
  private Ledger ledger;
  private long number;

  @BeforeEach
  void open() throws SQLException, IOException {
    ledger = Ledger.open(directory.resolve("a"));
  }

  @AfterEach
  void close() throws SQLException {
    ledger.close();
  }

  private static Reply apply(Ledger to, long number, Transaction transaction) {
    ByteBuffer payload = ByteBuffer.wrap(new ClientRequest(CLIENT, number, transaction).encode());
    return Reply.decode(to.apply(new Command(1, number, number, Instant.EPOCH, payload)));
  }

  private Reply ask(Transaction transaction) {
    return apply(ledger, ++number, transaction);
  }

  @Test
  void depositsAndWithdrawalsChangeABalance() throws SQLException {
    assertThat(ask(new Deposit("alice", 500))).isEqualTo(new Reply(Outcome.ACCEPTED, 500));
    assertThat(ask(new Withdraw("alice", 200))).isEqualTo(new Reply(Outcome.ACCEPTED, 300));
    assertThat(ledger.balance("alice")).isEqualTo(300);
    ByteBuffer alice = ByteBuffer.wrap("alice".getBytes(StandardCharsets.UTF_8));
    assertThat(ledger.query(alice).getLong(0)).isEqualTo(300);
  }

  @Test
  void aWithdrawalDoesNotOverdraw() {
    ask(new Deposit("alice", 500));
    assertThat(ask(new Withdraw("alice", 501))).isEqualTo(new Reply(Outcome.OVERDRAWN, 500));
    assertThat(ask(new Withdraw("nobody", 1))).isEqualTo(new Reply(Outcome.OVERDRAWN, 0));
    assertThat(ask(new Withdraw("alice", 500))).isEqualTo(new Reply(Outcome.ACCEPTED, 0));
  }

  @Test
  void aTransferHappensOnBothSidesOrOnNone() throws SQLException {
    ask(new Deposit("alice", 500));
    assertThat(ask(new Transfer("alice", "bob", 501)).outcome()).isEqualTo(Outcome.OVERDRAWN);
    assertThat(ledger.balance("bob")).isZero();
    assertThat(ask(new Transfer("alice", "bob", 400))).isEqualTo(new Reply(Outcome.ACCEPTED, 100));
    assertThat(ledger.balance("bob")).isEqualTo(400);
  }

  @Test
  void noBalanceExceedsItsLimit() {
    long rounds = Ledger.BALANCE_MAX / Transaction.AMOUNT_MAX;
    for (long i = 0; i < rounds; i++) {
      assertThat(ask(new Deposit("alice", Transaction.AMOUNT_MAX)).outcome()).isEqualTo(Outcome.ACCEPTED);
    }
    assertThat(ask(new Deposit("alice", 1))).isEqualTo(new Reply(Outcome.TOO_LARGE, Ledger.BALANCE_MAX));
    ask(new Deposit("bob", 5));
    assertThat(ask(new Transfer("bob", "alice", 1))).isEqualTo(new Reply(Outcome.TOO_LARGE, 5));
  }

  @Test
  void whatIsNoRequestIsRefusedAndChangesNothing() throws IOException {
    ask(new Deposit("alice", 500));
    byte[] before = contents(ledger);
    var command = new Command(1, 2, 2, Instant.EPOCH, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    assertThatThrownBy(() -> ledger.apply(command)).isInstanceOf(IllegalArgumentException.class);
    assertThat(contents(ledger)).isEqualTo(before);
  }

  /// Sessions see to it that it does not happen; if it did, the replica would stop, and not pay twice.
  @Test
  void aRequestThatIsExecutedAgainStopsTheReplica() {
    ask(new Deposit("alice", 500));
    assertThatThrownBy(() -> apply(ledger, 1, new Deposit("alice", 500))).isInstanceOf(IOError.class);
  }

  @Test
  void anEarlierLedgerIsSetAsideForAnEmptyOne() throws SQLException, IOException {
    Path old = directory.resolve("a");
    ask(new Deposit("alice", 500));
    ledger.close();
    ledger = Ledger.open(old);
    assertThat(ledger.balance("alice")).isZero();
    assertThat(old).isDirectoryContaining("glob:**/ledger.earlier");
  }

  @Test
  void aSnapshotIsOfItsMomentHoweverLateItIsWritten() throws SQLException, IOException {
    Map<String, Long> then = mix(new Random(1), 3000);
    StateMachine.Snapshot snapshot = ledger.snapshot();
    mix(new Random(2), 3000);
    try (Ledger other = Ledger.open(directory.resolve("b"))) {
      apply(other, 99, new Deposit("stranger", 1));
      other.restore(new ByteArrayInputStream(bytes(snapshot)));
      assertThat(other.balance("stranger")).isZero();
      for (var balance : then.entrySet()) {
        assertThat(other.balance(balance.getKey())).as(balance.getKey()).isEqualTo(balance.getValue());
      }
    }
  }

  @Test
  void aRestoredLedgerGoesOnAsTheOriginal() throws SQLException, IOException {
    mix(new Random(1), 2000);
    try (Ledger other = Ledger.open(directory.resolve("b"))) {
      other.restore(new ByteArrayInputStream(contents(ledger)));
      var random = new Random(3);
      for (int i = 0; i < 2000; i++) {
        Transaction transaction = draw(random);
        number++;
        assertThat(apply(other, number, transaction)).isEqualTo(apply(ledger, number, transaction));
      }
      assertThat(contents(other)).isEqualTo(contents(ledger));
    }
  }

  @Test
  void aRestoreThatFailsLeavesTheLedgerAsItWas() throws SQLException, IOException {
    mix(new Random(1), 3000);
    byte[] state = contents(ledger);
    try (Ledger other = Ledger.open(directory.resolve("b"))) {
      apply(other, 1, new Deposit("stranger", 1));
      byte[] before = contents(other);
      InputStream half = new ByteArrayInputStream(state, 0, state.length / 2);
      assertThatThrownBy(() -> other.restore(new SequenceInputStream(half, new Broken())))
          .isInstanceOf(IOException.class);
      assertThat(contents(other)).isEqualTo(before);
      assertThatThrownBy(() -> other.restore(new ByteArrayInputStream(state, 0, state.length / 2)))
          .as("a state that ends early")
          .isInstanceOf(IOException.class);
      assertThat(contents(other)).isEqualTo(before);
      other.restore(new ByteArrayInputStream(state));
      assertThat(contents(other)).isEqualTo(state);
    }
  }

  /// Applies transactions at random and returns the balances that a map of them comes to.
  private Map<String, Long> mix(Random random, int count) {
    var balances = new HashMap<String, Long>();
    for (int i = 0; i < count; i++) {
      Transaction transaction = draw(random);
      if (ask(transaction).outcome() == Outcome.ACCEPTED) {
        switch (transaction) {
          case Deposit(String account, long amount) -> balances.merge(account, amount, Long::sum);
          case Withdraw(String account, long amount) -> balances.merge(account, -amount, Long::sum);
          case Transfer(String from, String to, long amount) -> {
            balances.merge(from, -amount, Long::sum);
            balances.merge(to, amount, Long::sum);
          }
        }
      }
    }
    return balances;
  }

  private static Transaction draw(Random random) {
    String account = "account-" + random.nextInt(20);
    long amount = 1 + random.nextInt(1000);
    return switch (random.nextInt(3)) {
      case 0 -> new Deposit(account, amount);
      case 1 -> new Withdraw(account, amount);
      default -> new Transfer(account, "other-" + random.nextInt(20), amount);
    };
  }

  private static byte[] contents(Ledger ledger) throws IOException {
    return bytes(ledger.snapshot());
  }

  private static byte[] bytes(StateMachine.Snapshot snapshot) throws IOException {
    var bytes = new ByteArrayOutputStream();
    snapshot.writeTo(bytes);
    return bytes.toByteArray();
  }

  /// The donor has gone.
  private static final class Broken extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("the donor has gone");
    }
  }
}
