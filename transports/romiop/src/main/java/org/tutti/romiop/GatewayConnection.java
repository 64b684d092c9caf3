package org.tutti.romiop;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.romiop.Giop.BrokenGiopException;

/// A client's connection to a gateway, over IIOP.
///
/// ```
/// client                        this                                    gateway
///   Request 7  ---------------> under way: 7 -> 4711  ----------------> request 4711 to the group
///   LocateRequest 8  ---------> answered here
///   CancelRequest 7  ---------> no more under way  -------------------> nobody waits for 4711
///   Reply 7  <----------------- written by a thread of its own <------- reply 4711
/// ```
///
/// **Bounds.** Each answer needs one of [#ANSWERS_MAX] permits from when its message was read until it is written: a
/// client that does not read its answers is not read from. A write that lasts, a message that does not become complete,
/// and silence for long end the connection ([#overdue]).
final class GatewayConnection implements Closeable {
  private static final int ANSWERS_MAX = 100;
  private static final int BUFFER_BYTES = 16 << 10;
  private static final int LINGER_MILLIS = 2000;
  private static final int LINGER_BYTES_MAX = 1 << 20;
  private static final int ONE_WAY_AT = 16; // of GIOP 1.2
  private static final byte[] END = new byte[0];

  /// Service contexts that are about one connection between two ORBs: the members' ORBs have one connection for all
  /// clients. CodeSets, BiDirIIOP, SendingContextRunTime, and policies, among them how long to wait.
  private static final Set<Integer> OF_CONNECTIONS = Set.of(1, 5, 6, 7);

  private static final int NO_CONTEXT = 0x54540001;

  private final Gateway gateway;
  private final Socket socket;
  private final GiopReader reader;
  private final Semaphore permits = new Semaphore(ANSWERS_MAX);
  private final LinkedBlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
  private final Map<Integer, Integer> underWay = new HashMap<>(); // request ids of the client to those of the gateway
  private volatile long heard = System.nanoTime();
  private volatile long writing; // since when, or 0
  private volatile boolean closed;

  GatewayConnection(Gateway gateway, Socket socket, Semaphore budget) throws IOException {
    this.gateway = gateway;
    this.socket = socket;
    socket.setTcpNoDelay(true);
    reader = new GiopReader(buffered(socket.getInputStream()), budget);
  }

  private static InputStream buffered(InputStream raw) {
    return new java.io.BufferedInputStream(raw, BUFFER_BYTES);
  }

  void start() {
    Thread.ofVirtual().name("tutti-romiop " + this).start(this::read);
    Thread.ofVirtual().name("tutti-romiop to " + this).start(this::write);
  }

  private void read() {
    try {
      byte[] message = reader.next();
      while (message != null) {
        heard = System.nanoTime();
        gateway.greeted(this);
        message = handle(message) ? reader.next() : null;
      }
    } catch (BrokenGiopException e) {
      gateway.refused(this, e);
      refuse();
    } catch (IOException | InterruptedException _) {
      // The client is gone, or was closed.
    } finally {
      reader.release();
      close();
    }
  }

