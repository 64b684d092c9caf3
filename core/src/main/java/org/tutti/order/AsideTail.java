package org.tutti.order;

import java.util.ArrayList;
import java.util.List;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What a member reports of a view's asides when a view change begins.
///
/// @param places    the asides that it holds, as a destination, and has not delivered; and its own one on the way
/// @param delivered of each sender, the last one that it has delivered
public record AsideTail(List<AsidePlace> places, List<Delivered> delivered) {
  /// Of a view without asides.
  public static final AsideTail NONE = new AsideTail(List.of(), List.of());

  /// Copies the lists.
  public AsideTail {
    places = List.copyOf(places);
    delivered = List.copyOf(delivered);
  }

  /// How far a member has come with one sender's asides: it has delivered all that were for it up to a number.
  ///
  /// @param rank   the sender's rank
  /// @param number the number of the last one
  public record Delivered(int rank, long number) {}

  /// Whether the member holds an aside that is for it, or has delivered it.
  ///
  /// @param aside any
  /// @return whether it has said so to the other destinations, or was about to
  public boolean holds(AsidePlace aside) {
    for (Delivered mark : delivered) {
      if (mark.rank == aside.rank() && mark.number >= aside.number()) {
        return true;
      }
    }
    for (AsidePlace place : places) {
      if (place.is(aside.rank(), aside.number()) && place.index() != AsidePlace.UNKNOWN) {
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
  static AsideTail read(WireReader in, int ranks) throws Malformed {
    List<AsidePlace> places = in.list(AsidePlace.BYTES_MIN, from -> AsidePlace.read(from, ranks));
    int size = in.listLength(2);
    List<Delivered> delivered = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      delivered.add(new Delivered(in.countUpTo(ranks), in.count()));
    }
    return places.isEmpty() && delivered.isEmpty() ? NONE : new AsideTail(places, delivered);
  }
}
