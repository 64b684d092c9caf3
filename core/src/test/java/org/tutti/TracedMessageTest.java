package org.tutti;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class TracedMessageTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PARENT = "00f067aa0ba902b7";
  private static final String TRACEPARENT = "00-" + TRACE + "-" + PARENT + "-01";

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  /// Members of different builds read each other's payloads: these bytes stay.
  @Test
  void theBytesAreTheseForGood() {
    String with = "01" + TRACE + PARENT + "01" + "0003" + "613d62" + "6869";
    assertThat(new TracedMessage(TRACEPARENT, "a=b", bytes("6869")).encode()).isEqualTo(bytes(with));
    assertThat(TracedMessage.decode(bytes(with))).isEqualTo(new TracedMessage(TRACEPARENT, "a=b", bytes("6869")));
    assertThat(new TracedMessage("", "", bytes("6869")).encode()).isEqualTo(bytes("006869"));
    assertThat(TracedMessage.decode(bytes("006869"))).isEqualTo(new TracedMessage("", "", bytes("6869")));
    assertThat(TracedMessage.decode(bytes("00")).message().hasRemaining()).isFalse();
  }

  @Test
  void positionsStay() {
    ByteBuffer message = ByteBuffer.wrap("xhix".getBytes(UTF_8)).position(1).limit(3);
    ByteBuffer payload = new TracedMessage(TRACEPARENT, "", message).encode();
    assertThat(message.position()).isEqualTo(1);
    assertThat(UTF_8.decode(TracedMessage.decode(payload).message()).toString()).isEqualTo("hi");
    assertThat(payload.position()).isZero();
  }

  @Test
  void whatComesFromElsewhereIsTakenAsFarAsItIsUnderstood() {
    ByteBuffer message = bytes("6869");
    assertThat(TracedMessage.of(TRACEPARENT, "a=b", message).tracestate()).isEqualTo("a=b");
    assertThat(TracedMessage.of(TRACEPARENT, null, message).traceparent()).isEqualTo(TRACEPARENT);
    assertThat(TracedMessage.of(TRACEPARENT, "x".repeat(513), message).tracestate()).isEmpty();
    assertThat(TracedMessage.of(TRACEPARENT, "a=\n", message).tracestate()).isEmpty();
    assertThat(TracedMessage.of("cc" + TRACEPARENT.substring(2) + "-more", "", message).traceparent())
        .isEqualTo(TRACEPARENT);
    for (String none :
        new String[] {
          null,
          "",
          "ff" + TRACEPARENT.substring(2),
          TRACEPARENT + "-more",
          "cc" + TRACEPARENT.substring(2) + "more",
          TRACEPARENT.toUpperCase(Locale.ROOT),
          "00-" + "0".repeat(32) + "-" + PARENT + "-01",
          "00-" + TRACE + "-" + "0".repeat(16) + "-01"
        }) {
      assertThat(TracedMessage.of(none, "a=b", message)).isEqualTo(new TracedMessage("", "", message));
    }
  }

  @Test
  void whatIsNoTracedMessageIsRefusedInWords() {
    refused("", "0 bytes");
    refused("02", "begins with 2");
    refused("01" + TRACE + PARENT + "01" + "00", "does not end after 26 bytes");
    refused("01" + TRACE + PARENT + "01" + "0004" + "613d62", "4 bytes, in 3");
    refused("01" + TRACE + PARENT + "01" + "0201" + "61".repeat(513), "513 bytes");
    refused("01" + TRACE + PARENT + "01" + "0001" + "0a", "ASCII");
    refused("01" + TRACE + PARENT + "01" + "0001" + "e9", "ASCII");
    refused("01" + "00".repeat(16) + PARENT + "01" + "0000", "traceparent");
    refused("01" + TRACE + "00".repeat(8) + "01" + "0000", "traceparent");
  }

  private static void refused(String hex, String words) {
    assertThatThrownBy(() -> TracedMessage.decode(bytes(hex)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  @Test
  void valuesAreChecked() {
    ByteBuffer message = ByteBuffer.allocate(0);
    assertThatThrownBy(() -> new TracedMessage("00-1-2-3", "", message)).hasMessageContaining("00-1-2-3");
    assertThatThrownBy(() -> new TracedMessage("", "a=b", message)).hasMessageContaining("a=b");
    assertThatThrownBy(() -> new TracedMessage(TRACEPARENT, "x".repeat(513), message)).hasMessageContaining("512");
  }
}
