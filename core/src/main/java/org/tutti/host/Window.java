package org.tutti.host;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupMetrics;
import org.tutti.Invariant;
import org.tutti.LatencyHistogram;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Outcome;
import org.tutti.SendOptions;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// The budget in bytes of one member's multicasts that are on the way, and the futures of those whose outcome is open.
///
/// 1. A message enters when it fits, or when the window is empty: a larger one takes the whole window.
/// 2. Callers who find no room wait in a line, and nobody passes them; so large messages are not starved by small ones.
/// 3. Entering the window, the line of futures and the inbox is one critical section; so the oldest future always
///    belongs to the oldest message in the engine.
///
/// 4. A message whose sender has left the primary view gets a second future, for what comes later; it is older than all
///    others.
///
/// Futures are completed outside the lock, by the engine thread.
final class Window {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final Outcome DELIVERED = new Outcome.Delivered();
  private static final long NO_POSITION = -1;
  private static final long NEVER = Long.MIN_VALUE;
  private static final long NOT_TIMED = Long.MIN_VALUE;

  private final String group;
  private final MemberId self;
  private final int bytes;
  private final int runBytesMax;
  private int runMessagesMax = 1; // until the group is known
  private final Inbox inbox;
  private final Runnable bounded;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Condition> line = new ArrayDeque<>();
  private final OpenOutcomes undecided = new OpenOutcomes(); // second ones
  private final OpenOutcomes open = new OpenOutcomes();
  private final TreeMap<Long, SubsetMulticast> subsets = new TreeMap<>(); // to some members, by number
  private @Nullable OpenBlock block; // the last request, when it can grow
  private final Payloads payloads = Payloads.used();
  private final LatencyRecorder latency = new LatencyRecorder();
  private long used;
  private long sentMessages;
  private long sentBytes;
  private @Nullable ByteBuffer propagation; // waits for room
  private long reserved; // for it
  private long refusedSince = NEVER; // since when nothing has found room
  private long refusedCost; // of what did not then
  private long subsetNumber;
  private @Nullable String closed;
  private @Nullable CompletableFuture<Outcome>[] decided = nothingDecided(); // of the engine thread

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static @Nullable CompletableFuture<Outcome>[] nothingDecided() {
    return new CompletableFuture[0];
  }

  Window(String group, MemberId self, MemberConfig member, Inbox inbox) {
    this.group = group;
    this.self = self;
    this.bytes = member.windowBytes();
    this.runBytesMax = member.batchBytesMax();
    this.inbox = inbox;
    this.bounded = () -> inbox.post(new Request.Packed(group));
  }

  /// So many messages may be one request from now on.
  void gather(int messages) {
    lock.lock();
    try {
      runMessagesMax = messages;
      block = null;
    } finally {
      lock.unlock();
    }
  }

  private record SubsetMulticast(@Nullable CompletableFuture<Outcome> outcome, long cost) {}

  private static long cost(ByteBuffer message) {
    return (long) message.remaining() + GroupUser.MESSAGE_OVERHEAD;
  }

  private static void check(ByteBuffer message) {
    if (message.remaining() > Group.MESSAGE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a message has at most " + Group.MESSAGE_BYTES_MAX + " bytes, not " + message.remaining());
    }
  }

  private boolean fits(long cost) {
    return used == 0 || used + reserved + cost <= bytes;
  }

  /// Sends a message if there is room.
  ///
  /// @param outcome is told what becomes of it; null for nobody
  /// @return whether there was
  boolean trySend(ByteBuffer message, SendOptions how, @Nullable CompletableFuture<Outcome> outcome) {
    check(message);
    long cost = cost(message);
    lock.lock();
    try {
      refuseIfClosed();
      boolean room = line.isEmpty() && fits(cost);
      if (room) {
        enter(message, cost, how, outcome);
      } else {
        refusedRoom(cost);
      }
      return room;
    } finally {
      lock.unlock();
    }
  }

  /// Sends a message as soon as there is room.
  ///
  /// @param outcome is told what becomes of it; null for nobody
  void send(ByteBuffer message, SendOptions how, @Nullable CompletableFuture<Outcome> outcome)
      throws InterruptedException {
    check(message);
    long cost = cost(message);
    lock.lockInterruptibly();
    try {
      if (closed == null && !(line.isEmpty() && fits(cost))) {
        waitForRoom(cost);
      }
      refuseIfClosed();
      enter(message, cost, how, outcome);
    } finally {
      wakeFirst();
      lock.unlock();
    }
  }

  private void refusedRoom(long cost) {
    if (refusedSince == NEVER) {
      refusedSince = System.nanoTime();
      refusedCost = cost;
    }
  }

  /// For how long there has been no room for anything that was to be multicast; 0 when nothing was refused, or
  /// something has found room since.
  long fullNanos() {
    lock.lock();
    try {
      return refusedSince == NEVER || (line.isEmpty() && fits(refusedCost)) ? 0 : System.nanoTime() - refusedSince;
    } finally {
      lock.unlock();
    }
  }

