package org.tutti.replica;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.replica.protocol.Frame;
import org.tutti.replica.protocol.ReplicaProtocol;
import org.tutti.spi.Admission;
import org.tutti.tls.Credentials;
import org.tutti.tls.TlsWire;
import org.tutti.tls.Wire;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Endpoint;

/// Where clients reach a replica: one thread for all of their connections.
///
/// What is sent within one run of inputs is written at the end of it, in as few calls as possible, by whichever thread
/// holds the replica's lock. The slow steps of TLS handshakes run on virtual threads.
///
/// Clients are not trusted, and everything is bounded: connections (`Admission`: who says nothing yields), replies that
/// wait for a client that does not read, together and for each, and room for long frames whose bytes do not come. Who
/// is ended is told why, as far as his socket takes it at once, and counted with the reason.
final class ServicePort implements ReplicaProtocol.Clients {
  private static final Duration FIRST_WORDS_MAX = Duration.ofSeconds(5);
  private static final int UNWRITTEN_BYTES_MAX = 32 << 20; // for one
  private static final long ALL_UNWRITTEN_BYTES_MAX = 256L << 20;
  private static final int EXTRA_ROOM_MAX = 64 << 20; // for frames that have not come wholly
  private static final int BACKLOG = 1024;
  private static final int ACCEPTS_PER_TURN_MAX = 64;
  private static final long ACCEPT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long ACCEPT_TROUBLE_NANOS = TimeUnit.MINUTES.toNanos(1); // is logged so often at most
  private static final int RECORDS = 1; // of TLS, which are read or written at once

  /// Who may come.
  ///
  /// @param insecure    whether strangers may reach the port, without TLS
  /// @param credentials for TLS; null for none
  /// @param asks        whether clients have to show a certificate
  /// @param most        how many connections there may be
  record Security(boolean insecure, @Nullable Credentials credentials, boolean asks, int most) {}

  private final class Connection implements Closeable {
    final long id;
    final FrameChannel frames;
    @Nullable SelectionKey key; // of the port's thread, once it is registered
    boolean greeted;
    boolean reading = true;
    @Nullable PortCount closing; // why, once the last words are said
    boolean gone;
    int extraRoom; // as it was last counted
    long unwritten;

    Connection(long id, SocketChannel socket) {
      this.id = id;
      TlsWire.Context above = tls;
      this.frames =
          new FrameChannel(
              socket, above == null ? null : above.wire(socket, false, Wire.Traffic.UNCOUNTED, () -> secure(this)));
    }

    /// By whoever finds out that a stranger's time is over, which is counted there.
    @Override
    public void close() {
      later(() -> end(this, null));
    }
  }

  private final ReentrantLock lock; // the replica's; all below is guarded by it but for tasks and selector
  private final ReplicaProtocol protocol;
  private final Selector selector;
  private final ServerSocketChannel server;
  private final SelectionKey accepting;
  private final TlsWire.@Nullable Context tls;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>(); // with the lock, soon
  private final Map<Long, Connection> connections = new HashMap<>();
  private final Set<Connection> dirty = new LinkedHashSet<>(); // have something to write
  private final Set<Connection> unfinished = new LinkedHashSet<>(); // have room for a long frame, longest first
  private final Admission<Connection> admission;
  private final Counts<PortCount> counts = new Counts<>(PortCount.class);
  private final Address address;
  private long connectionNext = 1;
  private long unwritten; // of all
  private int extraRoom; // of all
  private boolean acceptsPause;
  private long acceptsAgainAt;
  private boolean acceptTrouble; // was logged
  private long acceptTroubleAt;
  private long wakesAt = Long.MIN_VALUE; // when the port's thread looks at the protocol without being woken
  private BooleanSupplier besides = () -> false;
  private volatile boolean away; // no connections, as the replica's state is being replaced
  private volatile boolean closed;

