package org.tutti.verify.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.net.tls.Credentials;
import org.tutti.registry.Registry;
import org.tutti.registry.RegistryConfig;

final class RegistryPortTest extends PortContract {
  private static final String QUESTION = "GET /v1/counters HTTP/1.1\r\nHost: here\r\n\r\n";

  @Override
  Door open(@Nullable Credentials tls) throws IOException {
    Registry registry =
        Registry.open(
            new InetSocketAddress("127.0.0.1", 0),
            RegistryConfig.expecting(3),
            null,
            tls == null ? null : tls.context(),
            _ -> {});
    return new Door() {
      @Override
      public int port() {
        return registry.address().getPort();
      }

      @Override
      public byte[] question() {
        return QUESTION.getBytes(StandardCharsets.US_ASCII);
      }

      @Override
      public Map<String, Long> counters() {
        return registry.counters();
      }

      @Override
      public void close() {
        registry.close();
      }
    };
  }
}
