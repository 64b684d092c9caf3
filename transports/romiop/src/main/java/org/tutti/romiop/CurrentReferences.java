package org.tutti.romiop;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.omg.IOP.IOR;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tutti.romiop.Giop.BrokenGiopException;

/// The newest references to the objects of a gateway's group, as the group service has them, for clients that say which
/// version theirs has ([FtGroupVersion]):
///
/// ```
/// version 3, and 5 is the newest  -->  LOCATION_FORWARD_PERM to the newest; of GIOP 1.0 and 1.1 LOCATION_FORWARD
/// version 5                       -->  executed
/// version 6                       -->  the service is asked; there is no 6: INV_OBJREF
/// none                            -->  executed
/// ```
///
/// So a client that keeps a reference for long follows the gateways of its group, and a reference that the service has
/// not made is refused. What is forwarded has not been executed.
///
/// **Executed all the same** are requests while the service does not answer, and those of clients with old references
/// when the service does not know the group, or the newest reference has no gateway: the gateway is in the group.
///
/// **Threads**: one asks, every [#INTERVAL_MILLIS] and when a client has a newer reference, but not more often than
/// every [#PAUSE_MILLIS]; those of the gateway's connections wait for it, at most [#PATIENCE_MILLIS].
final class CurrentReferences implements AutoCloseable {
  private static final long INTERVAL_MILLIS = 5000;
  private static final long PAUSE_MILLIS = 1000;
  private static final long PATIENCE_MILLIS = 5000;
  private static final Logger LOG = LoggerFactory.getLogger(CurrentReferences.class);

  private final GroupServiceClient service;
  private final List<GroupReference.Id> objects;

  // All guarded by this.
  private final Map<String, Known> known = new HashMap<>();
  private long begun; // questions
  private long ended;
  private long wanted; // which question somebody waits for
  private boolean answers = true; // whether the service answered last time
  private boolean open = true;

  /// What the service says of an object.
  ///
  /// @param version   of the newest reference
  /// @param reference null when it has no gateway
  private record Known(int version, @Nullable IOR reference) {}

  /// Makes one, which begins to ask.
  ///
  /// @param service is asked by a thread of this only
  /// @param objects of the gateway's group
  CurrentReferences(GroupServiceClient service, List<GroupReference.Id> objects) {
    this.service = service;
    this.objects = List.copyOf(objects);
    Thread.ofPlatform().daemon().name("tutti-romiop references").start(this::run);
  }

  /// What answers a request without executing it.
  ///
  /// @return null when it is to be executed
  /// @throws BrokenGiopException when the request's context cannot be read
  @Nullable Giop instead(Giop request) throws BrokenGiopException, InterruptedException {
    FtGroupVersion has = FtGroupVersion.of(request);
    Known newest = has == null ? null : newest(request.key(), has);
    int order = has == null || newest == null ? 0 : has.compareTo(newest.version());
    if (order > 0) {
      return Giop.exception(request.minorVersion(), RomiopFailure.UNKNOWN_REFERENCE);
    }
    IOR to = order < 0 && newest != null ? newest.reference() : null;
    return to == null ? null : Giop.forward(request.minorVersion(), to);
  }

  private synchronized @Nullable Known newest(String key, FtGroupVersion has) throws InterruptedException {
    Known before = known.get(key);
    if (ended == 0 || before != null && has.compareTo(before.version()) > 0) {
      awaitAnswer();
    }
    return answers ? known.get(key) : null;
  }

  /// Waits for a question that begins from now on, or for the first one.
  private synchronized void awaitAnswer() throws InterruptedException {
    long which = ended == 0 ? 1 : begun + 1;
    wanted = Math.max(wanted, which);
    notifyAll();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
    for (long left = 1; open && ended < which && left > 0; left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
    }
    answers &= ended >= which; // else it does not answer in time
  }

  private void run() {
    try {
      while (next()) {
        ask();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Waits until it is time for a question.
  ///
  /// @return false when there are to be no more
  private synchronized boolean next() throws InterruptedException {
    long last = System.nanoTime();
    while (open && begun > 0) {
      long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last);
      long due = wanted > begun ? PAUSE_MILLIS : INTERVAL_MILLIS;
      if (passed >= due) {
        break;
      }
      wait(due - passed);
    }
    begun++;
    return open;
  }

  private void ask() {
    Map<String, Known> said = new HashMap<>();
    String failure = null;
    try {
      for (GroupReference.Id each : objects) {
        ObjectGroups.Entry entry = service.describe(each);
        if (entry != null) {
          said.put(each.key(), known(each, entry));
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      failure = String.valueOf(e.getMessage());
    }
    boolean changed;
    synchronized (this) {
      changed = answers != (failure == null);
      answers = failure == null;
      if (answers) {
        known.clear();
        known.putAll(said);
      }
      ended = begun;
      notifyAll();
    }
    if (changed && failure == null) {
      LOG.info("the group service answers again");
    } else if (changed) {
      LOG.warn("clients with old references are not told of newer ones: {}", failure);
    }
  }

  private static Known known(GroupReference.Id id, ObjectGroups.Entry entry) {
    boolean isReached = entry.members().stream().anyMatch(each -> !each.gateway().isEmpty());
    return new Known(entry.version(), isReached ? ObjectGroups.reference(id, entry).ior() : null);
  }

  @Override
  public synchronized void close() {
    open = false;
    notifyAll();
  }
}
