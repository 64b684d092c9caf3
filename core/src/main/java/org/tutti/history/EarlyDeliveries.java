package org.tutti.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.tutti.Invariant;
import org.tutti.View;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;

/// When messages of the weak services are delivered in one primary view: unordered and FIFO ones when their batch
/// has entered the log, causal ones when everything is delivered that their sender had delivered. The places that all
/// of them get later only keep the books.
///
/// It happens when a run of inputs ends, and not at all in a view that is wedged by then: what a member has delivered
/// of a view must be in its report on the view, and one that enters a view late may have reported before.
///
/// A causal batch c of sender s waits for (1) the totally ordered batches that s had delivered, the last of which c's
/// past names by its index; (2) those that s had sent itself before c; (3) the causal batches that s had delivered, by
/// sender; (4) those that s had sent before c. What is not named in c's past is in that of an earlier batch of s, for
/// which c waits anyway. After Birman, Schiper and Stephenson, "Lightweight causal and atomic group multicast", 1991;
/// their vectors count messages, these count batches by their numbers and say only what is new.
///
/// A batch that reaches its place without having been delivered is delivered there: everything it waits for has a lower
/// place.
final class EarlyDeliveries {
  /// A causal batch that waits.
  ///
  /// @param batch       the batch
  /// @param totalsUntil the number behind the sender's last totally ordered batch before it, or 0
  private record Waiting(Batch batch, long totalsUntil) {}

  private final int self;
  private final ViewHistory.Deliverer deliveries;
  private final ArrayDeque<Batch> free = new ArrayDeque<>(); // wait for nothing but the end of the run of inputs
  private final List<ArrayDeque<Waiting>> waiting = new ArrayList<>(); // by rank, in the sender's order
  private final long[] causal; // by rank, the number behind the last causal batch that is delivered
  private final long[] said; // the same, as this member's batches in this view have said it
  private final long[] totalsArrived; // by rank, the number behind the last totally ordered batch
  private final long[] totals; // of those, what is delivered
  private long totalNext; // the index behind the last totally ordered batch that is delivered
  private long saidTotalNext;
  private int size; // how many wait
  private boolean news; // causal batches were delivered of which nothing was said
  private boolean stopped;

  EarlyDeliveries(View view, int self, ViewHistory.Deliverer deliveries) {
    this.self = self;
    this.deliveries = deliveries;
    this.causal = new long[view.size()];
    this.said = new long[view.size()];
    this.totalsArrived = new long[view.size()];
    this.totals = new long[view.size()];
    for (int rank = 0; rank < view.size(); rank++) {
      waiting.add(new ArrayDeque<>());
    }
  }

  /// What this member's next batch says, if it is of this kind.
  CausalPast past(Batch.Kind kind) {
    boolean causalKind = kind == Batch.Kind.CAUSAL;
    long after = 0;
    if (causalKind && totalNext > saidTotalNext) {
      saidTotalNext = totalNext;
      after = totalNext;
    }
    List<CausalPast.Lane> lanes = List.of();
    if (news && (causalKind || kind == Batch.Kind.TOTAL)) {
      news = false;
      lanes = new ArrayList<>();
      for (int rank = 0; rank < causal.length; rank++) {
        if (rank != self && causal[rank] > said[rank]) {
          said[rank] = causal[rank];
          lanes.add(new CausalPast.Lane(rank, causal[rank]));
        }
      }
    }
    return after == 0 && lanes.isEmpty() ? CausalPast.NONE : new CausalPast(after, lanes);
  }

  /// A batch has entered the log.
  void arrived(int rank, Batch batch) {
    switch (batch.kind()) {
      case UNORDERED, FIFO -> free.add(batch);
      case CAUSAL -> {
        waiting.get(rank).add(new Waiting(batch, totalsArrived[rank]));
        size++;
      }
      case TOTAL -> totalsArrived[rank] = batch.seq() + 1;
      case SWITCH -> {}
    }
  }

  /// A run of inputs ends: delivers what may be delivered.
  ///
  /// @return whether anything was
  boolean deliver() {
    boolean any = !free.isEmpty();
    while (!free.isEmpty()) {
      deliveries.deliverEarly(free.remove());
    }
    return deliverReady() | any;
  }

  /// A batch is delivered, or passed over, at its place.
  void placed(long index, int rank, Batch batch) {
    switch (batch.kind()) {
      case CAUSAL -> leave(rank, batch);
      case TOTAL -> {
        totals[rank] = batch.seq() + 1;
        totalNext = index + 1;
      }
      case UNORDERED, FIFO, SWITCH -> {}
    }
    deliverReady();
  }

  private void leave(int rank, Batch batch) {
    ArrayDeque<Waiting> lane = waiting.get(rank);
    if (!lane.isEmpty() && lane.getFirst().batch == batch) {
      lane.remove();
      size--;
    }
    if (batch.seq() >= causal[rank]) {
      causal[rank] = batch.seq() + 1;
      news |= rank != self;
    }
  }

  private boolean deliverReady() {
    boolean any = false;
    boolean more = size > 0 && !stopped;
    while (more) {
      more = false;
      for (int rank = 0; rank < causal.length; rank++) {
        Waiting first = waiting.get(rank).peekFirst();
        if (first != null && isReady(rank, first)) {
          leave(rank, first.batch);
          deliveries.deliverEarly(first.batch);
          any = true;
          more = size > 0;
        }
      }
    }
    return any;
  }

  private boolean isReady(int rank, Waiting next) {
    CausalPast past = next.batch.past();
    if (totals[rank] < next.totalsUntil || totalNext < past.after()) {
      return false;
    }
    for (CausalPast.Lane lane : past.lanes()) {
      if (causal[lane.rank()] < lane.next()) {
        return false;
      }
    }
    return true;
  }

  /// The view is wedged: what is not delivered now waits for its place.
  void stop() {
    stopped = true;
    free.clear();
  }

  void check() {
    int batches = 0;
    for (int rank = 0; rank < causal.length; rank++) {
      batches += waiting.get(rank).size();
      Invariant.check(said[rank] <= causal[rank], "only what is delivered is said to be");
      Invariant.check(stopped || totals[rank] <= totalsArrived[rank], "only what has come is delivered");
    }
    Invariant.check(size == batches, "causal batches that wait are counted");
    Invariant.check(saidTotalNext <= totalNext, "only what is delivered was before");
    Invariant.check(!stopped || free.isEmpty(), "in a wedged view nothing is delivered before its place");
  }
}