  /// Listens; nothing is accepted before [#run].
  ///
  /// @param listen   host and port
  /// @param security who may come
  /// @param lock     the replica's
  /// @param protocol gets what clients say; made with this port
  ServicePort(Address listen, Security security, ReentrantLock lock, Function<ServicePort, ReplicaProtocol> protocol)
      throws IOException {
    Endpoint endpoint = Endpoint.resolve(listen);
    Credentials credentials = security.credentials;
    if (!security.insecure && credentials == null) {
      endpoint.requireLoopback(listen, "clients are not encrypted; use TLS, allow insecure networks, or use loopback");
    }
    this.lock = lock;
    this.selector = Selector.open();
    this.server = ServerSocketChannel.open();
    try {
      server.bind(endpoint.socket(), BACKLOG);
      server.configureBlocking(false);
      this.accepting = server.register(selector, SelectionKey.OP_ACCEPT);
    } catch (IOException e) {
      server.close();
      selector.close();
      throw new IOException("cannot listen for clients on " + listen + ": " + e.getMessage(), e);
    }
    this.tls = credentials == null ? null : new TlsWire.Context(credentials, selector::wakeup, RECORDS, security.asks);
    this.admission = new Admission<>(security.most, FIRST_WORDS_MAX);
    this.address = endpoint.at(server.socket().getLocalPort());
    this.protocol = protocol.apply(this);
  }

  Address address() {
    return address;
  }

  ReplicaProtocol protocol() {
    return protocol;
  }

