package org.tutti.romiop;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.SystemException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tutti.Metric;
import org.tutti.spi.Admission;
import org.tutti.transport.Counts;

/// Listens for plain IIOP and makes each request a call to the group, so that clients of any ORB reach it.
///
/// ```
/// any ORB -- IIOP --> [GatewayConnection] --> gateway --> [RequestTarget] -- total order --> all members
///                          reply 7  <--  4711 is 7 of that connection  <-- one reply, by the rule
/// ```
///
/// Requests are not decoded. Their ids are rewritten, as those of all clients meet in one caller; their object keys are
/// those of the group already; version, byte order and body reach the servant's ORB as the client's ORB wrote them.
///
/// **Why not an object adapter of JacORB.** A default servant that forwards what it gets sees arguments only decoded,
/// which takes their types, or as a stream whose alignment is that of its message: a body of GIOP 1.0 cannot be put
/// into a message of 1.2. JacORB allocates what a header announces, keeps fragments without a bound, and ends a
/// connection silently at most mistakes; for peers there is a filter of headers before it (`org.tutti.corba.gate`), for
/// any client it would have to know as much of GIOP as this. What is taken over is reading and rewriting of heads
/// ([Giop]), and who may connect ([Admission]).
///
/// **Threads**: one accepts, one is in the group, and two virtual ones of each connection; one timer. While this
/// process is not in the group, or in no primary view, connections are closed at once, so that clients take the next
/// gateway; those that are open then are ended.
final class Gateway implements AutoCloseable {
  private static final int CONNECTIONS_MAX = 1000;
  private static final int BUDGET_BYTES = 128 << 20;
  private static final Metric FAILED =
      Metric.counter("gateway.requests.failed", "Calls ended by an exception of the plug-in or of a service of Tutti.");
  private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

