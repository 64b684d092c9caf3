package org.tutti.engine;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tutti.MemberId;
import org.tutti.View;

/// Which batches were delivered before they had a place, and have none yet: by sender, the numbers beyond its mark. A
/// sender's window bounds them, and what has its place leaves.
///
/// They outlive a view: a batch that the history of its view does not contain comes again in a later one, under its old
/// number.
final class EarlyMarks {
  private static final int SENDERS_MAX = 1024;

  private final Map<MemberId, SortedSet<Long>> numbers = new TreeMap<>(); // no set is empty

  /// A batch is delivered.
  ///
  /// @return whether it was not before
  boolean add(MemberId sender, long seq) {
    return numbers.computeIfAbsent(sender, _ -> new TreeSet<>()).add(seq);
  }

  /// A batch has its place, or was not delivered after all.
  ///
  /// @return whether it had been delivered
  boolean remove(MemberId sender, long seq) {
    SortedSet<Long> of = numbers.get(sender);
    boolean had = of != null && of.remove(seq);
    if (had && of.isEmpty()) {
      numbers.remove(sender);
    }
    return had;
  }

  boolean isEmpty() {
    return numbers.isEmpty();
  }

  /// The history contains all batches below these numbers.
  void placed(Map<MemberId, Long> marks) {
    marks.forEach((sender, next) -> {
      SortedSet<Long> of = numbers.get(sender);
      if (of != null) {
        of.headSet(next).clear();
      }
    });
    numbers.values().removeIf(SortedSet::isEmpty);
  }

  /// Who has gone does not send again. Senders may come back, so a number of them is remembered.
  void forgetAllBut(View view) {
    if (numbers.size() > SENDERS_MAX) {
      numbers.keySet().removeIf(sender -> !view.contains(sender));
    }
  }

  void clear() {
    numbers.clear();
  }
}