  /// Tells the client that it sent what is no message, and lets it read that: an end with bytes that were not read
  /// would take it away.
  private void refuse() {
    answers.add(Giop.bare(2, Giop.MESSAGE_ERROR));
    answers.add(END);
    try {
      socket.setSoTimeout(LINGER_MILLIS);
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS);
      byte[] some = new byte[BUFFER_BYTES];
      int dropped = 0;
      int count = socket.getInputStream().read(some);
      while (count > 0 && (dropped += count) < LINGER_BYTES_MAX && System.nanoTime() - end < 0) {
        count = socket.getInputStream().read(some);
      }
    } catch (IOException _) {
      // Long enough, or gone.
    }
  }

  /// Does what a message asks for.
  ///
  /// @return false when the client ends the connection by it
  private boolean handle(byte[] bytes) throws BrokenGiopException, InterruptedException {
    if (GiopHead.hasOtherTarget(Giop.view(bytes))) {
      if (bytes[7] != Giop.REQUEST || bytes[ONE_WAY_AT] != 0) {
        answer(Giop.needsKey(bytes));
      }
      return true;
    }
    Giop message = Giop.of(bytes);
    switch (message.type()) {
      case Giop.REQUEST -> request(message.withoutContexts(OF_CONNECTIONS, NO_CONTEXT));
      case Giop.LOCATE_REQUEST ->
          answer(Giop.located(message.minorVersion(), message.requestId(), gateway.hasObject(message.key())));
      case Giop.CANCEL_REQUEST -> cancel(message.requestId());
      case Giop.CLOSE_CONNECTION -> {
        return false;
      }
      default -> throw new BrokenGiopException("a message of type " + message.type());
    }
    return true;
  }

  private void request(Giop request) throws BrokenGiopException, InterruptedException {
    FtRequest.of(request); // whether they can be read
    FtGroupVersion.of(request);
    if (!request.isTwoWay()) {
      gateway.oneWay(request);
      return;
    }
    permit();
    int id;
    synchronized (this) {
      Giop.require(!underWay.containsKey(request.requestId()), "a request id that is under way");
      id = gateway.begin(this, request);
      underWay.put(request.requestId(), id);
    }
    gateway.request(id, request);
  }

  private void cancel(int requestId) {
    reader.forget(requestId);
    Integer id;
    synchronized (this) {
      id = underWay.remove(requestId);
    }
    if (id != null && gateway.cancel(id)) {
      permits.release();
    }
  }

  private void answer(byte[] bytes) throws InterruptedException {
    permit();
    answers.add(bytes);
  }

  private void permit() throws InterruptedException {
    permits.acquire();
    if (closed) {
      throw new InterruptedException("closed");
    }
  }

  /// The reply to a request, by the client's id.
  void reply(int requestId, byte[] reply) {
    synchronized (this) {
      underWay.remove(requestId);
    }
    answers.add(reply);
  }

  private void write() {
    try (socket) {
      OutputStream out = socket.getOutputStream();
      for (byte[] next = answers.take(); next != END; next = answers.take()) {
        writing = System.nanoTime();
        out.write(next);
        writing = 0;
        heard = System.nanoTime();
        permits.release();
      }
      socket.shutdownOutput();
      socket.setSoTimeout(LINGER_MILLIS);
      closedByReader();
    } catch (IOException | InterruptedException _) {
      // The client is gone.
    }
  }

  /// The thread that reads closes it, when nobody sends any more.
  private synchronized void closedByReader() throws InterruptedException {
    long end = System.nanoTime() + 2 * TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS);
    for (long left = end - System.nanoTime(); !closed && left > 0; left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /// Why it is to be ended at that time.
  ///
  /// @return null when it is not
  @Nullable String overdue(long now, Gateway.Limits limits) {
    long incomplete = reader.incompleteSince();
    long written = writing;
    if (incomplete != 0 && now - incomplete > limits.message().toNanos()) {
      return "a message that does not become complete";
    } else if (written != 0 && now - written > limits.message().toNanos()) {
      return "a client that does not read";
    } else if (incomplete == 0 && !isWaiting() && now - heard > limits.idle().toNanos()) {
      return "silence";
    }
    return null;
  }

  private synchronized boolean isWaiting() {
    return !underWay.isEmpty();
  }

  /// Ends the connection, in order if no call is under way: by GIOP this says that what the client sent and was not
  /// answered has not been executed. When calls are under way nothing is said, as they may have been.
  void end() {
    if (isWaiting()) {
      close();
    } else {
      answers.add(Giop.bare(2, Giop.CLOSE_CONNECTION));
      answers.add(END);
    }
  }

  @Override
  public void close() {
    Set<Integer> ids;
    synchronized (this) {
      ids = Set.copyOf(underWay.values());
      underWay.clear();
      closed = true;
      notifyAll();
    }
    gateway.left(this, ids);
    permits.release(ANSWERS_MAX); // whoever waits for one sees the end
    answers.add(END);
    try {
      socket.close();
    } catch (IOException _) {
      // It is gone already.
    }
  }

  @Override
  public String toString() {
    return String.valueOf(socket.getRemoteSocketAddress());
  }
}
