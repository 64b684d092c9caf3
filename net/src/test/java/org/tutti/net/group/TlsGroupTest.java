package org.tutti.net.group;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.fixture.GroupContract;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

@Tag("socket")
class TlsGroupTest extends GroupContract {
  @TempDir static Path directory;
  private static Credentials credentials;

  @BeforeAll
  static void certify() throws IOException {
    credentials = Credentials.load(Authority.in(directory).issue("n", "tutti", Duration.ofDays(1)));
  }

  @Override
  protected Transport open() throws IOException {
    return TcpTransport.open(new Address("127.0.0.1:0"), null, TcpConfig.lan(), credentials);
  }
}
