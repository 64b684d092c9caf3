package org.tutti.host;

import java.nio.ByteBuffer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupClosedException;
import org.tutti.MemberId;
import org.tutti.Service;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.pack.Batch;
import org.tutti.user.GroupUser;

/// Keeps a member's events until the application takes them.
///
/// The engine thread hands over whole batches, one hand-over each; whoever takes an event splits them and copies its
/// message. The length is bounded by the windows of the members, because only what was taken is reported as consumed.
/// That is done when a quarter of the window was taken, and when the queue runs empty, so that it costs little and yet
/// no sender waits for an application that has nothing left to do. A batch that was delivered before it had its place
/// counts when its place is passed, which comes later in the queue.
final class EventQueue implements EventDispatcher {
  private static final int REPORTS_PER_WINDOW = 4;

  /// What a delivered batch counts for.
  private enum Place {
    IN_HISTORY,
    IN_BRANCH,
    NONE // or it comes later
  }

  private sealed interface Entry {}

  private record Delivered(Place place, Batch batch, long position) implements Entry {}

  private record Passed(Batch batch) implements Entry {}

  private record Offered(Event.StateOffer offer) implements Entry {}

  private record Told(Event event) implements Entry {}

  private final String group;
  private final MemberId self;
  private final int windowBytes;
  private final int reportBytes;
  private final Inbox inbox;
  private final Predicate<Event> taken;
  private final Runnable consumed;
  private final LinkedBlockingQueue<Entry> queue = new LinkedBlockingQueue<>();
  private final Activity.Delivered delivered = new Activity.Delivered();
  private volatile long consumedInHistory;
  private final AtomicLong subsetBytes = new AtomicLong(); // of multicasts to some members that were not taken
  private volatile long consumedInBranches;

  // Of the taker, under this lock; it is held while waiting for an event, so that takers take turns.
  private final ReentrantLock takers = new ReentrantLock();
  private @Nullable Delivered current; // has a message left
  private Batch.@Nullable Messages messages;
  private long position;
  private long unreported;
  private @Nullable IncomingState state;
  private @Nullable End closed;

  /// Makes an empty queue.
  ///
  /// @param taken    called when an event is taken that is neither a delivery nor state; tells whether it still counts
  /// @param consumed called when more was consumed than was reported
  EventQueue(String group, MemberId self, int windowBytes, Inbox inbox, Predicate<Event> taken, Runnable consumed) {
    this.group = group;
    this.self = self;
    this.windowBytes = windowBytes;
    this.reportBytes = windowBytes / REPORTS_PER_WINDOW;
    this.inbox = inbox;
    this.taken = taken;
    this.consumed = consumed;
  }

  @Override
  public void deliver(Batch batch, long first) {
    queue.add(new Delivered(Place.IN_HISTORY, batch, first));
  }

  @Override
  public void deliverEarly(Batch batch) {
    queue.add(new Delivered(Place.NONE, batch, -1));
  }

  @Override
  public void deliverSubset(Batch subset) {
    subsetBytes.addAndGet(cost(subset));
    queue.add(new Delivered(Place.NONE, subset, -1));
  }

  @Override
  public boolean takesSubsets() {
    return subsetBytes.get() < windowBytes;
  }

  @Override
  public void deliverInBranch(Batch batch) {
    queue.add(new Delivered(Place.IN_BRANCH, batch, -1));
  }

  @Override
  public void pass(Batch batch) {
    queue.add(new Passed(batch));
  }

  @Override
  public void offer(Event.StateOffer offer) {
    queue.add(new Offered(offer));
  }

  @Override
  public void tell(Event event) {
    queue.add(new Told(event));
  }

  @Override
  public @Nullable Object next() {
    return queue.peek();
  }

  @Override
  public int waiting() {
    return queue.size();
  }

  @Override
  public Activity.Delivered delivered() {
    return delivered;
  }

  @Override
  public long consumed() {
    return consumedInHistory;
  }

