package org.tutti.examples.accounts;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.tutti.examples.accounts.Reply.Outcome;
import org.tutti.examples.accounts.Transaction.Deposit;
import org.tutti.examples.accounts.Transaction.Transfer;
import org.tutti.examples.accounts.Transaction.Withdraw;

/// One replica's accounts, in an SQL database of its own.
///
/// It is a deterministic state machine: what [#apply] does depends on the database and the request only, so replicas
/// that apply the same requests at the same positions hold the same balances. Balances, journal, each client's last
/// number and the position reached change in **one** SQL transaction, which ends with [#commit]; therefore a request is
/// executed exactly once however often it is delivered: a number that is not new gets the reply in the journal.
///
/// A commit reaches the disk some time later, or with [#force]. Until then it is the group that keeps what was done: a
/// replica that starts again gets it from a living one, or from the group's log.
///
/// For one thread, except [#next] and [#retries], which any thread may ask.
public final class Ledger implements AutoCloseable {
  /// No balance exceeds this, in cents.
  public static final long BALANCE_MAX = 1_000_000_000_000_000L;

  private static final String[] TABLES = {
    "CREATE TABLE IF NOT EXISTS account(name VARCHAR PRIMARY KEY, balance BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS client(id BIGINT PRIMARY KEY, last BIGINT NOT NULL)",
    """
    CREATE TABLE IF NOT EXISTS journal(position BIGINT PRIMARY KEY, client BIGINT NOT NULL, number BIGINT NOT NULL,
      entry VARCHAR NOT NULL, outcome BIGINT NOT NULL, balance BIGINT NOT NULL, UNIQUE(client, number))
    """,
    "CREATE TABLE IF NOT EXISTS progress(next BIGINT NOT NULL)"
  };

  private final String url;
  private final Connection database;
  private final PreparedStatement selectBalance;
  private final PreparedStatement mergeBalance;
  private final PreparedStatement selectLast;
  private final PreparedStatement mergeLast;
  private final PreparedStatement selectReply;
  private final PreparedStatement insertEntry;
  private final PreparedStatement selectNext;
  private final PreparedStatement updateNext;
  private volatile long next; // every position below it is applied
  private volatile long retries;

  private Ledger(String url) throws SQLException {
    this.url = url;
    database = DriverManager.getConnection(url);
    database.setAutoCommit(false);
    try (Statement statement = database.createStatement()) {
      for (String table : TABLES) {
        statement.execute(table);
      }
      statement.execute("INSERT INTO progress SELECT 0 WHERE NOT EXISTS(SELECT * FROM progress)");
    }
    database.commit();
    selectBalance = database.prepareStatement("SELECT balance FROM account WHERE name = ?");
    mergeBalance = database.prepareStatement("MERGE INTO account VALUES(?, ?)");
    selectLast = database.prepareStatement("SELECT last FROM client WHERE id = ?");
    mergeLast = database.prepareStatement("MERGE INTO client VALUES(?, ?)");
    selectReply = database.prepareStatement("SELECT outcome, balance FROM journal WHERE client = ? AND number = ?");
    insertEntry = database.prepareStatement("INSERT INTO journal VALUES(?, ?, ?, ?, ?, ?)");
    selectNext = database.prepareStatement("SELECT next FROM progress");
    updateNext = database.prepareStatement("UPDATE progress SET next = ?");
    next = number(selectNext);
  }

  /// Opens the database in a directory; makes an empty one when there is none.
  ///
  /// @param directory where its files are; no two processes may open the same
  /// @return the ledger, as it was committed last
  /// @throws SQLException when the database cannot be opened
  public static Ledger open(Path directory) throws SQLException {
    return new Ledger(url(directory));
  }

  /// Opens an empty database in a directory, for a replica that will get its content from the group.
  ///
  /// What an earlier life left there is set aside under another name. It is of no use to the group, but it is the last
  /// copy if the group is lost too.
  ///
  /// @param directory where its files are; no two processes may open the same
  /// @return an empty ledger
  /// @throws IOException  when the old file cannot be moved
  /// @throws SQLException when the database cannot be opened
  public static Ledger openEmpty(Path directory) throws IOException, SQLException {
    if (exists(directory)) {
      Files.move(
          file(directory), file(directory).resolveSibling("ledger.earlier"), StandardCopyOption.REPLACE_EXISTING);
    }
    return open(directory);
  }

  /// Whether there is a database in a directory.
  ///
  /// @param directory the directory
  /// @return whether [#open] would find something
  public static boolean exists(Path directory) {
    return Files.exists(file(directory));
  }

  private static Path file(Path directory) {
    return directory.resolve("ledger.mv.db");
  }

  /// Each commit is written to the file at once. Else a thread of H2 writes now and then, in the middle of transactions
  /// too, and what a kill then leaves is not always mended at the next start: `docs/decisions/0005-h2.md`.
  static String url(Path directory) {
    return "jdbc:h2:file:"
        + directory.toAbsolutePath().resolve("ledger")
        + ";DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0;WRITE_DELAY=0";
  }

