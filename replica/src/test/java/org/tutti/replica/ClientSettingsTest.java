package org.tutti.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// What a client refuses, and what it takes, before a replica has been found.
class ClientSettingsTest {
  private static void refused(Client.Builder client, String words) {
    assertThatThrownBy(client::connect).isInstanceOf(IllegalArgumentException.class).hasMessage(words);
  }

  @Test
  void oneSettingIsNamedThatIsWrong() {
    refused(Client.of("c").at("a:1").callsMax(0), "calls are 1 to 65536, not 0");
    refused(Client.of("c").at("a:1").silence(Duration.ofMillis(9)), "silence is at least 10 ms, not PT0.009S");
    refused(Client.of("c").at("a:1").deadline(Duration.ZERO), "a deadline is to come, not PT0S");
    for (String address : new String[] {"a", "a:", ":1", "a:0", "a:65536", "a:99999", "a:x"}) {
      refused(Client.of("c").at(address), "an address is host:port, with a port of 1 to 65535, not " + address);
    }
    for (String service : new String[] {"", "a\tb"}) {
      assertThatThrownBy(Client.of(service).at("a:1")::connect)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("the name of a service ");
    }
  }

  @Test
  void aVeryLongDeadlineDoesNotPassAtOnce() throws Exception {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);
    try (Client client = Client.of("c").at("127.0.0.1:1").deadline(endless).connect()) {
      ByteBuffer nothing = ByteBuffer.allocate(0);
      CompletableFuture<?>[] open = {
        client.call(nothing),
        client.call(nothing, Duration.ofNanos(Long.MAX_VALUE)),
        client.query(nothing, Read.LOCAL),
        client.query(nothing, Read.LINEARIZABLE, endless),
        client.compareStates(endless)
      };
      try {
        client.call(nothing, Duration.ofMillis(50)).join(); // by then the others would have ended
      } catch (Exception e) {
        assertThat(e).hasCauseInstanceOf(CallTimeoutException.class);
      }
      assertThat(open).noneMatch(CompletableFuture::isDone);
    }
  }

  @Test
  void aQuestionSaysWhatItHasToSee() {
    try (Client client = Client.of("c").at("127.0.0.1:1").connect()) {
      assertThatThrownBy(() -> client.query(ByteBuffer.allocate(0), null)).isInstanceOf(NullPointerException.class);
    }
  }
}