  @Override
  public long consumedInBranches() {
    return consumedInBranches;
  }

  /// Takes the next event, or returns null when there is none in time.
  @Nullable Event take(long waitNanos) throws InterruptedException {
    long start = System.nanoTime();
    if (!takers.tryLock()) {
      refuseToBlock(waitNanos);
      if (!takers.tryLock(waitNanos, TimeUnit.NANOSECONDS)) {
        return null;
      }
    }
    try {
      return next(start, waitNanos);
    } finally {
      takers.unlock();
    }
  }

  private @Nullable Event next(long start, long waitNanos) throws InterruptedException {
    if (messages != null) {
      return nextMessage(messages);
    }
    check();
    Event event = null;
    Entry entry;
    do {
      entry = queue.poll();
      if (entry == null) {
        report();
        refuseToBlock(waitNanos);
        entry = queue.poll(waitNanos - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
      }
      event = entry == null ? null : open(entry);
      // A batch without messages is no event, nor is a call given up.
    } while (entry != null && event == null);
    return event;
  }

  private void refuseToBlock(long waitNanos) {
    if (waitNanos > 0 && inbox.isOwner()) {
      throw new IllegalStateException("receive would block the engine thread; call it from another thread");
    }
  }

  private void check() {
    if (closed != null) {
      throw new GroupClosedException(group, self, closed.words());
    }
    if (state != null && !state.isOver()) {
      throw new IllegalStateException(
          "the state offered to group \"" + group + "\" must be " + state.use() + " before the next event is taken");
    }
    state = null;
  }

  private @Nullable Event open(Entry entry) {
    return switch (entry) {
      case Delivered delivered when delivered.batch.count() == 0 || isPropagated(delivered.batch) -> {
        consume(delivered.place, delivered.batch);
        yield null;
      }
      case Passed passed -> {
        consume(Place.IN_HISTORY, passed.batch);
        yield null;
      }
      case Delivered delivered -> {
        current = delivered;
        messages = delivered.batch.messages();
        position = delivered.position;
        yield nextMessage(messages);
      }
      case Offered offered -> {
        state = (IncomingState) offered.offer.source();
        yield offered.offer;
      }
      case Told(Event.Closed last) -> {
        closed = last.end();
        yield last;
      }
      case Told told -> taken.test(told.event) ? told.event : null;
    };
  }

  /// What members propagate comes as an event of its own.
  private static boolean isPropagated(Batch batch) {
    return batch.kind() == Batch.Kind.PROPAGATED;
  }

  private Event nextMessage(Batch.Messages from) {
    ByteBuffer lent = from.next();
    ByteBuffer payload = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
    delivered.add(1, payload.remaining());
    Batch batch = current.batch;
    Service service = batch.kind().service();
    boolean hasPosition = service == Service.TOTAL && current.place == Place.IN_HISTORY;
    var delivery = new Event.Delivery(batch.sender(), service, hasPosition ? position++ : -1, payload);
    if (!from.hasNext()) {
      if (current.place != Place.NONE) {
        consume(current.place, batch);
      } else if (service == Service.TOTAL) {
        subsetBytes.addAndGet(-cost(batch));
        consumed(batch);
      }
      current = null;
      messages = null;
    }
    return delivery;
  }

  private void consume(Place place, Batch batch) {
    if (place == Place.IN_BRANCH) {
      consumedInBranches = consumedInBranches + 1; // by the taker only
    } else {
      consumedInHistory = consumedInHistory + 1;
    }
    consumed(batch);
  }

  private static long cost(Batch batch) {
    return batch.payload().remaining() + (long) batch.count() * GroupUser.MESSAGE_OVERHEAD;
  }

  private void consumed(Batch batch) {
    unreported += cost(batch);
    if (unreported >= reportBytes) {
      report();
    }
  }

  private void report() {
    if (unreported > 0) {
      unreported = 0;
      consumed.run();
    }
  }
}
