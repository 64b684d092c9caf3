package org.tutti.lab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.transport.Address;

/// A line of a member's history file: what its application saw or did, and when.
///
/// A line ends with a mark, so that one that was torn by a kill is known for it. Members are numbered within a file, 0
/// is the file's own; a line says so before the first use of a number.
///
/// ```
/// 81236512 K 1 n2 10.213.0.2:7000 1823764    member 1 is this one
/// 81239817 V 7.1823764 1 0,1 6.1823764       installed a primary view of members 0 and 1
/// 81240022 D 531 1 17 96 -7734527364         delivered at position 531 message 17 of member 1: length, hash
/// 81240022 A 531 12 17 -7734527364           executed at position 531 command 17 of session 12: chain of hashes
/// ```
sealed interface HistoryEntry {
  /// When, by the clock that all processes of a host share.
  long nanos();

  /// A member got a number. The file's own member has 0, and comes first.
  record Known(long nanos, int number, MemberId member) implements HistoryEntry {}

  /// The member asked to take part.
  record Entered(long nanos, boolean creates) implements HistoryEntry {}

  /// It is about to multicast a message.
  record Submitted(long nanos, long message, int length, long hash) implements HistoryEntry {}

  /// It installed a view.
  record Viewed(long nanos, ViewId id, boolean primary, List<Integer> members, List<ViewId> predecessors)
      implements HistoryEntry {
    /// The view, as the API has it.
    View view(List<MemberId> known) {
      return new View(id, members.stream().map(known::get).toList(), primary, predecessors);
    }
  }

  /// It delivered a message.
  record Delivered(long nanos, long position, int sender, long message, int length, long hash)
      implements HistoryEntry {}

  /// Deliveries begin anew.
  record Begun(long nanos, long position) implements HistoryEntry {}

  /// It was told that it is caught up.
  record CaughtUp(long nanos, long position) implements HistoryEntry {}

  /// It learned the fate of its oldest open message.
  record Decided(long nanos, long position) implements HistoryEntry {}

  /// It learned that the fates of so many oldest messages are not known for the time being.
  record Undecided(long nanos, int messages) implements HistoryEntry {}

  /// It gave its state.
  record Gave(long nanos, long transfer, long position, long chain) implements HistoryEntry {}

  /// It was offered state.
  record Offered(long nanos, int donor, long position) implements HistoryEntry {}

  /// It read the state to its end.
  record Restored(long nanos, int donor, long transfer, long position, long chain) implements HistoryEntry {}

  /// The state could not be read to its end.
  record Interrupted(long nanos) implements HistoryEntry {}

  /// A replica begins to serve clients, or ceases to.
  record Served(long nanos, boolean serves) implements HistoryEntry {}

  /// A replica executed a command of a client; the chain is of all commands so far, with their replies.
  record Executed(long nanos, long position, long session, long number, long chain) implements HistoryEntry {}

  /// The membership ended.
  record Closed(long nanos, End end) implements HistoryEntry {}

  /// The lab killed the process; the lab writes it.
  record Killed(long nanos) implements HistoryEntry {}

  /// The line, without its end.
  default String text() {
    return nanos()
        + switch (this) {
          case Known known ->
              " K "
                  + known.number
                  + " "
                  + known.member.name()
                  + " "
                  + known.member.address()
                  + " "
                  + known.member.incarnation();
          case Entered entered -> " E " + flag(entered.creates);
          case Submitted sent -> " S " + sent.message + " " + sent.length + " " + sent.hash;
          case Viewed view ->
              " V " + id(view.id) + " " + flag(view.primary) + " " + list(view.members) + " " + ids(view.predecessors);
          case Delivered message ->
              " D "
                  + message.position
                  + " "
                  + message.sender
                  + " "
                  + message.message
                  + " "
                  + message.length
                  + " "
                  + message.hash;
          case Begun begun -> " B " + begun.position;
          case CaughtUp caughtUp -> " H " + caughtUp.position;
          case Decided decided -> " F " + decided.position;
          case Undecided undecided -> " U " + undecided.messages;
          case Gave gave -> " G " + gave.transfer + " " + gave.position + " " + gave.chain;
          case Offered offered -> " O " + offered.donor + " " + offered.position;
          case Restored state -> " R " + state.donor + " " + state.transfer + " " + state.position + " " + state.chain;
          case Interrupted _ -> " I";
          case Served served -> " W " + flag(served.serves);
          case Executed done -> " A " + done.position + " " + done.session + " " + done.number + " " + done.chain;
          case Closed closed -> " C " + closed.end.cause() + " " + closed.end.words().replaceAll("\\s+", " ");
          case Killed _ -> " X";
        };
  }

