package org.tutti.order;

import java.util.ArrayList;
import java.util.List;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What a member reports of a view's subset multicasts when a view change begins.
///
/// @param places    the subset multicasts that it holds, as a destination, and has not delivered; and its own one on
///                  the way
/// @param delivered of each sender, the last one that it has delivered
public record SubsetTail(List<SubsetPlace> places, List<Delivered> delivered) {
  /// Of a view without subset multicasts.
  public static final SubsetTail NONE = new SubsetTail(List.of(), List.of());

  /// Copies the lists.
  public SubsetTail {
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
  static SubsetTail read(WireReader in, int ranks) throws Malformed {
    List<SubsetPlace> places = in.list(SubsetPlace.BYTES_MIN, from -> SubsetPlace.read(from, ranks));
    int size = in.listLength(2);
    List<Delivered> delivered = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      delivered.add(new Delivered(in.countUpTo(ranks), in.count()));
    }
    return places.isEmpty() && delivered.isEmpty() ? NONE : new SubsetTail(places, delivered);
  }
}