  /// The first position that is not applied.
  ///
  /// @return 0 for an empty ledger
  public long next() {
    return next;
  }

  /// How many requests were delivered again after they had been executed.
  ///
  /// @return a count since the start of this process
  public long retries() {
    return retries;
  }

  /// Executes a request, unless that was done before.
  ///
  /// @param position the position of its delivery, [#next] or higher
  /// @param request  the request
  /// @return the reply; to be sent after [#commit] only
  /// @throws SQLException when the database fails: this replica must stop
  public Reply apply(long position, ClientRequest request) throws SQLException {
    pass(position);
    long last = number(selectLast, request.client());
    if (request.number() <= last) {
      retries++;
      return journalled(request);
    }
    if (request.number() != last + 1) {
      return new Reply(request.number(), Outcome.OUT_OF_ORDER, 0);
    }
    Reply reply = execute(request);
    update(mergeLast, request.client(), request.number());
    update(
        insertEntry,
        position,
        request.client(),
        request.number(),
        request.transaction().toLine(),
        (long) reply.outcome().ordinal(),
        reply.balance());
    return reply;
  }

  /// Goes past a delivery that is not a request.
  ///
  /// @param position the position of the delivery, [#next] or higher
  public void pass(long position) {
    if (position < next) {
      throw new IllegalStateException("position " + position + " delivered again, expected " + next);
    }
    next = position + 1;
  }

  private Reply execute(ClientRequest request) throws SQLException {
    return switch (request.transaction()) {
      case Deposit(String account, long amount) -> {
        long balance = balance(account);
        yield balance > BALANCE_MAX - amount
            ? new Reply(request.number(), Outcome.TOO_LARGE, balance)
            : accept(request, account, balance + amount);
      }
      case Withdraw(String account, long amount) -> {
        long balance = balance(account);
        yield balance < amount
            ? new Reply(request.number(), Outcome.OVERDRAWN, balance)
            : accept(request, account, balance - amount);
      }
      case Transfer(String from, String to, long amount) -> {
        long payer = balance(from);
        long payee = balance(to);
        if (payer < amount) {
          yield new Reply(request.number(), Outcome.OVERDRAWN, payer);
        }
        if (payee > BALANCE_MAX - amount) {
          yield new Reply(request.number(), Outcome.TOO_LARGE, payer);
        }
        update(mergeBalance, to, payee + amount);
        yield accept(request, from, payer - amount);
      }
    };
  }

  private Reply accept(ClientRequest request, String account, long balance) throws SQLException {
    update(mergeBalance, account, balance);
    return new Reply(request.number(), Outcome.ACCEPTED, balance);
  }

  private Reply journalled(ClientRequest request) throws SQLException {
    set(selectReply, request.client(), request.number());
    try (ResultSet row = selectReply.executeQuery()) {
      if (!row.next()) {
        throw new IllegalStateException("no reply in the journal for " + request);
      }
      return new Reply(request.number(), Outcome.of(row.getInt(1)), row.getLong(2));
    }
  }

  /// Makes everything since the last commit durable, and [#next] with it.
  ///
  /// @throws SQLException when the database fails: this replica must stop
  public void commit() throws SQLException {
    update(updateNext, next);
    database.commit();
  }

  /// Forces what was committed to the disk, where it outlives this process and a power failure.
  ///
  /// @throws SQLException when the database fails: this replica must stop
  public void force() throws SQLException {
    try (Statement statement = database.createStatement()) {
      statement.execute("CHECKPOINT SYNC");
    }
  }

  /// An account's balance.
  ///
  /// @param account its name
  /// @return the balance in cents, 0 for an account that does not exist
  /// @throws SQLException when the database fails
  public long balance(String account) throws SQLException {
    return number(selectBalance, account);
  }

  /// Freezes the ledger as it is now, between two commits; it can go on changing meanwhile.
  ///
  /// @return the frozen ledger, which any one thread may write out; close it
  /// @throws SQLException when the database fails
  public Snapshot snapshot() throws SQLException {
    commit();
    return Snapshot.of(url);
  }

  /// Replaces everything by a snapshot, in one SQL transaction: all of it or, when reading fails, nothing.
  ///
  /// @param source   what [Snapshot#writeTo] wrote
  /// @param position the position that the snapshot must have reached
  /// @throws IOException  when reading fails; the ledger is as it was before
  /// @throws SQLException when the database fails: this replica must stop
  public void restore(InputStream source, long position) throws IOException, SQLException {
    try {
      Snapshot.read(source, database);
      long reached = number(selectNext);
      if (reached != position) {
        throw new IllegalStateException("the state offered for position " + position + " is of " + reached);
      }
      database.commit();
      next = position;
    } catch (IOException | RuntimeException e) {
      database.rollback();
      throw e;
    }
  }

  private static long number(PreparedStatement select, Object... key) throws SQLException {
    set(select, key);
    try (ResultSet row = select.executeQuery()) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  private static void update(PreparedStatement statement, Object... values) throws SQLException {
    set(statement, values);
    statement.executeUpdate();
  }

  private static void set(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
  }

  @Override
  public void close() throws SQLException {
    database.close();
  }
}
