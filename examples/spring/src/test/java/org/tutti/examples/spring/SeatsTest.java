package org.tutti.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.tutti.sim.service.Simulated;

class SeatsTest {
  @Test
  void seatsAreTakenOnceWhateverCrashes() {
    Simulated.service(Seats::new)
        .replicas(3)
        .clients(4)
        .calls((client, random) ->
            new SeatRequest(
                    SeatRequest.Kind.values()[random.nextInt(2)], 1 + random.nextInt(3), "h" + random.nextInt(3))
                .encode())
        .queries((client, random) -> ByteBuffer.allocate(4).putInt(0, 1 + random.nextInt(3)))
        .seeds(2)
        .check();
  }

  @Test
  void requestsAreReadAsTheyWereWritten() {
    var request = new SeatRequest(SeatRequest.Kind.RELEASE, 258, "é");
    assertThat(HexFormat.of().formatHex(request.encode().array())).isEqualTo("0100000102c3a9");
    assertThat(SeatRequest.decode(request.encode())).isEqualTo(request);
  }

  @Test
  void whatIsNoRequestIsRefusedInWords() {
    refused("", "0 bytes");
    refused("00000000", "4 bytes");
    refused("0200000001" + "61", "not 2");
    refused("ff00000001" + "61", "not -1");
    refused("0000000000" + "61", "not 0");
    refused("0000002711" + "61", "not 10001");
    refused("0000000001", "not 0");
    refused("0000000001" + "c3", "UTF-8");
    refused("0000000001" + "61".repeat(65), "70 bytes");
  }

  private static void refused(String bytes, String words) {
    assertThatThrownBy(() -> SeatRequest.decode(ByteBuffer.wrap(HexFormat.of().parseHex(bytes))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }
}
