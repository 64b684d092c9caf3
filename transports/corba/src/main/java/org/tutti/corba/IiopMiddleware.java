package org.tutti.corba;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CORBA.UserException;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.ThreadPolicyValue;
import org.tutti.Metric;
import org.tutti.corba.gate.ForeignAnswerException;
import org.tutti.corba.gate.Gate;
import org.tutti.corba.idl.Peer;
import org.tutti.corba.idl.PeerHelper;
import org.tutti.middleware.Middleware;
import org.tutti.tls.Credentials;
import org.tutti.tls.Refusal;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Refused;
import org.tutti.transport.TransportException;

/// CORBA as a [Middleware]: an ORB of this node's own, one object in it, and references to the objects of others.
///
/// An [Address] is host and port; the rest of a reference is the same for all nodes:
///
/// ```
/// 10.0.0.5:7001   is   corbaloc:iiop:1.2@10.0.0.5:7001/TuttiPeer       interface Tutti::Peer, src/main/idl/tutti.idl
///
///   dial(peer)      _is_a("IDL:tutti.org/Tutti/Peer:1.0")  -->  true, or it is somebody else
///   send(batch)     oneway frames(batch)                   -->  Middleware.Arrivals.take(batch)
/// ```
///
/// Any ORB can be a peer, in any language. The order of one-way requests of one connection is what CORBA does not
/// promise and this needs: here they are worked on by one thread, in the order in which they are read, and a full queue
/// makes the threads that read wait, so that TCP makes the sources wait.
public final class IiopMiddleware implements Middleware {
  /// The object key of every node's servant.
  static final String OBJECT_KEY = "TuttiPeer";

  private static final Duration LAST_JOIN = Duration.ofSeconds(2);
  private static final String ADAPTER = "peers";
  private static final String OBJECT_ID = "peer";

  private final Gate gate;
  private final OrbThreads threads;
  private final ORB orb;
  private final POA root;
  private final Address address;
  private final @Nullable Credentials tls;

  private IiopMiddleware(Gate gate, OrbThreads threads, ORB orb, POA root, Address address, @Nullable Credentials tls) {
    this.tls = tls;
    this.gate = gate;
    this.threads = threads;
    this.orb = orb;
    this.root = root;
    this.address = address;
  }

  /// Starts an ORB that listens; peers that connect wait until [#start].
  ///
  /// @param listen     a host and a port, where 0 lets the kernel choose
  /// @param advertised what peers use when something between passes their connections on, or null
  /// @param config     bounds and times
  /// @return the middleware
  /// @throws TransportException when the address is not of that form or cannot be listened on
  public static IiopMiddleware open(Address listen, @Nullable Address advertised, IiopConfig config) {
    Endpoint endpoint = Endpoint.resolve(listen);
    Address shown = advertised == null ? null : Endpoint.advertised(advertised).at(portOf(advertised));
    Gate gate = Gate.open(config.messageBytesMax(), config.acceptedMax(), config.greetingMax(), config.tls());
    gate.forPeersOnly();
    String path = ADAPTER + "/" + OBJECT_ID;
    OrbThreads threads = new OrbThreads(gate);
    ORB orb = ORB.init(new String[0], OrbSettings.of(gate, endpoint, config, OBJECT_KEY, path));
    try {
      // This makes the ORB listen.
      POA root = threads.call(() -> POAHelper.narrow(orb.resolve_initial_references("RootPOA")));
      Address own = shown != null ? shown : endpoint.at(gate.port());
      return new IiopMiddleware(gate, threads, orb, root, own, config.tls());
    } catch (ExecutionException e) {
      close(orb, gate);
      IOException why = gate.failure();
      throw why == null
          ? new TransportException("cannot listen on " + listen + ": " + e.getCause())
          : new TransportException("cannot listen on " + listen, why);
    }
  }

  @Override
  public String name() {
    return "iiop";
  }

  @Override
  public Address address() {
    return address;
  }

  @Override
  public void start(Middleware.Arrivals arrivals) {
    threads.onLoss(arrivals::fail);
    try {
      threads.call(() -> {
        activate(new PeerServant(gate, arrivals));
        return true;
      });
    } catch (ExecutionException e) {
      throw new IllegalStateException("a fresh ORB refuses its first object", e);
    }
  }

