package org.tutti.verify.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.tutti.grpc.GrpcConfig;
import org.tutti.grpc.GrpcTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;

final class GrpcPortTest extends PortContract {
  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0}; // none

  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    GrpcConfig config = GrpcConfig.lan();
    return new Polled(
        GrpcTransport.open(new Address("127.0.0.1:0"), null, tls == null ? config : config.withTls(tls))) {
      @Override
      public byte[] question() {
        return ByteBuffer.allocate(PREFACE.length + SETTINGS.length).put(PREFACE).put(SETTINGS).array();
      }
    };
  }
}
