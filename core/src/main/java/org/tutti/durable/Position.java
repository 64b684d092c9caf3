package org.tutti.durable;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.membership.StateTransfer;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// A place in the history with everything before it summed up, as far as it is known. It walks over batches.
public final class Position {
  private static final int MARKS_MAX = 1024;
  private static final int MARK_BYTES_MIN = 11;
  private static final long UNKNOWN = -1;

  private long index;
  private long position; // of the next message, or UNKNOWN
  private final Map<MemberId, Mark> marks = new LinkedHashMap<>(); // of senders that have batches before

  /// Up to where a sender's batches are before a place.
  ///
  /// @param next   the number behind the last one
  /// @param behind an index behind it
  private record Mark(long next, long behind) {}

  /// Where a history begins.
  ///
  /// @param index    its first place
  /// @param position of its first message
  public Position(long index, long position) {
    this.index = index;
    this.position = position;
  }

  static Position unknown(long index) {
    return new Position(index, UNKNOWN);
  }

  static Position of(StateTransfer.Start start) {
    var at = new Position(start.index(), start.position());
    start.marks().forEach((sender, next) -> at.marks.put(sender, new Mark(next, start.index())));
    return at;
  }

  /// The same place, to walk on from.
  ///
  /// @return a copy
  public Position copy() {
    var copy = new Position(index, position);
    copy.marks.putAll(marks);
    return copy;
  }

  /// The place.
  ///
  /// @return the index of the batch behind it
  public long index() {
    return index;
  }

  boolean isKnown() {
    return position != UNKNOWN;
  }

  /// The position of the next message.
  ///
  /// @return the position, if it is known
  public long position() {
    return position;
  }

  /// Where a newcomer may begin.
  ///
  /// @return the same, as state transfers have it
  public StateTransfer.Start start() {
    Map<MemberId, Long> nexts = new LinkedHashMap<>();
    marks.forEach((sender, mark) -> nexts.put(sender, mark.next));
    return new StateTransfer.Start(index, position, nexts);
  }

  /// The number behind a sender's last batch before this place, if it is one of the view that began at an index. In a
  /// later view a sender may go on with a higher number: what it sent in between may be in no history.
  ///
  /// @param sender     a member of the view
  /// @param indexFirst the index of the view's first place
  /// @return -1 when it has none in the view
  public long mark(MemberId sender, long indexFirst) {
    Mark mark = marks.get(sender);
    return mark == null || mark.behind <= indexFirst ? UNKNOWN : mark.next;
  }

  void pass(Batch batch) {
    pass(batch.sender(), batch.seq(), batch.positions());
  }

  void pass(MemberId sender, long seq, int positions) {
    index++;
    position += isKnown() ? positions : 0;
    marks.put(sender, new Mark(seq + 1, index));
  }

  /// Senders of the past that are in a view no more are forgotten, when there are many.
  void forgetAllBut(View view) {
    if (marks.size() > MARKS_MAX) {
      marks.keySet().removeIf(sender -> !view.contains(sender));
    }
  }

  void check() {
    for (Mark mark : marks.values()) {
      Invariant.check(mark.behind <= index, "what is summed up in a place is before it");
    }
  }

  void write(WireWriter out) {
    out.count(index);
    out.count(position + 1);
    out.count(marks.size());
    marks.forEach((sender, mark) -> {
      out.member(sender);
      out.count(mark.next);
      out.count(mark.behind);
    });
  }

  static Position read(WireReader in) throws Malformed {
    var position = new Position(in.count(), in.count() - 1);
    int size = in.listLength(MARK_BYTES_MIN);
    for (int i = 0; i < size; i++) {
      position.marks.put(in.member(), new Mark(in.count(), in.count()));
    }
    return position;
  }

  @Override
  public String toString() {
    return index + " @" + position;
  }
}
