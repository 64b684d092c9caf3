package org.tutti.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.store.FileStorage;
import picocli.CommandLine.Option;

/// The options of a member that keeps on disk what it must not forget.
final class DurabilityOptions {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = {
        "Store the promises and acknowledged messages of this member in this directory, for it alone. Restarted with "
            + "it, even after all members have died, it continues the group's history and does not found it again, "
            + "also with --create. Needs --name. To start from nothing, delete the directory."
      })
  @Nullable Path data;

  @Option(
      names = "--fsync",
      paramLabel = "POLICY",
      converter = FsyncConverter.class,
      completionCandidates = FsyncConverter.class,
      description = {
        "With --data: what is forced to disk before it is acknowledged. each: views and messages; survives a power "
            + "failure of all hosts. views: views; messages survive the end of all processes only. Default: each."
      })
  @Nullable Durability fsync;

  /// What is kept.
  ///
  /// @throws IllegalArgumentException when the options do not go together
  Durability durability(boolean named) {
    if (data == null) {
      if (fsync != null) {
        throw new IllegalArgumentException("--fsync is about --data");
      }
      return Durability.NONE;
    }
    if (!named) {
      throw new IllegalArgumentException("--data needs --name: what is kept belongs to the member of that name");
    }
    return fsync == null ? Durability.EACH : fsync;
  }

  /// Opens what is kept; null when nothing is.
  @Nullable FileStorage open() {
    return data == null ? null : FileStorage.open(data);
  }
}
