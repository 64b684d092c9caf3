package org.tutti.replica;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.SendOptions;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.protocol.FailureWords;
import org.tutti.replica.protocol.GroupCallMessage;
import org.tutti.replica.protocol.GroupCallProtocol;
import org.tutti.replica.protocol.GroupCallProtocol.Execution;

/// Calls from a member of a group to all its members, each of which executes them and answers: what a dispatcher of
/// remote procedure calls is elsewhere.
///
/// ```java
/// try (GroupCalls calls = GroupCalls.on(group, (caller, position, request) -> search(request))) {
///   switch (calls.call(question, Consolidation.all().within(Duration.ofSeconds(2))).get()) {
///     case Consolidated.Success(Answer chosen, var replies) -> show(chosen);
///     case Consolidated.ReducedMembership(Answer chosen, var replies, var departed) -> show(chosen);
///     case Consolidated.Timeout(var chosen, var replies, var silent) -> report(silent);
///     case Consolidated<Answer> differ -> report(differ);
///   }
/// }
/// ```
///
/// All members execute all calls at the same places of the group's history, one after the other. A [Consolidation]
/// says how many answers a call waits for, and how these have to agree. Asked are the voters of the view in which the
/// call is delivered. Who leaves is not waited for; nor is who comes back to the primary view, for what it executed
/// before, as its answers may have been lost. A newcomer answers what comes after the state that it got. Observers
/// execute calls, and may make them, but do not answer. All members of the group have to use this class; messages of
/// others are dropped and counted.
///
/// A call that ends with [Consolidated.Timeout] may have been executed, or may still be. Programs that are no members,
/// or whose calls must survive their connection, use [Client] and [Replica] instead.
///
/// An answer is multicast, in no order, to the group; only the caller reads it. So a call to n members costs one
/// multicast of the request and n - 1 of the answers; members with large answers had better send these another way.
///
/// All methods may be called from any thread but the handler's, which would wait for itself. Futures complete on
/// threads of this object; what is attached to them without an executor must not block.
public final class GroupCalls implements AutoCloseable {
  /// How many calls of a member may be without an outcome; further ones wait.
  public static final int OPEN_MAX = 1024;

  /// The longest request, in bytes.
  public static final int REQUEST_BYTES_MAX = Group.MESSAGE_BYTES_MAX - 1024;

  /// The longest answer, in bytes.
  public static final int ANSWER_BYTES_MAX = Group.MESSAGE_BYTES_MAX - 1024;

  private static final Duration LAST_EVENTS_MAX = Duration.ofSeconds(5);

  private static final Logger LOG = System.getLogger(GroupCalls.class.getName());

  private record Outgoing(ByteBuffer message, SendOptions how) {}

  private final Group group;
  private final CallHandler handler;
  private final Semaphore room = new Semaphore(OPEN_MAX);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition(); // another deadline is the next one
  private final GroupCallProtocol protocol; // under the lock
  private final Map<Long, CompletableFuture<Consolidated<Answer>>> open = new HashMap<>(); // by number; the same
  private final List<Runnable> ended = new ArrayList<>(); // to be told without the lock; the same
  private final BlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>(); // see #send
  private final Thread events;
  private final Thread sender;
  private final Thread timer;
  private @Nullable Throwable end; // under the lock

  private GroupCalls(Group group, CallHandler handler) {
    this.group = group;
    this.handler = handler;
    this.protocol =
        new GroupCallProtocol(
            group.self(),
            new GroupCallProtocol.Port() {
              @Override
              public void reply(ByteBuffer message) {
                outgoing.add(new Outgoing(message, SendOptions.unordered()));
              }

              @Override
              public void announce(ByteBuffer message) {
                outgoing.add(new Outgoing(message, SendOptions.total()));
              }
            });
    String of = group.name() + "-" + group.self().name();
    this.events = Thread.ofPlatform().name("calls-" + of).unstarted(this::serve);
    this.sender = Thread.ofVirtual().name("answers-" + of).unstarted(this::send);
    this.timer = Thread.ofVirtual().name("deadlines-" + of).unstarted(this::watch);
  }

