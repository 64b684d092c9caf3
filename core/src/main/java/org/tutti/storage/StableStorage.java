package org.tutti.storage;

import java.util.List;
import org.tutti.Metric;

/// One node's stable storage (Lampson and Sturgis, "Crash recovery in a distributed data storage system", 1979): a few
/// records and one log for each of its groups, changed by atomic commits.
///
/// The contract. (1) *Atomic:* what was written since the last commit, in all regions, is kept as a whole or not at
/// all. (2) *In order:* what is found after a crash is what some commit left, and no earlier one than the last that was
/// forced. (3) *Written:* a commit that is not forced has been handed to the operating system, so that it survives the
/// end of the process, however sudden; only a power failure may undo it. (4) *Forced:* a forced commit returns when it,
/// and all before it, survive a power failure too (group commit: one force for all groups of the node). (5) *One
/// process:* a storage that is open cannot be opened again, in this process or another one. (6) *Whole or refused:*
/// what is damaged is refused when it is opened, or read, with a [StorageException] that says so; it is never taken for
/// empty.
///
/// A node uses its storage on its engine thread only, but for [#metrics], and closes it when it ends. Whatever is
/// thrown stops the node.
public interface StableStorage extends AutoCloseable {
  /// The part that belongs to one group; empty when the group was never here.
  ///
  /// @param group the group's name
  /// @return always the same for one name
  /// @throws StorageException when what is there is damaged
  Region region(String group);

  /// Keeps what was written, removed and cut off in all regions since the last commit.
  ///
  /// @param force whether to wait until it survives a power failure
  /// @throws StorageException when that failed; nothing is promised then, and the storage must not be used any more
  void commit(boolean force);

  /// What the storage tells about itself, among the metrics of its node. May be called by any thread, also after
  /// [#close].
  ///
  /// @return by default none
  default List<Metric> metrics() {
    return List.of();
  }

  /// Releases the storage. What was not committed is dropped. Idempotent.
  @Override
  void close();
}
