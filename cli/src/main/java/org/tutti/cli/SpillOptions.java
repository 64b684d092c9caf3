package org.tutti.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options of a member that writes to disk what is not taken from it in time.
final class SpillOptions {
  @Option(
      names = "--spill-to",
      paramLabel = "DIR",
      description = {
        "With --spill-max: when deliveries are not printed as fast as they come, write them to files in this directory,"
            + " and print them later, so that senders do not wait. Several members may share it; other users may not"
            + " use it. What is in it is lost in a crash."
      })
  @Nullable Path directory;

  @Option(
      names = "--spill-max",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "With --spill-to: how much that may be, 1M to 1T, such as 512M or 10G; beyond that senders wait.")
  @Nullable Long max;

  /// How many bytes may be spilled; 0 for none.
  ///
  /// @throws IllegalArgumentException when the options do not go together
  long bytesMax() {
    if ((directory == null) != (max == null)) {
      throw new IllegalArgumentException("--spill-to and --spill-max go together");
    }
    return max == null ? 0 : max;
  }
}
