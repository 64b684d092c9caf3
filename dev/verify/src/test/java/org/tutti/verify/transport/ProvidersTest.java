package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
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

  @Test
  void noneListensWhereStrangersAreUnlessThatIsAllowed() {
    // An address of the documentation's network (RFC 5737): nobody gets as far as to listen there.
    var open = TransportSettings.at(new Address("192.0.2.1:0"));
    assertThat(TransportProvider.installed())
        .allSatisfy((name, provider) ->
            assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> provider.open(open).close())
                .withMessageStartingWith("cannot listen on 192.0.2.1:0: ")
                .withMessageContaining(" on loopback only"));
  }

  @Test
  void theAddressThatWasCheckedForStrangersIsALiteral() throws Exception {
    var settings = TransportSettings.at(new Address("localhost:7001"));
    for (boolean insecure : new boolean[] {false, true}) {
      var checked = settings.withTls(null, insecure).refuseStrangers();
      assertThat(Endpoint.ofLiteral(checked.listen())).isEqualTo(Endpoint.resolve(settings.listen()));
      assertThat(checked).isEqualTo(TransportSettings.at(checked.listen()).withTls(null, insecure));
    }
  }
}
