package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.until;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.corba.IiopTransport;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.fixture.Tree;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.transport.Address;
import org.tutti.transport.TransportSettings;

/// A node and a peer that was written in C++, for another ORB (`dev/verify/src/test/cpp/iiop-peer.cc`, on omniORB).
class IiopInteropTest {
  private static final int ANSWER_BYTES = 4;

  @TempDir static Path directory;
  private static Path program = Path.of("");

  private Process process;
  private Writer commands;
  private Station node;
  private Address peer;

  @BeforeAll
  static void compile() throws Exception {
    Path root = Tree.root();
    program =
        IiopPrograms.compiled(
            directory,
            root.resolve("transports/corba/src/main/idl/tutti.idl"),
            root.resolve("dev/verify/src/test/cpp/iiop-peer.cc"));
  }

  @AfterAll
  static void forget() {
    program = Path.of("");
  }

  @BeforeEach
  void open() throws IOException {
    node = new Station(IiopTransport.open(TransportSettings.at(new Address("127.0.0.1:0")), MiddlewareConfig.lan()));
    process =
        IiopPrograms.start(program, "-ORBendPoint", "giop:tcp:127.0.0.1:", "-ORBmaxServerThreadPerConnection", "1");
    commands = process.outputWriter();
    BufferedReader said = process.inputReader();
    peer = new Address("127.0.0.1:" + portIn(said.readLine()));
    tell("self " + peer);
    // Before it knows, it would take the first batch for somebody else's.
    assertThat(said.readLine()).isEqualTo("self " + peer);
  }

  @AfterEach
  void close() throws Exception {
    node.close();
    commands.close();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    // It checks everything that it gets, and ends with another code when something is wrong.
    assertThat(process.waitFor()).isZero();
  }

  @Test
  void framesGoBothWaysUnchangedAndInOrder() {
    Random random = new Random(1);
    List<byte[]> sent = new ArrayList<>();
    int most = node.transport.traits().frameBytesMax() - ANSWER_BYTES;
    for (int i = 0; i < 3000; i++) {
      byte[] frame = new byte[i % 100 == 0 ? most - i : 1 + random.nextInt(2000)];
      random.nextBytes(frame);
      sent.add(frame);
      node.send(peer, frame);
    }
    until("all answers", () -> node.frames.size() == sent.size(), node);
    for (int i = 0; i < sent.size(); i++) {
      ByteBuffer answer = ByteBuffer.wrap(node.frames.get(i));
      assertThat(answer.getInt()).isEqualTo(i);
      byte[] backwards = sent.get(i).clone();
      for (int k = 0; k < backwards.length; k++) {
        backwards[k] = sent.get(i)[backwards.length - 1 - k];
      }
      assertThat(answer).isEqualTo(ByteBuffer.wrap(backwards));
    }
    assertThat(Told.of(node.transport.metrics(), "calls.ended{reason=broken}")).isZero();
    assertThat(Told.of(node.transport.metrics(), "closed{reason=bad-length}")).isZero();
  }

  @Test
  void aPeerThatSpeaksFirstIsHeard() throws IOException {
    tell("send " + node.address() + " 5000");
    until("all frames", () -> node.frames.size() == 5000, node);
    for (int i = 0; i < 5000; i++) {
      byte[] expected = new byte[1 + i % 2000];
      Arrays.fill(expected, (byte) i);
      assertThat(node.frames.get(i)).isEqualTo(expected);
    }
  }

  private void tell(String command) throws IOException {
    commands.write(command + "\n");
    commands.flush();
  }

  /// The port in a stringified reference with one profile for IIOP.
  static int portIn(String reference) {
    assertThat(reference).startsWith("IOR:");
    ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(reference, 4, reference.length()));
    order(bytes, bytes.get(0));
    bytes.position(4);
    skip(bytes, bytes.getInt()); // the type
    bytes.position((bytes.position() + 3) & ~3);
    assertThat(bytes.getInt()).as("profiles").isEqualTo(1);
    assertThat(bytes.getInt()).as("tag of IIOP").isZero();
    ByteBuffer profile = bytes.slice(bytes.position() + 4, bytes.getInt(bytes.position()));
    order(profile, profile.get(0));
    profile.position(4); // its byte order and version
    skip(profile, profile.getInt()); // the host
    profile.position((profile.position() + 1) & ~1);
    return Short.toUnsignedInt(profile.getShort());
  }

  private static void order(ByteBuffer bytes, byte flag) {
    bytes.order(flag == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
  }

  private static void skip(ByteBuffer bytes, int count) {
    bytes.position(bytes.position() + count);
  }
}
