package org.tutti.host;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupClosedException;
import org.tutti.UndecidedException;
import org.tutti.engine.AsideFate;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.engine.GroupUser;
import org.tutti.engine.Request;

/// The budget in bytes of one member's multicasts that are on the way, and the futures of those whose fate is open.
///
/// 1. A message enters when it fits, or when the window is empty: a larger one takes the whole window.
/// 2. Callers who find no room wait in a line, and nobody passes them; so large messages are not starved by small ones.
/// 3. Entering the window, the line of futures and the inbox is one critical section; so the oldest future always
///    belongs to the oldest message in the engine.
///
/// 4. A message whose sender has left the primary view gets a second future, for its fate; it is older than all others.
///
/// Futures are completed outside the lock, by the engine thread.
final class Window {
  private static final long NO_POSITION = -1;

  private final String group;
  private final int bytes;
  private final Inbox inbox;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Condition> line = new ArrayDeque<>();
  private final ArrayDeque<CompletableFuture<Long>> undecided = new ArrayDeque<>(); // second ones
  private final ArrayDeque<CompletableFuture<Long>> open = new ArrayDeque<>();
  private final TreeMap<Long, Aside> asides = new TreeMap<>(); // to some members, by number
  private long used;
  private long asideNumber;
  private @Nullable String closed;

  Window(String group, int bytes, Inbox inbox) {
    this.group = group;
    this.bytes = bytes;
    this.inbox = inbox;
  }

  private record Aside(CompletableFuture<Void> sent, long cost) {}

  static long cost(int length) {
    return (long) length + GroupUser.MESSAGE_OVERHEAD;
  }

  private boolean fits(long cost) {
    return used == 0 || used + cost <= bytes;
  }

  /// Whether a message of this cost would enter at once.
  boolean hasRoom(long cost) {
    lock.lock();
    try {
      refuseIfClosed();
      return line.isEmpty() && fits(cost);
    } finally {
      lock.unlock();
    }
  }

  /// Sends, or returns null when there is no room.
  @Nullable CompletableFuture<Long> trySend(Request request, long cost) {
    lock.lock();
    try {
      refuseIfClosed();
      return line.isEmpty() && fits(cost) ? enter(request, cost) : null;
    } finally {
      lock.unlock();
    }
  }

  /// Sends as soon as there is room.
  CompletableFuture<Long> send(Request.Multicast request, long cost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (closed == null && !(line.isEmpty() && fits(cost))) {
        waitForRoom(cost);
      }
      refuseIfClosed();
      return enter(request, cost);
    } finally {
      wakeFirst();
      lock.unlock();
    }
  }

  /// Sends to some members, or returns null when there is no room.
  @Nullable CompletableFuture<Void> trySendAside(LongFunction<Request.Aside> request, long cost) {
    lock.lock();
    try {
      refuseIfClosed();
      return line.isEmpty() && fits(cost) ? enterAside(request, cost) : null;
    } finally {
      lock.unlock();
    }
  }

  /// Sends to some members as soon as there is room.
  CompletableFuture<Void> sendAside(LongFunction<Request.Aside> request, long cost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (closed == null && !(line.isEmpty() && fits(cost))) {
        waitForRoom(cost);
      }
      refuseIfClosed();
      return enterAside(request, cost);
    } finally {
      wakeFirst();
      lock.unlock();
    }
  }

  private CompletableFuture<Void> enterAside(LongFunction<Request.Aside> request, long cost) {
    var sent = new CompletableFuture<Void>();
    if (!inbox.post(request.apply(asideNumber + 1))) {
      throw refusal("its node has stopped");
    }
    asideNumber++;
    used += cost;
    asides.put(asideNumber, new Aside(sent, cost));
    return sent;
  }

  private void waitForRoom(long cost) throws InterruptedException {
    if (inbox.isOwner()) {
      throw new IllegalStateException(
          "multicast would block the engine thread: the window of group \"" + group + "\" is full; use tryMulticast");
    }
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

  private CompletableFuture<Long> enter(Request request, long cost) {
    var sent = new CompletableFuture<Long>();
    if (!inbox.post(request)) {
      throw refusal("its node has stopped");
    }
    used += cost;
    open.addLast(sent);
    return sent;
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
    return new GroupClosedException("no longer a member of group \"" + group + "\": " + reason);
  }

  /// Messages have been consumed by all.
  void release(long cost) {
    lock.lock();
    try {
      used -= cost;
      wakeFirst();
    } finally {
      lock.unlock();
    }
  }

  /// The fate of the oldest messages stays unknown for the time being.
  ///
  /// @param messages how many
  void doubt(int messages) {
    var doubted = new ArrayDeque<CompletableFuture<Long>>();
    var second = new ArrayDeque<CompletableFuture<Long>>();
    lock.lock();
    try {
      while (undecided.size() < messages) {
        var later = new CompletableFuture<Long>();
        doubted.addLast(open.removeFirst());
        second.addLast(later);
        undecided.addLast(later);
      }
    } finally {
      lock.unlock();
    }
    for (CompletableFuture<Long> sent : doubted) {
      sent.completeExceptionally(new UndecidedException(group, second.removeFirst()));
    }
  }

  /// The oldest messages have got their places, or -1 when nobody here saw them.
  void decide(int messages, long position) {
    var decided = new ArrayDeque<CompletableFuture<Long>>(messages);
    lock.lock();
    try {
      for (int i = 0; i < messages; i++) {
        decided.addLast(undecided.isEmpty() ? open.removeFirst() : undecided.removeFirst());
      }
    } finally {
      lock.unlock();
    }
    long at = position;
    for (CompletableFuture<Long> sent : decided) {
      sent.complete(at);
      at += position < 0 ? 0 : 1;
    }
  }

  /// The fate of a message to some members is known: it leaves the window.
  void decideAside(long number, AsideFate fate) {
    Aside aside;
    lock.lock();
    try {
      aside = Objects.requireNonNull(asides.remove(number));
      used -= aside.cost;
      wakeFirst();
    } finally {
      lock.unlock();
    }
    if (fate == AsideFate.HELD) {
      aside.sent.complete(null);
    } else {
      aside.sent.completeExceptionally(new IllegalStateException("message to some members: " + fate.words()));
    }
  }

  /// The oldest messages that are not older than the view are delivered in a branch, where they have no places.
  void decideInBranch(int messages) {
    var decided = new ArrayDeque<CompletableFuture<Long>>(messages);
    lock.lock();
    try {
      for (int i = 0; i < messages; i++) {
        decided.addLast(open.removeFirst());
      }
    } finally {
      lock.unlock();
    }
    decided.forEach(sent -> sent.complete(NO_POSITION));
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

  /// Gives up the messages whose fate is open.
  void abandon(String reason) {
    refuse(reason);
    List<CompletableFuture<?>> abandoned;
    lock.lock();
    try {
      closed = reason;
      abandoned = new ArrayList<>(undecided);
      abandoned.addAll(open);
      undecided.clear();
      asides.values().forEach(aside -> abandoned.add(aside.sent));
      open.clear();
      asides.clear();
    } finally {
      lock.unlock();
    }
    for (CompletableFuture<?> sent : abandoned) {
      sent.completeExceptionally(refusal(reason));
    }
  }
}
