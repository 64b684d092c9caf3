package org.tutti.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Golden;
import org.tutti.tls.Wire;
import org.tutti.transport.Address;

/// The bytes that a connection of TCP begins with, and those in front of a frame.
class PreambleGoldenTest {
  private record Introduction(Address from, Address to) {}

  /// Reads what comes over a connection of this host.
  private static Preamble.Progress read(Preamble preamble, byte[] bytes) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (SocketChannel speaker = SocketChannel.open(server.getLocalAddress());
          SocketChannel listener = server.accept()) {
        speaker.write(ByteBuffer.wrap(bytes));
        speaker.shutdownOutput();
        var wire = new Wire.Plain(listener, Wire.Traffic.UNCOUNTED);
        Preamble.Progress progress = preamble.read(wire);
        while (progress == Preamble.Progress.MORE) {
          progress = preamble.read(wire);
        }
        return progress;
      }
    }
  }

  private static Golden.Format<Introduction> format() {
    return new Golden.Format<>() {
      @Override
      public byte[] write(Introduction value) {
        return taken(Preamble.encode(value.from, value.to));
      }

      @Override
      public Introduction read(byte[] bytes) throws IOException {
        var preamble = new Preamble();
        assertThat(PreambleGoldenTest.read(preamble, bytes)).isEqualTo(Preamble.Progress.COMPLETE);
        return new Introduction(preamble.from(), preamble.to());
      }
    };
  }

  private static byte[] taken(ByteBuffer bytes) {
    byte[] taken = new byte[bytes.remaining()];
    bytes.get(taken);
    return taken;
  }

  @Test
  void preamble() {
    new Golden("net", "tcp-preamble", "the first bytes in each direction of a connection: `Preamble`")
        .example("names", new Introduction(new Address("here:1"), new Address("b\u00e9:65535")), format())
        .example("Unix", new Introduction(new Address("unix:/run/a.sock"), new Address("unix:/run/b")), format())
        .check();
  }

  @Test
  void frames() {
    ByteBuffer room = ByteBuffer.allocate(64);
    var buffer = new Connection.SendBuffer(room, 40);
    for (String frame : new String[] {"one", "three"}) {
      buffer.claim(frame.length()).put(frame.getBytes(StandardCharsets.US_ASCII));
      buffer.commit();
    }
    byte[] written = new byte[2 * Connection.SendBuffer.PREFIX_BYTES + 8];
    room.get(0, written);
    new Golden("net", "tcp-frames", "frames behind the preamble, each after its length: `Connection`")
        .written("two", written, PreambleGoldenTest::frames)
        .check();
  }

  private static List<byte[]> frames(byte[] bytes) {
    List<byte[]> frames = new ArrayList<>();
    for (ByteBuffer in = ByteBuffer.wrap(bytes); in.hasRemaining(); ) {
      byte[] frame = new byte[in.getInt()];
      in.get(frame);
      frames.add(frame);
    }
    return frames;
  }
}
