package org.tutti.membership;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// An operator has made a stored history primary without a quorum of its last primary view, as the others are lost:
/// from there on it is another history ([Lineage]).
///
/// @param by       the member whose storage it was, as a life of its own, which ended with that
/// @param view     the view that was made: primary, with `by` alone, behind all that the storage held
/// @param at       when, as the operator's clock said, in microseconds since 1970
/// @param last     the last primary view that had been installed there
/// @param position of the first message behind what the storage held
public record Forcing(MemberId by, ViewId view, long at, ViewId last, long position) {
  static final int BYTES_MIN = 12;

  /// When, for people.
  ///
  /// @return the time of day in UTC, to the second
  public Instant time() {
    return Instant.EPOCH.plus(at, ChronoUnit.MICROS).truncatedTo(ChronoUnit.SECONDS);
  }

  /// Whether this one came before another one. Clocks may be wrong; but all see the same.
  boolean isBefore(Forcing other) {
    return at != other.at ? at < other.at : view.compareTo(other.view) < 0;
  }

  void write(WireWriter out) {
    out.member(by);
    out.viewId(view);
    out.count(at);
    out.viewId(last);
    out.count(position);
  }

  static Forcing read(WireReader in) throws Malformed {
    return new Forcing(in.member(), in.viewId(), in.count(), in.viewId(), in.count());
  }
}
