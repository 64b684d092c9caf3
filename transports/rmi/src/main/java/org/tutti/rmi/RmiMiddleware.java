package org.tutti.rmi;

import java.io.IOException;
import java.io.ObjectInputFilter;
import java.rmi.NoSuchObjectException;
import java.rmi.NotBoundException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.middleware.Middleware;
import org.tutti.tls.Credentials;
import org.tutti.tls.Refusal;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Refused;
import org.tutti.transport.TransportException;

/// Java RMI as a [Middleware]: an own registry, and one object in it.
final class RmiMiddleware implements Middleware {
  static {
    // A registry lets processes of its host bind objects, and lets any class that is Remote come into being for that;
    // there is no filter for a single one. Nobody binds anything from outside here. The JDK reads this once.
    String key = "sun.rmi.registry.registryFilter";
    if (System.getProperty(key) == null && Security.getProperty(key) == null) {
      System.setProperty(key, "!*");
    }
  }

  private final RmiConfig config;
  private final Address self;
  private final ListeningSocket listening;
  private final Registry registry;
  private final ByteArraysOnly filter;
  private final Answers answers = Answers.ofPeer();
  private final ClientSockets written = new ClientSockets();
  private @Nullable RemoteReceiver receiver; // RMI itself holds it weakly

  private RmiMiddleware(RmiConfig config, Address self, ListeningSocket listening) throws RemoteException {
    this.config = config;
    this.self = self;
    this.listening = listening;
    this.filter = new ByteArraysOnly(config.common().batchBytesMax());
    this.registry = LocateRegistry.createRegistry(listening.getLocalPort(), written, listening);
  }

  static RmiMiddleware open(Address listen, Endpoint at, @Nullable Endpoint shown, RmiConfig config) {
    try {
      var listening = new ListeningSocket(at, config);
      try {
        return new RmiMiddleware(
            config, shown == null ? at.at(listening.getLocalPort()) : shown.at(shown.port()), listening);
      } catch (RemoteException e) {
        ListeningSocket.close(listening);
        throw e;
      }
    } catch (IOException e) {
      throw new TransportException("cannot listen on " + listen, e);
    }
  }

  @Override
  public String name() {
    return "rmi";
  }

  @Override
  public Address address() {
    return self;
  }

  @Override
  public void start(Middleware.Arrivals arrivals) {
    receiver = arrivals::take;
    try {
      // Port and factories of the registry: both listen at one socket.
      Remote stub = UnicastRemoteObject.exportObject(receiver, listening.getLocalPort(), written, listening, filter);
      registry.rebind(RmiTransport.NAME, stub);
    } catch (RemoteException e) {
      throw new IllegalStateException("an object cannot be exported beside its registry", e);
    }
  }

  @Override
  public Middleware.Call dial(Address peer) throws IOException {
    Endpoint target = Endpoint.ofLiteral(peer);
    if (target == null || target.port() == 0) {
      throw new Middleware.UnusableAddressException(peer);
    }
    var sockets = new ClientSockets(config, target, answers);
    try {
      return new RmiCall(lookup(sockets, target), sockets);
    } catch (IOException e) {
      sockets.close();
      throw explained(e, sockets.broken(), peer);
    } catch (NotBoundException | RuntimeException e) {
      // What a peer answers may be anything: another object, a reference that cannot be read, an exception of its own.
      sockets.close();
      throw explained(new IOException("no node at " + peer, e), sockets.broken(), peer);
    }
  }

  /// What RMI says of a failure does not tell why, but the connection does.
  private IOException explained(IOException failure, @Nullable IOException broken, Address peer) {
    Refused refused = broken == null ? null : refusal(broken, peer);
    return refused == null ? failure : new Middleware.RefusedException(refused, failure);
  }

  private @Nullable Refused refusal(IOException broken, Address peer) {
    Credentials tls = config.tls();
    return switch (broken) {
      case AnswerFilter.ExceptionalAnswerException _ -> null; // a node that has not started yet says that, too
      case AnswerFilter.TlsAnswerException _ when tls == null -> Refusal.isTls(peer);
      case AnswerFilter.RefusedAnswerException _ ->
          new Refused(peer, Refused.Reason.FOREIGN, "its answer is not that of a node");
      default -> tls == null ? null : Refusal.told(broken, peer, tls);
    };
  }

  @Override
  public List<Metric> metrics() {
    var all = new ArrayList<>(listening.clients.metrics("rmi"));
    all.add(
        Metric.counter("rmi.calls.dropped", "A call contained an object of an unexpected class.")
            .tagged("reason", "foreign-object")
            .with(filter.refused.get()));
    all.add(closed("foreign-answer", "The answer of a peer was not that of a node.", answers.refused.get()));
    all.add(closed("foreign-protocol", "Something other than RMI came.", listening.foreign.get()));
    if (config.tls() != null) {
      all.addAll(config.tls().metrics());
    }
    return all;
  }

  private static Metric closed(String reason, String about, long value) {
    return Metric.counter("rmi.connections.closed", about).tagged("reason", reason).with(value);
  }

  @Override
  public void close() {
    unexport(receiver);
    unexport(registry);
    // RMI has closed the socket with the last object; connections are our concern.
    ListeningSocket.close(listening);
  }

  private static RemoteReceiver lookup(ClientSockets sockets, Endpoint target) throws IOException, NotBoundException {
    Registry there = LocateRegistry.getRegistry(target.host(), target.port(), sockets);
    try {
      return ScopedValue.where(ClientSockets.CURRENT, sockets)
          .call(() -> (RemoteReceiver) there.lookup(RmiTransport.NAME));
    } catch (IOException | NotBoundException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static void unexport(@Nullable Remote object) {
    try {
      if (object != null) {
        UnicastRemoteObject.unexportObject(object, true);
      }
    } catch (NoSuchObjectException _) {
      // It was not exported: the start failed.
    }
  }

  /// Calls of one peer's object.
  private record RmiCall(RemoteReceiver receiver, ClientSockets sockets) implements Middleware.Call {
    @Override
    public void send(byte[] batch) throws IOException {
      try {
        receiver.take(batch);
      } catch (RuntimeException e) {
        // Whatever the peer has thrown.
        throw new IOException("the peer fails", e);
      }
    }

    @Override
    public void close() {
      sockets.close();
    }
  }

  /// Lets one byte array per call through, of a bounded length; any other object is refused before its class is even
  /// initialized.
  static final class ByteArraysOnly implements ObjectInputFilter {
    private static final int DEPTH_MAX = 1;
    private static final int REFERENCES_MAX = 4; // the array, its class, its name, and one to spare

    final AtomicLong refused = new AtomicLong();
    private final int bytesMax;

    ByteArraysOnly(int bytesMax) {
      this.bytesMax = bytesMax;
    }

    @Override
    public Status checkInput(FilterInfo info) {
      boolean array = info.serialClass() == byte[].class && info.arrayLength() <= bytesMax;
      if (array && info.depth() <= DEPTH_MAX && info.references() <= REFERENCES_MAX) {
        return Status.ALLOWED;
      }
      refused.incrementAndGet();
      return Status.REJECTED;
    }
  }
}
