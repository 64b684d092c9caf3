package org.tutti.examples.accounts;

import java.io.IOError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// The service: one replica's accounts, in an SQL database of its own.
///
/// It is deterministic: what [#apply] does depends on the database and the command only, so replicas that execute the
/// same commands hold the same balances. Each command leaves a row in the journal; the database refuses a second one of
/// the same client and number.
///
/// What a replica must not lose is in the group, and on its disk if the replica has a directory: snapshots, and the
/// log behind them. The database is made of these at each start, so its commits wait for nothing: there is one per
/// thousand commands, and one for each snapshot.
///
/// For one thread, as every state machine.
public final class Ledger implements StateMachine, AutoCloseable {
  /// No balance exceeds this, in cents.
  public static final long BALANCE_MAX = 1_000_000_000_000_000L;

  private static final int COMMIT_EVERY = 1000;
  private static final String[] TABLES = {
    "CREATE TABLE account(name VARCHAR PRIMARY KEY, balance BIGINT NOT NULL)",
    """
    CREATE TABLE journal(position BIGINT PRIMARY KEY, client BIGINT NOT NULL, number BIGINT NOT NULL,
      entry VARCHAR NOT NULL, outcome BIGINT NOT NULL, balance BIGINT NOT NULL, UNIQUE(client, number))
    """
  };

  private final String url;
  private final Connection database;
  private final PreparedStatement selectBalance;
  private final PreparedStatement mergeBalance;
  private final PreparedStatement insertEntry;
  private int uncommitted;

  private Ledger(String url) throws SQLException {
    this.url = url;
    database = DriverManager.getConnection(url);
    database.setAutoCommit(false);
    try (Statement statement = database.createStatement()) {
      for (String table : TABLES) {
        statement.execute(table);
      }
    }
    database.commit();
    selectBalance = database.prepareStatement("SELECT balance FROM account WHERE name = ?");
    mergeBalance = database.prepareStatement("MERGE INTO account VALUES(?, ?)");
    insertEntry = database.prepareStatement("INSERT INTO journal VALUES(?, ?, ?, ?, ?, ?)");
  }

  /// Opens an empty database in a directory; its content comes from a snapshot, from the log and from the group.
  ///
  /// What an earlier life left there is set aside under another name, for whoever wants to look at it.
  ///
  /// @param directory where its files are; no two processes may open the same
  /// @return an empty ledger
  /// @throws IOException  when the old file cannot be moved
  /// @throws SQLException when the database cannot be opened
  public static Ledger open(Path directory) throws IOException, SQLException {
    Path file = directory.resolve("ledger.mv.db");
    if (Files.exists(file)) {
      Files.move(file, file.resolveSibling("ledger.earlier"), StandardCopyOption.REPLACE_EXISTING);
    }
    return new Ledger(url(directory));
  }

  /// Each commit is written to the file at once, so that the file is whole when the process ends.
  static String url(Path directory) {
    return "jdbc:h2:file:"
        + directory.toAbsolutePath().resolve("ledger")
        + ";DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0;WRITE_DELAY=0";
  }

  @Override
  public ByteBuffer apply(Command command) {
    ClientRequest request = ClientRequest.decode(command.payload()); // what is none is refused, at all replicas alike
    try {
      Reply reply = execute(request);
      update(
          insertEntry,
          command.position(),
          request.client(),
          request.number(),
          request.transaction().toLine(),
          (long) reply.outcome().ordinal(),
          reply.balance());
      if (++uncommitted >= COMMIT_EVERY) {
        commit();
      }
      return reply.encode();
    } catch (SQLException e) {
      throw new IOError(e); // a replica that cannot execute must stop
    }
  }

  /// Tells the balance of an account, whose name is the request.
  @Override
  public ByteBuffer query(ByteBuffer request) {
    try {
      return ByteBuffer.allocate(Long.BYTES).putLong(0, balance(StandardCharsets.UTF_8.decode(request).toString()));
    } catch (SQLException e) {
      throw new IOError(e);
    }
  }

  private Reply execute(ClientRequest request) throws SQLException {
    return switch (request.transaction()) {
      case Deposit(String account, long amount) -> {
        long balance = balance(account);
        yield balance > BALANCE_MAX - amount
            ? new Reply(Outcome.TOO_LARGE, balance)
            : accept(request, account, balance + amount);
      }
      case Withdraw(String account, long amount) -> {
        long balance = balance(account);
        yield balance < amount ? new Reply(Outcome.OVERDRAWN, balance) : accept(request, account, balance - amount);
      }
      case Transfer(String from, String to, long amount) -> {
        long payer = balance(from);
        long payee = balance(to);
        if (payer < amount) {
          yield new Reply(Outcome.OVERDRAWN, payer);
        }
        if (payee > BALANCE_MAX - amount) {
          yield new Reply(Outcome.TOO_LARGE, payer);
        }
        update(mergeBalance, to, payee + amount);
        yield accept(request, from, payer - amount);
      }
    };
  }

  private Reply accept(ClientRequest request, String account, long balance) throws SQLException {
    update(mergeBalance, account, balance);
    return new Reply(Outcome.ACCEPTED, balance);
  }

  private void commit() throws SQLException {
    uncommitted = 0;
    database.commit();
  }

  /// An account's balance.
  ///
  /// @param account its name
  /// @return the balance in cents, 0 for an account that does not exist
  /// @throws SQLException when the database fails
  public long balance(String account) throws SQLException {
    return number(selectBalance, account);
  }

  @Override
  public Snapshot snapshot() {
    try {
      commit();
      FrozenLedger frozen = FrozenLedger.of(url);
      return out -> {
        try (frozen) {
          frozen.writeTo(out);
        } catch (SQLException e) {
          throw new IOError(e);
        }
      };
    } catch (SQLException e) {
      throw new IOError(e);
    }
  }

  /// Replaces everything in one SQL transaction: all of it or, when reading fails, nothing.
  @Override
  public void restore(InputStream in) throws IOException {
    try {
      try {
        commit();
        FrozenLedger.read(in, database);
        commit();
      } catch (IOException | RuntimeException e) {
        database.rollback();
        throw e;
      }
    } catch (SQLException e) {
      throw new IOError(e);
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
    commit();
    database.close();
  }
}
