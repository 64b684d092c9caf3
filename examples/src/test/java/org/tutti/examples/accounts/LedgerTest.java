package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.sql.SQLException;
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

class LedgerTest {
  private static final long CLIENT = 7;

  @TempDir private Path directory;
  private Ledger ledger;
  private long number;

  @BeforeEach
  void open() throws SQLException {
    ledger = Ledger.open(directory.resolve("a"));
  }

  @AfterEach
  void close() throws SQLException {
    ledger.close();
  }

  @Test
  void depositsAndWithdrawalsChangeABalance() throws SQLException {
    assertThat(ask(new Deposit("alice", 500))).isEqualTo(new Reply(1, Outcome.ACCEPTED, 500));
    assertThat(ask(new Withdraw("alice", 200))).isEqualTo(new Reply(2, Outcome.ACCEPTED, 300));
    assertThat(ledger.balance("alice")).isEqualTo(300);
  }

  @Test
  void aWithdrawalDoesNotOverdraw() throws SQLException {
    ask(new Deposit("alice", 500));
    assertThat(ask(new Withdraw("alice", 501))).isEqualTo(new Reply(2, Outcome.OVERDRAWN, 500));
    assertThat(ask(new Withdraw("nobody", 1))).isEqualTo(new Reply(3, Outcome.OVERDRAWN, 0));
    assertThat(ask(new Withdraw("alice", 500))).isEqualTo(new Reply(4, Outcome.ACCEPTED, 0));
  }

  @Test
  void aTransferHappensOnBothSidesOrOnNone() throws SQLException {
    ask(new Deposit("alice", 500));
    assertThat(ask(new Transfer("alice", "bob", 501)).outcome()).isEqualTo(Outcome.OVERDRAWN);
    assertThat(ledger.balance("bob")).isZero();
    assertThat(ask(new Transfer("alice", "bob", 400))).isEqualTo(new Reply(3, Outcome.ACCEPTED, 100));
    assertThat(ledger.balance("bob")).isEqualTo(400);
  }

  @Test
  void noBalanceExceedsItsLimit() throws SQLException {
    long rounds = Ledger.BALANCE_MAX / Transaction.AMOUNT_MAX;
    for (long i = 0; i < rounds; i++) {
      assertThat(ask(new Deposit("alice", Transaction.AMOUNT_MAX)).outcome()).isEqualTo(Outcome.ACCEPTED);
    }
    assertThat(ask(new Deposit("alice", 1))).isEqualTo(new Reply(number, Outcome.TOO_LARGE, Ledger.BALANCE_MAX));
    ask(new Deposit("bob", 5));
    assertThat(ask(new Transfer("bob", "alice", 1))).isEqualTo(new Reply(number, Outcome.TOO_LARGE, 5));
  }

  @Test
  void aRetryGetsTheStoredReplyAndChangesNothing() throws SQLException {
    var deposit = new ClientRequest(CLIENT, 1, new Deposit("alice", 500));
    Reply first = ledger.apply(0, deposit);
    ledger.apply(1, new ClientRequest(CLIENT, 2, new Withdraw("alice", 100)));
    assertThat(ledger.apply(2, deposit)).isEqualTo(first);
    assertThat(ledger.balance("alice")).isEqualTo(400);
    assertThat(ledger.retries()).isEqualTo(1);
  }

  @Test
  void aRetryIsRecognisedAfterTheDatabaseWasOpenedAgain() throws SQLException {
    var deposit = new ClientRequest(CLIENT, 1, new Deposit("alice", 500));
    Reply first = ledger.apply(0, deposit);
    ledger.commit();
    ledger.close();
    ledger = Ledger.open(directory.resolve("a"));
    assertThat(ledger.next()).isEqualTo(1);
    assertThat(ledger.apply(1, deposit)).isEqualTo(first);
    assertThat(ledger.balance("alice")).isEqualTo(500);
  }

  @Test
  void aRequestWhosePredecessorIsMissingIsNotExecuted() throws SQLException {
    var second = new ClientRequest(CLIENT, 2, new Deposit("alice", 500));
    assertThat(ledger.apply(0, second).outcome()).isEqualTo(Outcome.OUT_OF_ORDER);
    assertThat(ledger.balance("alice")).isZero();
    ledger.apply(1, new ClientRequest(CLIENT, 1, new Deposit("bob", 1)));
    assertThat(ledger.apply(2, second)).isEqualTo(new Reply(2, Outcome.ACCEPTED, 500));
  }

