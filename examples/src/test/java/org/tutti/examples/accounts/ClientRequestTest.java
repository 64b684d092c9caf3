package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tutti.examples.accounts.Reply.Outcome;
import org.tutti.examples.accounts.Transaction.Transfer;

class ClientRequestTest {
  private static final int MUTATIONS = 100_000;

  @Test
  void whatIsWrittenIsRead() {
    String longest = "ä".repeat(Transaction.NAME_BYTES_MAX / 2);
    var transfer = new Transfer(longest, longest.replace('ä', 'ö'), Transaction.AMOUNT_MAX);
    var request = new ClientRequest(3, Long.MAX_VALUE, transfer);
    byte[] bytes = request.encode();
    assertThat(bytes).hasSizeLessThanOrEqualTo(ClientRequest.BYTES_MAX);
    assertThat(ClientRequest.decode(ByteBuffer.wrap(bytes))).isEqualTo(request);
    var reply = new Reply(Outcome.OVERDRAWN, 17);
    assertThat(Reply.decode(reply.encode())).isEqualTo(reply);
  }

  @Test
  void malformedBytesAreRefusedWithAReason() {
    var random = new Random(42);
    byte[] good = new ClientRequest(3, 4, new Transfer("alice", "bob", 250)).encode();
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] bytes = Arrays.copyOf(good, random.nextInt(good.length + 10));
      for (int flips = random.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        ClientRequest request = ClientRequest.decode(ByteBuffer.wrap(bytes));
        assertThat(ClientRequest.decode(ByteBuffer.wrap(request.encode()))).isEqualTo(request);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageMatching(".+");
      }
    }
  }

  @Test
  void lengthsAndOutcomesAreChecked() {
    assertThatThrownBy(() -> ClientRequest.decode(ByteBuffer.allocate(ClientRequest.BYTES_MAX + 1)))
        .hasMessageContaining("bytes");
    assertThatThrownBy(() -> Reply.decode(ByteBuffer.allocate(Reply.BYTES - 1))).hasMessageContaining("bytes");
    ByteBuffer reply = new Reply(Outcome.ACCEPTED, 17).encode().put(0, (byte) 100);
    assertThatThrownBy(() -> Reply.decode(reply)).hasMessageContaining("outcome 100");
  }
}
