package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.tutti.fixture.Told;
import org.tutti.fixture.TransportContract;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;

/// A system call for each datagram, as where the kernel or the JVM allows nothing else.
final class UdpWithoutTrainsTest extends TransportContract {
  private UdpTransport last;

  @Override
  protected UdpTransport open(Address address) throws IOException {
    last = UdpTransport.open(address, UdpConfig.lan().withDatagramBytesMax(1472).withTrains(false));
    return last;
  }

  @AfterEach
  void noneWasSent() {
    assertThat(last == null ? 0 : Told.of(last.metrics(), "trains.sent")).isZero();
  }

  @Override
  protected boolean keepsOrder() {
    return false;
  }

  @Override
  protected Address unused(String name) {
    return new Address("127.0.0.1:0");
  }
}
