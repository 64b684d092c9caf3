package org.tutti.order;

import java.util.List;
import org.tutti.Ordering;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What a member reports of a view's history when a view change begins: the places it knows and the batches it has.
///
/// @param base        the index of the first place that it still keeps; every member of the view holds all below it
/// @param places      the places from there on
/// @param ordering    which ordering decides what follows them
/// @param decidedNext the index behind what it knows to be decided
/// @param lanes       by rank, which batches of the sender it has
public record Tail(long base, List<Run> places, Ordering ordering, long decidedNext, List<Lane> lanes) {
  private static final int LANE_BYTES_MIN = 2;
  private static final long LANE_MAX = 1 << 27; // no window has room for more messages, let alone batches

  /// Copies the lists.
  public Tail {
    places = List.copyOf(places);
    lanes = List.copyOf(lanes);
  }

  /// Batches of one sender without a gap.
  ///
  /// @param first the first one's number
  /// @param next  the number behind the last one
  public record Lane(long first, long next) {}

  /// The index behind the last known place.
  ///
  /// @return base plus the number of places
  public long end() {
    return base + Run.places(places);
  }

  /// Appends this to a message.
  ///
  /// @param out where to
  public void write(WireWriter out) {
    out.count(base);
    Run.write(places, out);
    out.ordering(ordering);
    out.count(decidedNext);
    out.count(lanes.size());
    for (Lane lane : lanes) {
      out.count(lane.first);
      out.count(lane.next);
    }
  }

  /// Takes one from a message.
  ///
  /// @param in where from
  /// @return the report
  /// @throws Malformed when the bytes are not one
  public static Tail read(WireReader in) throws Malformed {
    var tail =
        new Tail(
            in.count(),
            Run.read(in),
            in.ordering(),
            in.count(),
            in.list(LANE_BYTES_MIN, lane -> new Lane(lane.count(), lane.count())));
    boolean possible = tail.base <= tail.decidedNext && tail.decidedNext <= tail.end();
    for (Run run : tail.places) {
      possible &= run.rank() < tail.lanes.size();
    }
    for (Lane lane : tail.lanes) {
      possible &= lane.first <= lane.next && lane.next - lane.first <= LANE_MAX;
    }
    if (!possible) {
      throw new Malformed("tail");
    }
    return tail;
  }
}
