package org.tutti.replica.protocol;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.tutti.replica.StateMachine;

/// When a replica writes a snapshot to its disk, and where the group's log may be cut off then.
///
/// A snapshot is due when the log has grown by so many bytes since the last one, and by as many as that one is long: so
/// what is written for snapshots is at most what is written for commands, or a snapshot each so many bytes. After a
/// state that another replica gave one is due at once, as the log begins there; until it is kept, the replica must not
/// count as one that has the state, which would be lost with it. The log is kept from the snapshot before the newest
/// on, in case that the newest is damaged. One thread at a time.
public final class SnapshotSchedule {
  /// What a replica whose state survives the end of all processes asks of its disk.
  public interface Disk {
    /// Writes a snapshot ([SnapshotStore#write]), on a thread of its own; [SnapshotSchedule#kept] or
    /// [SnapshotSchedule#notKept] tells when that is over. Never called while one is being written.
    ///
    /// @param position of the first message that it does not contain
    /// @param picture  the snapshot
    void write(long position, StateMachine.Snapshot picture);

    /// The group's log is not needed before a position ([org.tutti.Group#persisted]).
    ///
    /// @param position of the first message that is needed
    void persisted(long position);
  }

  private static final int LOGGED_BYTES = 32; // of a message in the log, besides its own

  private final Disk disk;
  private final long every; // bytes of the log
  private long logBytes; // since the last snapshot was begun
  private long lastBytes; // of the last one
  private long lastNext = -1; // position of the last one
  private boolean atOnce;
  private boolean writing;
  private boolean writingRestored; // what was restored last
  private CompletableFuture<Void> restored = CompletableFuture.completedFuture(null); // once it is kept
  private long written;
  private long failed;

  /// A schedule that begins.
  ///
  /// @param disk  writes snapshots
  /// @param every by how much the log grows at least from one snapshot to the next, in bytes
  public SnapshotSchedule(Disk disk, long every) {
    this.disk = disk;
    this.every = every;
  }

  /// An earlier life has left one.
  void found(SnapshotStore.Intact snapshot) {
    lastNext = snapshot.position();
    lastBytes = snapshot.bytes();
  }

  void delivered(int bytes) {
    logBytes += bytes + LOGGED_BYTES;
  }

  void restored() {
    atOnce = true;
    writingRestored = false;
    restored = new CompletableFuture<>();
  }

  /// Tells when the state that was restored last is on the disk.
  CompletableFuture<Void> restoredIsKept() {
    return restored;
  }

  boolean isDue() {
    return !writing && (atOnce || logBytes >= Math.max(every, lastBytes));
  }

  void write(long position, StateMachine.Snapshot picture) {
    writing = true;
    writingRestored = atOnce;
    atOnce = false;
    logBytes = 0;
    disk.write(position, picture);
  }

  /// A snapshot is on the disk. The log may be cut off before the last one.
  ///
  /// @param position of the first message that it does not contain
  /// @param bytes    how long it is
  public void kept(long position, long bytes) {
    writing = false;
    written++;
    if (lastNext >= 0) {
      disk.persisted(lastNext);
    }
    lastNext = position;
    lastBytes = bytes;
    if (writingRestored) {
      writingRestored = false;
      restored.complete(null);
    }
  }

  /// A snapshot could not be written. The next one is due when the log has grown as much again.
  ///
  /// @param why what the disk says
  public void notKept(IOException why) {
    writing = false;
    failed++;
    if (writingRestored) {
      writingRestored = false;
      restored.completeExceptionally(why);
    }
  }

  /// How many snapshots were written.
  ///
  /// @return a count since the start
  public long written() {
    return written;
  }

  /// How many snapshots could not be written.
  ///
  /// @return a count since the start
  public long failed() {
    return failed;
  }
}
