package org.tutti.romiop;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.romiop.Giop.BrokenGiopException;
import org.tutti.transport.Counts;

/// A process with servants that another process is a member for, called over IIOP by the interface `Tutti::Delivery`
/// (`delivery.idl`).
///
/// ```
/// Delegate                        this                                     process
///   begin                  -----> begin(life)                       ----->  calls of other lives are refused now
///   a request of the group -----> deliver(life, 1, request)         ----->  executes it
///                          <----- its reply                         <-----
///                                 the connection breaks
///   the next one           -----> deliver(life, 2, request)         ----->  executes it
///                                 the connection breaks; another one: the same once more
///                          <----- its reply                         <-----  the reply that it had
/// ```
///
/// **Guarantee.** Requests are executed in the order of the calls of [#deliver], each once, by one run of the process:
/// one that was started anew does not know this life and refuses it. A call ends by a reply or by an exception; after
/// the first exception there are only exceptions, and who was to be told has been told why.
///
/// **Bounds.** One request is under way. A reply has at most [#REPLY_BYTES_MAX]. A request that is not answered within
/// the patience ends this, and so do connections that break again and again.
///
/// **Threads**: one calls; one reads, connects again, and notices at once when the process is gone; a timer.
final class ServantProcess implements Closeable {
  /// More than a member may multicast: what is longer than that is refused as of any servant, by
  /// [RomiopFailure#REPLY_TOO_LONG].
  static final int REPLY_BYTES_MAX = 2 * GiopReader.MESSAGE_BYTES_MAX;

  private static final int CONNECTIONS_MAX = 3; // without a reply in between
  private static final long IDLE_NANOS_MIN = 100_000_000; // then a connection that nobody used was not broken
  private static final int CONNECT_MILLIS_MAX = 10_000;
  private static final int SERVANTS_MAX = 10_000;
  private static final int TYPE_MAX = 1024;
  private static final int STATUS_MAX = 2;
  private static final int BUFFER_BYTES = 16 << 10;