  /// Begins to take the events of a group, of which nobody else may take any from now on.
  ///
  /// @param group   created or joined without listener; closed with the calls
  /// @param handler answers
  /// @return the calls of this member
  public static GroupCalls on(Group group, CallHandler handler) {
    var calls = new GroupCalls(group, handler);
    calls.events.start();
    calls.sender.start();
    calls.timer.start();
    return calls;
  }

  /// The group.
  ///
  /// @return whose members are called; its events are taken here
  public Group group() {
    return group;
  }

  /// Calls all members, this one included. Blocks while [#OPEN_MAX] calls are open, and while the window is full.
  ///
  /// @param request up to [#REQUEST_BYTES_MAX] bytes from position to limit, which are not moved; copied before the
  ///                method returns
  /// @param rule    how many answers to wait for, how they have to agree, and for how long from now
  /// @return completes with the outcome; exceptionally with [GroupClosedException] when the membership ends before.
  ///     Cancelling it gives the answers up; the call is executed nevertheless
  /// @throws InterruptedException     when interrupted while waiting; nothing was sent
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the request is too long
  /// @throws IllegalStateException    on the handler's thread
  public CompletableFuture<Consolidated<Answer>> call(ByteBuffer request, Consolidation rule)
      throws InterruptedException {
    require(request);
    room.acquire();
    var outcome = new CompletableFuture<Consolidated<Answer>>();
    long number = begin(rule, outcome);
    outcome.whenComplete((_, _) -> {
      cancel(number); // if somebody else than this object has completed it
      room.release();
    });
    try {
      group.post(new GroupCallMessage.Call(number, request.slice()).encode());
    } catch (InterruptedException | RuntimeException why) {
      outcome.completeExceptionally(why);
      throw why;
    }
    return outcome;
  }

  /// Has all members execute something, this one included, without an answer. Blocks while the window is full.
  ///
  /// @param request as with [#call]
  /// @throws InterruptedException     when interrupted while waiting; nothing was sent
  /// @throws GroupClosedException     when the membership has ended
  /// @throws IllegalArgumentException when the request is too long
  /// @throws IllegalStateException    on the handler's thread
  public void post(ByteBuffer request) throws InterruptedException {
    require(request);
    group.post(new GroupCallMessage.Call(0, request.slice()).encode());
  }

  /// How many messages of the group were none of this class, and were dropped.
  ///
  /// @return messages
  public long malformed() {
    lock.lock();
    try {
      return protocol.malformed();
    } finally {
      lock.unlock();
    }
  }

  private void require(ByteBuffer request) {
    if (request.remaining() > REQUEST_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a request has up to " + REQUEST_BYTES_MAX + " bytes, not " + request.remaining());
    }
    if (Thread.currentThread() == events) {
      throw new IllegalStateException("the handler's thread would wait for itself; call from another one");
    }
  }

  private long begin(Consolidation rule, CompletableFuture<Consolidated<Answer>> outcome) {
    lock.lock();
    try {
      long number =
          protocol.begin(rule, System.nanoTime(), consolidated -> ended.add(() -> outcome.complete(consolidated)));
      open.put(number, outcome);
      if (end != null) {
        ended.add(() -> outcome.completeExceptionally(closed(end)));
      }
      news.signal();
      return number;
    } finally {
      unlock();
    }
  }

  private void cancel(long number) {
    lock.lock();
    try {
      open.remove(number);
      protocol.cancel(number);
    } finally {
      lock.unlock();
    }
  }

  /// Gives the lock back, and completes what has ended.
  private void unlock() {
    List<Runnable> all = List.copyOf(ended);
    ended.clear();
    lock.unlock();
    all.forEach(Runnable::run);
  }

  // ---- the thread of events ----------------------------------------------------------------------------------------

