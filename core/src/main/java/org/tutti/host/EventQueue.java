package org.tutti.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupClosedException;
import org.tutti.MemberId;
import org.tutti.Service;
import org.tutti.Status;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.host.QueuedEvent.Delivered;
import org.tutti.host.QueuedEvent.Offered;
import org.tutti.host.QueuedEvent.Passed;
import org.tutti.host.QueuedEvent.Place;
import org.tutti.host.QueuedEvent.Told;
import org.tutti.pack.Batch;

/// Keeps a member's events until the application takes them.
///
/// The engine thread hands over whole batches, one hand-over each; whoever takes an event splits them and copies its
/// message. The length is bounded by the windows of the members, because only what was taken is reported as consumed.
/// That is done when a quarter of the window was taken, and when the queue runs empty, so that it costs little and yet
/// no sender waits for an application that has nothing left to do. A batch that was delivered before it had its place
/// counts when its place is passed, which comes later in the queue.
///
/// What the application does not take may go to disk ([Overflow]); that counts as consumed, too. It is taken before
/// what is in the queue.
final class EventQueue implements EventDispatcher, Overflow.Source {
  private static final int REPORTS_PER_WINDOW = 4;

  private final String group;
  private final MemberId self;
  private final int windowBytes;
  private final int reportBytes;
  private final Inbox inbox;
  private final Predicate<Event> taken;
  private final Runnable consumed;
  private final LinkedBlockingQueue<QueuedEvent> queue = new LinkedBlockingQueue<>();
  private final Activity.Delivered delivered = new Activity.Delivered();
  private volatile long consumedInHistory;
  private final AtomicLong subsetBytes = new AtomicLong(); // of multicasts to some members that were not taken
  private volatile long consumedInBranches;

  // Of the taker, under this lock; it is held while waiting for an event, so that takers take turns.
  private final ReentrantLock takers = new ReentrantLock(true); // or who spills could keep them out
  private @Nullable Delivered current; // has a message left
  private Batch.@Nullable Messages messages;
  private long position;
  private long unreported;
  private @Nullable IncomingState state;
  private @Nullable End closed;
  private @Nullable End broken; // what follows was lost

  private @Nullable Overflow overflow; // set before anything comes
  private Consumer<End> lost = _ -> {};

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

  /// Lets what the application does not take be spilled.
  ///
  /// @param spill    where to
  /// @param reporter tells an operator
  /// @param whenLost called when what was spilled cannot be read back: the membership is to end so
  void spillTo(Spill spill, Reporter reporter, Consumer<End> whenLost) {
    lost = whenLost;
    overflow = new Overflow("tutti-" + self.name() + "-spill", spill, windowBytes / 2, reporter, this);
  }

  private void add(QueuedEvent event, Batch batch) {
    queue.add(event);
    if (overflow != null) {
      overflow.arrived(batch);
    }
  }

  @Override
  public void deliver(Batch batch, long first) {
    add(new Delivered(Place.IN_HISTORY, batch, first), batch);
  }

  @Override
  public void deliverEarly(Batch batch) {
    add(new Delivered(Place.NONE, batch, -1), batch);
  }

  @Override
  public void deliverSubset(Batch subset) {
    subsetBytes.addAndGet(QueuedEvent.cost(subset));
    add(new Delivered(Place.NONE, subset, -1), subset);
  }

  @Override
  public boolean takesSubsets() {
    return subsetBytes.get() < windowBytes;
  }

  @Override
  public void deliverInBranch(Batch batch) {
    add(new Delivered(Place.IN_BRANCH, batch, -1), batch);
  }

  @Override
  public void pass(Batch batch) {
    add(new Passed(batch), batch);
    countPassed();
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
    Object spilled = overflow == null ? null : overflow.first();
    return spilled != null ? spilled : queue.peek();
  }

  @Override
  public int waiting() {
    return queue.size() + (overflow == null ? 0 : overflow.waiting());
  }

  @Override
  public Status.Spilled spilled() {
    return overflow == null ? Status.Spilled.NOTHING : overflow.spilled();
  }

  @Override
  public void look(long now) {
    if (overflow != null) {
      overflow.look(now);
    }
  }

