package org.tutti.engine;

import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Refused;
import org.tutti.transport.Transport;
import org.tutti.user.Request;

/// The one engine thread of a node: it feeds the engine with what arrives, what the application asks and what time it
/// is, and does the transport's input and output in between.
///
/// ```
/// callers --post--> inbox --+
///                           v
/// sockets --poll--> step step step (expired) --> flush --> next poll writes
/// ```
///
/// One turn is a poll, a run of requests, perhaps the timers, one flush. What listeners asked for while they were
/// called in that flush comes next, with a flush of its own, so that it leaves with what the turn has to say anyway.
/// The poll waits only when the inbox is empty and no timer is due, and, on a node that spins, nothing has come for a
/// while.
///
/// Whatever is thrown out of a turn is a bug, here or in a listener: the node stops, says so, and everybody who waits
/// for it is told.
public final class EventLoop {
  private static final System.Logger LOG = System.getLogger("org.tutti");

  /// The most requests between two polls, so that a busy application does not keep the transport waiting.
  private static final int RUN_MAX = 4096;

  /// How often a turn goes on with what its flush has caused; a listener of a group of one could go on for ever.
  private static final int AGAIN_MAX = 4;

  /// A poll that took longer than this may have been stopped in the middle, with input left behind.
  private static final long STALL_NANOS = 20_000_000;

  private static final long IDLE = Long.MIN_VALUE;
  private static final long ENDED = Long.MIN_VALUE;

  private static final Input EXPIRED = new Input.Expired();

  private final NodeEngine engine;
  private final Counters counters;
  private final Transport transport;
  private final long spinNanos;
  private final Consumer<String> ended;
  private final String name;
  private final Inbox inbox;
  private final Thread thread;
  private final Queue<CompletableFuture<List<Metric>>> questions = new ConcurrentLinkedQueue<>();
  private final Receiver receiver = new Arrivals();
  private final Consumer<Request> requested = request -> step(new Input.Requested(request));
  private final long originNanos = System.nanoTime();

  // When the turn began, or idle: for whoever watches from outside, so written without a fence.
  private final AtomicLong began = new AtomicLong(IDLE);

  // Until when it waits for input, if it is idle: likewise, and before that. It has to begin at once.
  private final AtomicLong until = new AtomicLong(0);

  private volatile boolean stopping;
  private volatile @Nullable Throwable failure;
  private volatile @Nullable List<Metric> lastMetrics;

  // Of the engine thread.
  private long nowNanos;
  private long deadlineNanos;
  private boolean waiting;
  private boolean postponed;
  private boolean stepped; // in this turn
  private long busyNanos; // when there was input last; kept by those that spin

  /// Prepares a loop; [#start] runs it.
  ///
  /// @param engine    used by the loop's thread only from [#start] on
  /// @param transport likewise, and closed by it
  /// @param spin      for how long after the last input it looks again and again instead of waiting
  /// @param ended     called once, on the engine thread, after the last step, with the reason in words
  public EventLoop(NodeEngine engine, Transport transport, Duration spin, Consumer<String> ended) {
    this.engine = engine;
    this.counters = engine.counters();
    this.transport = transport;
    this.spinNanos = TimeUnit.NANOSECONDS.convert(spin);
    this.ended = ended;
    this.name = engine.self().name();
    this.inbox = new Inbox(transport::wakeup);
    this.thread = Thread.ofPlatform().name("tutti-" + name).unstarted(this::run);
    inbox.owner = thread;
  }

  /// Starts the thread.
  public void start() {
    thread.start();
  }

  /// Where requests go.
  ///
  /// @return the inbox; it refuses requests once the loop has ended
  public Inbox inbox() {
    return inbox;
  }

  /// Asks the loop to end after its current turn. May be called from any thread, repeatedly.
  public void stop() {
    stopping = true;
    transport.wakeup();
  }

  /// Waits until the thread has ended.
  ///
  /// @param millis the longest wait, at least 1
  /// @return whether it has ended
  /// @throws InterruptedException when interrupted while waiting
  public boolean join(long millis) throws InterruptedException {
    thread.join(millis);
    return !thread.isAlive();
  }

  /// What stopped the node.
  ///
  /// @return null unless a bug did
  public @Nullable Throwable failure() {
    return failure;
  }

  /// What the engine thread is at: one turn, from the end of a wait for input to the begin of the next one.
  ///
  /// @param began   when the turn began, on a clock of this loop
  /// @param nanos   how long ago that was
  /// @param calling what it calls now that is not Tutti's, in words, as far as that is known
  public record Turn(long began, long nanos, @Nullable String calling) {}

  /// What the engine thread is at; may be called from any thread.
  ///
  /// @return null while it waits for input, and after its end
  public @Nullable Turn turn() {
    long since = began.get();
    return since == IDLE ? null : new Turn(since, clock() - since, inbox.calling.get());
  }

