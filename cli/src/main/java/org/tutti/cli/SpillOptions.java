package org.tutti.cli;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberConfig;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The options of a member from which deliveries are not taken in time: it may write them to disk, and leave.
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

  @Option(
      names = "--leave-when-behind",
      paramLabel = "TIME",
      converter = BehindConverter.class,
      description = {
        "Leave the group, and end with exit code 1, when deliveries are printed so much later than they come, so that"
            + " senders do not wait; 10ms to 1440m, and well above the longest pause.",
        "What is spilled counts as printed. Not while most of the other members are behind, too. Default: never."
      })
  Duration leaveWhenBehind = Duration.ZERO;

  /// What a member decides for itself of this.
  ///
  /// @throws IllegalArgumentException when the options do not go together
  MemberConfig.Builder member() {
    return MemberConfig.builder().spillBytesMax(bytesMax()).leaveWhenBehind(leaveWhenBehind);
  }

  /// How many bytes may be spilled; 0 for none.
  ///
  /// @throws IllegalArgumentException when the options do not go together
  private long bytesMax() {
    if ((directory == null) != (max == null)) {
      throw new IllegalArgumentException("--spill-to and --spill-max go together");
    }
    return max == null ? 0 : max;
  }

  /// Reads how far behind an application may be.
  static final class BehindConverter implements ITypeConverter<Duration> {
    private static final Duration MIN = Duration.ofMillis(10);
    private static final Duration MAX = Duration.ofDays(1);

    @Override
    public Duration convert(String text) {
      Duration time = new TimeConverter().convert(text);
      if (!time.isZero() && (time.compareTo(MIN) < 0 || time.compareTo(MAX) > 0)) {
        throw new TypeConversionException("'" + text + "' is not from 10ms to 1440m, nor 0s for never");
      }
      return time;
    }
  }
}
