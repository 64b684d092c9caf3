package org.tutti.rmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RemoteObjectInvocationHandler;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.Metric;
import org.tutti.middleware.Middleware;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;

/// Serialized objects that a node does not expect never come into being.
class ForeignObjectsTest {
  private static final AtomicBoolean SPRUNG = new AtomicBoolean();

  /// What an attacker sends: its bytes do something when they become an object.
  static final class Gadget implements Remote, Serializable {
    private static final long serialVersionUID = 1;

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      SPRUNG.set(true);
      in.defaultReadObject();
    }
  }

  private final List<byte[]> taken = new ArrayList<>();
  private RmiMiddleware node;
  private Endpoint endpoint;

  @BeforeEach
  void open() throws IOException {
    SPRUNG.set(false);
    Address any = new Address("127.0.0.1:0");
    node = RmiMiddleware.open(any, Endpoint.resolve(any), null, PatientConfig.lan());
    node.start(taken::add);
    endpoint = Objects.requireNonNull(Endpoint.ofLiteral(node.address()));
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void anObjectInPlaceOfAByteArrayIsRefusedAndCounted() throws Exception {
    for (Object foreign : List.of(new Gadget(), new Object[] {new Gadget()}, new long[100])) {
      assertThatThrownBy(() -> send(foreign)).hasStackTraceContaining("ended by an exception");
    }
    assertThat(Metric.byKey(node.metrics()).get("rmi.calls.dropped{reason=foreign-object}")).isEqualTo(3);
    assertThat(SPRUNG).isFalse();
    // No filter is asked about text, which is harmless; it is not what the operation takes.
    assertThatThrownBy(() -> send("text")).hasStackTraceContaining("ended by an exception");
    assertThat(taken).isEmpty();
    stillServes();
  }

  @Test
  void aByteArrayLongerThanABatchIsRefusedAndCounted() throws Exception {
    int most = RmiConfig.lan().common().batchBytesMax();
    send(new byte[most]);
    assertThat(taken).hasSize(1);
    // Refused before all of it is written: the caller learns the reason, or only that nobody listens any more.
    assertThatThrownBy(() -> send(new byte[most + 1])).isInstanceOf(RemoteException.class);
    assertThat(Metric.byKey(node.metrics()).get("rmi.calls.dropped{reason=foreign-object}")).isOne();
    stillServes();
  }

  @Test
  void theRegistryTakesNoForeignObject() throws Exception {
    Registry there = LocateRegistry.getRegistry("127.0.0.1", endpoint.port());
    assertThatThrownBy(() -> there.rebind(RmiTransport.NAME, new Gadget())).hasStackTraceContaining("REJECTED");
    assertThat(SPRUNG).isFalse();
    stillServes();
  }

  /// A reference leads to the peer that is dialled, with the dialling node's own sockets; elsewhere it is of no use.
  @Test
  void aReferenceIsReadByATransportOnly() throws Exception {
    Registry there = LocateRegistry.getRegistry("127.0.0.1", endpoint.port());
    assertThatThrownBy(() -> there.lookup(RmiTransport.NAME)).hasStackTraceContaining("not passed on");
  }

  @Test
  void whoeverAnswersWithSomethingElseIsNoNode() throws Exception {
    Registry there = LocateRegistry.getRegistry("127.0.0.1", endpoint.port());
    there.unbind(RmiTransport.NAME);
    assertThatThrownBy(() -> node.dial(node.address())).isInstanceOf(IOException.class);
  }

  private void stillServes() throws IOException {
    int before = taken.size();
    try (Middleware.Call call = node.dial(node.address())) {
      call.send(new byte[3]);
    }
    assertThat(taken).hasSize(before + 1);
  }

  /// Calls the remote operation with an argument that its stub would not take.
  private void send(Object argument) throws Exception {
    var sockets = new ClientSockets(PatientConfig.lan(), endpoint, Answers.ofPeer());
    Registry there = LocateRegistry.getRegistry("127.0.0.1", endpoint.port(), sockets);
    Remote receiver = ScopedValue.where(ClientSockets.CURRENT, sockets).call(() -> there.lookup(RmiTransport.NAME));
    var handler = (RemoteObjectInvocationHandler) Proxy.getInvocationHandler(receiver);
    byte[] hash = MessageDigest.getInstance("SHA-1").digest(utf("take([B)V"));
    long operation = ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN).getLong();
    try {
      handler
          .getRef()
          .invoke(receiver, RemoteReceiver.class.getMethod("take", byte[].class), new Object[] {argument}, operation);
    } finally {
      sockets.close();
    }
  }

  private static byte[] utf(String text) {
    return ByteBuffer.allocate(2 + text.length()).putShort((short) text.length()).put(text.getBytes()).array();
  }
}
