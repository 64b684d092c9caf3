package org.tutti.bench.trial;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.tutti.lab.network.LineNetwork;

/// How lines of limited rate are measured.
///
/// @param lines     what each line of a host carries; several are measured one after the other
/// @param members   sizes of groups, one host for each member
/// @param senders   who sends
/// @param stacks    what is compared
/// @param bytes     the length of messages
/// @param warmUp    how long a flood runs before it is measured
/// @param time      how long it is measured
/// @param rounds    how often each of them is measured
/// @param flags     of all JVMs
/// @param optimized what their second compiler may compile
/// @param busy      how many threads use processors and do nothing while it is measured
/// @param stream    whether a TCP stream from the last host, the third or a later one, competes for the second's line
/// @param settings  for Tutti's members, besides those of its stack, `name=value`
/// @param record    whether each JVM keeps a flight recording of what its threads do
/// @param out       where results and logs go
/// @param others    beyond this part of the machine used by others a round does not count
/// @param steal     beyond this part of the machine stolen by the host a round does not count
public record LineOptions(
    List<LineNetwork.Line> lines,
    List<Integer> members,
    List<Senders> senders,
    List<LineStack> stacks,
    int bytes,
    Duration warmUp,
    Duration time,
    int rounds,
    List<String> flags,
    Optimized optimized,
    int busy,
    boolean stream,
    List<String> settings,
    boolean record,
    Path out,
    double others,
    double steal) {
  private static final int BYTES_MAX = 1 << 20;
  private static final int BUSY_MAX = 64;

  /// Who sends.
  public enum Senders {
    /// The first member, which is the sequencer.
    ONE,

    /// Every member.
    ALL;

    int of(int members) {
      return this == ONE ? 1 : members;
    }

    /// What a host delivers at most, over what its line carries: what others send must come in, and own messages
    /// are there. With one sender its line must carry each message once; if all send, all lines are full in both
    /// directions.
    double optimum(int members) {
      return this == ONE ? 1 : members / (members - 1.0);
    }
  }

  /// What the second compiler of the JVMs, C2, may compile. The compilers of many JVMs would take the processors for as
  /// long as a flood is measured; but ciphers are six times as slow without it, as they never are for users.
  public enum Optimized {
    /// Nothing: the first compiler, C1, compiles all.
    NONE,

    /// Ciphers, and C1 everything else.
    CIPHERS,

    /// What it wants to.
    ALL;

    private static final String DIRECTIVES =
        """
        [
          { match: ["com/sun/crypto/provider/*.*", "sun/security/util/math/*.*", "sun/security/util/math/intpoly/*.*"],
            c2: { Log: false } },
          { match: ["*.*"], c2: { Exclude: true } }
        ]
        """;

    /// The flags of a JVM that compiles so.
    ///
    /// @param directory gets the file that some of them name
    List<String> flags(Path directory) throws IOException {
      return switch (this) {
        case NONE -> List.of("-XX:TieredStopAtLevel=1");
        case CIPHERS -> {
          Path file = directory.resolve("compiler.json");
          Files.writeString(file, DIRECTIVES);
          // A JVM says that it has read such a file, and its standard output is for answers.
          yield List.of(
              "-XX:+UnlockDiagnosticVMOptions",
              "-XX:+DisplayVMOutputToStderr",
              "-XX:CompilerDirectivesFile=" + file.toAbsolutePath());
        }
        case ALL -> List.of();
      };
    }
  }

  /// Checks the ranges.
  public LineOptions {
    lines = List.copyOf(lines);
    members = List.copyOf(members);
    senders = List.copyOf(senders);
    stacks = List.copyOf(stacks);
    flags = List.copyOf(flags);
    settings = List.copyOf(settings);
    require(
        !lines.isEmpty() && !members.isEmpty() && !senders.isEmpty() && !stacks.isEmpty(),
        "there is nothing to measure");
    for (int size : members) {
      require(
          size >= 2 && size <= LineNetwork.HOSTS_MAX,
          "groups have 2 to " + LineNetwork.HOSTS_MAX + " members, not " + size);
    }
    require(bytes >= 4 && bytes <= BYTES_MAX, "messages have 4 to " + BYTES_MAX + " bytes, not " + bytes);
    require(warmUp.isPositive() && time.isPositive(), "times are positive");
    require(rounds >= 1, "at least one round, not " + rounds);
    require(
        !stream || Collections.min(members) > 2,
        "a stream needs groups of three or more members: it comes from the last one's host");
    require(busy >= 0 && busy <= BUSY_MAX, "0 to " + BUSY_MAX + " busy loops, not " + busy);
  }

  Machine.Limits limits() {
    return new Machine.Limits(others, steal);
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
