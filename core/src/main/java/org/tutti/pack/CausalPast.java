package org.tutti.pack;

import java.util.ArrayList;
import java.util.List;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What the sender of a batch had delivered of a view when it sent the batch, as far as its earlier batches in the view
/// have not said it. It is made anew whenever a batch is sent, and means nothing outside of the view.
///
/// @param after the index behind the last totally ordered batch, or 0; only a causal batch says it
/// @param lanes the senders of whose causal batches more was delivered, by rank
public record CausalPast(long after, List<Lane> lanes) {
  /// Nothing, or nothing new.
  public static final CausalPast NONE = new CausalPast(0, List.of());

  private static final int LANE_BYTES_MIN = 2;

  /// Copies the list.
  public CausalPast {
    lanes = List.copyOf(lanes);
  }

  /// How much of one sender's was delivered.
  ///
  /// @param rank the sender's rank in the view
  /// @param next the number behind its last causal batch that was delivered, at least 1
  public record Lane(int rank, long next) {}

  /// Whether there is nothing to say.
  ///
  /// @return whether it is as good as none
  public boolean isEmpty() {
    return after == 0 && lanes.isEmpty();
  }

  /// Whether it can be of a view.
  ///
  /// @param members how many members the view has
  /// @return whether all ranks exist
  public boolean fits(int members) {
    return lanes.isEmpty() || lanes.getLast().rank < members;
  }

  /// Appends this to a message.
  ///
  /// @param out where to
  void write(WireWriter out) {
    out.count(after);
    out.count(lanes.size());
    for (Lane lane : lanes) {
      out.count(lane.rank);
      out.count(lane.next);
    }
  }

  /// Takes one from a message.
  ///
  /// @param in where from
  /// @return the past, not empty, its ranks rising
  /// @throws Malformed when the bytes are not one
  static CausalPast read(WireReader in) throws Malformed {
    long after = in.count();
    int size = in.listLength(LANE_BYTES_MIN);
    List<Lane> lanes = new ArrayList<>(size);
    int rankMin = 0;
    for (int i = 0; i < size; i++) {
      var lane = new Lane(in.countUpTo(Short.MAX_VALUE), in.count());
      if (lane.rank < rankMin || lane.next == 0) {
        throw new Malformed("causal past");
      }
      rankMin = lane.rank + 1;
      lanes.add(lane);
    }
    var past = new CausalPast(after, lanes);
    if (past.isEmpty()) {
      throw new Malformed("causal past");
    }
    return past;
  }
}