  /// What stands at the end of every whole line.
  String MARK = " .";

  /// Reads a line.
  ///
  /// @return the entry, or null when the line was torn
  /// @throws IllegalArgumentException when the line is whole and makes no sense
  static @Nullable HistoryEntry parse(String line) {
    if (!line.endsWith(MARK)) {
      return null;
    }
    String[] words = line.substring(0, line.length() - MARK.length()).split(" ");
    try {
      return entry(words);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new IllegalArgumentException("not a line of a history: " + line, e);
    }
  }

  private static HistoryEntry entry(String[] words) {
    long nanos = Long.parseLong(words[0]);
    return switch (words[1]) {
      case "K" ->
          new Known(
              nanos,
              Integer.parseInt(words[2]),
              new MemberId(words[3], new Address(words[4]), Long.parseLong(words[5])));
      case "E" -> new Entered(nanos, words[2].equals("1"));
      case "S" -> new Submitted(nanos, number(words, 2), Integer.parseInt(words[3]), number(words, 4));
      case "V" ->
          new Viewed(
              nanos, id(words[2]), words[3].equals("1"), members(words[4]), ids(words.length > 5 ? words[5] : ""));
      case "D" ->
          new Delivered(
              nanos,
              number(words, 2),
              Integer.parseInt(words[3]),
              number(words, 4),
              Integer.parseInt(words[5]),
              number(words, 6));
      case "B" -> new Begun(nanos, number(words, 2));
      case "H" -> new CaughtUp(nanos, number(words, 2));
      case "F" -> new Decided(nanos, number(words, 2));
      case "U" -> new Undecided(nanos, Integer.parseInt(words[2]));
      case "G" -> new Gave(nanos, number(words, 2), number(words, 3), number(words, 4));
      case "O" -> new Offered(nanos, Integer.parseInt(words[2]), number(words, 3));
      case "R" -> new Restored(nanos, Integer.parseInt(words[2]), number(words, 3), number(words, 4), number(words, 5));
      case "I" -> new Interrupted(nanos);
      case "W" -> new Served(nanos, words[2].equals("1"));
      case "A" -> new Executed(nanos, number(words, 2), number(words, 3), number(words, 4), number(words, 5));
      case "C" -> {
        String why = String.join(" ", Arrays.asList(words).subList(3, words.length));
        yield new Closed(nanos, new End(End.Cause.valueOf(words[2]), why));
      }
      case "X" -> new Killed(nanos);
      default -> throw new NumberFormatException(words[1]);
    };
  }

  private static long number(String[] words, int at) {
    return Long.parseLong(words[at]);
  }

  private static String flag(boolean value) {
    return value ? "1" : "0";
  }

  private static String id(ViewId id) {
    return id.epoch() + "." + id.proposer() + (id.alone() == 0 ? "" : "." + id.alone());
  }

  private static ViewId id(String text) {
    String[] parts = text.split("\\.");
    return new ViewId(
        Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts.length > 2 ? Long.parseLong(parts[2]) : 0);
  }

  private static String ids(List<ViewId> ids) {
    return ids.stream().map(HistoryEntry::id).collect(Collectors.joining(","));
  }

  private static List<ViewId> ids(String text) {
    var ids = new ArrayList<ViewId>();
    for (String one : text.split(",")) {
      if (!one.isEmpty()) {
        ids.add(id(one));
      }
    }
    return ids;
  }

  private static String list(List<Integer> members) {
    return members.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static List<Integer> members(String text) {
    return Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
  }
}
