package org.tutti.order;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.pack.Batch;

/// What one member has of one primary view's history: batches by their senders, and places by their index.
///
/// A *place* says which batch stands at an index; indexes go on from view to view. A batch may come before its place or
/// after it. What is *held* is the part without a gap for which place and batch are both here: only that may be
/// acknowledged.
///
/// A batch that switches the ordering takes effect when it is held; no ordering places anything behind it before that
/// ([TotalOrder], 5).
public final class Log {
  private record Place(int rank, long seq) {}

  /// Is told that the ordering in force has changed.
  @FunctionalInterface
  public interface Switches {
    /// A switch is held.
    ///
    /// @param to the ordering that decides the places behind it
    void switched(Ordering to);
  }

  private final View view;
  private final List<Sequence<Batch>> lanes = new ArrayList<>(); // by rank; a sender's batches come in order
  private final boolean[] started;
  private final Sequence<Place> places;
  private final long[] heldOf; // by rank, the number behind the sender's last batch that is held
  private final Switches switches;
  private Ordering ordering;
  private long heldNext; // places.first() <= heldNext <= places.next()

  /// Starts the history of a view.
  ///
  /// @param view       the view
  /// @param indexFirst the index of its first place
  /// @param ordering   the ordering in force at the beginning
  /// @param switches   is told of others
  public Log(View view, long indexFirst, Ordering ordering, Switches switches) {
    this.view = view;
    this.ordering = ordering;
    this.switches = switches;
    this.heldOf = new long[view.size()];
    this.places = new Sequence<>(indexFirst);
    this.heldNext = indexFirst;
    this.started = new boolean[view.size()];
    for (int rank = 0; rank < view.size(); rank++) {
      lanes.add(new Sequence<>(0));
    }
  }

  /// The view whose history this is.
  ///
  /// @return the view
  public View view() {
    return view;
  }

  /// Keeps a batch.
  ///
  /// @param rank  its sender's rank
  /// @param batch the batch
  /// @return whether it is the sender's next one; another is not kept
  public boolean add(int rank, Batch batch) {
    if (!started[rank]) {
      started[rank] = true;
      lanes.set(rank, new Sequence<>(batch.seq()));
    }
    Sequence<Batch> lane = lanes.get(rank);
    if (lane.next() != batch.seq()) {
      return false;
    }
    lane.append(batch);
    advance();
    return true;
  }

  /// Gives the next index to a batch.
  ///
  /// @param rank the sender's rank
  /// @param seq  the batch's number
  public void place(int rank, long seq) {
    places.append(new Place(rank, seq));
    advance();
  }

  private void advance() {
    while (holdNext()) {
      Batch held = at(heldNext - 1);
      if (held.kind() == Batch.Kind.SWITCH) {
        ordering = held.ordering();
        switches.switched(ordering);
      }
    }
  }

  private boolean holdNext() {
    if (heldNext == places.next()) {
      return false;
    }
    Place place = places.get(heldNext);
    if (!lanes.get(place.rank).holds(place.seq)) {
      return false;
    }
    heldOf[place.rank] = place.seq + 1;
    heldNext++;
    return true;
  }

  /// Places that a view change decided are final; a switch among them has had its effect on those behind it already.
  private void holdAll() {
    boolean more = true;
    while (more) {
      more = holdNext();
    }
  }

  /// The ordering in force behind what is held.
  ///
  /// @return it decides the next place
  public Ordering ordering() {
    return ordering;
  }

  /// Batches that are here and not held, in an order that respects causality: by stamp, then by rank.
  ///
  /// @return the batches; a sender's ones without a gap
  public List<Batch> unplaced() {
    List<Batch> unplaced = new ArrayList<>();
    for (int rank = 0; rank < view.size(); rank++) {
      Sequence<Batch> lane = lanes.get(rank);
      for (long seq = Math.max(lane.first(), heldOf[rank]); seq < lane.next(); seq++) {
        unplaced.add(lane.get(seq));
      }
    }
    unplaced.sort(Comparator.comparingLong(Batch::stamp)); // stable, and above they come by rank
    return unplaced;
  }

