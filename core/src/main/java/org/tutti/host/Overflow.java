package org.tutti.host;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.Status;
import org.tutti.pack.Batch;

/// Moves what an application does not take from memory to disk, oldest first, by a thread of its own: that of the
/// engine only looks whether it is to be woken, and does not wait for a disk (`docs/protocols/spilling.md`).
///
/// It spills when more than a bound is not consumed, or when the application has been at one batch for long; and as
/// long as anything is spilled, all that comes, as it is to be taken after that. What waits for the application is then
/// in this order: what is spilled, with what is no batch in its place between the records, and what is in memory.
///
/// The lock of the takers guards all of it; any thread may read counts.
final class Overflow {
  private static final long AGAIN_NANOS = 10_000_000_000L; // after a failure, and between two lines about the bound
  private static final long HELD_NANOS = 1_000_000_000; // at one batch: a sender whose window is small may wait for it

  /// What is moved, and who counts what the application has consumed.
  interface Source {
    /// What waits in memory.
    BlockingQueue<QueuedEvent> memory();

    /// Who holds this takes events, or moves them.
    ReentrantLock takers();

    /// The batch that the application is at, if it has not taken all of it and that does not count as consumed.
    QueuedEvent.@Nullable Delivered current();

    /// What is left of that batch is kept elsewhere, and it counts as consumed.
    void countCurrent();

    /// A batch counts as consumed.
    void count(QueuedEvent batch);

    /// The engine is to look at the counts.
    void report();
  }

  private enum Result {
    MORE,
    DONE,
    FAILED
  }

  /// In the line of what is spilled: so many records, one behind the other. What else stands in it is an event.
  private static final class Run {
    private long records;
  }

  private final String name;
  private final Spill spill;
  private final long memoryBytesMax;
  private final Reporter reporter;
  private final Source source;
  private final BlockingQueue<QueuedEvent> memory;
  private final ReentrantLock takers;
  private final ArrayDeque<Object> line = new ArrayDeque<>(); // runs and events
  private volatile @Nullable Thread thread; // started by the engine thread
  private volatile boolean asked;
  private volatile boolean ended;
  private volatile long arrived; // of the engine thread: what has come, as windows count
  private volatile long counted; // of that, what counts as consumed, or waits for its place
  private long lookedAt; // of the engine thread, as is the next: what was counted
  private long lookedSince;
  private volatile boolean spilling; // something is in the line
  private volatile @Nullable Object first; // the same as long as the application has not come to it
  private volatile int waiting; // events and batches in the line
  private volatile long untaken; // batches that had their places when they were spilled, and are not taken
  private boolean full;
  private long since; // something is spilled
  private long messages; // that were, since then; 0 when none is
  private @Nullable Long boundTold;

  /// Begins with nothing spilled, and without a thread.
  ///
  /// @param name           of the thread
  /// @param spill          where to
  /// @param memoryBytesMax what may be unconsumed, as windows count, before anything is spilled
  /// @param reporter       is told
  /// @param source         where from
  Overflow(String name, Spill spill, long memoryBytesMax, Reporter reporter, Source source) {
    this.name = name;
    this.spill = spill;
    this.memoryBytesMax = memoryBytesMax;
    this.reporter = reporter;
    this.source = source;
    this.memory = source.memory();
    this.takers = source.takers();
  }

  // ---- the engine thread -----------------------------------------------------------------------------------------

  /// A batch was added to what waits in memory.
  void arrived(Batch batch) {
    long now = arrived + QueuedEvent.cost(batch);
    arrived = now; // by this thread only
    if (spilling || now - counted > memoryBytesMax) {
      wake();
    }
  }

  /// Looks whether the application is at one batch for long; called now and then.
  void look(long now) {
    long seen = counted;
    if (seen != lookedAt || seen == arrived) {
      lookedAt = seen;
      lookedSince = now;
    } else if (now - lookedSince >= HELD_NANOS) {
      wake();
    }
  }

