package org.tutti.rmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Metric;
import org.tutti.middleware.Middleware;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;

/// A node that calls a peer which lies reads nothing of its answers but what it asked for, without any filter of the
/// process.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForeignAnswersTest {
  private static final AtomicBoolean SPRUNG = new AtomicBoolean();

  private static void spring(ObjectInputStream in) throws IOException, ClassNotFoundException {
    SPRUNG.set(true);
    in.defaultReadObject();
  }

  private static final class Gadget implements Remote, Serializable {
    private static final long serialVersionUID = 1;

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      spring(in);
    }
  }

  /// An exception that does something when it is read.
  private static final class Grenade extends RuntimeException {
    private static final long serialVersionUID = 1;

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      spring(in);
    }
  }

  /// Would connect wherever it likes.
  private static final class Detour implements RMIClientSocketFactory, Serializable {
    private static final long serialVersionUID = 1;

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return new Socket(host, port);
    }

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      spring(in);
    }
  }

  private ServerSocket listener;
  private Registry registry;
  private Address liar;
  private RmiMiddleware node;
  private RemoteReceiver receiver;

  @BeforeEach
  void open() throws IOException {
    assertThat(System.getProperty("jdk.serialFilter")).isNull();
    SPRUNG.set(false);
    Address any = new Address("127.0.0.1:0");
    node = RmiMiddleware.open(any, Endpoint.resolve(any), null, PatientConfig.lan());
    listener = loopback(0);
    registry = LocateRegistry.createRegistry(listener.getLocalPort(), null, _ -> listener);
    liar = new Address("127.0.0.1:" + listener.getLocalPort());
    receiver =
        _ -> {
          throw new Grenade();
        };
  }

  @AfterEach
  void close() throws IOException {
    node.close();
    UnicastRemoteObject.unexportObject(registry, true);
    listener.close();
  }

  private static ServerSocket loopback(int port) throws IOException {
    return new ServerSocket(port, 5, InetAddress.getByName("127.0.0.1"));
  }

  private void refuses(Remote answer, String reason) throws RemoteException {
    long before = Metric.byKey(node.metrics()).get("rmi.connections.closed{reason=foreign-answer}");
    registry.rebind(RmiTransport.NAME, answer);
    assertThatIOException().isThrownBy(() -> node.dial(liar)).havingRootCause().withMessageContaining(reason);
    assertThat(SPRUNG).isFalse();
    assertThat(Metric.byKey(node.metrics()).get("rmi.connections.closed{reason=foreign-answer}")).isEqualTo(before + 1);
  }

  @Test
  void anotherObjectThanAReferenceIsRefused() throws Exception {
    refuses(new Gadget(), "Gadget in an answer");
    refuses(registry, "RegistryImpl_Stub in an answer");
  }

  @Test
  void aReferenceThatLeadsElsewhereIsRefused() throws Exception {
    Remote without = UnicastRemoteObject.exportObject(receiver, 0, null, ForeignAnswersTest::loopback);
    refuses(without, "to another address");
    UnicastRemoteObject.unexportObject(receiver, true);
    Remote detour = UnicastRemoteObject.exportObject(receiver, 0, new Detour(), ForeignAnswersTest::loopback);
    refuses(detour, "Detour in an answer");
    UnicastRemoteObject.unexportObject(receiver, true);
  }

  @Test
  void anExceptionIsNotRead() throws Exception {
    Remote good = UnicastRemoteObject.exportObject(receiver, 0, new ClientSockets(), ForeignAnswersTest::loopback);
    registry.rebind(RmiTransport.NAME, good);
    try (Middleware.Call call = node.dial(liar)) {
      assertThatIOException()
          .isThrownBy(() -> call.send(new byte[3]))
          .havingRootCause()
          .withMessage("the call ended by an exception");
    }
    assertThat(SPRUNG).isFalse();
    UnicastRemoteObject.unexportObject(receiver, true);
  }
}
