package org.tutti.replica;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// A thread that serves the connections of several clients of this process: one that is awake for many costs less than
/// many that are woken, each for one reply. There are as many as half of the processors, begun with the first clients;
/// a client keeps its loop for life, and a loop ends with its last client.
///
/// Clients have locks of their own, and most is done by the threads that call them; what many call at a time, one
/// of them writes. The loop reads, writes together what follows of the replies that it has read from a client, and
/// looks at a client when one of its deadlines comes. It is told of a deadline only when that is earlier than the one
/// at which it looks anyhow: so the calls of a busy client wake nobody.
final class ClientLoop {
  private static final int LOOPS_MAX = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
  private static final List<ClientLoop> LOOPS = new ArrayList<>(); // those with clients; guarded by itself

  /// What a key of the selector has attached.
  interface Channel {
    /// Something can be read, written or connected.
    void ready(SelectionKey key);
  }

  /// Something to do for a client, with its lock.
  private record Task(Client client, Runnable what) {}

  /// When to look at a client; void when it has been told of an earlier time since.
  private record Deadline(long nanos, Client client) {}

  private final Selector selector = Selector.open();
  private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Deadline> deadlines = // of the thread
      new PriorityQueue<>(Comparator.comparingLong(Deadline::nanos));
  private final Thread thread = Thread.ofPlatform().daemon().name("tutti-clients").unstarted(this::run);
  private int clients; // guarded by LOOPS
  private volatile boolean over;

  private ClientLoop() throws IOException {}

  /// Finds a loop for one more client, which has to [#leave] it.
  static ClientLoop enter() throws IOException {
    synchronized (LOOPS) {
      if (LOOPS.size() < LOOPS_MAX) {
        var added = new ClientLoop();
        LOOPS.add(added);
        added.thread.start();
      }
      ClientLoop least = LOOPS.stream().min(Comparator.comparingInt(loop -> loop.clients)).orElseThrow();
      least.clients++;
      return least;
    }
  }

  /// One client less; called by the loop's thread.
  void leave() {
    synchronized (LOOPS) {
      clients--;
      if (clients == 0) {
        LOOPS.remove(this);
        over = true;
      }
    }
  }

  /// Where clients register their connections; by the loop's thread.
  Selector selector() {
    return selector;
  }

  /// Whether this is the loop's thread, which must not wait.
  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  /// Has the thread do something for a client, with the client's lock.
  void later(Client client, Runnable what) {
    tasks.add(new Task(client, what));
    if (over) {
      work(); // as for an address that was found when the client had gone
    } else {
      selector.wakeup();
    }
  }

  /// Has the thread look at a client at a time, at the latest.
  void lookAt(Client client, long nanos) {
    if (isCurrent()) {
      deadlines.add(new Deadline(nanos, client));
    } else {
      later(client, () -> deadlines.add(new Deadline(nanos, client)));
    }
  }

  private void run() {
    try {
      while (!over) {
        selector.select(waitMillis());
        work();
        for (SelectionKey key : selector.selectedKeys()) {
          ((Channel) key.attachment()).ready(key);
        }
        selector.selectedKeys().clear();
        for (Deadline next = deadlines.peek(); isDue(next); next = deadlines.peek()) {
          deadlines.remove().client.look(next.nanos);
        }
      }
      selector.close();
    } catch (IOException e) {
      throw new IllegalStateException("clients are broken", e);
    } finally {
      work();
    }
  }

  private void work() {
    for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
      task.client.actByLoop(task.what);
    }
  }

  private static boolean isDue(@Nullable Deadline next) {
    return next != null && next.nanos - System.nanoTime() <= 0;
  }

  private long waitMillis() {
    Deadline next = deadlines.peek();
    return next == null ? 0 : Math.max(1, (next.nanos - System.nanoTime()) / 1_000_000 + 1);
  }
}
