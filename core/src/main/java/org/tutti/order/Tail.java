package org.tutti.order;

import java.util.ArrayList;
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
/// @param subsets      what it has of multicasts to some members
public record Tail(
    long base, List<Run> places, Ordering ordering, long decidedNext, List<Lane> lanes, Subsets subsets) {
  private static final int LANE_BYTES_MIN = 3;
  private static final long LANE_MAX = 1 << 27; // no window has room for more messages, let alone batches

  /// Copies the lists.
  public Tail {
    places = List.copyOf(places);
    lanes = List.copyOf(lanes);
  }

  /// Of a view without subset multicasts.
  ///
  /// @param base        the index of the first place
  /// @param places      the places
  /// @param ordering    the ordering in force behind them
  /// @param decidedNext the index behind what is decided
  /// @param lanes       by rank, the sender's batches
  public Tail(long base, List<Run> places, Ordering ordering, long decidedNext, List<Lane> lanes) {
    this(base, places, ordering, decidedNext, lanes, Subsets.NONE);
  }

  /// The same with subset multicasts.
  ///
  /// @param its what the member has of them
  /// @return a changed copy
  public Tail with(Subsets its) {
    return new Tail(base, places, ordering, decidedNext, lanes, its);
  }

  /// Batches of one sender without a gap.
  ///
  /// @param first  the first one's number
  /// @param next   the number behind the last one
  /// @param stamps the stamps of the last ones, with which the sender's clock rose: of those that are not held
  public record Lane(long first, long next, List<Long> stamps) {
    /// Copies the list.
    public Lane {
      stamps = List.copyOf(stamps);
    }

    /// Which batches have stamps here.
    ///
    /// @return the first one's number, or [#next]
    public long stampedFrom() {
      return next - stamps.size();
    }

    /// A batch's stamp.
    ///
    /// @param seq the batch's number
    /// @return its stamp, or 0 when it is not among [#stamps]
    public long stamp(long seq) {
      long at = seq - stampedFrom();
      return at >= 0 && seq < next ? stamps.get((int) at) : 0;
    }

    void write(WireWriter out) {
      out.count(first);
      out.count(next);
      out.count(stamps.size());
      long last = 0;
      for (long stamp : stamps) {
        out.count(Math.max(0, stamp - last)); // they rise, unless their sender lies
        last = Math.max(last, stamp);
      }
    }

    static Lane read(WireReader in) throws Malformed {
      long first = in.count();
      long next = in.count();
      int size = in.listLength(1);
      List<Long> stamps = new ArrayList<>(size);
      long last = 0;
      for (int i = 0; i < size; i++) {
        last += in.count();
        stamps.add(last);
      }
      if (last < 0 || first > next || next - first > LANE_MAX || size > next - first) {
        throw new Malformed("tail");
      }
      return new Lane(first, next, stamps);
    }
  }

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
    lanes.forEach(lane -> lane.write(out));
    subsets.write(out);
  }

  /// Takes one from a message.
  ///
  /// @param in where from
  /// @return the report
  /// @throws Malformed when the bytes are not one
  public static Tail read(WireReader in) throws Malformed {
    var without = new Tail(in.count(), Run.read(in), in.ordering(), in.count(), in.list(LANE_BYTES_MIN, Lane::read));
    Tail tail = without.with(Subsets.read(in, without.lanes.size()));
    boolean possible = tail.base <= tail.decidedNext && tail.decidedNext <= tail.end();
    for (Run run : tail.places) {
      possible &= run.rank() < tail.lanes.size();
    }
    if (!possible) {
      throw new Malformed("tail");
    }
    return tail;
  }

  /// What a member reports of a view's subset multicasts when a view change begins.
  ///
  /// @param places    the subset multicasts that it holds, as a destination, and has not delivered; and its own one on
  ///                  the way
  /// @param delivered of each sender, the last one that it has delivered
  public record Subsets(List<SubsetPlace> places, List<Delivered> delivered) {
    /// Of a view without subset multicasts.
    public static final Subsets NONE = new Subsets(List.of(), List.of());

    /// Copies the lists.
    public Subsets {
      places = List.copyOf(places);
      delivered = List.copyOf(delivered);
    }

    /// How far a member has come with one sender's subset multicasts: it has delivered all that were for it up to a
    /// number.
    ///
    /// @param rank   the sender's rank
    /// @param number the number of the last one
    public record Delivered(int rank, long number) {}

    /// Whether the member holds a subset multicast that is for it, or has delivered it.
    ///
    /// @param subset any
    /// @return whether it has said so to the other destinations, or was about to
    public boolean holds(SubsetPlace subset) {
      for (Delivered mark : delivered) {
        if (mark.rank == subset.rank() && mark.number >= subset.number()) {
          return true;
        }
      }
      for (SubsetPlace place : places) {
        if (place.is(subset.rank(), subset.number()) && place.index() != SubsetPlace.UNKNOWN) {
          return true;
        }
      }
      return false;
    }

    /// Appends this to a message.
    ///
    /// @param out where to
    void write(WireWriter out) {
      out.count(places.size());
      places.forEach(place -> place.write(out));
      out.count(delivered.size());
      for (Delivered mark : delivered) {
        out.count(mark.rank);
        out.count(mark.number);
      }
    }

    /// Takes one from a message.
    ///
    /// @param in    where from
    /// @param ranks how many members the view has
    /// @return the report
    /// @throws Malformed when the bytes are not one
    static Subsets read(WireReader in, int ranks) throws Malformed {
      List<SubsetPlace> places = in.list(SubsetPlace.BYTES_MIN, from -> SubsetPlace.read(from, ranks));
      int size = in.listLength(2);
      List<Delivered> delivered = new ArrayList<>(size);
      for (int i = 0; i < size; i++) {
        delivered.add(new Delivered(in.countUpTo(ranks), in.count()));
      }
      return places.isEmpty() && delivered.isEmpty() ? NONE : new Subsets(places, delivered);
    }
  }
}
