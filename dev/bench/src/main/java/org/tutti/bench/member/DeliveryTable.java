package org.tutti.bench.member;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/// A database of one process, on its host's disk, into which each delivery goes: a row, and a transaction, for each.
///
/// A commit is written to the file at once, so that it survives the process, and not forced to the disk.
final class DeliveryTable implements AutoCloseable {
  private static final String OPTIONS = ";DB_CLOSE_ON_EXIT=FALSE;TRACE_LEVEL_FILE=0;WRITE_DELAY=0";

  private final Scratch files;
  private final Connection connection;
  private final PreparedStatement insert;
  private long rows;

  private DeliveryTable(Scratch files) throws SQLException {
    this.files = files;
    this.connection = DriverManager.getConnection("jdbc:h2:file:" + files.path().resolve("deliveries") + OPTIONS);
    execute("CREATE TABLE delivery(number BIGINT PRIMARY KEY, payload VARBINARY NOT NULL)");
    this.insert = connection.prepareStatement("INSERT INTO delivery VALUES(?, ?)");
  }

  /// An empty one.
  ///
  /// @param parent where its directory is made
  static DeliveryTable open(Path parent) throws IOException {
    Scratch files = Scratch.within(parent);
    try {
      return new DeliveryTable(files);
    } catch (SQLException e) {
      files.close();
      throw new IOException("no database in " + parent, e);
    }
  }

  /// Writes a delivery.
  synchronized void insert(ByteBuffer payload) throws SQLException {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    insert.setLong(1, ++rows);
    insert.setBytes(2, bytes);
    insert.executeUpdate();
  }

  /// Forgets all deliveries.
  synchronized void clear() throws SQLException {
    execute("TRUNCATE TABLE delivery");
  }

  private void execute(String command) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(command);
    }
  }

  @Override
  public synchronized void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException("the database of deliveries does not close", e);
    } finally {
      files.close();
    }
  }
}