  private final IiopAddress address;
  private final String life;
  private final Duration patience;
  private final Consumer<String> lost;
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("tutti-romiop servants' time").factory());
  private final Counts<DeliveryCount> counts = new Counts<>(DeliveryCount.class);
  private long number; // of the last request

  // All guarded by this.
  private @Nullable Socket socket;
  private int connection; // which one it is, from 1
  private long connectedAt;
  private int silent; // how many connections in sequence brought no reply, but for those that were idle
  private int awaited; // the id of the call under way, or 0
  private long since; // when it began
  private int lastId;
  private @Nullable Giop answer;
  private @Nullable String end;

  /// What a process says when a life begins.
  ///
  /// @param types the interfaces of its servants, by their keys
  /// @param used  whether it has executed any request before
  record Begun(SortedMap<String, String> types, boolean used) {}

  /// Makes one, which is not connected.
  ///
  /// @param address  of the object that delivers
  /// @param life     unlike those of all other lives of all members
  /// @param patience how long a request may take
  /// @param lost     is told why, once, when nothing more can be delivered
  ServantProcess(IiopAddress address, String life, Duration patience, Consumer<String> lost) {
    this.address = address;
    this.life = life;
    this.patience = patience;
    this.lost = lost;
  }

  /// What it counts.
  List<Metric> metrics() {
    return counts.metrics();
  }

  /// Connects, and begins a life. Calls of earlier lives have ended then, and come to nothing.
  ///
  /// @throws IOException when the process is not there, or is another kind of process
  Begun begin() throws IOException {
    Socket first = connect();
    synchronized (this) {
      socket = first;
      connectedAt = System.nanoTime();
      connection = 1;
    }
    Thread.ofPlatform().daemon().name("tutti-romiop servants").start(this::read);
    long tick = Math.max(1, patience.toMillis() / 4);
    timer.scheduleWithFixedDelay(this::endOverdue, tick, tick, TimeUnit.MILLISECONDS);
    Giop reply = call("begin", new CdrOut().string(life));
    try {
      return servants(reply);
    } catch (BrokenGiopException e) {
      throw failed("begin was answered with " + e.getMessage());
    }
  }

  /// Reads the reply to `begin`.
  static Begun servants(Giop reply) throws BrokenGiopException {
    CdrIn in = result(reply);
    var types = new TreeMap<String, String>();
    for (int left = in.length(SERVANTS_MAX); left > 0; left--) {
      types.put(in.string(TYPE_MAX), in.string(TYPE_MAX));
    }
    return new Begun(types, in.octet() != 0);
  }

  /// Has a request executed.
  ///
  /// @return the reply, with the request's id
  /// @throws IOException when that is not known, and this is over
  Giop deliver(Giop request) throws IOException {
    long begin = System.nanoTime();
    try {
      Giop reply = outcome(request, call("deliver", delivered(life, ++number, request)));
      counts.addShared(DeliveryCount.DELIVERED);
      counts.addShared(DeliveryCount.MICROSECONDS, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin));
      return reply;
    } catch (BrokenGiopException e) {
      throw failed("request " + number + " was answered with " + e.getMessage());
    }
  }

  /// The arguments of `deliver`.
  static CdrOut delivered(String life, long number, Giop request) throws BrokenGiopException {
    CdrOut arguments = new CdrOut().string(life).ulonglong(number);
    arguments.string(request.key()).string(request.operation());
    arguments.octet(request.minorVersion()).octet(request.isLittleEndian() ? 1 : 0);
    return arguments.ulong(request.bytes().length - request.bodyBytes()).octets(request.bytes());
  }

  /// Reads the reply to `deliver`: it has the one to the request.
  static Giop outcome(Giop request, Giop reply) throws BrokenGiopException {
    CdrIn in = result(reply);
    int status = in.ulong();
    Giop.require(status >= 0 && status <= STATUS_MAX, "a status that does not exist: " + status);
    byte[] body = in.octets(REPLY_BYTES_MAX);
    return Giop.reply(request.minorVersion(), status, body).withRequestId(request.requestId());
  }

  /// The result of a call of the interface, whose exceptions say that this life is over.
  private static CdrIn result(Giop reply) throws BrokenGiopException {
    if (!reply.isResult()) {
      throw new BrokenGiopException("the exception " + reply.body().string(TYPE_MAX));
    }
    return reply.body();
  }

  private Giop call(String operation, CdrOut arguments) throws IOException {
    Giop request = Giop.call(address.key(), operation, begun(), arguments);
    int sent = 0;
    while (true) {
      Socket to;
      synchronized (this) {
        while (end == null && answer == null && (socket == null || connection == sent)) {
          await();
        }
        if (answer != null) {
          awaited = 0;
          return answer;
        } else if (end != null) {
          throw new IOException(end);
        }
        if (sent > 0) {
          counts.addShared(DeliveryCount.REPEATED);
        }
        sent = connection;
        to = socket;
      }
      try {
        if (to != null) {
          to.getOutputStream().write(request.bytes());
        }
      } catch (IOException _) {
        close(to); // the thread that reads connects again
      }
    }
  }

  /// A call begins.
  ///
  /// @return its id
  private synchronized int begun() {
    awaited = ++lastId;
    answer = null;
    since = System.nanoTime();
    return awaited;
  }

  private void await() throws IOException {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void read() {
    Socket from = current();
    while (from != null) {
      try {
        var in = new BufferedInputStream(from.getInputStream(), BUFFER_BYTES);
        GiopReader reader = new GiopReader(in, new Semaphore(REPLY_BYTES_MAX), REPLY_BYTES_MAX);
        byte[] message = reader.next();
        while (message != null && arrived(Giop.of(message))) {
          message = reader.next();
        }
      } catch (BrokenGiopException e) {
        failed("what came is " + e.getMessage());
      } catch (IOException _) {
        // It is broken, as it is at its end.
      }
      close(from);
      from = again();
    }
  }

  private synchronized @Nullable Socket current() {
    return end == null ? socket : null;
  }

  /// A message of the process.
  ///
  /// @return false when it ends the connection by it, as it does with one that was long idle
  private synchronized boolean arrived(Giop message) throws BrokenGiopException {
    if (message.type() == Giop.CLOSE_CONNECTION) {
      return false;
    }
    Giop.require(message.type() == Giop.REPLY, "a message of type " + message.type());
    Giop.require(message.isFinal(), "a reply that leads elsewhere");
    Giop.require(awaited != 0 && message.requestId() == awaited && answer == null, "a reply that nobody waits for");
    answer = message;
    silent = 0;
    notifyAll();
    return true;
  }

  /// Another connection after one has ended.
  ///
  /// @return null when there is none
  private @Nullable Socket again() {
    synchronized (this) {
      socket = null;
      boolean isWanted = awaited != 0 && answer == null;
      silent = isWanted || System.nanoTime() - connectedAt < IDLE_NANOS_MIN ? silent + 1 : 0;
      if (end != null) {
        return null;
      }
    }
    if (silent >= CONNECTIONS_MAX) {
      failed("it has ended " + silent + " connections one after the other");
      return null;
    }
    try {
      Socket next = connect();
      synchronized (this) {
        if (end != null) {
          close(next);
          return null;
        }
        socket = next;
        connectedAt = System.nanoTime();
        connection++;
        notifyAll();
        return next;
      }
    } catch (IOException e) {
      failed("its connection has ended, and there is no other: " + e.getMessage());
      return null;
    }
  }

  private Socket connect() throws IOException {
    Socket next = new Socket();
    try {
      next.setTcpNoDelay(true);
      next.connect(
          new InetSocketAddress(address.at().getHostString(), address.at().getPort()),
          (int) Math.min(CONNECT_MILLIS_MAX, patience.toMillis()));
      counts.addShared(DeliveryCount.CONNECTED);
      return next;
    } catch (IOException e) {
      close(next);
      throw e;
    }
  }

  private void endOverdue() {
    boolean overdue;
    synchronized (this) {
      overdue = awaited != 0 && answer == null && System.nanoTime() - since > patience.toNanos();
    }
    if (overdue) {
      failed("it has not answered for " + patience.toMillis() + " ms");
    }
  }

  /// Nothing more can be delivered.
  private IOException failed(String why) {
    boolean first;
    String all = "the servants' process at " + address + ": " + why;
    synchronized (this) {
      first = end == null;
      end = first ? all : end;
      notifyAll();
      close(socket);
    }
    timer.shutdown();
    if (first) {
      lost.accept(all);
    }
    return new IOException(all);
  }

  private static void close(@Nullable Socket old) {
    try {
      if (old != null) {
        old.close();
      }
    } catch (IOException _) {
      // It is gone already.
    }
  }

  /// Ends it. Nobody is told.
  @Override
  public synchronized void close() {
    end = end == null ? "closed" : end;
    notifyAll();
    close(socket);
    timer.shutdown();
  }
}
