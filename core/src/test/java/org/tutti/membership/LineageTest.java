package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.Members.A;
import static org.tutti.Members.B;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Which of two histories of one group goes on.
class LineageTest {
  private static final Lineage FOUNDED = new Lineage(new ViewId(1, 9), 1000, GroupConfig.standard());
  private static final Lineage YOUNGER = new Lineage(new ViewId(1, 8), 1001, GroupConfig.standard());

  private static Forcing by(MemberId member, long epoch, long at) {
    return new Forcing(member, new ViewId(epoch, member.incarnation()), at, new ViewId(2, 1), 40);
  }

  private static void goesOn(Lineage one, Lineage other) {
    assertThat(one.isOlderThan(other)).isTrue();
    assertThat(other.isOlderThan(one)).isFalse();
    assertThat(Lineage.differ(one, other)).isTrue();
  }

  @Test
  void theForcedOneGoesOnWhateverTheClocksSay() {
    for (long at : new long[] {0, 999, 1000, 5000}) {
      Lineage forced = FOUNDED.forced(by(B, 5, at));
      goesOn(forced, FOUNDED);
      assertThat(forced.replaces(FOUNDED)).isTrue();
      assertThat(FOUNDED.replaces(forced)).isFalse();
      goesOn(forced.forced(by(A, 4, at - 1)), forced);
      goesOn(forced.forced(by(A, 4, at - 1)), FOUNDED);
    }
  }

  @Test
  void ofTwoThatWereForcedTheOneThatWasForcedFirstWhereTheyPartGoesOn() {
    Lineage one = FOUNDED.forced(by(A, 9, 2000));
    Lineage other = FOUNDED.forced(by(B, 3, 2001));
    goesOn(one, other);
    goesOn(one, other.forced(by(B, 4, 2002)));
    goesOn(one.forced(by(A, 10, 3000)), other);
    assertThat(one.replaces(other) || other.replaces(one)).isFalse();
    goesOn(FOUNDED.forced(by(A, 3, 2000)), FOUNDED.forced(by(A, 4, 2000)));
  }

  @Test
  void whatWasFoundedTwiceIsDecidedByTheFounding() {
    goesOn(FOUNDED, YOUNGER.forced(by(A, 7, 1)));
    goesOn(FOUNDED.forced(by(A, 7, 9999)), YOUNGER);
    assertThat(FOUNDED.forced(by(A, 7, 1)).replaces(YOUNGER)).isFalse();
  }

  @Test
  void itSaysWhatIsLost() {
    Lineage forced = FOUNDED.forced(by(A, 7, 1_700_000_000_000_000L));
    assertThat(FOUNDED.yieldsTo(forced))
        .isEqualTo(
            "this history was replaced: an operator forced a to be primary at 2023-11-14T22:13:20Z; what this member"
                + " has from position 40 on is not in the group's history");
    assertThat(FOUNDED.forced(by(B, 8, 1_700_000_001_000_000L)).yieldsTo(forced))
        .contains("2023-11-14T22:13:20Z, earlier than this history was;");
    assertThat(YOUNGER.yieldsTo(FOUNDED)).startsWith("the group was founded twice");
  }

  @Test
  void moreForcingsThanAHistoryMayHaveAreMalformed() throws Malformed {
    Lineage most = FOUNDED;
    for (int i = 0; i < Lineage.FORCINGS_MAX; i++) {
      most = most.forced(by(A, 2 + i, i));
    }
    assertThat(Lineage.read(written(most))).isEqualTo(most);
    WireReader more = written(most.forced(by(A, 100, 100)));
    assertThatThrownBy(() -> Lineage.read(more)).isInstanceOf(Malformed.class);
  }

  private static WireReader written(Lineage lineage) {
    var out = new WireWriter();
    lineage.write(out);
    ByteBuffer bytes = out.copy();
    return new WireReader(bytes);
  }
}
