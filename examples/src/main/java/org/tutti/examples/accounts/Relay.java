package org.tutti.examples.accounts;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The network between replicas, which can be cut: replicas know each other by its ports only, and it passes their
/// connections on.
///
/// ```
/// replica A --- connects to B's port here ---> relay --- connects to where B listens ---> replica B
///               "from=A, to=B"                   passes bytes both ways, unless A and B are on different sides
/// ```
///
/// Who speaks to whom it reads from the first bytes of a connection, with which each node introduces itself. A cut that
/// is silent is like that of a cable: nothing arrives, nobody is told, connections stay open, and what was sent is not
/// lost, because TCP would send it again when the cable is mended. The other kind is like that of a firewall that
/// rejects: connections break, and new ones break at once.
final class Relay implements AutoCloseable {
  private static final int CHUNK_BYTES = 1 << 16;
  private static final int PREAMBLE_FIXED_BYTES = 7; // four of a magic number, one of a version, two lengths

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition mended = lock.newCondition();
  private final List<ServerSocket> listeners = new ArrayList<>();
  private final Set<Line> lines = ConcurrentHashMap.newKeySet();

  // Under the lock.
  private Set<String> side = Set.of(); // whose peers are on the other side of the cut; none: there is no cut
  private boolean rejecting;

  /// Opens a port to a replica.
  ///
  /// @param port   where its peers connect to
  /// @param behind where it listens itself
  void open(int port, int behind) throws IOException {
    var listener = new ServerSocket();
    listeners.add(listener);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    Thread.ofVirtual().name("relay " + port).start(() -> accept(listener, behind));
  }

  /// Cuts the network into two sides.
  ///
  /// @param one    the addresses of one side, as replicas know them
  /// @param reject whether connections between the sides break, instead of standing still
  void cut(Set<String> one, boolean reject) {
    lock.lock();
    try {
      side = Set.copyOf(one);
      rejecting = reject;
    } finally {
      lock.unlock();
    }
    if (reject) {
      lines.stream().filter(this::isCut).forEach(Line::breakOff);
    }
  }

  /// Mends the network.
  void mend() {
    lock.lock();
    try {
      side = Set.of();
      mended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean isCut(Line line) {
    lock.lock();
    try {
      return side.contains(line.from) != side.contains(line.to);
    } finally {
      lock.unlock();
    }
  }

  /// Waits while a line is cut.
  ///
  /// @throws IOException when it breaks instead
  private void pass(Line line) throws IOException, InterruptedException {
    lock.lock();
    try {
      while (isCut(line)) {
        if (rejecting) {
          throw new IOException("rejected");
        }
        mended.await();
      }
    } finally {
      lock.unlock();
    }
  }

  private void accept(ServerSocket listener, int behind) {
    while (!listener.isClosed()) {
      try {
        var line = new Line(listener.accept(), behind);
        lines.add(line);
        Thread.ofVirtual().name("relay line").start(line::run);
      } catch (IOException _) {
        // The port was closed, or the caller has gone before it was accepted.
      }
    }
  }

  @Override
  public void close() throws IOException {
    for (ServerSocket listener : listeners) {
      listener.close();
    }
    lines.forEach(Line::breakOff);
    mend();
  }

  /// One connection, passed on.
  private final class Line {
    private final Socket near;
    private final Socket far = new Socket();
    private final int behind;
    private volatile String from = "";
    private volatile String to = "";

    Line(Socket near, int behind) {
      this.near = near;
      this.behind = behind;
    }

    void run() {
      try {
        near.setTcpNoDelay(true);
        far.setTcpNoDelay(true);
        byte[] preamble = introduction(new DataInputStream(near.getInputStream()));
        pass(this);
        far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), behind));
        far.getOutputStream().write(preamble);
        Thread.ofVirtual().name("relay line back").start(() -> carry(far, near));
        carry(near, far);
      } catch (IOException | InterruptedException _) {
        // It was rejected, or nobody listens any more.
      } finally {
        end();
        lines.remove(this);
      }
    }

    private byte[] introduction(DataInputStream in) throws IOException {
      byte[] fixed = in.readNBytes(PREAMBLE_FIXED_BYTES);
      if (fixed.length < PREAMBLE_FIXED_BYTES) {
        throw new IOException("gone before it introduced itself");
      }
      int fromBytes = Byte.toUnsignedInt(fixed[5]);
      int toBytes = Byte.toUnsignedInt(fixed[6]);
      byte[] names = in.readNBytes(fromBytes + toBytes);
      if (names.length < fromBytes + toBytes) {
        throw new IOException("gone before it introduced itself");
      }
      from = new String(names, 0, fromBytes, StandardCharsets.UTF_8);
      to = new String(names, fromBytes, toBytes, StandardCharsets.UTF_8);
      byte[] all = new byte[fixed.length + names.length];
      System.arraycopy(fixed, 0, all, 0, fixed.length);
      System.arraycopy(names, 0, all, fixed.length, names.length);
      return all;
    }

    /// Passes bytes on in one direction. Those that were read as the network was cut arrive when it is mended.
    private void carry(Socket source, Socket sink) {
      try {
        InputStream in = source.getInputStream();
        OutputStream out = sink.getOutputStream();
        byte[] chunk = new byte[CHUNK_BYTES];
        for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
          pass(this);
          out.write(chunk, 0, count);
        }
      } catch (IOException | InterruptedException _) {
        // One of the two has gone, or it was rejected.
      } finally {
        end();
      }
    }

    /// Ends it for both ends, with a reset.
    void breakOff() {
      // Both first: as soon as one is closed, the threads that carry close the other one.
      for (Socket socket : List.of(near, far)) {
        try {
          socket.setSoLinger(true, 0);
        } catch (IOException _) {
          // It is closed already.
        }
      }
      end();
    }

    private void end() {
      for (Socket socket : List.of(near, far)) {
        try {
          socket.close();
        } catch (IOException _) {
          // It is closed as far as this process is concerned.
        }
      }
    }
  }
}
