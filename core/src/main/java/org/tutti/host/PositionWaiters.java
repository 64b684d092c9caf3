package org.tutti.host;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupClosedException;
import org.tutti.MemberId;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.user.Request;

/// Who waits to know where the history stands.
final class PositionWaiters {
  private final String group;
  private final MemberId self;
  private final Inbox inbox;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<CompletableFuture<Long>> open = new ArrayDeque<>(); // guarded by lock, oldest first
  private @Nullable GroupClosedException closed; // guarded by lock

  PositionWaiters(String group, MemberId self, Inbox inbox) {
    this.group = group;
    this.self = self;
    this.inbox = inbox;
  }

  CompletableFuture<Long> ask() {
    var answer = new CompletableFuture<Long>();
    lock.lock();
    try {
      if (closed != null) {
        return CompletableFuture.failedFuture(closed);
      }
      // Both in one, so that answers come in the order of questions. Refused only when the node has ended, and then
      // close comes.
      open.add(answer);
      inbox.post(new Request.Confirm(group));
    } finally {
      lock.unlock();
    }
    return answer;
  }

  /// Called by the engine thread.
  void confirmed(long questions, long position) {
    List<CompletableFuture<Long>> answered = new ArrayList<>();
    lock.lock();
    try {
      for (long left = questions; left > 0; left--) {
        answered.add(open.remove());
      }
    } finally {
      lock.unlock();
    }
    for (CompletableFuture<Long> answer : answered) {
      if (position >= 0) {
        answer.complete(position);
      } else {
        answer.completeExceptionally(
            new UnsupportedOperationException("group \"" + group + "\" is not delivered uniformly"));
      }
    }
  }

  /// Called by the engine thread, once.
  void close(String reason) {
    List<CompletableFuture<Long>> left;
    var end = new GroupClosedException(group, self, reason);
    lock.lock();
    try {
      closed = end;
      left = List.copyOf(open);
      open.clear();
    } finally {
      lock.unlock();
    }
    left.forEach(answer -> answer.completeExceptionally(end));
  }
}
