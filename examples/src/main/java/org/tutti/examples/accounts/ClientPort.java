package org.tutti.examples.accounts;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Where clients reach a replica: one TCP connection per client, requests in, replies out.
///
/// Requests are passed on in the order of the connection. A reply goes to whoever holds the client's connection, no
/// matter which replica passed the request on; so a client that changed replicas is answered by the new one.
///
/// What comes in is not trusted. A malformed frame closes its connection; connections, frames and waiting replies are
/// bounded; a client that does not read its replies is dropped, and one that asks too fast is slowed down by the group.
public final class ClientPort implements AutoCloseable {
  /// How many connections are open at once; more are closed on arrival.
  public static final int CONNECTIONS_MAX = 1024;

  /// Takes requests, for instance by multicasting them.
  @FunctionalInterface
  public interface Requests {
    /// Takes a request; blocks while there is no room for it.
    ///
    /// @param request an encoded [Request] that was checked
    /// @throws InterruptedException when interrupted while waiting
    /// @throws IllegalStateException when no more requests are taken
    void submit(byte[] request) throws InterruptedException;
  }

  private static final Reply LAST = new Reply(0, Reply.Outcome.UNDECIDED, 0); // never written: ends a connection

  private final InetSocketAddress address;
  private final Requests requests;
  private final ConcurrentHashMap<Long, Connection> connections = new ConcurrentHashMap<>(); // of known clients
  private final Set<Connection> open = ConcurrentHashMap.newKeySet(); // these, and those that have not asked yet
  private final Semaphore room = new Semaphore(CONNECTIONS_MAX);
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
        if (room.tryAcquire()) {
          var connection = new Connection(peer);
          open.add(connection);
          Thread.ofVirtual().name("client " + peer.getPort()).start(connection::serve);
          if (server != socket) {
            connection.close(); // suspended before it was in the list
          }
        } else {
          peer.close();
        }
      }
    } catch (IOException e) {
      if (!socket.isClosed()) {
        throw new IllegalStateException("no more clients can be accepted", e);
      }
    }
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
  private final class Connection {
    // A client has a window of unanswered requests, each delivered twice at most: from its old replica and from this
    // one.
    private final BlockingQueue<Reply> replies = new ArrayBlockingQueue<>(2 * Request.WINDOW_MAX);
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
      } catch (IOException | IllegalStateException | InterruptedException _) {
        // The client went away, or the group did: the client asks another replica.
      } finally {
        connections.remove(client, this);
        open.remove(this);
        writer.interrupt();
        room.release();
      }
    }

    /// Passes requests on until one is malformed, which is counted before the connection ends: who sees it closed finds
    /// the count.
    private void read(DataInputStream in) throws IOException, InterruptedException {
      try {
        while (true) {
          byte[] frame = Frames.read(in, Request.BYTES_MAX);
          Request request = Request.decode(ByteBuffer.wrap(frame));
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
          Frames.write(out, reply.encode());
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

    void close() {
      try {
        socket.close();
      } catch (IOException _) {
        // It is closed as far as this process is concerned.
      }
    }
  }
}
