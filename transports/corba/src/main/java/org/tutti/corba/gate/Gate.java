package org.tutti.corba.gate;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.spi.Admission;
import org.tutti.tls.Credentials;
import org.tutti.tls.Refusal;
import org.tutti.transport.Counts;

/// All sockets of one ORB, and what may pass them.
///
/// JacORB allocates what the header of a message asks for, keeps fragments without a bound, and accepts any number of
/// connections; it was made for networks whose hosts trust each other. So the ORB gets its sockets from here: each
/// looks at the headers that pass ([GiopFilter]) and ends the connection instead of handing on what is wrong.
///
/// With credentials all connections are encrypted ([EncryptedSocket]), which the ORB does not know.
///
/// ```
///  accepted --> stranger -- first whole message --> known          as in [Admission]
/// ```
public final class Gate implements AutoCloseable {
  /// The class with which the ORB dials.
  public static final String DIALLING = DiallingFactory.class.getName();

  /// The class with which the ORB listens.
  public static final String LISTENING = ListeningFactory.class.getName();

  // The ORB makes the factories by their names; they find their gate by the ORB's name.
  private static final Map<String, Gate> OPEN = new ConcurrentHashMap<>();

  private final String name = "tutti" + UUID.randomUUID().toString().replace("-", "");
  private final int messageBytesMax;
  private final Admission<Socket> admission;
  private final long greetingNanos;
  private final @Nullable Credentials tls;
  private final Counts<IiopCount> counts = new Counts<>(IiopCount.class);

  // All guarded by this.
  private final Set<Socket> dialled = new LinkedHashSet<>();
  private final Map<InetSocketAddress, Integer> targets = new HashMap<>(); // with the number of who calls them
  private final Map<InetSocketAddress, IOException> broken = new HashMap<>(); // why, of those that are called
  private boolean forPeers;
  private @Nullable ServerSocket serverSocket;
  private @Nullable IOException failure;
  private boolean closed;

  private Gate(int messageBytesMax, int acceptedMax, Duration greetingMax, @Nullable Credentials tls) {
    this.messageBytesMax = messageBytesMax;
    this.admission = new Admission<>(acceptedMax, greetingMax);
    this.greetingNanos = greetingMax.toNanos();
    this.tls = tls;
  }

  /// Makes a gate for one ORB.
  ///
  /// @param messageBytesMax the longest message
  /// @param acceptedMax     how many connections of others there may be
  /// @param greetingMax     how long each may take until its first message is complete
  /// @param tls             encrypts all connections, and both ends prove who they are by what is in it; null for none
  /// @return the gate
  public static Gate open(int messageBytesMax, int acceptedMax, Duration greetingMax, @Nullable Credentials tls) {
    Gate gate = new Gate(messageBytesMax, acceptedMax, greetingMax, tls);
    OPEN.put(gate.name, gate);
    return gate;
  }

  /// The gate of an ORB.
  ///
  /// @param orb an ORB whose name is that of its gate
  static Gate of(org.jacorb.orb.ORB orb) {
    Gate gate = OPEN.get(orb.getImplName());
    if (gate == null) {
      throw new IllegalStateException("not an ORB of Tutti");
    }
    return gate;
  }

  /// The name that the ORB is to have, unlike those of all others anywhere.
  ///
  /// @return letters and digits
  public String name() {
    return name;
  }

  /// Lets the ORB connect to peers only, each while somebody calls it ([#calls]), and to nobody whom a peer names.
  public synchronized void forPeersOnly() {
    forPeers = true;
  }

  /// Somebody calls a peer from now on.
  ///
  /// @param target its address
  public synchronized void calls(InetSocketAddress target) {
    targets.merge(target, 1, Integer::sum);
    broken.remove(target);
  }

  /// Somebody who called a peer does not any more.
  ///
  /// @param target its address
  public synchronized void callsNoMore(InetSocketAddress target) {
    if (targets.computeIfPresent(target, (_, callers) -> callers == 1 ? null : callers - 1) == null) {
      broken.remove(target);
    }
  }

