package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.primary;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.View;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

class MeetReaderTest {
  private final MeetReader reader = new MeetReader();

  private static ViewMessage meet(View view, boolean answer) {
    return new ViewMessage.Meet(view, null, view.id(), List.of(), Versions.OWN, answer);
  }

  /// What it reads of a message's bytes, which are lent.
  private ViewMessage read(ViewMessage message) throws Malformed {
    var out = new WireWriter();
    ViewMessage.CODEC.write(message, out);
    ByteBuffer bytes = ByteBuffer.allocate(out.length()).put(out.copy()).flip();
    ViewMessage read = reader.read(new WireReader(bytes));
    bytes.clear().put(new byte[bytes.capacity()]);
    return read;
  }

  @Test
  void theSameBytesAreReadOnce() throws Malformed {
    ViewMessage first = read(meet(primary(1, A, B), false));
    assertThat(first).isEqualTo(meet(primary(1, A, B), false));
    assertThat(read(new ViewMessage.Found(A))).isEqualTo(new ViewMessage.Found(A));
    assertThat(read(meet(primary(1, A, B), false))).isSameAs(first);
  }

  @Test
  void othersAreRead() throws Malformed {
    for (ViewMessage message :
        List.of(
            meet(primary(1, A, B), false),
            meet(primary(1, A, B), true),
            meet(primary(2, A, B), true),
            meet(primary(2, A), true),
            meet(primary(1, A, B), false))) {
      assertThat(read(message)).isEqualTo(message);
    }
  }

  @Test
  void whatIsNoMessageIsNoneAgain() throws Malformed {
    read(meet(primary(1, A, B), false));
    for (int time = 0; time < 2; time++) {
      assertThatThrownBy(() -> reader.read(new WireReader(ByteBuffer.wrap(new byte[] {13, 1}))))
          .isInstanceOf(Malformed.class);
    }
    assertThat(read(meet(primary(1, A, B), false))).isEqualTo(meet(primary(1, A, B), false));
  }
}
