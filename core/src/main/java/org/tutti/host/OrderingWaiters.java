package org.tutti.host;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupClosedException;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.user.Request;

/// The ordering in force, and who waits for another one.
final class OrderingWaiters {
  private record Wish(Ordering to, CompletableFuture<Void> done) {}

  private final String group;
  private final MemberId self;
  private final Inbox inbox;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Wish> wishes = new ArrayList<>(); // guarded by lock
  private @Nullable GroupClosedException closed; // guarded by lock
  private volatile @Nullable Ordering now;

  OrderingWaiters(String group, MemberId self, Inbox inbox) {
    this.group = group;
    this.self = self;
    this.inbox = inbox;
  }

  @Nullable Ordering now() {
    return now;
  }

  CompletableFuture<Void> want(Ordering to) {
    var wish = new Wish(to, new CompletableFuture<>());
    lock.lock();
    try {
      if (closed != null) {
        return CompletableFuture.failedFuture(closed);
      }
      wishes.add(wish);
    } finally {
      lock.unlock();
    }
    // Refused only when the node has ended, and then close comes.
    inbox.post(new Request.Switch(group, to));
    return wish.done.copy();
  }

  /// Called by the engine thread.
  void inForce(Ordering ordering) {
    now = ordering;
    List<Wish> fulfilled = new ArrayList<>();
    lock.lock();
    try {
      wishes.removeIf(wish -> wish.to == ordering && fulfilled.add(wish));
    } finally {
      lock.unlock();
    }
    fulfilled.forEach(wish -> wish.done.complete(null)); // outside of the lock: what is attached runs here
  }

  /// Called by the engine thread, once.
  void close(String reason) {
    List<Wish> open;
    var end = new GroupClosedException(group, self, reason);
    lock.lock();
    try {
      closed = end;
      open = List.copyOf(wishes);
      wishes.clear();
    } finally {
      lock.unlock();
    }
    open.forEach(wish -> wish.done.completeExceptionally(end));
  }
}
