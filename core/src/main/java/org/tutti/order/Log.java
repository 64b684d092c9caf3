package org.tutti.order;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;

/// What one member has of one primary view's history: batches by their senders, and places by their index.
///
/// A *place* says which batch stands at an index; indexes go on from view to view. A batch may come before its place or
/// after it. What is *held* is the part without a gap for which place and batch are both here: only that may be
/// acknowledged.
///
/// A batch that switches the ordering takes effect when it is held; no ordering places anything behind it before that
/// ([TotalOrder], 5).
///
/// Batches and places come from others, who may say anything. The log takes only what is possible: each sender's
/// batches are here and in their places one after the other, none twice, and an own batch has no place before it was
/// sent. So whatever is held can be delivered, and nothing is delivered twice within a view.
public final class Log {
  private static final long AHEAD_MAX = 1 << 20; // places without a batch; senders' windows have room for fewer

  /// The number of no batch.
  public static final long UNKNOWN = -1;

  /// Is told that the ordering in force has changed.
  @FunctionalInterface
  public interface Switches {
    /// A switch is held.
    ///
    /// @param to the ordering that decides the places behind it
    void switched(Ordering to);
  }

  /// Gets what a log forgets.
  @FunctionalInterface
  public interface Dropped {
    /// A batch is forgotten.
    ///
    /// @param index its place
    /// @param rank  its sender's rank
    /// @param batch the batch
    void dropped(long index, int rank, Batch batch);
  }

  private final View view;
  private final long indexFirst;
  private final int self;
  private final List<Sequence<Batch>> lanes = new ArrayList<>(); // by rank; a sender's batches come in order
  private final boolean[] started; // by rank, whether a batch has come
  private final long[] begin; // by rank, the number of the first batch in this view, once it or its place is known
  private final long[] placedNext; // by rank, the number behind the last batch with a place; `begin` without
  private final long[] heldOf; // by rank, the number behind the sender's last batch that is held
  private final PlaceList places;
  private final Switches switches;
  private Ordering ordering;
  private long heldNext; // places.first() <= heldNext <= places.next()