  /// How the window is used.
  ///
  /// @param sent      what has entered it, ever, without what is propagated
  /// @param used      what is in it, as the window counts
  /// @param bytes     how large it is
  /// @param undecided how many messages in it have no known outcome
  /// @param latency   from when messages entered it until they were delivered here
  record Use(GroupMetrics.Traffic sent, long used, long bytes, long undecided, LatencyHistogram latency) {}

  Use use() {
    lock.lock();
    try {
      long unknown = (long) undecided.size() + open.size() + subsets.size();
      var sent = new GroupMetrics.Traffic(sentMessages, sentBytes);
      return new Use(sent, used, bytes, unknown, latency.histogram());
    } finally {
      lock.unlock();
    }
  }

  private void enter(ByteBuffer message, long cost, SendOptions how, @Nullable CompletableFuture<Outcome> outcome) {
    refusedSince = NEVER;
    if (how.destinations().isEmpty()) {
      boolean first = enter(Batch.Kind.of(how.service()), message);
      // Of messages that go together only the oldest is timed: a look at the clock costs as much as a message does.
      open.add(outcome, first ? System.nanoTime() : NOT_TIMED);
    } else {
      post(new Request.SubsetMulticast(group, subsetNumber + 1, copy(message), how.destinations()));
      subsetNumber++;
      subsets.put(subsetNumber, new SubsetMulticast(outcome, cost));
    }
    used += cost;
    sentMessages++;
    sentBytes += cost - GroupUser.MESSAGE_OVERHEAD;
  }

  /// @return whether it is the first one of a block
  private boolean enter(Batch.Kind kind, ByteBuffer message) {
    OpenBlock last = block;
    if (last != null && last.add(kind, message)) {
      return false;
    }
    int likely = OpenBlock.likely(last == null ? 0 : last.bytes());
    var next = new OpenBlock(kind, lock, payloads, runBytesMax, runMessagesMax, bounded, likely, message);
    post(new Request.Multicast(group, next));
    block = next;
    return true;
  }

  private static ByteBuffer copy(ByteBuffer message) {
    int length = message.remaining();
    return length == 0 ? NOTHING : ByteBuffer.allocate(length).put(0, message, message.position(), length);
  }

  /// Posts a request; what is multicast from now on comes after it.
  private void post(Request request) {
    if (!inbox.post(request)) {
      throw refusal("its node has stopped");
    }
    block = null;
  }

  /// Propagates a message as soon as there is room, before those who wait in line: nobody waits here for its turn. It
  /// takes the place of one that still waits, which names an earlier view.
  void propagate(ByteBuffer message) {
    lock.lock();
    try {
      propagation = message;
      enterPropagation();
    } finally {
      lock.unlock();
    }
  }

  private void enterPropagation() {
    ByteBuffer message = propagation;
    if (message != null && closed == null) {
      long cost = cost(message);
      reserved = 0;
      if (fits(cost)) {
        post(new Request.Propagate(group, message));
        propagation = null;
        used += cost;
        open.add(null, NOT_TIMED);
      } else {
        reserved = cost;
      }
    }
  }

  /// Throws when nothing is taken any more.
  void requireOpen() {
    lock.lock();
    try {
      refuseIfClosed();
    } finally {
      lock.unlock();
    }
  }

  private void waitForRoom(long cost) throws InterruptedException {
    if (inbox.isOwner()) {
      throw new IllegalStateException(
          "multicast would block the engine thread: the window of group \""
              + group
              + "\" is full; use tryMulticast or tryPost");
    }
    refusedRoom(cost);
    Condition turn = lock.newCondition();
    line.addLast(turn);
    try {
      while (closed == null && (line.peekFirst() != turn || !fits(cost))) {
        turn.await();
      }
    } finally {
      line.remove(turn);
    }
  }

  private void wakeFirst() {
    Condition first = line.peekFirst();
    if (first != null) {
      first.signal();
    }
  }

  private void refuseIfClosed() {
    if (closed != null) {
      throw refusal(closed);
    }
  }

  private GroupClosedException refusal(String reason) {
    return new GroupClosedException(group, self, reason);
  }

  /// A block's buffer can be used for another.
  void giveBack(ByteBuffer payload) {
    lock.lock();
    try {
      payloads.giveBack(payload);
    } finally {
      lock.unlock();
    }
  }

  /// Messages have been consumed by all.
  void release(long cost) {
    lock.lock();
    try {
      leave(cost);
    } finally {
      lock.unlock();
    }
  }

  private void leave(long cost) {
    used -= cost;
    Invariant.check(used >= 0, "no more leaves the window than has entered it");
    enterPropagation();
    wakeFirst();
  }

  /// What became of the oldest messages stays unknown for the time being.
  ///
  /// @param messages how many
  void doubt(int messages) {
    var doubted = new ArrayDeque<CompletableFuture<Outcome>>();
    var second = new ArrayDeque<CompletableFuture<Outcome>>();
    lock.lock();
    try {
      while (undecided.size() < messages) {
        CompletableFuture<Outcome> first = open.remove();
        CompletableFuture<Outcome> later = first == null ? null : new CompletableFuture<>();
        if (first != null && later != null) {
          doubted.addLast(first);
          second.addLast(later);
        }
        undecided.add(later, NOT_TIMED); // how long a view change takes is no latency of the group
      }
    } finally {
      lock.unlock();
    }
    for (CompletableFuture<Outcome> first : doubted) {
      first.complete(new Outcome.Undecided(second.removeFirst()));
    }
  }

