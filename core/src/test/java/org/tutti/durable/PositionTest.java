package org.tutti.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;

import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.membership.StateTransfer;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

class PositionTest {
  private final Position at = Position.of(new StateTransfer.Start(5, 10, Map.of(C, 7L)));

  private void passTwo() {
    at.pass(A, 3, 1);
    at.pass(B, 4, 2);
  }

  @Test
  void marksOfAnEarlierViewAreNotThoseOfALaterOne() {
    passTwo();
    assertThat(at.mark(A, 5)).isEqualTo(4);
    assertThat(at.mark(B, 5)).isEqualTo(5);
    assertThat(at.mark(C, 5)).as("from before").isEqualTo(-1);
    assertThat(at.mark(A, 6)).as("the view begins right behind it").isEqualTo(-1);
    assertThat(at.mark(B, 6)).isEqualTo(5);
  }

  @Test
  void whatIsWrittenIsRead() throws Malformed {
    passTwo();
    var out = new WireWriter();
    at.write(out);
    var in = new WireReader(ByteBuffer.wrap(bytes(out.copy())));
    Position read = Position.read(in);
    in.end();
    assertThat(read).hasToString(at.toString());
    assertThat(read.start()).isEqualTo(at.start());
    assertThat(read.mark(A, 6)).isEqualTo(-1);
    assertThat(read.mark(B, 6)).isEqualTo(5);
  }

  private static byte[] bytes(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    return bytes;
  }
}
