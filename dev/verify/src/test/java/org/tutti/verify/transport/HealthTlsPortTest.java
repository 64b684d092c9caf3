package org.tutti.verify.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.tutti.registry.http.HttpPort;
import org.tutti.tls.Credentials;

/// A port that answers clients without a certificate, too, as that of `tutti member --health` on other addresses than
/// loopback.
@Tag("deep")
final class HealthTlsPortTest extends TlsPortContract {
  private static final String QUESTION = "GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n";
  private static final byte[] YES = "yes\n".getBytes(StandardCharsets.US_ASCII);

  @Override
  int most() {
    return 512;
  }

  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    var port =
        new HttpPort(
            new InetSocketAddress("127.0.0.1", 0),
            tls == null ? null : tls.context(),
            HttpPort.Clients.ANY,
            0,
            _ -> new HttpPort.Answer(200, "text/plain", YES));
    port.start();
    return new OpenPort() {
      @Override
      public int port() {
        return port.address().getPort();
      }

      @Override
      public byte[] question() {
        return QUESTION.getBytes(StandardCharsets.US_ASCII);
      }

      @Override
      public void close() {
        port.close();
      }
    };
  }
}
