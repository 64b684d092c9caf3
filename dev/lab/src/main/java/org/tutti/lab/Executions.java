package org.tutti.lab;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What replicas executed: at one position all the same, with the same replies so far, and no command at two.
final class Executions {
  private record CommandId(long session, long number) {}

  private record First(HistoryEntry.Executed what, String by) {}

  private final Map<Long, First> byPosition = new HashMap<>();
  private final Map<CommandId, Long> positions = new HashMap<>();
  private final List<String> differences = new ArrayList<>();
  private final List<String> repetitions = new ArrayList<>();

  /// A replica has executed a command.
  void add(String replica, HistoryEntry.Executed what) {
    First first = byPosition.putIfAbsent(what.position(), new First(what, replica));
    if (first != null && !isSame(first.what, what)) {
      differences.add(
          "at position %d %s executed %s, %s %s"
              .formatted(what.position(), first.by, words(first.what), replica, words(what)));
    }
    Long position = positions.putIfAbsent(new CommandId(what.session(), what.number()), what.position());
    if (position != null && position != what.position()) {
      repetitions.add(replica + " executed " + words(what) + " at " + what.position() + ", which was at " + position);
    }
  }

  private static boolean isSame(HistoryEntry.Executed one, HistoryEntry.Executed other) {
    return one.session() == other.session() && one.number() == other.number() && one.chain() == other.chain();
  }

  private static String words(HistoryEntry.Executed what) {
    return "command " + what.number() + " of session " + what.session() + " with the chain " + what.chain();
  }

  /// How many different commands were executed.
  long commands() {
    return positions.size();
  }

  /// Where replicas differ.
  List<String> differences() {
    return differences;
  }

  /// What was executed twice.
  List<String> repetitions() {
    return repetitions;
  }
}
