package org.tutti.bench.trial;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tutti.lab.network.LineNetwork;

/// How lines of limited rate are measured.
///
/// @param lines    what each line of a host carries; several are measured one after the other
/// @param members  sizes of groups, one host for each member
/// @param senders  who sends
/// @param stacks   what is compared
/// @param bytes    the length of messages
/// @param warmUp   how long a flood runs before it is measured
/// @param time     how long it is measured
/// @param rounds   how often each of them is measured
/// @param flags    of all JVMs
/// @param settings for Tutti's members, besides those of its stack, `name=value`
/// @param record   whether each JVM keeps a flight recording of what its threads do
/// @param out      where results and logs go
/// @param others   beyond this part of the machine used by others a round does not count
/// @param steal    beyond this part of the machine stolen by the host a round does not count
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
    List<String> settings,
    boolean record,
    Path out,
    double others,
    double steal) {
  private static final int BYTES_MAX = 1 << 20;

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
