package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.corba.IiopConfig;
import org.tutti.corba.IiopMiddleware;
import org.tutti.fixture.Told;
import org.tutti.transport.Address;

/// A peer that says that its object is at another host and port: GIOP's forwards, by which it could send a node
/// anywhere.
@Tag("socket")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IiopForwardTest {
  private static final int QUIET_MILLIS = 500;

  @ParameterizedTest
  @ValueSource(ints = {3, 4}) // LOCATION_FORWARD, and the one that is for good
  void aForwardIsNotFollowed(int status) throws Exception {
    InetAddress here = InetAddress.getByName("127.0.0.1");
    try (ServerSocket liar = new ServerSocket(0, 10, here);
        ServerSocket victim = new ServerSocket(0, 10, here);
        IiopMiddleware node = IiopMiddleware.open(new Address("127.0.0.1:0"), null, IiopConfig.lan(1 << 20))) {
      node.start(_ -> true);
      Thread lies = Thread.ofVirtual().start(() -> lie(liar, status, victim.getLocalPort()));
      assertThatIOException().isThrownBy(() -> node.dial(new Address("127.0.0.1:" + liar.getLocalPort())));
      assertThat(isVisited(victim)).as("connected to where the liar pointed").isFalse();
      assertThat(Told.of(node.metrics(), "closed{reason=forwarded}")).isPositive();
      lies.join();
    }
  }

  private static boolean isVisited(ServerSocket victim) throws IOException {
    victim.setSoTimeout(QUIET_MILLIS);
    try (Socket visitor = victim.accept()) {
      return visitor.isConnected();
    } catch (SocketTimeoutException _) {
      return false;
    }
  }

  private static void lie(ServerSocket liar, int status, int port) {
    try (Socket caller = liar.accept()) {
      var in = new DataInputStream(caller.getInputStream());
      byte[] header = in.readNBytes(12);
      byte[] request = in.readNBytes(ByteBuffer.wrap(header).getInt(8));
      byte[] body = forward(ByteBuffer.wrap(request).getInt(), status, port);
      caller.getOutputStream().write(IiopRequest.header(0, IiopRequest.REPLY, body.length));
      caller.getOutputStream().write(body);
      in.readAllBytes();
    } catch (IOException _) {
      // Hung up on, as it should be.
    }
  }

  /// A reference to an object of the right type at another port.
  private static byte[] forward(int request, int status, int port) {
    byte[] type = "IDL:tutti.org/Tutti/Peer:1.0\0".getBytes(StandardCharsets.US_ASCII);
    byte[] host = "127.0.0.1\0".getBytes(StandardCharsets.US_ASCII);
    byte[] key = "TuttiPeer".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer profile = ByteBuffer.allocate(100);
    profile.put(new byte[] {0, 1, 2, 0}).putInt(host.length).put(host); // big-endian, IIOP 1.2
    align(profile, 2).putShort((short) port);
    align(profile, 4).putInt(key.length).put(key);
    align(profile, 4).putInt(0); // components
    ByteBuffer reply = ByteBuffer.allocate(300);
    reply.putInt(request).putInt(status).putInt(0); // no service contexts
    while ((reply.position() + 12) % 8 != 0) {
      reply.put((byte) 0);
    }
    reply.putInt(type.length).put(type);
    align(reply, 4).putInt(1).putInt(0).putInt(profile.position()).put(profile.flip());
    return Arrays.copyOf(reply.array(), reply.position());
  }

  private static ByteBuffer align(ByteBuffer to, int unit) {
    return to.position((to.position() + unit - 1) / unit * unit);
  }
}