  /// Starts the history of a view.
  ///
  /// @param view       the view
  /// @param self       this member's rank in it, or -1 when an earlier life of this member was in it
  /// @param indexFirst the index of its first place
  /// @param ordering   the ordering in force at the beginning
  /// @param switches   is told of others
  public Log(View view, int self, long indexFirst, Ordering ordering, Switches switches) {
    this.view = view;
    this.self = self;
    this.ordering = ordering;
    this.switches = switches;
    this.heldOf = new long[view.size()];
    this.places = new PlaceList(indexFirst);
    this.indexFirst = indexFirst;
    this.heldNext = indexFirst;
    this.started = new boolean[view.size()];
    this.begin = new long[view.size()];
    this.placedNext = new long[view.size()];
    Arrays.fill(begin, UNKNOWN);
    Arrays.fill(placedNext, UNKNOWN);
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

  /// Where the view's history begins here.
  ///
  /// @return the index of its first place
  public long indexFirst() {
    return indexFirst;
  }

  /// Keeps a batch.
  ///
  /// @param rank  its sender's rank
  /// @param batch the batch
  /// @return whether it is the sender's next one; another is not kept
  public boolean add(int rank, Batch batch) {
    if (!isNext(rank, batch.seq())) {
      return false;
    }
    if (!started[rank]) {
      started[rank] = true;
      lanes.set(rank, new Sequence<>(batch.seq()));
      begin(rank, batch.seq());
    }
    lanes.get(rank).append(batch);
    advance();
    return true;
  }

  /// Takes up where an earlier life was: a sender's batches below a number are held and forgotten.
  ///
  /// @param rank the sender's rank, of which nothing has come yet
  /// @param seq  the number
  public void resume(int rank, long seq) {
    started[rank] = true;
    lanes.set(rank, new Sequence<>(seq));
    heldOf[rank] = seq;
    begin(rank, seq);
  }

  private void begin(int rank, long seq) {
    if (begin[rank] == UNKNOWN) {
      begin[rank] = seq;
      placedNext[rank] = seq;
    }
  }

  /// Whether a batch could be the next of its sender.
  private boolean isNext(int rank, long seq) {
    long expected = next(rank);
    return expected == seq || expected == UNKNOWN;
  }

  /// Which batch of a sender comes next.
  ///
  /// @param rank the sender's rank
  /// @return its number, or [#UNKNOWN] when neither a batch nor a place of the sender has come in this view
  public long next(int rank) {
    return started[rank] ? lanes.get(rank).next() : begin[rank];
  }

  /// Whether a batch of a sender has come in this view.
  ///
  /// @param rank the sender's rank
  /// @return whether it has
  public boolean hasBegun(int rank) {
    return started[rank];
  }

  /// Whether everything is here, or was and is dropped, that somebody had delivered.
  ///
  /// @param past of this view
  /// @return whether no batch in it is still to come
  boolean contains(CausalPast past) {
    for (CausalPast.Lane lane : past.lanes()) {
      if (lanes.get(lane.rank()).next() < lane.next()) {
        return false;
      }
    }
    return true;
  }

  /// Gives the next index to a batch.
  ///
  /// @param rank the sender's rank
  /// @param seq  the batch's number
  /// @return whether it can stand there: it is the sender's first or next one, sent already if it is an own one, and
  ///         not too far ahead of the batches. Another does not get the index
  public boolean place(int rank, long seq) {
    boolean next = placedNext[rank] == seq || placedNext[rank] == UNKNOWN;
    if (!next || (rank == self && !lanes.get(rank).holds(seq)) || places.next() - heldNext >= AHEAD_MAX) {
      return false;
    }
    begin(rank, seq);
    placedNext[rank] = seq + 1;
    places.append(rank, seq, 1);
    advance();
    return true;
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
    int slot = places.slot(heldNext);
    int rank = places.rank(slot);
    long seq = places.seq(slot, heldNext);
    if (!lanes.get(rank).holds(seq)) {
      return false;
    }
    heldOf[rank] = seq + 1;
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

  /// Whose batch stands at a known place.
  ///
  /// @param index from [#first] to below [#knownNext]
  /// @return the sender's rank
  public int rankAt(long index) {
    return places.rank(places.slot(index));
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
    int slot = places.slot(index);
    return lanes.get(places.rank(slot)).get(places.seq(slot, index));
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

  /// Looks for the first batch of a sender from a number on.
  ///
  /// @param rank the sender's rank
  /// @param seq  the number
  /// @return the first batch that is here and not numbered lower, or null
  public @Nullable Batch from(int rank, long seq) {
    Sequence<Batch> lane = lanes.get(rank);
    long first = Math.max(lane.first(), seq);
    return first < lane.next() ? lane.get(first) : null;
  }

  /// Forgets what every member has.
  ///
  /// @param index places below it are forgotten with their batches
  public void dropBefore(long index) {
    dropBefore(index, (_, _, _) -> {});
  }

  /// Forgets what every member has.
  ///
  /// @param index places below it are forgotten with their batches
  /// @param last  gets these for the last time
  public void dropBefore(long index, Dropped last) {
    long end = Math.min(index, heldNext);
    for (long at = places.first(); at < end; at++) {
      int slot = places.slot(at);
      int rank = places.rank(slot);
      long seq = places.seq(slot, at);
      Sequence<Batch> lane = lanes.get(rank);
      if (lane.holds(seq)) {
        last.dropped(at, rank, lane.get(seq));
        lane.dropBefore(seq + 1);
      }
    }
    places.dropBefore(end);
  }

  // ---- for a view change -----------------------------------------------------------------------------------------

  /// What this member could contribute to a cut.
  ///
  /// @param decidedNext the index behind what this member knows to be decided
  /// @return the part of the history that is kept here
  public Tail tail(long decidedNext) {
    List<Tail.Lane> held = new ArrayList<>();
    for (int rank = 0; rank < view.size(); rank++) {
      Sequence<Batch> lane = lanes.get(rank);
      List<Long> stamps = new ArrayList<>();
      for (long seq = Math.max(lane.first(), heldOf[rank]); seq < lane.next(); seq++) {
        stamps.add(lane.get(seq).stamp());
      }
      held.add(new Tail.Lane(lane.first(), lane.next(), stamps));
    }
    return new Tail(places.first(), places.between(places.first(), places.next()), ordering, decidedNext, held);
  }

  /// Whether another member can have such a part of this history: nobody forgets what this member does not hold, nor
  /// misses what this member has forgotten.
  ///
  /// @param tail what it reports
  /// @return whether that is possible
  public boolean allows(Tail tail) {
    return tail.lanes().size() == view.size() && tail.base() <= heldNext && tail.end() >= places.first();
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

  /// Whether this member has every batch of a cut that it has not forgotten because all had it.
  ///
  /// @param cut a cut that fits
  /// @return whether nothing is to be fetched
  public boolean holds(Cut cut) {
    for (Run run : kept(cut)) {
      Sequence<Batch> lane = lanes.get(run.rank());
      if (!lane.holds(run.seq()) || !lane.holds(run.next() - 1)) {
        return false;
      }
    }
    return true;
  }

  /// The places of a cut that this member has not forgotten.
  private List<Run> kept(Cut cut) {
    return Run.between(cut.places(), places.first() - cut.base(), Long.MAX_VALUE);
  }

  /// Whether a cut can be adopted: it begins where this member holds everything, keeps what it delivered, and is a
  /// possible end of this history. It may begin before what this member still keeps, when it was made without it.
  ///
  /// @param cut           any cut
  /// @param deliveredNext the index behind what was delivered here
  /// @return whether it fits
  public boolean fits(Cut cut, long deliveredNext) {
    return cut.view().equals(view.id())
        && cut.sources().size() == view.size()
        && cut.base() <= heldNext
        && cut.end() >= places.first()
        && (!cut.whole() || cut.end() >= deliveredNext)
        && keeps(cut, deliveredNext)
        && isPossible(cut);
  }

  /// Whether what was delivered here stands in the cut where it did here.
  private boolean keeps(Cut cut, long deliveredNext) {
    long index = cut.base();
    for (Run run : cut.places()) {
      long end = Math.min(index + run.length(), Math.min(deliveredNext, places.next()));
      for (long at = Math.max(index, places.first()); at < end; at++) {
        if (!places.has(at, run.rank(), run.seq() + at - index)) {
          return false;
        }
      }
      index += run.length();
    }
    return true;
  }

  /// Whether each sender's batches go on in the cut where they stop before it, own ones no further than they were sent.
  private boolean isPossible(Cut cut) {
    long[] next = firstKept();
    List<Run> whole = places.between(places.first(), cut.base());
    whole.addAll(kept(cut));
    for (Run run : whole) {
      if (next[run.rank()] != UNKNOWN && next[run.rank()] != run.seq()) {
        return false;
      }
      next[run.rank()] = run.next();
    }
    return self < 0 || next[self] <= (started[self] ? lanes.get(self).next() : UNKNOWN);
  }

  /// By rank, the number of the sender's first batch that is not forgotten, as far as known.
  private long[] firstKept() {
    long[] first = begin.clone();
    for (int rank = 0; rank < first.length; rank++) {
      if (started[rank]) {
        first[rank] = lanes.get(rank).first();
      }
    }
    return first;
  }

  /// Takes over the places that a view change decided.
  ///
  /// @param cut            agreed by the members of the next view; this member holds it
  /// @param deliveredNext  the index behind what was delivered here
  public void adopt(Cut cut, long deliveredNext) {
    Invariant.check(fits(cut, deliveredNext) && holds(cut), "only a cut that fits and is held is adopted");
    long index = Math.max(cut.base(), places.first());
    for (Run run : kept(cut)) {
      for (int i = 0; i < run.length(); i++, index++) {
        adopt(index, run.rank(), run.seq() + i);
      }
    }
    if (cut.whole()) {
      places.truncate(index);
    }
    heldNext = Math.min(heldNext, places.next());
    holdAll();
    System.arraycopy(firstKept(), 0, placedNext, 0, placedNext.length);
    for (Run run : places.between(places.first(), places.next())) {
      placedNext[run.rank()] = run.next();
    }
  }

  private void adopt(long index, int rank, long seq) {
    if (index < places.next() && !places.has(index, rank, seq)) {
      places.truncate(index);
      heldNext = Math.min(heldNext, index);
    }
    if (index == places.next()) {
      places.append(rank, seq, 1);
    }
  }

  // ---- invariants ------------------------------------------------------------------------------------------------

  /// Fails when an invariant does not hold.
  public void check() {
    places.check();
    Invariant.check(
        places.first() <= heldNext && heldNext <= places.next(), "what is held begins with what is kept, and is known");
    Invariant.check(places.next() - heldNext <= AHEAD_MAX, "places are not too far ahead of the batches");
    for (int rank = 0; rank < begin.length; rank++) {
      check(rank);
    }
    Invariant.check(heldNext == places.first() || isHere(heldNext - 1), "what is held is here");
    Invariant.check(heldNext == places.next() || !isHere(heldNext), "what is here without a gap is held");
  }

  private void check(int rank) {
    Sequence<Batch> lane = lanes.get(rank);
    lane.check();
    long least = started[rank] ? begin[rank] : 0;
    Invariant.check(lane.first() >= least && least != UNKNOWN, "a sender's batches begin where its lane does");
    Invariant.check(heldOf[rank] <= lane.next(), "of a sender only what has come is held");
    Invariant.check(
        placedNext[rank] >= begin[rank] && (placedNext[rank] == UNKNOWN) == (begin[rank] == UNKNOWN),
        "a sender's places begin where its lane does");
    Invariant.check(
        rank != self || placedNext[rank] <= (started[rank] ? lane.next() : UNKNOWN),
        "an own batch has no place before it was sent");
  }

  private boolean isHere(long index) {
    int slot = places.slot(index);
    return lanes.get(places.rank(slot)).holds(places.seq(slot, index));
  }

  /// Which batch stands at which index, from one index on without a gap. Kept as runs, so that a long run costs no more
  /// than a short one, whoever said it.
  private static final class PlaceList {
    private static final int INITIAL_SIZE = 16;

    // Slot by slot a run's first index, its sender's rank and its first number; runs end where the next one begins.
    private long[] indexes = new long[INITIAL_SIZE];
    private int[] ranks = new int[INITIAL_SIZE];
    private long[] seqs = new long[INITIAL_SIZE];
    private int head; // the first run's slot; it may begin before `first`
    private int tail; // behind the last run's slot
    private long first;
    private long next; // first <= next

    PlaceList(long first) {
      this.first = first;
      this.next = first;
    }

    long first() {
      return first;
    }

    long next() {
      return next;
    }

    /// The slot of the run in which an index lies; valid until the list is changed.
    int slot(long index) {
      if (index < first || index >= next) {
        throw new IndexOutOfBoundsException(index + " is not in [" + first + ", " + next + ")");
      }
      int at = Arrays.binarySearch(indexes, head, tail, index);
      return at >= 0 ? at : -at - 2;
    }

    int rank(int slot) {
      return ranks[slot];
    }

    /// The number of the batch at an index.
    long seq(int slot, long index) {
      return seqs[slot] + (index - indexes[slot]);
    }

    /// Whether a batch stands at an index of the list.
    boolean has(long index, int rank, long seq) {
      int slot = slot(index);
      return ranks[slot] == rank && seq(slot, index) == seq;
    }

    /// Gives the next indexes to successive batches of one sender.
    void append(int rank, long seq, long length) {
      boolean goesOn = head < tail && ranks[tail - 1] == rank && seq(tail - 1, next) == seq;
      if (!goesOn) {
        if (tail == indexes.length) {
          makeRoom();
        }
        indexes[tail] = next;
        ranks[tail] = rank;
        seqs[tail++] = seq;
      }
      next += length;
    }

    private void makeRoom() {
      int used = tail - head;
      int size = used > indexes.length / 2 ? indexes.length * 2 : indexes.length;
      indexes = Arrays.copyOf(Arrays.copyOfRange(indexes, head, tail), size);
      ranks = Arrays.copyOf(Arrays.copyOfRange(ranks, head, tail), size);
      seqs = Arrays.copyOf(Arrays.copyOfRange(seqs, head, tail), size);
      head = 0;
      tail = used;
    }

    void dropBefore(long index) {
      first = Math.clamp(index, first, next);
      while (head < tail && (head + 1 < tail ? indexes[head + 1] : next) <= first) {
        head++;
      }
    }

    void truncate(long index) {
      next = Math.clamp(index, first, next);
      while (head < tail && indexes[tail - 1] >= next) {
        tail--;
      }
    }

    /// The places from one index to before another, as far as they are in the list.
    List<Run> between(long from, long to) {
      List<Run> runs = new ArrayList<>();
      for (long at = Math.max(from, first); at < Math.min(to, next); ) {
        int slot = slot(at);
        long end = Math.min(slot + 1 < tail ? indexes[slot + 1] : next, Math.min(to, next));
        Run.append(runs, ranks[slot], seq(slot, at), end - at);
        at = end;
      }
      return runs;
    }

    void check() {
      Invariant.check(
          first <= next && 0 <= head && head <= tail && tail <= indexes.length, "a list of places has an order");
      Invariant.check(first == next || head < tail, "every place is in a run");
      Invariant.check(
          head == tail || (indexes[head] <= first && indexes[tail - 1] < next), "runs reach from the first place on");
      for (int slot = head + 1; slot < tail; slot++) {
        Invariant.check(indexes[slot - 1] < indexes[slot] && indexes[slot] > first, "runs begin one after the other");
      }
    }
  }
}
