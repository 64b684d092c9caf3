package org.tutti.host;

import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.GroupClosedException;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.engine.Request;

/// The local calls of one member that are not over, and their callers.
///
/// A call goes through the inbox of the engine thread, like everything else that becomes an event: so it comes after
/// all that the caller can have learned of, a position that its own multicast has got, for example. It counts until it
/// was taken and its caller does not wait any more; so [#OPEN_MAX] bounds the events too, and further callers wait.
final class LocalCalls {
  /// How many calls of one group are open; more than a server works on at once, and little memory.
  static final int OPEN_MAX = 1024;

  private static final class Open {
    final Event.LocalCall call;
    final CompletableFuture<Object> response = new CompletableFuture<>();
    boolean taken; // guarded by lock, as is the next
    boolean over;

    Open(Event.LocalCall call) {
      this.call = call;
    }
  }

  private final String group;
  private final Inbox inbox;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final TreeMap<Long, Open> open = new TreeMap<>(); // guarded by lock, as are the next
  private long next;
  private @Nullable String closed;

  LocalCalls(String group, Inbox inbox) {
    this.group = group;
    this.inbox = inbox;
  }

  /// Puts a request into the flow of events and waits for the response.
  Object call(Object request) throws InterruptedException {
    if (inbox.isOwner()) {
      throw new IllegalStateException("localCall would block the engine thread; call it from another thread");
    }
    Open entered = enter(request);
    try {
      return entered.response.get();
    } catch (ExecutionException ended) {
      throw refusal(ended.getCause().getMessage());
    } finally {
      leave(entered, false);
    }
  }

  private Open enter(Object request) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (closed == null && open.size() >= OPEN_MAX) {
        room.await();
      }
      if (closed != null) {
        throw refusal(closed);
      }
      var entered = new Open(new Event.LocalCall(next++, request));
      if (!inbox.post(new Request.LocalCall(group, entered.call))) {
        throw refusal("its node has stopped");
      }
      open.put(entered.call.number(), entered);
      return entered;
    } finally {
      lock.unlock();
    }
  }

  /// Its event is taken now. Whoever takes events skips it unless somebody waits for the response.
  boolean take(Event.LocalCall call) {
    Open taken;
    lock.lock();
    try {
      taken = find(call);
    } finally {
      lock.unlock();
    }
    return taken != null && !leave(taken, true);
  }

  /// Wakes the caller up, if it still waits.
  boolean respond(Event.LocalCall call, Object response) {
    Open answered;
    lock.lock();
    try {
      answered = find(call);
    } finally {
      lock.unlock();
    }
    return answered != null && answered.response.complete(response);
  }

  /// An earlier membership of this group may have had a call of the same number.
  private @Nullable Open find(Event.LocalCall call) {
    Open found = open.get(call.number());
    return found != null && found.call == call ? found : null;
  }

  /// Returns whether the call has ended.
  private boolean leave(Open call, boolean taken) {
    lock.lock();
    try {
      call.taken |= taken;
      call.over |= !taken;
      if (call.taken && call.over) {
        open.remove(call.call.number());
        room.signal();
      }
      return call.over;
    } finally {
      lock.unlock();
    }
  }

  /// Called by the engine thread, once.
  void close(String reason) {
    TreeMap<Long, Open> ended;
    lock.lock();
    try {
      closed = reason;
      ended = new TreeMap<>(open);
      room.signalAll();
    } finally {
      lock.unlock();
    }
    ended.values().forEach(call -> call.response.completeExceptionally(new GroupClosedException(reason)));
  }

  private GroupClosedException refusal(@Nullable String reason) {
    return new GroupClosedException(group, String.valueOf(reason));
  }
}
