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
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.replica.protocol.ReplicaProtocol;
import org.tutti.spi.Admission;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;

/// Where clients reach a replica: one thread for all of their connections.
///
/// What is sent within one run of inputs is written at the end of it, in as few calls as possible, by whichever thread
/// holds the replica's lock. Who does not read its replies, or says nothing at first, loses its connection.
final class ServicePort implements ReplicaProtocol.Clients {
  private static final int CONNECTIONS_MAX = 10_000;
  private static final Duration FIRST_WORDS_MAX = Duration.ofSeconds(5);
  private static final int UNWRITTEN_BYTES_MAX = 32 << 20;
  private static final int BACKLOG = 1024;

  private final class Connection implements Closeable {
    final long id;
    final FrameChannel frames;
    @Nullable SelectionKey key; // of the port's thread, once it is registered
    boolean greeted;
    boolean reading = true;
    boolean closing; // when all is written
    boolean slow; // and to be ended for it
    boolean gone;

    Connection(long id, SocketChannel socket) {
      this.id = id;
      this.frames = new FrameChannel(socket, UNWRITTEN_BYTES_MAX);
    }

    /// By whoever finds out that a stranger's time is over.
    @Override
    public void close() {
      frames.close();
      tasks.add(() -> end(this));
      selector.wakeup();
    }
  }

  private final ReentrantLock lock; // the replica's; all below is guarded by it but for tasks and selector
  private final ReplicaProtocol protocol;
  private final Selector selector;
  private final ServerSocketChannel server;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>(); // with the lock, soon
  private final Map<Long, Connection> connections = new HashMap<>();
  private final Set<Connection> dirty = new LinkedHashSet<>(); // have something to write
  private final Admission<Connection> admission = new Admission<>(CONNECTIONS_MAX, FIRST_WORDS_MAX);
  private final Address address;
  private long connectionNext = 1;
  private long slow;
  private long wakesAt = Long.MIN_VALUE; // when the port's thread looks at the protocol without being woken
  private volatile boolean away; // no connections, as the replica's state is being replaced
  private volatile boolean closed;

  /// Listens; nothing is accepted before [#run].
  ///
  /// @param listen   host and port
  /// @param insecure whether strangers may reach it
  /// @param lock     the replica's
  /// @param protocol gets what clients say; made with this port
  ServicePort(Address listen, boolean insecure, ReentrantLock lock, Function<ServicePort, ReplicaProtocol> protocol)
      throws IOException {
    Endpoint endpoint = Endpoint.resolve(listen);
    if (!insecure) {
      endpoint.requireLoopback(listen, "clients are not encrypted; allow insecure networks, or listen on loopback");
    }
    this.lock = lock;
    this.selector = Selector.open();
    this.server = ServerSocketChannel.open();
    try {
      server.bind(endpoint.socket(), BACKLOG);
      server.configureBlocking(false);
      server.register(selector, SelectionKey.OP_ACCEPT);
    } catch (IOException e) {
      server.close();
      selector.close();
      throw new IOException("cannot listen for clients on " + listen + ": " + e.getMessage(), e);
    }
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
      return wakesAt == Long.MAX_VALUE ? 0 : Math.max(1, (wakesAt - System.nanoTime()) / 1_000_000 + 1);
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
      for (SelectionKey key : selector.selectedKeys()) {
        handle(key);
      }
      selector.selectedKeys().clear();
      finish();
    } finally {
      lock.unlock();
    }
  }

  private void handle(SelectionKey key) {
    if (!(key.attachment() instanceof Connection connection)) {
      accept();
      return;
    }
    try {
      if (key.isWritable()) {
        dirty.add(connection);
      }
      if (key.isReadable() && connection.reading) {
        connection.frames.read(FrameChannel.bytesMax(connection.greeted), frame -> said(connection, frame));
      }
    } catch (IOException | CancelledKeyException _) {
      end(connection);
    }
  }

  private void accept() {
    try {
      for (SocketChannel socket = server.accept(); socket != null; socket = server.accept()) {
        var connection = new Connection(connectionNext++, socket);
        if (away || !admission.admit(connection)) {
          connection.frames.close();
          continue;
        }
        socket.configureBlocking(false);
        socket.socket().setTcpNoDelay(true);
        connection.key = socket.register(selector, SelectionKey.OP_READ, connection);
        connections.put(connection.id, connection);
        protocol.connected(connection.id);
      }
    } catch (IOException _) {
      // That one went away while it was being accepted, or there are no descriptors left: others are served.
    }
  }

  /// Tells whether the next frame may follow.
  private boolean said(Connection connection, ByteBuffer frame) {
    if (connection.gone || connection.closing) {
      return false;
    }
    if (!connection.greeted) {
      connection.greeted = true;
      admission.greeted(connection);
    }
    protocol.said(connection.id, frame);
    return connection.reading && !connection.closing;
  }

  /// Ends a run of inputs, with the lock: does what is due, and writes.
  void finish() {
    protocol.work();
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
      if (all && connection.closing) {
        end(connection);
        return;
      }
      int ops = (connection.reading ? SelectionKey.OP_READ : 0) | (all ? 0 : SelectionKey.OP_WRITE);
      if (key.interestOps() != ops) {
        key.interestOps(ops);
        selector.wakeup();
      }
    } catch (IOException | CancelledKeyException _) {
      end(connection);
    }
  }

  private void end(Connection connection) {
    if (!connection.gone) {
      connection.gone = true;
      connections.remove(connection.id);
      dirty.remove(connection);
      admission.left(connection);
      connection.frames.close();
      protocol.disconnected(connection.id);
    }
  }

  // ---- what the replica asks, with the lock ----------------------------------------------------------------------

  @Override
  public void send(long id, ByteBuffer frame) {
    Connection connection = connections.get(id);
    if (connection != null && !connection.closing && !connection.slow) {
      if (connection.frames.add(frame)) {
        dirty.add(connection);
      } else {
        connection.slow = true;
        slow++;
        later(() -> end(connection)); // not within what the protocol does now
      }
    }
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
        connection.frames.take(FrameChannel.bytesMax(true), frame -> said(connection, frame));
      }
    } catch (IOException _) {
      end(connection);
    }
  }

  @Override
  public void close(long id) {
    Connection connection = connections.get(id);
    if (connection != null) {
      connection.closing = true;
      dirty.add(connection);
    }
  }

  /// Turns all clients away, until it is called again: they go to another replica.
  void away(boolean on) {
    away = on;
    if (on) {
      List.copyOf(connections.values()).forEach(this::end);
    }
  }

  List<Metric> metrics() {
    List<Metric> metrics = new ArrayList<>(admission.metrics("replica"));
    metrics.add(
        Metric.counter("replica.connections.closed", "A client did not read its replies.")
            .tagged("reason", "slow")
            .with(slow));
    metrics.add(
        Metric.counter("replica.connections.closed", "A client said what no client says.")
            .tagged("reason", "malformed")
            .with(protocol.malformed()));
    return metrics;
  }

  void close() {
    closed = true;
    selector.wakeup();
  }

  private void release() {
    lock.lock();
    try {
      admission.close();
      List.copyOf(connections.values()).forEach(this::end);
      server.close();
      selector.close();
    } catch (IOException _) {
      // They are closed as far as this process is concerned.
    } finally {
      lock.unlock();
    }
  }
}
