package org.tutti.verify.host;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;
import org.tutti.corba.IiopTransport;
import org.tutti.fixture.GroupContract;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportSettings;

@Tag("deep")
@Tag("socket")
class IiopTlsGroupTest extends GroupContract {
  @TempDir static Path directory;
  private static Path own;

  @BeforeAll
  static void certify() throws IOException {
    own = Authority.in(directory).issue("n", "tutti", Duration.ofDays(1));
  }

  @Override
  protected Transport open() throws IOException {
    TransportSettings settings = TransportSettings.at(new Address("127.0.0.1:0")).withTls(own, false);
    return IiopTransport.open(settings, MiddlewareConfig.lan());
  }
}