  /// The index behind the part that is held.
  ///
  /// @return all places below it are known, and their batches are here
  public long heldNext() {
    return heldNext;
  }

  /// The index behind the last known place.
  ///
  /// @return at least [#heldNext]
  public long knownNext() {
    return places.next();
  }

  /// The first index that is still kept.
  ///
  /// @return at most [#heldNext]
  public long first() {
    return places.first();
  }

  /// A held batch.
  ///
  /// @param index from [#first] to below [#heldNext]
  /// @return the batch at that place
  public Batch at(long index) {
    Place place = places.get(index);
    return lanes.get(place.rank).get(place.seq);
  }

  /// Looks for a batch of a sender.
  ///
  /// @param rank any number
  /// @param seq  the batch's number
  /// @return the batch, or null when it is not here
  public @Nullable Batch find(int rank, long seq) {
    boolean here = rank < view.size() && lanes.get(rank).holds(seq);
    return here ? lanes.get(rank).get(seq) : null;
  }

  /// Forgets what every member has.
  ///
  /// @param index places below it are forgotten with their batches
  public void dropBefore(long index) {
    long end = Math.min(index, heldNext);
    for (long at = places.first(); at < end; at++) {
      Place place = places.get(at);
      lanes.get(place.rank).dropBefore(place.seq + 1);
    }
    places.dropBefore(end);
  }

  /// What this member could contribute to a cut.
  ///
  /// @param decidedNext the index behind what this member knows to be decided
  /// @return the part of the history that is kept here
  public Tail tail(long decidedNext) {
    List<Run> runs = new ArrayList<>();
    for (long at = places.first(); at < places.next(); at++) {
      Place place = places.get(at);
      Run.append(runs, place.rank, place.seq);
    }
    List<Tail.Lane> held = new ArrayList<>();
    for (Sequence<Batch> lane : lanes) {
      held.add(new Tail.Lane(lane.first(), lane.next()));
    }
    return new Tail(places.first(), runs, ordering, decidedNext, held);
  }

  /// Where this member must begin to fetch a sender's batches of a cut.
  ///
  /// @param cut  of this history
  /// @param rank the sender's rank
  /// @return the number behind the last batch here; when none came, the first that the cut lists, or 0
  public long missingFrom(Cut cut, int rank) {
    if (started[rank]) {
      return lanes.get(rank).next();
    }
    for (Run run : cut.places()) {
      if (run.rank() == rank) {
        return run.seq();
      }
    }
    return 0;
  }

  /// Whether a cut can be adopted: it begins where this member holds everything and keeps what it delivered. It may
  /// begin before what this member still keeps, when it was made without it.
  ///
  /// @param cut           any cut
  /// @param deliveredNext the index behind what was delivered here
  /// @return whether it fits
  public boolean fits(Cut cut, long deliveredNext) {
    return cut.view().equals(view.id())
        && cut.sources().size() == view.size()
        && cut.base() <= heldNext
        && cut.end() >= places.first()
        && (!cut.whole() || cut.end() >= deliveredNext);
  }

  /// Takes over the places that a view change decided.
  ///
  /// @param cut            agreed by the members of the next view
  /// @param deliveredNext  the index behind what was delivered here
  public void adopt(Cut cut, long deliveredNext) {
    Invariant.check(fits(cut, deliveredNext), "only a cut that fits is agreed");
    long index = cut.base();
    for (Run run : cut.places()) {
      for (int i = 0; i < run.length(); i++, index++) {
        adopt(index, new Place(run.rank(), run.seq() + i), deliveredNext);
      }
    }
    if (cut.whole()) {
      places.truncate(index);
    }
    heldNext = Math.min(heldNext, places.next());
    holdAll();
  }

  private void adopt(long index, Place place, long deliveredNext) {
    if (index < places.first()) {
      return;
    }
    if (index < places.next() && !places.get(index).equals(place)) {
      Invariant.check(index >= deliveredNext, "a cut keeps what was delivered");
      places.truncate(index);
      heldNext = Math.min(heldNext, index);
    }
    if (index == places.next()) {
      places.append(place);
    }
  }
}
