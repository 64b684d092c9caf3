package org.tutti.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.middleware.Middleware;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;

/// What a node concludes when a peer closes its connection and has said nothing.
class ClosedWithoutAnswerTest {
  private static final Duration CONNECT = Duration.ofSeconds(20);

  private GrpcMiddleware node;
  private ServerSocket peer;

  @BeforeEach
  void open() throws IOException {
    GrpcConfig lan = GrpcConfig.lan();
    GrpcConfig patient =
        new GrpcConfig(lan.common(), lan.acceptedMax(), CONNECT, lan.sendTimeout(), lan.silenceMax(), null);
    var listen = new Address("127.0.0.1:0");
    node = GrpcMiddleware.open(listen, Endpoint.resolve(listen), null, patient);
    peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    node.close();
    peer.close();
  }

  /// The peer reads whatever comes for so long, and closes.
  private Address closingAfter(Duration time) {
    Thread.ofVirtual()
        .start(() -> {
          try (Socket socket = peer.accept()) {
            long end = System.nanoTime() + time.toNanos();
            for (long left = time.toMillis(); left > 0; left = (end - System.nanoTime()) / 1_000_000) {
              socket.setSoTimeout((int) left);
              socket.getInputStream().read();
            }
          } catch (SocketTimeoutException _) {
            // It is time, and closed.
          } catch (IOException _) {
            // The test is over.
          }
        });
    return new Address("127.0.0.1:" + peer.getLocalPort());
  }

  @Test
  void whoClosesAtOnceSeemsToSpeakTls() {
    assertThatThrownBy(() -> node.dial(closingAfter(Duration.ZERO)))
        .isInstanceOf(Middleware.RefusedException.class)
        .hasMessageContaining("it seems to speak TLS");
  }

  @Test
  void whoClosesLateMayBeANodeThatWasToldNothingInTime() {
    assertThatThrownBy(() -> node.dial(closingAfter(CONNECT.dividedBy(2))))
        .isInstanceOfSatisfying(
            IOException.class, why -> assertThat(why).isNotInstanceOf(Middleware.RefusedException.class));
  }
}
