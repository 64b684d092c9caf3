package org.tutti.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadsTest {
  private static ByteBuffer bytes(int length) {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      bytes.put((byte) bytes.position());
    }
    return bytes.flip();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 63, 64, 65, 4096, 64_512, 131_072, 131_073, 1_000_000})
  void aCopyIsWhatWasCopied(int length) {
    ByteBuffer copy = Payloads.used().copy(bytes(length));
    assertThat(copy).isEqualTo(bytes(length));
    assertThat(copy.position()).isZero();
  }

  @Test
  void aBufferIsUsedAgainForWhatIsAboutAsLong() {
    Payloads payloads = Payloads.used();
    ByteBuffer first = payloads.copy(bytes(1000));
    payloads.giveBack(first);
    assertThat(payloads.copy(bytes(100)).array()).isNotSameAs(first.array());
    ByteBuffer second = payloads.copy(bytes(600));
    assertThat(second).isEqualTo(bytes(600));
    assertThat(second.array()).isSameAs(first.array());
    assertThat(first.remaining()).isEqualTo(1000);
    assertThat(payloads.copy(bytes(1000)).array()).isNotSameAs(first.array());
  }

  @Test
  void whatIsNotFromHereIsNotKept() {
    Payloads payloads = Payloads.used();
    ByteBuffer foreign = bytes(1000);
    payloads.giveBack(foreign);
    assertThat(payloads.copy(bytes(1000)).array()).isNotSameAs(foreign.array());
  }

  @Test
  void whoReadsWhatWasGivenBackGetsWhatNobodySent() {
    Payloads payloads = Payloads.spoilt();
    ByteBuffer copy = payloads.copy(bytes(100));
    payloads.giveBack(copy);
    assertThat(copy).isNotEqualTo(bytes(100));
    assertThat(payloads.copy(bytes(100)).array()).isNotSameAs(copy.array());
  }
}
