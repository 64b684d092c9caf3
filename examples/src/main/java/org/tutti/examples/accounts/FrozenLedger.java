package org.tutti.examples.accounts;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// A ledger frozen at one position, and its form as a stream of bytes: what a newcomer starts from.
///
/// It is a second connection to the database in a transaction of isolation level SNAPSHOT: it goes on seeing what was
/// committed when it began, while deliveries change the database. Rows are streamed, so no size is too large.
final class FrozenLedger implements AutoCloseable {
  /// A table as it is streamed: one character per column, `n` for a number and `s` for a text.
  private record Table(String name, String columns) {}

  private static final Table[] TABLES = {new Table("account", "sn"), new Table("journal", "nnnsnn")};
  private static final int ROWS_AT_ONCE = 1000;
  private static final int BUFFER_BYTES = 1 << 16;

  private final Connection database;

  private FrozenLedger(Connection database) {
    this.database = database;
  }

  static FrozenLedger of(String url) throws SQLException {
    Connection database = DriverManager.getConnection(url);
    database.setAutoCommit(false);
    try (Statement statement = database.createStatement()) {
      statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT");
      statement.execute("SET LAZY_QUERY_EXECUTION 1"); // rows are fetched as they are asked for, not all at once
      statement.executeQuery("SELECT COUNT(*) FROM account").close(); // the first look is the moment that is frozen
    }
    return new FrozenLedger(database);
  }

  /// Writes the frozen ledger.
  ///
  /// @param sink takes it; flushed, not closed
  /// @throws IOException  when the sink fails
  /// @throws SQLException when the database fails
  public void writeTo(OutputStream sink) throws IOException, SQLException {
    var out = new DataOutputStream(new BufferedOutputStream(sink, BUFFER_BYTES));
    for (Table table : TABLES) {
      try (Statement statement = database.createStatement();
          ResultSet rows = statement.executeQuery("SELECT * FROM " + table.name())) {
        while (rows.next()) {
          out.writeBoolean(true);
          writeRow(rows, table.columns(), out);
        }
      }
      out.writeBoolean(false);
    }
    out.flush();
  }

  private static void writeRow(ResultSet row, String columns, DataOutputStream out) throws IOException, SQLException {
    for (int i = 0; i < columns.length(); i++) {
      if (columns.charAt(i) == 'n') {
        out.writeLong(row.getLong(i + 1));
      } else {
        out.writeUTF(row.getString(i + 1));
      }
    }
  }

  /// Replaces all rows of a database, without committing.
  static void read(InputStream source, Connection database) throws IOException, SQLException {
    var in = new DataInputStream(new BufferedInputStream(source, BUFFER_BYTES));
    try {
      for (Table table : TABLES) {
        try (Statement statement = database.createStatement()) {
          statement.executeUpdate("DELETE FROM " + table.name()); // TRUNCATE would commit
        }
        String marks = "?, ".repeat(table.columns().length() - 1) + "?";
        try (PreparedStatement insert =
            database.prepareStatement("INSERT INTO " + table.name() + " VALUES(" + marks + ")")) {
          readRows(in, table.columns(), insert);
        }
      }
    } catch (EOFException e) {
      throw new IOException("the state ends early", e);
    }
  }

  private static void readRows(DataInputStream in, String columns, PreparedStatement insert)
      throws IOException, SQLException {
    int pending = 0;
    while (in.readBoolean()) {
      for (int i = 0; i < columns.length(); i++) {
        if (columns.charAt(i) == 'n') {
          insert.setLong(i + 1, in.readLong());
        } else {
          insert.setString(i + 1, in.readUTF());
        }
      }
      insert.addBatch();
      if (++pending == ROWS_AT_ONCE) {
        insert.executeBatch();
        pending = 0;
      }
    }
    insert.executeBatch();
  }

  @Override
  public void close() throws SQLException {
    database.close();
  }
}