  /// The oldest messages have got their places.
  ///
  /// @param position of the first one; -1 when they have no positions, or nobody here saw them
  void decide(int messages, long position) {
    take(messages, false);
    tell(messages, position);
  }

  /// The oldest messages that are not older than the view are delivered in a branch, where they have no places.
  void decideInBranch(int messages) {
    take(messages, true);
    tell(messages, NO_POSITION);
  }

  private void take(int messages, boolean onlyOpen) {
    if (decided.length < messages) {
      decided = Arrays.copyOf(decided, Math.max(messages, 2 * decided.length));
    }
    lock.lock();
    try {
      long now = NOT_TIMED;
      for (int i = 0; i < messages; i++) {
        OpenOutcomes oldest = onlyOpen || undecided.isEmpty() ? open : undecided;
        long since = oldest.sinceNanos();
        if (since != NOT_TIMED) {
          now = now == NOT_TIMED ? System.nanoTime() : now;
          latency.add(now - since);
        }
        decided[i] = oldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }

  private void tell(int messages, long position) {
    for (int i = 0; i < messages; i++) {
      CompletableFuture<Outcome> asked = decided[i];
      if (asked != null) {
        decided[i] = null;
        asked.complete(position < 0 ? DELIVERED : new Outcome.Ordered(position + i));
      }
    }
  }

  /// What became of a message to some members is known: it leaves the window.
  void decideSubset(long number, GroupUser.SubsetOutcome fate) {
    SubsetMulticast subset;
    lock.lock();
    try {
      subset = Objects.requireNonNull(subsets.remove(number));
      leave(subset.cost);
    } finally {
      lock.unlock();
    }
    if (subset.outcome != null) {
      subset.outcome.complete(fate.outcome());
    }
  }

  /// Refuses messages from now on, those of callers who wait included.
  void refuse(String reason) {
    lock.lock();
    try {
      if (closed == null) {
        closed = reason;
      }
      line.forEach(Condition::signal);
    } finally {
      lock.unlock();
    }
  }

  /// Gives up the messages whose outcome is open.
  void abandon(String reason) {
    refuse(reason);
    var abandoned = new ArrayList<@Nullable CompletableFuture<Outcome>>();
    lock.lock();
    try {
      closed = reason;
      undecided.removeAll(abandoned);
      open.removeAll(abandoned);
      subsets.values().forEach(subset -> abandoned.add(subset.outcome));
      subsets.clear();
    } finally {
      lock.unlock();
    }
    for (CompletableFuture<Outcome> outcome : abandoned) {
      if (outcome != null) {
        outcome.completeExceptionally(refusal(reason));
      }
    }
  }

  /// The futures of messages whose outcome is open, oldest first; null for one whose sender does not ask. Grows to the
  /// most that ever waited and allocates nothing else.
  private static final class OpenOutcomes {
    private static final int ROOM = 64;

    private @Nullable CompletableFuture<Outcome>[] ring = room(ROOM); // a power of two
    private long[] since = new long[ROOM]; // when they entered, or NOT_TIMED
    private long first;
    private long next;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static @Nullable CompletableFuture<Outcome>[] room(int size) {
      return new CompletableFuture[size];
    }

    int size() {
      return (int) (next - first);
    }

    boolean isEmpty() {
      return first == next;
    }

    void add(@Nullable CompletableFuture<Outcome> outcome, long nanos) {
      if (size() == ring.length) {
        var larger = OpenOutcomes.room(2 * ring.length);
        var largerSince = new long[larger.length];
        for (long at = first; at < next; at++) {
          larger[(int) at & larger.length - 1] = ring[(int) at & ring.length - 1];
          largerSince[(int) at & larger.length - 1] = since[(int) at & ring.length - 1];
        }
        ring = larger;
        since = largerSince;
      }
      ring[(int) next & ring.length - 1] = outcome;
      since[(int) next & ring.length - 1] = nanos;
      next++;
    }

    /// When the oldest one entered the window, if that is known.
    long sinceNanos() {
      return isEmpty() ? NOT_TIMED : since[(int) first & ring.length - 1];
    }

    @Nullable CompletableFuture<Outcome> remove() {
      if (first == next) {
        throw new IllegalStateException("more outcomes than multicasts");
      }
      int at = (int) first & ring.length - 1;
      CompletableFuture<Outcome> outcome = ring[at];
      ring[at] = null;
      first++;
      return outcome;
    }

    /// Removes all.
    ///
    /// @param into gets them, oldest first
    void removeAll(List<@Nullable CompletableFuture<Outcome>> into) {
      while (!isEmpty()) {
        into.add(remove());
      }
    }
  }
}
