package org.tutti.host;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.GroupClosedException;
import org.tutti.LocalRequest;
import org.tutti.MemberId;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.user.Request;

/// The local calls of one member that are not over, and their callers.
///
/// A call goes through the inbox of the engine thread, like everything else that becomes an event: so it comes after
/// all that the caller can have learned of, a position that its own multicast has got, for example. It counts until it
/// was taken and its caller does not wait any more; so [#OPEN_MAX] bounds the events too, and further callers wait.
final class LocalCalls {
  /// How many calls of one group are open; more than a server works on at once, and little memory.
  static final int OPEN_MAX = 1024;

  /// One call. Its outcome is run by the caller, so that what it throws has the caller's stack.
  private static final class Open<R extends @Nullable Object> implements Event.LocalCall {
    private final LocalRequest<R> request;
    final CompletableFuture<Supplier<R>> outcome = new CompletableFuture<>();
    boolean taken; // guarded by lock, as is the next
    boolean over;

    Open(LocalRequest<R> request) {
      this.request = request;
    }

    @Override
    public LocalRequest<?> request() {
      return request;
    }

    @Override
    public <T extends @Nullable Object> boolean respond(LocalRequest<T> answered, T response) {
      if (answered != request) {
        throw new IllegalArgumentException("the request of this call is " + request + ", not " + answered);
      }
      // The same object is a request of one type of response only: T is R, which the compiler cannot know.
      @SuppressWarnings("unchecked")
      R own = (R) response;
      return outcome.complete(() -> own);
    }

    @Override
    public boolean fail(Throwable why) {
      return end(() -> new CompletionException(why));
    }

    boolean end(Supplier<RuntimeException> thrown) {
      return outcome.complete(() -> {
        throw thrown.get();
      });
    }

    @Override
    public String toString() {
      return "LocalCall[" + request + "]";
    }
  }

  private final String group;
  private final MemberId self;
  private final Inbox inbox;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final Set<Open<?>> open = new HashSet<>(); // guarded by lock, as is the next
  private @Nullable String closed;

  LocalCalls(String group, MemberId self, Inbox inbox) {
    this.group = group;
    this.self = self;
    this.inbox = inbox;
  }

  /// Puts a request into the flow of events and waits for the response.
  <R extends @Nullable Object> R call(LocalRequest<R> request) throws InterruptedException {
    if (inbox.isOwner()) {
      throw new IllegalStateException("localCall would block the engine thread; call it from another thread");
    }
    Open<R> entered = enter(request);
    try {
      return entered.outcome.get().get();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    } finally {
      entered.outcome.cancel(false); // whoever answers from now on is told
      leave(entered, false);
    }
  }

  private <R extends @Nullable Object> Open<R> enter(LocalRequest<R> request) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (closed == null && open.size() >= OPEN_MAX) {
        room.await();
      }
      if (closed != null) {
        throw refusal(closed);
      }
      var entered = new Open<>(request);
      if (!inbox.post(new Request.LocalCall(group, entered))) {
        throw refusal("its node has stopped");
      }
      open.add(entered);
      return entered;
    } finally {
      lock.unlock();
    }
  }

  /// Its event is taken now. Whoever takes events skips it unless somebody waits for the response. A call of an earlier
  /// membership of this group is not among those of this one.
  boolean take(Event.LocalCall call) {
    lock.lock();
    try {
      return call instanceof Open<?> mine && open.contains(mine) && !leave(mine, true);
    } finally {
      lock.unlock();
    }
  }

  /// Returns whether the call has ended.
  private boolean leave(Open<?> call, boolean taken) {
    lock.lock();
    try {
      call.taken |= taken;
      call.over |= !taken;
      if (call.taken && call.over) {
        open.remove(call);
        room.signal();
      }
      return call.over;
    } finally {
      lock.unlock();
    }
  }

  /// Called by the engine thread, once.
  void close(String reason) {
    List<Open<?>> ended;
    lock.lock();
    try {
      closed = reason;
      ended = List.copyOf(open);
      room.signalAll();
    } finally {
      lock.unlock();
    }
    ended.forEach(call -> call.end(() -> refusal(reason)));
  }

  private GroupClosedException refusal(@Nullable String reason) {
    return new GroupClosedException(group, self, String.valueOf(reason));
  }
}