  @Override
  public void end() {
    if (overflow != null) {
      overflow.end();
    }
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
  public long taken() {
    long consumed = consumedInHistory; // first: each count rises before this one when a batch is spilled
    return overflow == null ? consumed : consumed - overflow.untaken();
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
    boolean whole;
    Event event;
    try {
      event = next(start, waitNanos);
      whole = messages == null;
    } finally {
      takers.unlock();
    }
    if (whole) {
      countPassed();
    }
    return event;
  }

  /// Counts batches whose places are passed and before which all is taken, although nobody asks for a next event: a
  /// window that is full of what was taken would stay so, and the application may wait for it. To be called whenever
  /// one may have become the first, by the taker and by the engine: the later of the two finds it.
  private void countPassed() {
    while (queue.peek() instanceof Passed && takers.tryLock()) {
      try {
        boolean first = messages == null && (overflow == null || !overflow.isSpilling());
        if (!first || !(queue.peek() instanceof Passed)) {
          return;
        }
        count(queue.remove());
        if (queue.isEmpty()) {
          report();
        }
      } finally {
        takers.unlock();
      }
    }
  }

  private @Nullable Event next(long start, long waitNanos) throws InterruptedException {
    if (messages != null) {
      return nextMessage(messages);
    }
    check();
    Event event = null;
    QueuedEvent entry;
    do {
      entry = overflow != null && overflow.isSpilling() ? spilled(overflow) : queue.poll();
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

  /// What is next of what is spilled; of what is in memory if that is lost.
  private @Nullable QueuedEvent spilled(Overflow from) {
    if (inbox.isOwner()) {
      throw new IllegalStateException(
          "receive would read what was spilled on the engine thread; call it from another thread");
    }
    try {
      return from.next();
    } catch (IOException e) {
      broken =
          new End(
              End.Cause.DROPPED,
              "what was spilled for the application, which had not taken it, cannot be read back: " + e.getMessage());
      from.discard();
      lost.accept(broken);
      return queue.poll();
    }
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

  private @Nullable Event open(QueuedEvent entry) {
    return switch (entry) {
      case Told(Event.Closed last) -> {
        closed = broken != null ? broken : last.end();
        yield broken != null ? new Event.Closed(broken) : last;
      }
      case Delivered delivered when !delivered.hasMessages() || broken != null -> {
        count(delivered); // none of these was spilled
        yield null;
      }
      case Passed passed -> {
        count(passed);
        yield null;
      }
      case Delivered delivered -> {
        current = delivered;
        messages = delivered.batch().messages();
        position = delivered.position();
        yield nextMessage(messages);
      }
      case Offered _, Told _ when broken != null -> null;
      case Offered offered -> {
        state = (IncomingState) offered.offer().source();
        yield offered.offer();
      }
      case Told told -> taken.test(told.event()) ? told.event() : null;
    };
  }

  private Event nextMessage(Batch.Messages from) {
    ByteBuffer lent = from.next();
    ByteBuffer payload = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
    delivered.add(1, payload.remaining());
    Batch batch = current.batch();
    Service service = batch.kind().service();
    boolean hasPosition = service == Service.TOTAL && current.place() == Place.IN_HISTORY;
    var delivery = new Event.Delivery(batch.sender(), service, hasPosition ? position++ : -1, payload);
    if (!from.hasNext()) {
      if (!current.counted()) {
        count(current);
      } else if (overflow != null) {
        overflow.taken(current);
        unreported = Math.max(unreported, 1); // a replay of the own log may wait for it
      }
      current = null;
      messages = null;
    }
    return delivery;
  }

  @Override
  public void count(QueuedEvent event) {
    switch (event) {
      case Delivered delivered -> count(delivered.place(), delivered.batch());
      case Passed passed -> count(Place.IN_HISTORY, passed.batch());
      case Offered _, Told _ -> throw new IllegalArgumentException("is no batch");
    }
  }

  private void count(Place place, Batch batch) {
    if (place != Place.NONE) {
      consume(place, batch);
    } else if (batch.kind().service() == Service.TOTAL) {
      subsetBytes.addAndGet(-QueuedEvent.cost(batch));
      consumed(batch);
    }
    if (overflow != null) {
      overflow.counted(batch);
    }
  }

  @Override
  public @Nullable Delivered current() {
    return current == null || current.counted() ? null : current;
  }

  /// What comes behind it can only count as consumed when it does. Its buffer may be used for another one then.
  @Override
  public void countCurrent() {
    Delivered now = Objects.requireNonNull(current);
    int left = Objects.requireNonNull(messages).left();
    Batch rest = now.batch().without(now.batch().count() - left).copy();
    current = new Delivered(now.place(), rest, now.position(), true);
    messages = rest.messages();
    count(now);
  }

  @Override
  public BlockingQueue<QueuedEvent> memory() {
    return queue;
  }

  @Override
  public ReentrantLock takers() {
    return takers;
  }

  private void consume(Place place, Batch batch) {
    if (place == Place.IN_BRANCH) {
      consumedInBranches = consumedInBranches + 1; // by who holds the lock only
    } else {
      consumedInHistory = consumedInHistory + 1;
    }
    consumed(batch);
  }

  private void consumed(Batch batch) {
    unreported += QueuedEvent.cost(batch);
    if (unreported >= reportBytes) {
      report();
    }
  }

  @Override
  public void report() {
    if (unreported > 0) {
      unreported = 0;
      consumed.run();
    }
  }
}