  private void serve() {
    try {
      Event event = group.receive();
      while (!(event instanceof Event.Closed(var why))) {
        take(event);
        event = group.receive();
      }
      end(new GroupClosedException(group.name(), group.self(), why.words()));
    } catch (IOException | InterruptedException | RuntimeException | Error why) {
      end(why);
    }
  }

  private void take(Event event) throws IOException, InterruptedException {
    switch (event) {
      case Event.Delivery delivery -> deliver(delivery);
      case Event.StateOffer offer -> {
        try {
          handler.event(offer);
        } catch (IOException _) {
          return; // the donor has gone; another one offers its state
        }
        locked(() -> protocol.resumed(offer.position()));
      }
      default -> {
        if (event instanceof Event.ViewChange(var view)) {
          locked(() -> protocol.installed(view));
        } else if (event instanceof Event.CaughtUp(long position)) {
          locked(() -> protocol.resumed(position));
        }
        handler.event(event);
      }
    }
  }

  private void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      unlock();
    }
  }

  private void deliver(Event.Delivery delivery) throws InterruptedException {
    Execution execution;
    lock.lock();
    try {
      execution = protocol.delivered(delivery.sender(), delivery.position(), delivery.payload());
    } finally {
      unlock();
    }
    if (execution != null) {
      Answer answer = answer(execution);
      locked(() -> protocol.answered(execution, answer));
    }
  }

  private Answer answer(Execution execution) throws InterruptedException {
    Exception failure;
    try {
      ByteBuffer answer = handler.answer(execution.caller(), execution.position(), execution.request());
      if (answer.remaining() <= ANSWER_BYTES_MAX) {
        return new Answer(false, answer, execution.position());
      }
      failure = new IOException("an answer has up to " + ANSWER_BYTES_MAX + " bytes, not " + answer.remaining());
    } catch (InterruptedException why) {
      throw why;
    } catch (Exception why) {
      failure = why;
    }
    return new Answer(true, FailureWords.of(failure), execution.position());
  }

  // ---- the other threads -------------------------------------------------------------------------------------------

  /// Multicasts answers. The thread of events must not wait for the window, which opens only when all members take
  /// events. What waits here is bounded by the calls that may be open at all members.
  private void send() {
    try {
      while (true) {
        Outgoing next = outgoing.take();
        group.post(next.message, next.how);
      }
    } catch (InterruptedException | GroupClosedException _) {
      // The membership has ended, or does.
    }
  }

  private void watch() {
    lock.lock();
    try {
      while (end == null) {
        Long deadline = protocol.deadline();
        if (deadline == null) {
          news.await();
        } else if (news.awaitNanos(deadline - System.nanoTime()) <= 0) {
          protocol.tick(System.nanoTime());
          unlock();
          lock.lock();
        }
      }
    } catch (InterruptedException _) {
      // It is closed.
    } finally {
      lock.unlock();
    }
  }

  // ---- the end -----------------------------------------------------------------------------------------------------

  private void end(Throwable why) {
    if (!(why instanceof GroupClosedException) && !(why instanceof InterruptedException)) {
      LOG.log(Level.ERROR, "group " + group.name() + " at " + group.self().name() + ": the handler has stopped", why);
    }
    group.leave();
    sender.interrupt();
    locked(() -> {
      end = why;
      open.values().forEach(outcome -> ended.add(() -> outcome.completeExceptionally(closed(why))));
      open.clear();
      news.signal();
    });
  }

  private GroupClosedException closed(Throwable why) {
    return why instanceof GroupClosedException closed
        ? closed
        : new GroupClosedException(group.name(), group.self(), "its handler has stopped: " + why);
  }

  /// Leaves the group, and waits for the end, 10 s at most; a handler that is still busy then is interrupted. Open
  /// calls end with [GroupClosedException].
  @Override
  public void close() {
    if (Thread.currentThread() == events) {
      group.leave();
      return;
    }
    group.close();
    try {
      events.join(LAST_EVENTS_MAX);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    events.interrupt();
  }
}