  private final ServerSocket server;
  private final Predicate<String> keys;
  private final Function<Consumer<Boolean>, ? extends RequestTarget> joining;
  private final @Nullable CurrentReferences references;
  private final Limits limits;
  private final Admission<GatewayConnection> admission;
  private final Semaphore budget = new Semaphore(BUDGET_BYTES);
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("tutti-romiop gateway time").factory());
  private final AtomicLong refused = new AtomicLong();
  private final Counts<GatewayCount> counts = new Counts<>(GatewayCount.class);
  private final AtomicLongArray failures = new AtomicLongArray(RomiopFailure.values().length);

  // All guarded by this.
  private final Map<Integer, UnderWay> calls = new HashMap<>();
  private final Set<GatewayConnection> connections = new HashSet<>();
  private int lastId;
  private @Nullable RequestTarget caller;
  private boolean primary; // whether the group can be reached
  private boolean open = true;

  /// A call that was not answered.
  private record UnderWay(GatewayConnection connection, int requestId) {}

  /// What a connection may take.
  ///
  /// @param connections how many there may be
  /// @param greeting    how long one may be silent at first
  /// @param message     how long a message may take until it has come or is written
  /// @param idle        how long one may be silent between calls
  record Limits(int connections, Duration greeting, Duration message, Duration idle) {
    /// For any network.
    static Limits usual() {
      return new Limits(CONNECTIONS_MAX, Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofMinutes(10));
    }
  }

  /// Makes one.
  ///
  /// @param server  is listening already
  /// @param keys    whether a key is one of an object of the group
  /// @param joining joins the group as a client, or throws what a client would see; gets who is told by each view
  ///                whether it is a primary one
  /// @param references know which clients are to be told of a newer reference, and end with this; null when none are
  Gateway(
      ServerSocket server,
      Predicate<String> keys,
      Function<Consumer<Boolean>, ? extends RequestTarget> joining,
      @Nullable CurrentReferences references,
      Limits limits) {
    this.server = server;
    this.keys = keys;
    this.joining = joining;
    this.references = references;
    this.limits = limits;
    admission = new Admission<>(limits.connections(), limits.greeting());
  }

  void start() {
    long tick = Math.max(10, Math.min(1000, limits.message().toMillis() / 4));
    timer.scheduleWithFixedDelay(this::endOverdue, tick, tick, TimeUnit.MILLISECONDS);
    Thread.ofPlatform().daemon().name("tutti-romiop gateway").start(this::accept);
    Thread.ofPlatform().daemon().name("tutti-romiop gateway group").start(this::beInGroup);
  }

  /// How many connections were ended because what came was no GIOP, or took too long.
  long refused() {
    return refused.get();
  }

  /// How many connections there are.
  synchronized int connections() {
    return connections.size();
  }

  /// What it counts.
  List<Metric> metrics() {
    synchronized (this) {
      counts.set(GatewayCount.CONNECTIONS, connections.size());
      counts.set(GatewayCount.UNDER_WAY, calls.size());
    }
    List<Metric> all = new ArrayList<>(counts.metrics());
    all.addAll(admission.metrics("gateway"));
    for (RomiopFailure each : RomiopFailure.values()) {
      all.add(FAILED.tagged("reason", each.word()).with(failures.get(each.ordinal())));
    }
    return all;
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        boolean taken = false;
        try {
          taken = connected(socket);
        } finally {
          if (!taken) {
            socket.close();
          }
        }
      } catch (IOException e) {
        if (!server.isClosed()) {
          LOG.warn("a connection was not accepted: {}", e.getMessage());
          pause();
        }
      }
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(100); // until there are descriptors again
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean connected(Socket socket) throws IOException {
    GatewayConnection connection = new GatewayConnection(this, socket, budget);
    synchronized (this) {
      if (caller == null || !primary || !open) {
        counts.addShared(GatewayCount.AWAY);
        return false;
      }
      connections.add(connection);
    }
    boolean admitted = admission.admit(connection);
    if (admitted) {
      counts.addShared(GatewayCount.ACCEPTED);
      connection.start();
    } else {
      left(connection, Set.of());
    }
    return admitted;
  }

  private void beInGroup() {
    while (isOpen()) {
      try (RequestTarget joined = joining.apply(this::seen)) {
        if (begun(joined)) {
          LOG.info("the gateway at {} is open", server.getLocalSocketAddress());
          for (byte[] reply = joined.next(); reply != null; reply = joined.next()) {
            replied(reply);
          }
        }
      } catch (RuntimeException e) {
        // A system exception when the group is not there; whatever it is, clients need the gateway to try again.
        LOG.warn("the gateway at {} is closed: {}", server.getLocalSocketAddress(), e.toString());
        pause();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        close();
      } finally {
        ended();
      }
    }
  }

  private synchronized boolean isOpen() {
    return open;
  }

  private synchronized boolean begun(RequestTarget joined) {
    caller = open ? joined : null;
    return open;
  }

  /// What the caller answers at its end says that the calls may have been executed, which an ended connection says,
  /// too, and lets clients take the next gateway.
  private void ended() {
    List<GatewayConnection> all;
    synchronized (this) {
      caller = null;
      primary = false;
      all = List.copyOf(connections);
    }
    sendAway(all);
  }

  private void sendAway(List<GatewayConnection> all) {
    counts.addShared(GatewayCount.AWAY, all.size());
    all.forEach(GatewayConnection::end);
  }

  /// A view of the group. Without a primary one this process is cut off: clients are to take the next gateway.
  private void seen(boolean isPrimary) {
    List<GatewayConnection> all;
    synchronized (this) {
      primary = isPrimary;
      all = isPrimary ? List.of() : List.copyOf(connections);
    }
    sendAway(all);
  }

  private void replied(byte[] bytes) {
    try {
      Giop reply = Giop.of(bytes);
      UnderWay call;
      boolean lost;
      synchronized (this) {
        lost = caller == null || !caller.isOpen();
        call = lost ? calls.get(reply.requestId()) : calls.remove(reply.requestId());
      }
      if (call != null && !lost) {
        count(reply);
        call.connection().reply(call.requestId(), reply.withRequestId(call.requestId()).bytes());
      }
    } catch (Giop.BrokenGiopException e) {
      throw new IllegalStateException("a reply that was read before", e);
    }
  }

  private void endOverdue() {
    List<GatewayConnection> all;
    synchronized (this) {
      all = List.copyOf(connections);
    }
    long now = System.nanoTime();
    for (GatewayConnection each : all) {
      String why = each.overdue(now, limits);
      if (why != null && why.equals("silence")) {
        counts.addShared(GatewayCount.SILENT);
        each.end();
      } else if (why != null) {
        refused(each, GatewayCount.SLOW, why);
        each.close();
      }
    }
  }

  boolean hasObject(String key) {
    return keys.test(key);
  }

  /// A connection has brought a whole message.
  void greeted(GatewayConnection connection) {
    admission.greeted(connection);
  }

  /// A connection ends for what it brought. The log gets fewer lines the more there are.
  void refused(GatewayConnection connection, Giop.BrokenGiopException why) {
    refused(connection, GatewayCount.MALFORMED, String.valueOf(why.getMessage()));
  }

  private void refused(GatewayConnection connection, GatewayCount as, String why) {
    counts.addShared(as);
    long count = refused.incrementAndGet();
    if (Long.bitCount(count) == 1) {
      LOG.warn("refused from {}: {}; {} so far", connection, why, count);
    }
  }

  /// A connection has ended; nobody waits for its calls.
  void left(GatewayConnection connection, Set<Integer> ids) {
    admission.left(connection);
    synchronized (this) {
      connections.remove(connection);
    }
    ids.forEach(this::cancel);
  }

  /// A call of a client gets a number.
  synchronized int begin(GatewayConnection connection, Giop request) {
    counts.addShared(GatewayCount.TWO_WAY);
    calls.put(++lastId, new UnderWay(connection, request.requestId()));
    return lastId;
  }

  /// Sends a call to the group, or answers it if the client is to call elsewhere. Waits while the group is behind.
  ///
  /// @throws Giop.BrokenGiopException when the request's contexts cannot be read
  void request(int id, Giop request) throws Giop.BrokenGiopException, InterruptedException {
    boolean isKnown = hasObject(request.key());
    Giop instead = references == null || !isKnown ? null : references.instead(request);
    RequestTarget to;
    synchronized (this) {
      to = caller;
    }
    if (to == null) {
      failed(id, request, RomiopFailure.NOT_JOINED);
    } else if (!isKnown) {
      failed(id, request, RomiopFailure.NO_SUCH_OBJECT);
    } else if (instead != null) {
      answered(id, instead);
    } else {
      try {
        to.request(request.withRequestId(id));
      } catch (SystemException e) {
        failed(id, request, RomiopFailure.of(e));
      }
    }
  }

  private void failed(int id, Giop request, RomiopFailure why) {
    answered(id, Giop.exception(request.minorVersion(), why));
  }

  private void answered(int id, Giop reply) {
    UnderWay call;
    synchronized (this) {
      call = calls.remove(id);
    }
    if (call != null) {
      count(reply);
      call.connection().reply(call.requestId(), reply.withRequestId(call.requestId()).bytes());
    }
  }

  /// How a call has ended.
  private void count(Giop reply) {
    RomiopFailure failure = reply.failure();
    if (failure != null) {
      failures.incrementAndGet(failure.ordinal());
    } else if (!reply.isFinal()) {
      counts.addShared(GatewayCount.FORWARDED);
    } else if (reply.isResult()) {
      counts.addShared(GatewayCount.RESULT);
    } else {
      counts.addShared(reply.isUserException() ? GatewayCount.USER_EXCEPTION : GatewayCount.SYSTEM_EXCEPTION);
    }
  }

  /// Sends a request that nobody waits for.
  void oneWay(Giop request) {
    counts.addShared(GatewayCount.ONE_WAY);
    RequestTarget to;
    synchronized (this) {
      to = caller;
    }
    if (to != null && hasObject(request.key())) {
      try {
        to.request(request);
      } catch (SystemException _) {
        // It may get lost: whoever wants to know makes another call.
      }
    }
  }

  /// Nobody waits for a call any more.
  ///
  /// @return false when it is answered
  boolean cancel(int id) {
    RequestTarget to;
    boolean removed;
    synchronized (this) {
      removed = calls.remove(id) != null;
      to = caller;
    }
    if (removed) {
      counts.addShared(GatewayCount.CANCELLED);
      if (to != null) {
        to.cancel(id);
      }
    }
    return removed;
  }

  @Override
  public void close() {
    RequestTarget ends;
    synchronized (this) {
      open = false;
      ends = caller;
    }
    timer.shutdownNow();
    if (references != null) {
      references.close();
    }
    try {
      server.close();
    } catch (IOException _) {
      // Nobody can connect in any case.
    }
    ended();
    if (ends != null) {
      ends.close();
    }
  }
}
