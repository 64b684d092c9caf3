package org.tutti.romiop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class KeptRepliesTest {
  private static final Giop FIRST = Giop.exception(2, RomiopFailure.INCONSISTENT);
  private static final Giop SECOND = Giop.exception(2, RomiopFailure.TIMED_OUT);

  private final KeptReplies kept = new KeptReplies(2);

  private static FtRequest call(int id, long expiration) {
    return new FtRequest("client", id, expiration);
  }

  @Test
  void aCallThatComesAgainIsAnsweredUntilItExpires() {
    kept.turn(1000);
    assertThat(kept.instead(call(1, 1010), 2)).isNull();
    kept.keep(call(1, 1010), FIRST);
    assertThat(kept.instead(call(1, 1010), 2)).isEqualTo(FIRST);
    assertThat(kept.instead(new FtRequest("other", 1, 1010), 2)).isNull();
    kept.turn(1010);
    assertThat(kept.instead(call(1, 1010), 2)).isEqualTo(FIRST);
    kept.turn(1011);
    assertThat(kept.size()).isZero();
    assertThat(kept.instead(call(1, 1010), 2)).isEqualTo(Giop.exception(2, RomiopFailure.EXPIRED));
  }

  @Test
  void timeNeverGoesBack() {
    kept.turn(1011);
    kept.turn(1000); // from a gateway whose clock is behind
    assertThat(kept.instead(call(1, 1010), 2)).isEqualTo(Giop.exception(2, RomiopFailure.EXPIRED));
  }

  @Test
  void nothingIsForgottenForANewCall() {
    kept.keep(call(1, 10), FIRST);
    kept.keep(call(2, 10), SECOND);
    assertThat(kept.instead(call(3, 10), 2)).isEqualTo(Giop.exception(2, RomiopFailure.TOO_MANY_KEPT));
    assertThat(kept.instead(call(1, 10), 2)).isEqualTo(FIRST);
    kept.turn(11);
    assertThat(kept.instead(call(3, 20), 2)).isNull();
  }

  @Test
  void whatCannotBeKeptIsRefused() {
    assertThat(kept.instead(call(1, KeptReplies.AHEAD_MAX), 2)).isNull();
    Giop unusable = Giop.exception(2, RomiopFailure.UNUSABLE_FT_REQUEST);
    assertThat(kept.instead(call(1, KeptReplies.AHEAD_MAX + 1), 2)).isEqualTo(unusable);
    kept.keep(call(1, 10), Giop.exception(0, RomiopFailure.INCONSISTENT));
    assertThat(kept.instead(call(1, 10), 2)).isEqualTo(unusable);
  }

  @Test
  void aNewcomerKeepsTheSame() throws IOException {
    kept.turn(5);
    kept.keep(call(1, 10), FIRST);
    kept.keep(call(2, 20), SECOND);
    var bytes = new ByteArrayOutputStream();
    KeptReplies copy = kept.copy();
    kept.turn(30);
    copy.write(new DataOutputStream(bytes));
    KeptReplies newcomer = new KeptReplies(2);
    newcomer.become(KeptReplies.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))));
    assertThat(newcomer.instead(call(1, 10), 2)).isEqualTo(FIRST);
    assertThat(newcomer.instead(call(2, 20), 2)).isEqualTo(SECOND);
    assertThat(newcomer.instead(call(3, 4), 2)).isEqualTo(Giop.exception(2, RomiopFailure.EXPIRED));
    byte[] broken = bytes.toByteArray();
    broken[broken.length - FIRST.bytes().length] = 'X';
    assertThatIOException().isThrownBy(() -> KeptReplies.read(new DataInputStream(new ByteArrayInputStream(broken))));
  }
}
