package org.tutti.bench.trial;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tutti.Ordering;

/// How the instrument measures.
///
/// @param members  processes of a group
/// @param senders  how many of them flood, from the sequencer on
/// @param orderings of Tutti's groups, one beside the other
/// @param bytes    lengths of messages of floods, each at least 1
/// @param rounds   how many rounds must count
/// @param time     how long a flood lasts
/// @param unix     whether Unix domain sockets are used instead of TCP
/// @param settings for Tutti's members, `name=value`: guarantee, window
/// @param flags    of all JVMs
/// @param record   whether each JVM keeps a flight recording of what its threads do
/// @param out      where results and logs go
/// @param others   beyond this part of the machine used by others a round does not count
/// @param steal    beyond this part of the machine stolen by the host a round does not count
/// @param quick    whether all of it must be over within a minute, with fewer repetitions of disturbed rounds
public record InstrumentOptions(
    int members,
    int senders,
    List<Ordering> orderings,
    List<Integer> bytes,
    int rounds,
    Duration time,
    boolean unix,
    List<String> settings,
    List<String> flags,
    boolean record,
    Path out,
    double others,
    double steal,
    boolean quick) {
  private static final int MEMBERS_MAX = 32;
  private static final int BYTES_MAX = 1 << 24;
  private static final Duration QUICK_BUDGET = Duration.ofSeconds(45); // ending the processes comes after it
  private static final Duration BUDGET = Duration.ofMinutes(30);

  /// Checks the ranges.
  public InstrumentOptions {
    orderings = List.copyOf(orderings);
    bytes = List.copyOf(bytes);
    settings = List.copyOf(settings);
    flags = List.copyOf(flags);
    require(members >= 2 && members <= MEMBERS_MAX, "groups have 2 to " + MEMBERS_MAX + " members, not " + members);
    require(senders >= 1 && senders <= members, "1 to " + members + " members send, not " + senders);
    require(!orderings.isEmpty(), "no ordering");
    require(!bytes.isEmpty(), "no length of messages");
    require(
        bytes.stream().allMatch(length -> length >= 1 && length <= BYTES_MAX),
        "messages have 1 to " + BYTES_MAX + " bytes, not " + bytes);
    require(rounds >= 1, "at least one round, not " + rounds);
    require(time.isPositive() && time.compareTo(Duration.ofMinutes(1)) <= 0, "a trial lasts up to a minute");
    require(others >= 0 && steal >= 0, "limits are not negative");
  }

  /// For measurements whose processes do different things, and which have lengths of their own.
  ///
  /// @param members  processes of a group
  /// @param rounds   how many rounds must count
  /// @param time     how long a trial lasts
  /// @param unix     whether Unix domain sockets are used instead of TCP
  /// @param flags    of all JVMs
  /// @param record   whether each JVM keeps a flight recording
  /// @param out      where results and logs go
  /// @param others   beyond this part of the machine used by others a round does not count
  /// @param steal    beyond this part of the machine stolen by the host a round does not count
  /// @param quick    whether all of it must be over within a minute
  /// @return the options
  public static InstrumentOptions withOwnLengths(
      int members,
      int rounds,
      Duration time,
      boolean unix,
      List<String> flags,
      boolean record,
      Path out,
      double others,
      double steal,
      boolean quick) {
    return new InstrumentOptions(
        members,
        1,
        List.of(Ordering.SEQUENCER),
        List.of(1),
        rounds,
        time,
        unix,
        List.of(),
        flags,
        record,
        out,
        others,
        steal,
        quick);
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }

  /// What the processes are told about sockets and protocols.
  List<String> allSettings() {
    var all = new ArrayList<>(settings);
    all.add("transport=" + (unix ? "unix" : "tcp"));
    return all;
  }

  /// The same with groups of another size.
  InstrumentOptions withMembers(int size) {
    return new InstrumentOptions(
        size, senders, orderings, bytes, rounds, time, unix, settings, flags, record, out, others, steal, quick);
  }

  Rounds.Rules rules() {
    return new Rounds.Rules(
        rounds,
        time.dividedBy(2),
        quick ? 4 : 12,
        quick ? 2 : 4,
        new Machine.Limits(others, steal),
        quick ? QUICK_BUDGET : BUDGET);
  }
}