  @Test
  void whatWasNotCommittedIsGoneAltogether() throws SQLException {
    ask(new Deposit("alice", 500));
    ledger.commit();
    ask(new Deposit("alice", 1));
    ledger.close();
    ledger = Ledger.open(directory.resolve("a"));
    assertThat(ledger.next()).isEqualTo(1);
    assertThat(ledger.balance("alice")).isEqualTo(500);
    number = 1;
    assertThat(ask(new Deposit("alice", 1))).isEqualTo(new Reply(2, Outcome.ACCEPTED, 501));
  }

  @Test
  void anEarlierLedgerIsSetSubsetForAnEmptyOne() throws SQLException, IOException {
    Path old = directory.resolve("a");
    ask(new Deposit("alice", 500));
    ledger.commit();
    ledger.close();
    ledger = Ledger.openEmpty(old);
    assertThat(ledger.next()).isZero();
    assertThat(ledger.balance("alice")).isZero();
    assertThat(old).isDirectoryContaining("glob:**/ledger.earlier");
  }

  @Test
  void aPositionIsAppliedOnce() throws SQLException {
    ask(new Deposit("alice", 500));
    assertThatThrownBy(() -> ledger.pass(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aSnapshotIsOfItsMomentHoweverLateItIsWritten() throws SQLException, IOException {
    Map<String, Long> then = mix(new Random(1), 3000);
    long position = ledger.next();
    try (Snapshot snapshot = ledger.snapshot()) {
      mix(new Random(2), 3000);
      ledger.commit();
      try (Ledger other = Ledger.open(directory.resolve("b"))) {
        other.apply(0, new ClientRequest(99, 1, new Deposit("stranger", 1)));
        other.commit();
        other.restore(new ByteArrayInputStream(bytes(snapshot)), position);
        assertThat(other.next()).isEqualTo(position);
        assertThat(other.balance("stranger")).isZero();
        for (var balance : then.entrySet()) {
          assertThat(other.balance(balance.getKey())).as(balance.getKey()).isEqualTo(balance.getValue());
        }
      }
    }
  }

  @Test
  void aRestoredLedgerGoesOnAsTheOriginal() throws SQLException, IOException {
    mix(new Random(1), 2000);
    try (Ledger other = Ledger.open(directory.resolve("b"))) {
      try (Snapshot snapshot = ledger.snapshot()) {
        other.restore(new ByteArrayInputStream(bytes(snapshot)), ledger.next());
      }
      var random = new Random(3);
      for (int i = 0; i < 2000; i++) {
        // Retries among them: the number is sometimes an old one.
        var request = new ClientRequest(CLIENT, Math.max(1, ++number - random.nextInt(3)), draw(random));
        long position = ledger.next();
        assertThat(other.apply(position, request)).isEqualTo(ledger.apply(position, request));
      }
      assertThat(contents(other)).isEqualTo(contents(ledger));
    }
  }

  @Test
  void aRestoreThatFailsLeavesTheLedgerAsItWas() throws SQLException, IOException {
    mix(new Random(1), 3000);
    byte[] state;
    try (Snapshot snapshot = ledger.snapshot()) {
      state = bytes(snapshot);
    }
    long position = ledger.next();
    try (Ledger other = Ledger.open(directory.resolve("b"))) {
      other.apply(0, new ClientRequest(99, 1, new Deposit("stranger", 1)));
      other.commit();
      byte[] before = contents(other);
      InputStream half = new ByteArrayInputStream(state, 0, state.length / 2);
      assertThatThrownBy(() -> other.restore(new SequenceInputStream(half, new Broken()), position))
          .isInstanceOf(IOException.class);
      assertThat(contents(other)).isEqualTo(before);
      assertThatThrownBy(() -> other.restore(new ByteArrayInputStream(state, 0, state.length / 2), position))
          .as("a state that ends early")
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> other.restore(new ByteArrayInputStream(state), position + 1))
          .as("a state of another position")
          .isInstanceOf(IllegalStateException.class);
      assertThat(contents(other)).isEqualTo(before);
      other.restore(new ByteArrayInputStream(state), position);
      assertThat(contents(other)).isEqualTo(state);
    }
  }

  private Reply ask(Transaction transaction) throws SQLException {
    return ledger.apply(ledger.next(), new ClientRequest(CLIENT, ++number, transaction));
  }

  /// Applies transactions at random and returns the balances that a map of them comes to.
  private Map<String, Long> mix(Random random, int count) throws SQLException {
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

  private static byte[] contents(Ledger ledger) throws SQLException, IOException {
    try (Snapshot snapshot = ledger.snapshot()) {
      return bytes(snapshot);
    }
  }

  private static byte[] bytes(Snapshot snapshot) throws SQLException, IOException {
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