  /// Why the first connection to a peer that broke since it is called did so; the ORB says less.
  ///
  /// @param target its address
  /// @return what its socket said, or null
  public synchronized @Nullable IOException broken(InetSocketAddress target) {
    return broken.get(target);
  }

  synchronized void broke(InetSocketAddress target, IOException why) {
    if (targets.containsKey(target)) {
      broken.putIfAbsent(target, why);
    }
  }

  synchronized boolean isForPeers() {
    return forPeers;
  }

  /// The port that is listened on.
  ///
  /// @return the port, or 0 before
  public synchronized int port() {
    return serverSocket == null ? 0 : serverSocket.getLocalPort();
  }

  /// Why it was not possible to listen.
  ///
  /// @return what the socket said, or null
  public synchronized @Nullable IOException failure() {
    return failure;
  }

  /// Whether the end has begun.
  ///
  /// @return true when no more connections can be made
  public synchronized boolean isClosed() {
    return closed;
  }

  /// Counts an event.
  ///
  /// @param count which
  public void count(IiopCount count) {
    counts.addShared(count);
  }

  /// What was counted here, and by the credentials.
  ///
  /// @return a copy
  public List<Metric> metrics() {
    List<Metric> all = new ArrayList<>(counts.metrics());
    all.addAll(admission.metrics("iiop"));
    if (tls != null) {
      all.addAll(tls.metrics());
    }
    return all;
  }

  /// Ends all connections and lets no more be made.
  public void closeConnections() {
    List<Socket> all = new ArrayList<>();
    synchronized (this) {
      closed = true;
      all.addAll(dialled);
    }
    admission.close();
    all.forEach(Gate::shut);
  }

  /// Stops listening, if the ORB has not done so, and forgets the ORB.
  @Override
  public void close() {
    OPEN.remove(name);
    closeConnections();
    ServerSocket listener;
    synchronized (this) {
      listener = serverSocket;
    }
    if (listener != null) {
      shut(listener);
    }
  }

  int messageBytesMax() {
    return messageBytesMax;
  }

  long greetingNanos() {
    return greetingNanos;
  }

  @Nullable Credentials credentials() {
    return tls;
  }

  /// A connection has ended below GIOP. What a check of certificates refused, the credentials count; the rest the JDK
  /// tells apart by its texts only.
  void brokenTls(SSLException why) {
    String text = String.valueOf(why.getMessage());
    if (text.contains("Empty client certificate chain")) {
      count(IiopCount.CLOSED_WRONG_CERTIFICATE);
    } else if (text.contains("Received fatal alert") || text.contains("terminated the handshake")) {
      count(IiopCount.CLOSED_REFUSED_BY_PEER);
    } else if (Refusal.of(why) == null) {
      count(IiopCount.CLOSED_TLS_BROKEN);
    }
  }

  synchronized void listening(ServerSocket on) {
    serverSocket = on;
  }

  synchronized void failed(IOException why) {
    failure = why;
  }

  /// A connection was accepted.
  ///
  /// @return false when it has to be closed
  boolean accepted(Socket socket) {
    boolean taken = admission.admit(socket);
    if (taken) {
      count(IiopCount.ACCEPTED_IIOP);
    }
    return taken;
  }

  /// An accepted connection has brought its first message.
  void greeted(GuardedSocket socket) {
    admission.greeted(socket);
  }

  /// An accepted connection has not brought its first message in time, and will be closed.
  void expired(GuardedSocket socket) {
    admission.expired(socket);
  }

  /// A connection to a peer is about to be made.
  void dialling(Socket socket, InetSocketAddress target) throws IOException {
    boolean wanted;
    synchronized (this) {
      if (closed) {
        throw new IOException("the transport ends");
      }
      wanted = !forPeers || targets.containsKey(target);
      if (wanted) {
        dialled.add(socket);
      }
    }
    if (!wanted) {
      count(IiopCount.CLOSED_FORWARDED);
      throw new IOException("no connection was requested to " + target);
    }
  }

  void left(Socket socket) {
    admission.left(socket);
    synchronized (this) {
      dialled.remove(socket);
    }
  }

  static void shut(Closeable socket) {
    try {
      socket.close();
    } catch (IOException _) {
      // It is gone already.
    }
  }
}