  private void activate(PeerServant servant) throws UserException {
    Policy[] policies = {
      root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
      root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID),
      // With JacORB's pool of threads, requests overtake each other.
      root.create_thread_policy(ThreadPolicyValue.SINGLE_THREAD_MODEL)
    };
    POA peers = root.create_POA(ADAPTER, root.the_POAManager(), policies);
    peers.activate_object_with_id(OBJECT_ID.getBytes(StandardCharsets.US_ASCII), servant);
    root.the_POAManager().activate();
  }

  @Override
  public Middleware.Call dial(Address peer) throws IOException {
    Endpoint to = Endpoint.ofLiteral(peer);
    if (to == null || to.port() == 0) {
      throw new Middleware.UnusableAddressException(peer);
    }
    InetSocketAddress target = to.socket();
    gate.calls(target);
    try {
      Peer found = PeerHelper.narrow(orb.string_to_object("corbaloc:iiop:1.2@" + to.at(to.port()) + "/" + OBJECT_KEY));
      return new IiopCall(found, gate, target);
    } catch (RuntimeException e) {
      IOException broken = gate.broken(target);
      gate.callsNoMore(target);
      Refused refused = broken == null ? null : refusal(broken, peer);
      if (refused != null) {
        throw new Middleware.RefusedException(refused, e);
      }
      // BAD_PARAM: an object, but none of ours; OBJECT_NOT_EXIST: an ORB without one; else nobody, or too slow. What is
      // no SystemException is a mistake of the ORB, such as when it is being closed; to the node it is a failed
      // attempt.
      throw new IOException("no peer at " + peer, e);
    }
  }

  /// The ORB says that it cannot reach the peer; why, the socket below has said.
  private @Nullable Refused refusal(IOException broken, Address peer) {
    for (Throwable cause = broken; cause != null; cause = cause.getCause()) {
      if (cause instanceof ForeignAnswerException foreign) {
        return switch (foreign.answer()) {
          case TLS -> Refusal.isTls(peer);
          case NOT_TLS -> Refusal.notTls(peer);
          case NOT_GIOP -> new Refused(peer, Refused.Reason.FOREIGN, "its answer is not that of a node");
        };
      }
    }
    return tls == null ? null : Refusal.told(broken, peer, tls);
  }

  @Override
  public List<Metric> metrics() {
    return gate.metrics();
  }

  @Override
  public void close() {
    close(orb, gate);
  }

  private static void close(ORB orb, Gate gate) {
    // The connections first: whoever waits for a peer would make the ORB wait.
    gate.closeConnections();
    // It waits for its threads however long they take; nothing that it still does then can be seen from outside.
    Thread end = Thread.ofPlatform().daemon().name("tutti-iiop end").start(orb::destroy);
    boolean interrupted = Thread.interrupted();
    try {
      end.join(LAST_JOIN);
    } catch (InterruptedException _) {
      interrupted = true;
    }
    gate.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static int portOf(Address advertised) {
    return Endpoint.advertised(advertised).port();
  }

  /// A reference to a peer's object. A one-way request is done when its bytes are with the kernel; when the connection
  /// is gone, the ORB makes another one, or says that it cannot.
  static final class IiopCall implements Middleware.Call {
    private final Peer peer;
    private final Gate gate;
    private final InetSocketAddress target;
    private final AtomicBoolean closed = new AtomicBoolean();

    /// @param gate lets the ORB connect to the target until this is closed
    IiopCall(Peer peer, Gate gate, InetSocketAddress target) {
      this.peer = peer;
      this.gate = gate;
      this.target = target;
    }

    @Override
    public void send(byte[] batch) throws IOException {
      try {
        peer.frames(batch);
      } catch (RuntimeException e) {
        // A SystemException, or a mistake of the ORB.
        throw new IOException("the peer cannot be reached", e);
      }
    }

    @Override
    public void close() {
      if (!closed.getAndSet(true)) {
        gate.callsNoMore(target);
      }
      peer._release();
    }
  }
}
