package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.Remote;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.rmi.RmiRegistryDiscovery;
import org.tutti.transport.Address;
import org.tutti.transport.DiscoveryProvider;

/// Members that find each other by the registry of Java RMI, and what a registry that lies can do.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RmiRegistryTest {
  private static final Address FIRST = new Address("127.0.0.1:7001");
  private static final Address SECOND = new Address("[::1]:7002");
  private static final AtomicBoolean SPRUNG = new AtomicBoolean();

  /// What an attacker answers: its bytes do something when they become an object.
  private static final class Gadget implements Serializable {
    private static final long serialVersionUID = 1;

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      SPRUNG.set(true);
      in.defaultReadObject();
    }
  }

  private static Address at(int port) {
    return new Address("127.0.0.1:" + port);
  }

  @Test
  void membersOfAGroupFindEachOther() throws Exception {
    try (var process = LaunchedRmiRegistry.start(0)) {
      Address at = at(process.port);
      try (var looking = RmiRegistryDiscovery.onlooker(at, "a/b c");
          var other = RmiRegistryDiscovery.member(at, "a", "b c@n1", FIRST);
          var first = RmiRegistryDiscovery.member(at, "a/b c", "n1", FIRST)) {
        assertThat(looking.find()).isEmpty();
        assertThat(other.find()).containsExactly(FIRST);
        assertThat(first.find()).containsExactly(FIRST);
        var second = RmiRegistryDiscovery.member(at, "a/b c", "n2", SECOND);
        assertThat(second.find()).containsExactlyInAnyOrder(FIRST, SECOND);
        assertThat(first.find()).containsExactlyInAnyOrder(FIRST, SECOND);
        assertThat(looking.find()).containsExactlyInAnyOrder(FIRST, SECOND);
        second.close();
        assertThat(looking.find()).containsExactly(FIRST);
        try (var again = RmiRegistryDiscovery.member(at, "a/b c", "n1", SECOND)) {
          again.find();
          assertThat(looking.find()).as("the address of an earlier life").containsExactly(SECOND);
        }
      }
    }
  }

  @Test
  void aRegistryThatHasForgottenEverythingIsFilledAgain() throws Exception {
    try (var process = LaunchedRmiRegistry.start(0);
        var first = RmiRegistryDiscovery.member(at(process.port), "bank", "n1", FIRST);
        var second = RmiRegistryDiscovery.member(at(process.port), "bank", "n2", SECOND)) {
      first.find();
      assertThat(second.find()).hasSize(2);
      process.kill();
      assertThatIOException()
          .isThrownBy(first::find)
          .withMessageStartingWith("no answer of rmiregistry at " + at(process.port))
          .withMessageNotContaining("\n");
      try (var again = LaunchedRmiRegistry.start(process.port)) {
        assertThat(again.port).isEqualTo(process.port);
        first.find();
        assertThat(second.find()).containsExactlyInAnyOrder(FIRST, SECOND);
      }
    }
  }

  /// What others have bound does not matter: only names are read.
  @Test
  void onlyNamesOfTheGroupThatEndInAnAddressAreUsed() throws Exception {
    try (var process = LaunchedRmiRegistry.start(0)) {
      Registry registry = LocateRegistry.getRegistry("127.0.0.1", process.port);
      Remote itself = LocateRegistry.getRegistry("127.0.0.1", process.port);
      String huge = "x".repeat(10_000);
      for (String name :
          List.of("", "bank", "tutti/bank/", "tutti/bank/n@", "tutti/bank/n@ :1", "tutti/bank/n@" + huge + ":1")) {
        registry.rebind(name, itself);
      }
      registry.rebind("tutti/bank/n@10.0.0.1:7", itself);
      for (int i = 0; i < 300; i++) {
        registry.rebind("tutti/many/n" + i + "@10.0.0.1:" + (1000 + i), itself);
      }
      try (var looking = RmiRegistryDiscovery.onlooker(at(process.port), "bank");
          var many = RmiRegistryDiscovery.onlooker(at(process.port), "many")) {
        assertThat(looking.find()).containsExactly(new Address("10.0.0.1:7"));
        assertThat(many.find()).hasSize(RmiRegistryDiscovery.FOUND_MAX);
      }
    }
  }

  @Test
  void answersThatAreNotNamesAreRefusedAndCounted() throws Exception {
    Object[] answers = {
      new Gadget(),
      new Object[] {new Gadget()},
      new Gadget[0],
      new String[][] {{"a"}},
      new String[5000],
      "x".repeat(2_000_000),
      LocateRegistry.getRegistry("127.0.0.1", 1)
    };
    for (Object answer : answers) {
      try (var liar = new Liar(1, serialized(answer));
          var looking = RmiRegistryDiscovery.onlooker(at(liar.port()), "bank")) {
        assertThatIOException()
            .isThrownBy(looking::find)
            .withMessageStartingWith("refused what rmiregistry at " + at(liar.port()) + " answers: ")
            .withMessageNotContaining("\n");
        assertThat(looking.refused()).isOne();
      }
    }
    assertThat(SPRUNG).isFalse();
  }

  @Test
  void anExceptionIsNotRead() throws Exception {
    try (var liar = new Liar(2, serialized(new Gadget()));
        var looking = RmiRegistryDiscovery.onlooker(at(liar.port()), "bank")) {
      assertThatIOException().isThrownBy(looking::find).withMessageContaining("the call ended by an exception");
    }
    assertThat(SPRUNG).isFalse();
  }

  @Test
  void whatIsNoRegistryIsSaid() throws Exception {
    byte[][] answers = {{}, {0x4e}, {0x4e, (byte) 0xff, (byte) 0xff, 1}, "HTTP/1.1 400\r\n\r\n".getBytes()};
    for (byte[] answer : answers) {
      try (var liar = new Liar(answer);
          var looking = RmiRegistryDiscovery.onlooker(at(liar.port()), "bank")) {
        assertThatIOException().isThrownBy(looking::find).withMessageContaining("rmiregistry at " + at(liar.port()));
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RmiRegistryDiscovery.onlooker(new Address("bank"), "bank"))
        .withMessageContaining("bank");
  }

  @Test
  void itIsFoundByItsName() {
    assertThat(DiscoveryProvider.installed()).containsKey("rmiregistry");
    assertThat(DiscoveryProvider.installed()).allSatisfy((name, one) -> assertThat(one.name()).isEqualTo(name));
  }

  /// What RMI writes behind the head of an answer: no header, and after each class where it might be had from.
  private static byte[] serialized(Object answer) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out =
        new ObjectOutputStream(bytes) {
          @Override
          protected void writeStreamHeader() {}

          @Override
          protected void annotateClass(Class<?> type) throws IOException {
            writeObject(null);
          }

          @Override
          protected void annotateProxyClass(Class<?> type) throws IOException {
            writeObject(null);
          }
        }) {
      out.writeObject(answer);
    }
    return bytes.toByteArray();
  }

  /// Answers the first call like a registry of RMI, with whatever it is told.
  private static final class Liar implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"));

    Liar(byte[] words) throws IOException {
      Thread.startVirtualThread(() -> {
        try (Socket caller = listener.accept()) {
          caller.getOutputStream().write(words);
          caller.shutdownOutput();
          caller.getInputStream().skipNBytes(Long.MAX_VALUE);
        } catch (IOException _) {
          // The caller has gone.
        }
      });
    }

    Liar(int kind, byte[] object) throws IOException {
      this(answer(kind, object));
    }

    private static byte[] answer(int kind, byte[] object) throws IOException {
      var bytes = new ByteArrayOutputStream();
      var out = new DataOutputStream(bytes);
      out.writeByte(0x4e);
      out.writeUTF("127.0.0.1");
      out.writeInt(1);
      out.writeByte(0x51);
      out.writeInt(0xaced0005);
      out.writeShort(0x770f);
      out.writeByte(kind);
      out.write(new byte[14]);
      out.write(object);
      return bytes.toByteArray();
    }

    int port() {
      return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