  /// Whether the engine thread does not fail to come: it waits for input, or for its next timer, or it has been at one
  /// turn, or is late for that timer, for less than a time. May be called from any thread, and waits for nothing.
  ///
  /// @param within that time
  /// @return false before the first turn is begun for that long, and after the end
  public boolean isTurning(Duration within) {
    long since = began.get();
    if (since == IDLE) {
      since = until.get(); // of this wait, or of a later one
    }
    return since != ENDED && clock() - since < TimeUnit.NANOSECONDS.convert(within);
  }

  /// Counts a turn that took too long, for [Count#LOOP_STALLS]; may be called from any thread.
  ///
  /// @return where the engine thread is in its code
  public StackTraceElement[] stalled() {
    counters.countShared(Count.LOOP_STALLS);
    return thread.getStackTrace();
  }

  /// What engine and transport tell about themselves; after the end, what it was then.
  ///
  /// @return unmodifiable, in the order of [Metric#ORDER]
  /// @throws InterruptedException when interrupted while waiting for the engine thread
  public List<Metric> metrics() throws InterruptedException {
    if (inbox.isOwner()) {
      return sorted(measured());
    }
    var question = new CompletableFuture<List<Metric>>();
    questions.add(question);
    transport.wakeup();
    if (lastMetrics != null) {
      // The loop may have looked at the questions for the last time before this one was there.
      answer(lastMetrics);
    }
    try {
      return sorted(question.get()); // not by the engine thread
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private void run() {
    try {
      transport.start(receiver);
      nowNanos = clock();
      engine.flush(nowNanos);
      deadlineNanos = engine.deadlineNanos();
      while (!stopping) {
        go();
      }
      // What the last requests caused (a farewell, for example) leaves when the transport is closed.
      engine.flush(nowNanos);
    } catch (Throwable broken) {
      fail(broken);
    }
    inbox.close();
    Throwable why = failure;
    end(() -> ended.accept(why == null ? "node " + name + " was closed" : "node " + name + " stopped: " + why));
    until.set(ENDED);
    began.set(IDLE);
    end(() -> lastMetrics = measured());
    end(transport::close);
    List<Metric> last = lastMetrics;
    answer(last == null ? lastMetrics = List.of() : last);
  }

  /// Input first, timers after: when the process was stopped for a while (SIGSTOP, a long collection, a suspended
  /// machine), what arrived in that time must be seen before a timer concludes anything from silence. So timers run
  /// only
  ///
  /// 1. in a turn that found them due before its poll: what was in the sockets then has been read;
  /// 2. with the time of the last input of that poll, or of before it, but not with a later time;
  /// 3. unless the poll itself took suspiciously long, but then at the latest in the next turn.
  private void go() {
    long before = clock();
    nowNanos = before;
    began.setRelease(before);
    boolean due = deadlineNanos <= before;
    counters.count(Count.LOOP_TURNS);
    if (due || before - busyNanos < spinNanos || !inbox.doze()) {
      transport.poll(0);
    } else {
      waiting = true;
      counters.count(Count.LOOP_WAITS);
      until.setRelease(deadlineNanos);
      began.setRelease(IDLE);
      transport.poll(deadlineNanos == Long.MAX_VALUE ? Long.MAX_VALUE : deadlineNanos - before);
      look();
    }
    int requests = inbox.drain(requested, RUN_MAX);
    if (spinNanos > 0) {
      spin(requests > 0 || nowNanos != before);
    }
    if (due) {
      postponed = !postponed && nowNanos - before > STALL_NANOS;
      if (!postponed) {
        step(EXPIRED);
      }
    }
    if (!questions.isEmpty()) {
      answer(measured());
    }
    if (stepped) {
      flush();
    }
  }

  /// Not after turns that brought the engine nothing, such as those that read a part of a long frame: on a slow line
  /// most do.
  private void flush() {
    stepped = false;
    engine.flush(nowNanos);
    for (int again = 0; again < AGAIN_MAX && inbox.drain(requested, RUN_MAX) > 0; again++) {
      engine.flush(nowNanos);
    }
    deadlineNanos = engine.deadlineNanos();
  }

  /// Whoever spins remembers when there was something to do.
  private void spin(boolean busy) {
    if (busy) {
      busyNanos = nowNanos;
    } else {
      Thread.onSpinWait();
    }
  }

  private void step(Input input) {
    stepped = true;
    engine.step(nowNanos, input);
  }

  private void look() {
    nowNanos = clock();
    if (waiting) {
      waiting = false;
      began.setRelease(nowNanos);
      inbox.awake();
    }
  }

  private long clock() {
    // From 0 upwards: sums and comparisons in the engine cannot overflow.
    return System.nanoTime() - originNanos;
  }

  private List<Metric> measured() {
    return Stream.concat(counters.metrics().stream(), transport.metrics().stream()).toList();
  }

  private static List<Metric> sorted(List<Metric> metrics) {
    return metrics.stream().sorted(Metric.ORDER).toList();
  }

  private void answer(List<Metric> metrics) {
    for (var question = questions.poll(); question != null; question = questions.poll()) {
      question.complete(metrics);
    }
  }

  private void end(Runnable last) {
    try {
      last.run();
    } catch (Throwable broken) {
      fail(broken);
    }
  }

  private void fail(Throwable broken) {
    Throwable first = failure;
    if (first == null) {
      failure = broken;
    } else if (first != broken) {
      first.addSuppressed(broken);
    }
    LOG.log(Level.ERROR, "node " + name + " stops", broken);
  }

  private final class Arrivals implements Receiver {
    @Override
    public void onFrame(ByteBuffer frame) {
      look();
      step(new Input.Arrived(frame));
    }

    @Override
    public void onReady(Address peer) {
      look();
      step(new Input.Ready(peer));
    }

    @Override
    public void onReconnected(Address peer) {
      look();
      step(new Input.Reconnected(peer));
    }

    @Override
    public void onGone(Address peer) {
      look();
      step(new Input.Gone(peer));
    }

    @Override
    public void onRefused(Refused refused) {
      look();
      step(new Input.Rejected(refused));
    }
  }

  /// Hands requests from any thread to the engine thread, in the order of posting.
  ///
  /// A stack that callers push on with one compare-and-set and the engine thread takes whole, then turns over. While
  /// the engine thread may be waiting in a poll, a marker lies on the stack; who covers it wakes the thread up, all
  /// others need not.
  ///
  /// Bounded by what callers may have on the way: multicasts by their windows, state by its credits, consumption by one
  /// per group, and everything else ([#ask]) by [#ASKED_MAX].
  public static final class Inbox {
    /// The most requests of [#ask] that wait.
    public static final int ASKED_MAX = 1024;

    private static final Cell ASLEEP = new Cell(null);
    private static final Cell CLOSED = new Cell(null);

    private final Runnable wakeup;
    private final AtomicReference<@Nullable Cell> top = new AtomicReference<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicReference<@Nullable String> calling = new AtomicReference<>();
    private volatile @Nullable Thread owner;
    private @Nullable Cell run;

    /// Makes an empty inbox.
    ///
    /// @param wakeup makes the engine thread look into the inbox; called after [#doze] only
    public Inbox(Runnable wakeup) {
      this.wakeup = wakeup;
    }

    /// Whether this is the engine thread, which must not block.
    ///
    /// @return whether the caller is the thread of the loop
    public boolean isOwner() {
      return Thread.currentThread() == owner;
    }

    /// The engine thread begins to call code that is not Tutti's, or is back: [EventLoop#turn] tells it to others.
    ///
    /// @param code what it calls, in words; null when it is back
    public void calling(@Nullable String code) {
      calling.setRelease(code);
    }

    /// Adds a request that its sender bounds.
    ///
    /// @param request what is wanted
    /// @return whether it was taken; false once the loop has ended
    public boolean post(Request request) {
      var cell = new Cell(request);
      Cell below;
      do {
        below = top.get();
        if (below == CLOSED) {
          return false;
        }
        cell.below = below == ASLEEP ? null : below;
      } while (!top.compareAndSet(below, cell));
      if (below == ASLEEP) {
        wakeup.run();
      }
      return true;
    }

    /// Adds a request that nothing else bounds: create, join, suspect.
    ///
    /// @param request what is wanted
    /// @return whether it was taken; false once the loop has ended
    /// @throws IllegalStateException when [#ASKED_MAX] such requests wait
    public boolean ask(Request request) {
      if (asked.incrementAndGet() > ASKED_MAX) {
        asked.decrementAndGet();
        throw new IllegalStateException("the node does not keep up: " + ASKED_MAX + " requests wait");
      }
      return post(request);
    }

    /// Takes requests, oldest first. Only for the engine thread.
    ///
    /// @param to  gets them
    /// @param max how many at most
    /// @return how many there were
    public int drain(Consumer<Request> to, int max) {
      int count = 0;
      while (count < max) {
        Cell cell = run != null ? run : takeAll();
        if (cell == null) {
          break;
        }
        run = cell.below;
        count++;
        Request request = cell.request;
        if (request instanceof Request.Create
            || request instanceof Request.Found
            || request instanceof Request.Join
            || request instanceof Request.Suspect) {
          asked.decrementAndGet();
        }
        if (request != null) {
          to.accept(request);
        }
      }
      return count;
    }

    private @Nullable Cell takeAll() {
      Cell newest = top.get();
      if (newest == null || newest == ASLEEP || newest == CLOSED) {
        return null;
      }
      Cell oldest = null;
      for (Cell cell = top.getAndSet(null); cell != null; ) {
        Cell below = cell.below;
        cell.below = oldest;
        oldest = cell;
        cell = below;
      }
      return oldest;
    }

    /// Announces a wait: from now on the first request wakes the engine thread up. Only for the engine thread.
    ///
    /// @return whether it may wait; false when there are requests
    public boolean doze() {
      return run == null && top.compareAndSet(null, ASLEEP);
    }

    /// Ends a wait, whatever ended it. Only for the engine thread.
    public void awake() {
      top.compareAndSet(ASLEEP, null);
    }

    /// Refuses requests from now on and drops those that wait. Only for the engine thread.
    public void close() {
      top.set(CLOSED);
      run = null;
    }

    private static final class Cell {
      final @Nullable Request request;
      @Nullable Cell below;

      Cell(@Nullable Request request) {
        this.request = request;
      }
    }
  }
}