  /// Has the port's thread do something with the replica's lock.
  void later(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  /// Has something else done at the end of each run of inputs; it says whether it has told the replica anything.
  void besides(BooleanSupplier what) {
    besides = what;
  }

  /// A number for a client that does not come by this port.
  long number() {
    return connectionNext++;
  }

  /// Serves until [#close]; the thread's whole work.
  void run() {
    try {
      while (!closed) {
        selector.select(waitMillis());
        turn();
      }
    } catch (IOException e) {
      throw new IllegalStateException("the port for clients is broken", e);
    } finally {
      release();
    }
  }

  private long waitMillis() {
    lock.lock();
    try {
      wakesAt = tasks.isEmpty() ? protocol.deadlineNanos() : System.nanoTime();
      long until = acceptsPause ? Math.min(wakesAt, acceptsAgainAt) : wakesAt;
      return until == Long.MAX_VALUE ? 0 : Math.max(1, (until - System.nanoTime()) / 1_000_000 + 1);
    } finally {
      lock.unlock();
    }
  }

  private void turn() {
    lock.lock();
    try {
      wakesAt = Long.MIN_VALUE; // it is awake
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
      if (tls != null) {
        tls.resume();
      }
      for (SelectionKey key : selector.selectedKeys()) {
        if (key.attachment() instanceof Connection connection) {
          handle(connection, key);
        } else {
          accept();
        }
      }
      selector.selectedKeys().clear();
      acceptAgain();
      finish();
    } finally {
      lock.unlock();
    }
  }

  private void handle(Connection connection, SelectionKey key) {
    if (connection.gone) {
      return;
    }
    try {
      int ops = key.readyOps();
      if ((ops & SelectionKey.OP_READ) != 0) {
        connection.frames.readable();
      }
      if (!connection.frames.isSecured()) {
        secure(connection);
        return;
      }
      if ((ops & SelectionKey.OP_WRITE) != 0) {
        dirty.add(connection);
      }
      if ((ops & SelectionKey.OP_READ) != 0 && connection.reading) {
        connection.frames.read(() -> bytesMax(connection), frame -> said(connection, frame));
        countRoom(connection);
      }
    } catch (IOException | CancelledKeyException e) {
      failed(connection, e);
    }
  }

  // ---- connections that come -------------------------------------------------------------------------------------

  private void accept() {
    for (int i = 0; i < ACCEPTS_PER_TURN_MAX; i++) {
      try {
        SocketChannel socket = server.accept();
        if (socket == null) {
          return;
        }
        take(socket);
      } catch (IOException e) {
        pauseAccepting(e);
        return;
      }
    }
  }

  /// Out of descriptors, mostly: the kernel would report the port as ready again and again.
  private void pauseAccepting(IOException why) {
    counts.add(PortCount.ACCEPT_FAILED);
    acceptsPause = true;
    acceptsAgainAt = System.nanoTime() + ACCEPT_PAUSE_NANOS;
    accepting.interestOps(0);
    if (!acceptTrouble || System.nanoTime() - acceptTroubleAt > ACCEPT_TROUBLE_NANOS) {
      acceptTrouble = true;
      acceptTroubleAt = System.nanoTime();
      // On a thread of its own: without descriptors, a logger that loads something throws errors.
      Thread.ofVirtual()
          .name("replica-log")
          .start(() ->
              System.getLogger("org.tutti.replica")
                  .log(System.Logger.Level.WARNING, () -> "no client can be accepted at " + address + " now: " + why));
    }
  }

  private void acceptAgain() {
    if (acceptsPause && System.nanoTime() - acceptsAgainAt >= 0) {
      acceptsPause = false;
      accepting.interestOps(SelectionKey.OP_ACCEPT);
    }
  }

  private void take(SocketChannel socket) {
    Connection connection = null;
    try {
      socket.configureBlocking(false);
      socket.socket().setTcpNoDelay(true);
      connection = new Connection(connectionNext++, socket);
      connection.key = socket.register(selector, SelectionKey.OP_READ, connection);
    } catch (IOException _) {
      counts.add(PortCount.BROKEN); // it has gone already
      (connection == null ? new FrameChannel(socket, null) : connection.frames).close();
      return;
    }
    if (away || !admission.admit(connection)) { // who is refused for lack of room is counted there
      if (away) {
        counts.add(PortCount.AWAY);
      } else if (tls == null) {
        lastWords(connection, "there are too many clients here");
      }
      connection.gone = true;
      connection.frames.close();
      return;
    }
    counts.add(PortCount.ACCEPTED);
    connections.put(connection.id, connection);
    protocol.connected(connection.id);
  }

  /// Goes on with the handshake of TLS.
  private void secure(Connection connection) {
    SelectionKey key = connection.key;
    if (connection.gone || key == null || connection.frames.isSecured()) {
      return;
    }
    try {
      if (!connection.frames.secure()) {
        key.interestOps(connection.frames.interest());
        return;
      }
      key.interestOps(SelectionKey.OP_READ);
      connection.frames.takeAgain(() -> bytesMax(connection), frame -> said(connection, frame)); // what came behind it
      countRoom(connection);
    } catch (IOException | CancelledKeyException e) {
      failed(connection, e);
    }
  }

  private static int bytesMax(Connection connection) {
    return FrameChannel.bytesMax(connection.greeted);
  }

  /// Tells whether the next frame may follow.
  private boolean said(Connection connection, ByteBuffer frame) {
    if (connection.gone || connection.closing != null) {
      return false;
    }
    if (!connection.greeted) {
      connection.greeted = true;
      admission.greeted(connection);
    }
    protocol.said(connection.id, frame);
    return connection.reading && connection.closing == null && !connection.gone;
  }

  /// Ends those that have waited longest for the end of a long frame, if they have more room than all may have.
  private void countRoom(Connection connection) {
    int now = connection.gone ? 0 : connection.frames.extraRoom();
    extraRoom += now - connection.extraRoom;
    connection.extraRoom = now;
    if (now == 0) {
      unfinished.remove(connection);
    } else {
      unfinished.add(connection);
    }
    while (extraRoom > EXTRA_ROOM_MAX) {
      Connection oldest = unfinished.iterator().next();
      lastWords(oldest, "a long frame did not come to its end, and others need the room");
      end(oldest, PortCount.UNFINISHED);
    }
  }

  // ---- what is written, and ends ---------------------------------------------------------------------------------

  /// Ends a run of inputs, with the lock: does what is due, and writes.
  void finish() {
    do {
      protocol.work();
    } while (besides.getAsBoolean());
    while (!dirty.isEmpty()) {
      List<Connection> some = new ArrayList<>(dirty);
      dirty.clear();
      some.forEach(this::write);
    }
    if (protocol.deadlineNanos() < wakesAt) {
      selector.wakeup(); // the port's thread waits for something later
    }
  }

  private void write(Connection connection) {
    SelectionKey key = connection.key;
    if (connection.gone || key == null) {
      return;
    }
    try {
      boolean all = connection.frames.write();
      countUnwritten(connection);
      PortCount closing = connection.closing;
      if (closing != null) {
        end(connection, closing);
        return;
      }
      int ops = (connection.reading ? SelectionKey.OP_READ : 0) | (all ? 0 : SelectionKey.OP_WRITE);
      if (key.interestOps() != ops) {
        key.interestOps(ops);
        selector.wakeup();
      }
    } catch (IOException | CancelledKeyException e) {
      failed(connection, e);
    }
  }

  private void countUnwritten(Connection connection) {
    long now = connection.gone ? 0 : connection.frames.unwritten();
    unwritten += now - connection.unwritten;
    connection.unwritten = now;
  }

  /// Says why, if that can be said, and ends the connection.
  private void failed(Connection connection, Exception why) {
    if (!(why instanceof IOException failure)) {
      end(connection, PortCount.BROKEN);
      return;
    }
    if (failure instanceof FrameChannel.BadLengthException wrong) {
      lastWords(
          connection, wrong.isTls ? "clients of this replica do not use TLS" : String.valueOf(wrong.getMessage()));
    }
    end(connection, PortCount.of(failure));
  }

  private static void lastWords(Connection connection, String words) {
    try {
      connection.frames.add(new Frame.Wrong(words).encode());
      connection.frames.write();
      connection.frames.finish();
    } catch (IOException _) {
      // It does not hear them.
    }
  }

  /// @param why null when it is counted elsewhere
  private void end(Connection connection, @Nullable PortCount why) {
    if (connection.gone) {
      return;
    }
    connection.gone = true;
    connections.remove(connection.id);
    dirty.remove(connection);
    admission.left(connection);
    countRoom(connection);
    countUnwritten(connection);
    if (connection.closing != null) {
      connection.frames.finish();
    } else {
      connection.frames.close();
    }
    if (why != null) {
      counts.add(why);
    }
    protocol.disconnected(connection.id);
  }

  // ---- what the replica asks, with the lock ----------------------------------------------------------------------

  @Override
  public void send(long id, ByteBuffer frame) {
    Connection connection = connections.get(id);
    if (connection == null || connection.closing != null) {
      return;
    }
    connection.frames.add(frame);
    dirty.add(connection);
    countUnwritten(connection);
    if (connection.unwritten > UNWRITTEN_BYTES_MAX) {
      endSlow(connection);
    } else if (unwritten > ALL_UNWRITTEN_BYTES_MAX) {
      connections.values().stream()
          .filter(each -> each.closing == null)
          .max(Comparator.comparingLong(each -> each.unwritten))
          .ifPresent(this::endSlow);
    }
  }

  /// At the end of the run, not within what the protocol does now; but its replies are forgotten at once.
  private void endSlow(Connection connection) {
    connection.closing = PortCount.SLOW;
    connection.frames.forget();
    countUnwritten(connection);
    dirty.add(connection);
  }

  @Override
  public void read(long id, boolean on) {
    Connection connection = connections.get(id);
    if (connection == null || connection.reading == on) {
      return;
    }
    connection.reading = on;
    dirty.add(connection); // there its interest is set
    if (on) {
      later(() -> takeAgain(connection));
    }
  }

  /// Frames that had come already when reading was stopped.
  private void takeAgain(Connection connection) {
    try {
      if (!connection.gone && connection.reading) {
        connection.frames.takeAgain(() -> bytesMax(connection), frame -> said(connection, frame));
        countRoom(connection);
      }
    } catch (IOException e) {
      failed(connection, e);
    }
  }

  @Override
  public void close(long id, ReplicaProtocol.Fault fault) {
    Connection connection = connections.get(id);
    if (connection != null && connection.closing == null) {
      connection.closing =
          switch (fault) {
            case MALFORMED -> PortCount.MALFORMED;
            case OTHER_VERSION -> PortCount.OTHER_VERSION;
            case POLICY -> PortCount.POLICY;
            case FOREIGN_SESSION -> PortCount.FOREIGN_SESSION;
            case GREEDY -> PortCount.GREEDY;
          };
      dirty.add(connection);
    }
  }

  /// Turns all clients away, until it is called again: they go to another replica.
  void away(boolean on) {
    away = on;
    if (on) {
      List.copyOf(connections.values()).forEach(connection -> end(connection, PortCount.AWAY));
    }
  }

  List<Metric> metrics() {
    List<Metric> metrics = new ArrayList<>(admission.metrics("replica"));
    metrics.addAll(counts.metrics());
    return metrics;
  }

  void close() {
    closed = true;
    selector.wakeup();
  }

  private void release() {
    lock.lock();
    try {
      List.copyOf(connections.values()).forEach(connection -> end(connection, PortCount.AT_END));
      admission.close();
      server.close();
      selector.close();
    } catch (IOException _) {
      // They are closed as far as this process is concerned.
    } finally {
      lock.unlock();
    }
  }
}
