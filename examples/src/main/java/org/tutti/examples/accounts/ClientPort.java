package org.tutti.examples.accounts;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.tutti.TuttiException;
import org.tutti.spi.Admission;

/// Where clients reach a replica: one TCP connection per client, requests in, replies out.
///
/// Requests are passed on in the order of the connection. A reply goes to whoever holds the client's connection, no
/// matter which replica passed the request on; so a client that changed replicas is answered by the new one.
///
/// What comes in is not trusted. A malformed frame closes its connection; connections, frames and waiting replies are
/// bounded; a client that does not read its replies is dropped, and one that asks too fast is slowed down by the group.
public final class ClientPort implements AutoCloseable {
  /// How many connections are open at once; when there are more, the oldest that has not asked for anything yields.
  public static final int CONNECTIONS_MAX = 1024;

  /// How long a connection may take until its first request is complete.
  public static final Duration FIRST_REQUEST_MAX = Duration.ofSeconds(5);

  /// Takes requests, for instance by multicasting them.
  @FunctionalInterface
  public interface Requests {
    /// Takes a request; blocks while there is no room for it.
    ///
    /// @param request an encoded [ClientRequest] that was checked
    /// @throws InterruptedException when interrupted while waiting
    /// @throws IllegalStateException when no more requests are taken
    void submit(byte[] request) throws InterruptedException;
  }

  private static final Reply LAST = new Reply(0, Reply.Outcome.UNDECIDED, 0); // never written: ends a connection

  private final InetSocketAddress address;
  private final Requests requests;
  private final ConcurrentHashMap<Long, Connection> connections = new ConcurrentHashMap<>(); // of known clients
  private final Set<Connection> open = ConcurrentHashMap.newKeySet(); // these, and those that have not asked yet
  private final Admission<Connection> admission = new Admission<>(CONNECTIONS_MAX, FIRST_REQUEST_MAX);
  private final AtomicLong malformed = new AtomicLong();
  private volatile @Nullable ServerSocket server;

  /// Prepares a port; nothing happens before [#open].
  ///
  /// @param address  where to listen; port 0 takes a free one
  /// @param requests takes what clients send, on a thread per connection
  public ClientPort(InetSocketAddress address, Requests requests) {
    this.address = address;
    this.requests = requests;
  }

  /// Begins to listen, for the first time or after [#suspend].
  ///
  /// @return the port listened on
  /// @throws IOException when the address cannot be used
  public int open() throws IOException {
    ServerSocket socket = new ServerSocket();
    server = socket;
    socket.bind(address, CONNECTIONS_MAX);
    Thread.ofVirtual().name("clients").start(() -> accept(socket));
    return socket.getLocalPort();
  }

  /// Answers a client if it is connected here. Does not block.
  ///
  /// @param client the client's id
  /// @param reply  the reply
  public void reply(long client, Reply reply) {
    Connection connection = connections.get(client);
    if (connection != null) {
      connection.reply(reply);
    }
  }

  /// How many connections were closed because what came in was malformed.
  ///
  /// @return a count since the start
  public long malformed() {
    return malformed.get();
  }

  /// Turns clients away until [#open]. Those that are connected get what was replied so far, are told that the rest of
  /// what they asked for is undecided, and lose their connection; others find nobody listening.
  ///
  /// @throws IOException when the port cannot be closed
  public void suspend() throws IOException {
    ServerSocket socket = server;
    server = null;
    if (socket != null) {
      socket.close();
    }
    open.forEach(Connection::finish);
  }

  private void accept(ServerSocket socket) {
    try (socket) {
      while (true) {
        Socket peer = socket.accept();
        var connection = new Connection(peer);
        if (admission.admit(connection)) {
          open.add(connection);
          Thread.ofVirtual().name("client " + peer.getPort()).start(connection::serve);
          if (server != socket) {
            connection.close(); // suspended before it was in the list
          }
        } else {
          connection.close();
        }
      }
    } catch (IOException e) {
      if (!socket.isClosed()) {
        throw new IllegalStateException("no more clients can be accepted", e);
      }
    }
  }

  /// How many connections were closed because they asked for nothing.
  ///
  /// @return a count since the start
  public long silent() {
    return admission.late() + admission.crowdedOut();
  }

  @Override
  public void close() throws IOException {
    ServerSocket socket = server;
    if (socket != null) {
      socket.close();
    }
    open.forEach(Connection::close);
  }

  /// One client's connection: a thread that reads and a thread that writes.
  private final class Connection implements Closeable {
    // A client has a window of unanswered requests, each delivered twice at most: from its old replica and from this
    // one.
    private final BlockingQueue<Reply> replies = new ArrayBlockingQueue<>(2 * ClientRequest.WINDOW_MAX);
    private final Socket socket;
    private long client; // 0 before the first request
    private volatile long passedOn; // the last number
    private long replied; // the highest number; of the thread that replies

    Connection(Socket socket) {
      this.socket = socket;
    }

    void serve() {
      Thread writer = Thread.ofVirtual().name(Thread.currentThread().getName() + " replies").unstarted(this::write);
      try (socket) {
        socket.setTcpNoDelay(true);
        writer.start();
        read(new DataInputStream(new BufferedInputStream(socket.getInputStream())));
      } catch (IOException | IllegalStateException | TuttiException | InterruptedException _) {
        // The client went away, or the group did: the client asks another replica.
      } finally {
        connections.remove(client, this);
        open.remove(this);
        writer.interrupt();
        admission.left(this);
      }
    }

    /// Passes requests on until one is malformed, which is counted before the connection ends: who sees it closed finds
    /// the count.
    private void read(DataInputStream in) throws IOException, InterruptedException {
      try {
        while (true) {
          byte[] frame = ClientFrames.read(in, ClientRequest.BYTES_MAX);
          ClientRequest request = ClientRequest.decode(ByteBuffer.wrap(frame));
          bind(request.client());
          passedOn = request.number();
          requests.submit(frame);
        }
      } catch (ProtocolException | IllegalArgumentException _) {
        malformed.incrementAndGet();
      }
    }

    private void bind(long sender) {
      if (client == 0) {
        client = sender;
        admission.greeted(this);
        Connection before = connections.put(sender, this);
        if (before != null) {
          before.close();
        }
      } else if (client != sender) {
        throw new IllegalArgumentException("a connection serves one client");
      }
    }

    private void write() {
      try (socket) {
        var out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        while (true) {
          Reply reply = replies.poll();
          if (reply == null) {
            out.flush();
            reply = replies.take();
          }
          if (reply == LAST) {
            out.flush();
            return;
          }
          ClientFrames.write(out, reply.encode());
        }
      } catch (IOException | InterruptedException _) {
        // Closing the socket ends the reader, which cleans up.
      }
    }

    void reply(Reply reply) {
      replied = Math.max(replied, reply.number());
      if (!replies.offer(reply)) {
        close();
      }
    }

    /// Ends the connection behind the replies that wait.
    void finish() {
      for (long number = replied + 1; number <= passedOn && !socket.isClosed(); number++) {
        reply(new Reply(number, Reply.Outcome.UNDECIDED, 0));
      }
      reply(LAST);
    }

    @Override
    public void close() {
      try {
        socket.close();
      } catch (IOException _) {
        // It is closed as far as this process is concerned.
      }
    }
  }
}
