package org.tutti.order;

import java.util.ArrayList;
import java.util.List;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Where a subset multicast stands among the places of a view's history.
///
/// @param rank         its sender's rank in the view
/// @param number       its number
/// @param destinations their ranks, rising
/// @param index        all places below it come before the subset multicast, all others behind; or [#UNKNOWN] to its
///                     sender
/// @param timestamp    its timestamp, by which subset multicasts at one index are ordered
public record SubsetPlace(int rank, long number, List<Integer> destinations, long index, long timestamp) {
  /// The sender alone need not know where its subset multicast stands.
  public static final long UNKNOWN = -1;

  /// The least bytes in a message.
  static final int BYTES_MIN = 5;

  /// Copies the list.
  public SubsetPlace {
    destinations = List.copyOf(destinations);
  }

  /// Whether this is a certain subset multicast.
  ///
  /// @param sender the sender's rank
  /// @param its    the subset multicast's number
  /// @return whether they are equal
  boolean is(int sender, long its) {
    return rank == sender && number == its;
  }

  /// Appends this to a message.
  ///
  /// @param out where to
  void write(WireWriter out) {
    out.count(rank);
    out.count(number);
    writeRanks(destinations, out);
    out.count(index + 1);
    out.count(timestamp);
  }

  /// Takes one from a message.
  ///
  /// @param in    where from
  /// @param ranks how many members the view has
  /// @return the place
  /// @throws Malformed when the bytes are not one
  static SubsetPlace read(WireReader in, int ranks) throws Malformed {
    int rank = in.countUpTo(Integer.MAX_VALUE);
    long number = in.count();
    List<Integer> destinations = readRanks(in);
    var place = new SubsetPlace(rank, number, destinations, in.count() - 1, in.count());
    if (rank >= ranks || destinations.getLast() >= ranks) {
      throw new Malformed("subset multicast");
    }
    return place;
  }

  /// Appends destinations to a message.
  static void writeRanks(List<Integer> ranks, WireWriter out) {
    out.count(ranks.size());
    ranks.forEach(out::count);
  }

  /// Takes destinations from a message: at least one, and they rise.
  static List<Integer> readRanks(WireReader in) throws Malformed {
    int size = in.listLength(1);
    List<Integer> ranks = new ArrayList<>(size);
    int last = -1;
    for (int i = 0; i < size; i++) {
      int rank = in.countUpTo(Integer.MAX_VALUE);
      if (rank <= last) {
        throw new Malformed("subset multicast");
      }
      ranks.add(rank);
      last = rank;
    }
    if (ranks.isEmpty()) {
      throw new Malformed("subset multicast");
    }
    return ranks;
  }
}
