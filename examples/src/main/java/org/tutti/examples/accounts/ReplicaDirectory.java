package org.tutti.examples.accounts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.Group;
import org.tutti.MemberConfig;
import org.tutti.storage.StableStorage;
import org.tutti.store.FileStorage;

/// What a replica keeps in its directory: the ledger's database, and beside it, in `group`, what the group needs to
/// survive the end of all replicas.
///
/// The two need not be in step. The ledger says which position it has reached, in the same SQL transaction as what it
/// did there; a replica that is started again names that position, and gets what follows from the group's log. So a
/// commit of the ledger need not reach the disk before a client is answered: it is enough that it is there some time,
/// and that the log goes back to it. Once a second the database is forced to the disk and the group is told so.
final class ReplicaDirectory implements AutoCloseable {
  private static final Duration FORCE_EVERY = Duration.ofSeconds(1);
  private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

  private final Durability durability;
  private final @Nullable StableStorage storage;
  private final Ledger ledger;
  private long forcedNanos = System.nanoTime();
  private long forced; // the position that is on disk for sure

  private ReplicaDirectory(Durability durability, @Nullable StableStorage storage, Ledger ledger) {
    this.durability = durability;
    this.storage = storage;
    this.ledger = ledger;
    forced = ledger.next();
  }

  /// A ledger that nothing is kept of but the database.
  static ReplicaDirectory of(Ledger ledger) {
    return new ReplicaDirectory(Durability.NONE, null, ledger);
  }

  /// Opens what is in a directory. With nothing durable the ledger begins empty, since the group will give the state.
  ///
  /// @param creator whether the replica is to found the group
  static ReplicaDirectory open(Path directory, Durability durability, boolean creator)
      throws IOException, SQLException {
    // The ledger is not for every user of the host.
    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    if (durability != Durability.NONE) {
      StableStorage storage = FileStorage.open(directory.resolve("group"));
      try {
        return new ReplicaDirectory(durability, storage, Ledger.open(directory));
      } catch (SQLException | RuntimeException e) {
        storage.close();
        throw e;
      }
    }
    if (creator && Ledger.exists(directory)) {
      throw new IllegalStateException(directory + " holds a ledger; a new group starts with an empty one");
    }
    return of(Ledger.openEmpty(directory));
  }

  Ledger ledger() {
    return ledger;
  }

  @Nullable StableStorage storage() {
    return storage;
  }

  boolean isDurable() {
    return durability != Durability.NONE;
  }

  Durability durability() {
    return durability;
  }

  /// How to take part: from where the ledger stands.
  MemberConfig member() {
    return isDurable() ? MemberConfig.builder().position(ledger.next()).build() : MemberConfig.standard();
  }

  /// The ledger was committed: now and then it is forced.
  void committed(Group group) throws SQLException {
    if (isDurable() && ledger.next() > forced && System.nanoTime() - forcedNanos > FORCE_EVERY.toNanos()) {
      force(group);
    }
  }

  /// Forces the ledger to the disk and says so.
  void force(Group group) throws SQLException {
    if (isDurable()) {
      ledger.force();
      forcedNanos = System.nanoTime();
      forced = ledger.next();
      group.persisted(forced);
    }
  }

  @Override
  public void close() throws SQLException {
    try {
      ledger.close();
    } finally {
      if (storage != null) {
        storage.close(); // in case that no node took it
      }
    }
  }
}