  private void wake() {
    if (!asked) {
      asked = true;
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name(name).start(this::run);
      }
      LockSupport.unpark(thread);
    }
  }

  /// Spills nothing more. What is spilled can still be taken.
  void end() {
    ended = true;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  // ---- any thread ------------------------------------------------------------------------------------------------

  /// How much is spilled.
  Status.Spilled spilled() {
    return new Status.Spilled(spill.messages(), spill.bytes());
  }

  /// To what the application comes next: the same object as long as it has not come to it; null when nothing is
  /// spilled.
  @Nullable Object first() {
    return first;
  }

  /// How many events and batches are in the line.
  int waiting() {
    return waiting;
  }

  /// How many batches count as consumed that had their places and are not taken.
  long untaken() {
    return untaken;
  }

  // ---- the thread that spills ------------------------------------------------------------------------------------

  private void run() {
    while (!ended) {
      if (asked) {
        asked = false;
        if (moveAll() == Result.FAILED) {
          pause();
          asked = spilling || arrived - counted > memoryBytesMax;
        }
      } else {
        LockSupport.park(this);
      }
    }
  }

  private void pause() {
    long begin = System.nanoTime();
    long rest = AGAIN_NANOS;
    while (rest > 0 && !ended) {
      LockSupport.parkNanos(this, rest);
      rest = AGAIN_NANOS - (System.nanoTime() - begin);
    }
  }

  private Result moveAll() {
    Result result = Result.MORE;
    while (result == Result.MORE && !ended) {
      takers.lock();
      try {
        result = moveSome();
      } finally {
        takers.unlock();
      }
    }
    return result;
  }

  /// Moves as much as is written at once: nothing leaves the memory that is not written.
  private Result moveSome() {
    Spill.Draft draft = spill.draft();
    int moving = 0;
    full = false;
    Iterator<QueuedEvent> each = memory.iterator();
    while (each.hasNext() && !draft.isFull()) {
      QueuedEvent event = each.next();
      if (event instanceof QueuedEvent.Told(Event.Closed _)) {
        break; // it stays, so that it is told even if what is spilled is lost
      }
      full = event instanceof QueuedEvent.Delivered delivered && delivered.hasMessages() && !draft.add(delivered);
      if (full) {
        break;
      }
      moving++;
    }
    if (full) {
      tellBound();
    }
    if (draft.records() > 0) {
      try {
        spill.write(draft);
      } catch (IOException e) {
        reporter.spillFails(e.toString());
        return Result.FAILED;
      }
      begin();
    }
    if (moving > 0 || memory.isEmpty()) {
      setCurrentAside();
    }
    for (; moving > 0; moving--) {
      move(memory.remove());
    }
    source.report();
    return draft.isFull() ? Result.MORE : Result.DONE;
  }

  private void begin() {
    if (messages == 0) {
      since = System.nanoTime();
      reporter.spills(spill);
    }
  }

  private void setCurrentAside() {
    QueuedEvent.Delivered current = source.current();
    if (current != null) {
      setAside(current);
      source.countCurrent();
    }
  }

  private void tellBound() {
    long now = System.nanoTime();
    if (boundTold == null || now - boundTold >= AGAIN_NANOS) {
      boundTold = now;
      reporter.spillIsFull(spill);
    }
  }

  private void move(QueuedEvent event) {
    if (event instanceof QueuedEvent.Delivered delivered && delivered.hasMessages()) {
      Run run = line.peekLast() instanceof Run last ? last : new Run();
      run.records++;
      if (run.records == 1) {
        append(run, event);
      }
      waiting = waiting + 1;
      messages += delivered.batch().count();
      setAside(delivered);
      source.count(event);
    } else if (event instanceof QueuedEvent.Delivered || event instanceof QueuedEvent.Passed) {
      source.count(event);
    } else {
      append(event, event);
      waiting = waiting + 1;
    }
  }

  private void append(Object what, QueuedEvent beginning) {
    if (line.isEmpty()) {
      first = beginning;
      spilling = true;
    }
    line.addLast(what);
  }

  // ---- takers ----------------------------------------------------------------------------------------------------

  /// Whether something is spilled, which is to be taken before what is in memory.
  boolean isSpilling() {
    return spilling;
  }

  /// A batch counts as consumed, or, when it has no place yet, is not in memory any more.
  void counted(Batch batch) {
    counted = counted + QueuedEvent.cost(batch);
  }

  /// Takes what is next of what is spilled. Only when something is.
  ///
  /// @throws IOException when it cannot be read, or is not what was written
  QueuedEvent next() throws IOException {
    QueuedEvent next;
    long before = spill.bytes();
    if (line.getFirst() instanceof Run run) {
      next = spill.read();
      run.records--;
      if (run.records == 0) {
        line.removeFirst();
      }
    } else {
      next = (QueuedEvent) line.removeFirst();
    }
    waiting = waiting - 1;
    boolean more = !line.isEmpty();
    first = more ? next : null;
    spilling = more;
    if (!more && messages > 0) {
      reporter.spillIsTaken(messages, Duration.ofNanos(System.nanoTime() - since));
      messages = 0;
    } else if (full && spill.bytes() < before) {
      asked = true; // there is room again
      LockSupport.unpark(thread);
    }
    return next;
  }

  /// A batch is about to count as consumed before it is taken: before, so that nobody sees it as taken.
  void setAside(QueuedEvent.Delivered batch) {
    if (batch.place() == QueuedEvent.Place.IN_HISTORY) {
      untaken = untaken + 1;
    }
  }

  /// A batch that was set aside is taken.
  void taken(QueuedEvent.Delivered batch) {
    if (batch.place() == QueuedEvent.Place.IN_HISTORY) {
      untaken = untaken - 1;
    }
  }

  /// Forgets what is spilled, and spills nothing more.
  void discard() {
    ended = true;
    LockSupport.unpark(thread);
    spill.clear();
    line.clear();
    first = null;
    spilling = false;
    waiting = 0;
    untaken = 0;
    messages = 0;
  }
}
