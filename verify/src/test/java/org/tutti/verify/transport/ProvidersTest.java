package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.tutti.net.TcpTransport;
import org.tutti.net.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

class ProvidersTest {
  @Test
  void transportsAreFoundByTheirNames() throws Exception {
    TransportProvider tcp = TransportProvider.named("tcp");
    try (Transport transport = tcp.open(TransportSettings.at(new Address("127.0.0.1:0")))) {
      assertThat(transport).isInstanceOf(TcpTransport.class);
    }
    TransportProvider udp = TransportProvider.named("udp");
    try (Transport transport = udp.open(TransportSettings.at(new Address("127.0.0.1:0")))) {
      assertThat(transport).isInstanceOf(UdpTransport.class);
    }
    assertThat(TransportProvider.installed()).allSatisfy((name, one) -> assertThat(one.name()).isEqualTo(name));
  }

  @Test
  void anUnknownNameListsThoseThereAre() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TransportProvider.named("pigeon"))
        .withMessage("'pigeon' is none of: " + String.join(", ", TransportProvider.installed().keySet()));
  }
}
