package org.tutti.storage;

import org.jspecify.annotations.Nullable;

/// One group's part of a node's [StableStorage]: records by name, and a log of entries by successive indexes. Reading
/// sees what was written before, committed or not. What it keeps is opaque bytes, never changed by either side after
/// the call.
///
/// The log holds the entries from [#first] to before [#next]; an empty log begins where the next [#append] says.
public interface Region {
  /// Reads a record.
  ///
  /// @param name which one
  /// @return its bytes, or null when there is none
  /// @throws StorageException when it is damaged
  byte @Nullable [] record(String name);

  /// Writes a record in place of the one of this name.
  ///
  /// @param name  which one, of a few
  /// @param value its bytes
  void record(String name, byte[] value);

  /// Where the log begins.
  ///
  /// @return the index of its first entry; the same as [#next] when it is empty
  long first();

  /// Where the log ends.
  ///
  /// @return the index behind its last entry; 0 when there never was one
  long next();

  /// Appends to the log.
  ///
  /// @param index [#next]; any when the log is empty
  /// @param entry the bytes
  void append(long index, byte[] entry);

  /// Reads an entry.
  ///
  /// @param index from [#first] to before [#next]
  /// @return its bytes
  /// @throws StorageException when it is damaged
  byte[] read(long index);

  /// Drops the entries before an index.
  ///
  /// @param index at most [#next]; the log begins there from now on, unless it does so later already
  void dropBefore(long index);

  /// Drops the entries from an index on: they were not what the group agreed on.
  ///
  /// @param index at least [#first]; the log ends there from now on, unless it does so earlier already
  void truncate(long index);
}
