package org.tutti.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.tutti.Members;
import org.tutti.effect.Count;
import org.tutti.fixture.RawPackets;
import org.tutti.transport.Refused;
import org.tutti.transport.Refused.Reason;
import org.tutti.wire.Versions;

/// Two nodes whose builds understand different versions of the protocol, of which all write the same bytes here.
class VersionsTest {
  private static final LossyPair.Medium CALM = new LossyPair.Medium(0, 0, 0, 1000, false);
  private static final LossyPair.Medium ROUGH = new LossyPair.Medium(0.2, 0.1, 0.1, 100_000, true);
  private static final long SECOND = 1_000_000_000;

  private static LossyPair pair(LossyPair.Medium medium, Versions ofA, Versions ofB) {
    return new LossyPair(medium, 1, ofA, ofB);
  }

  private static Versions versions(int oldest, int newest) {
    return new Versions(oldest, newest);
  }

  /// Both call each other, and then send messages over their links.
  private static void talk(LossyPair pair) {
    for (int i = 0; i < 50; i++) {
      pair.a.call();
      pair.b.call();
      pair.a.send(i * 40);
      pair.b.send(i * 40);
      pair.quiet(10_000);
    }
  }

  private static List<Long> numbers(LossyPair.End end) {
    return end.received.stream().filter(number -> number >= 0).toList();
  }

  private static void allArrives(LossyPair pair) {
    List<Long> all = LongStream.range(0, 50).boxed().toList();
    assertThat(numbers(pair.a)).isEqualTo(all);
    assertThat(numbers(pair.b)).isEqualTo(all);
    assertThat(pair.a.refused).isEmpty();
    assertThat(pair.b.refused).isEmpty();
  }

  @Test
  void theHighestVersionThatBothHaveIsUsed() {
    Versions[][] ranges = {
      {versions(5, 5), versions(5, 7)}, {versions(5, 7), versions(5, 6)}, {versions(5, 6), versions(6, 8)}
    };
    for (Versions[] range : ranges) {
      for (LossyPair.Medium medium : List.of(CALM, ROUGH)) {
        LossyPair pair = pair(medium, range[0], range[1]);
        talk(pair);
        allArrives(pair);
        int common = range[0].common(range[1]);
        assertThat(pair.a.spoken).as("%s", List.of(range)).contains(common).allMatch(one -> one <= common);
        pair.a.spoken.clear();
        pair.b.spoken.clear();
        pair.a.call();
        pair.a.send(10);
        pair.b.send(10);
        pair.quiet(10_000);
        assertThat(pair.b.spoken).containsExactly(common);
        assertThat(pair.a.spoken).contains(common);
      }
    }
  }

  /// A calls in version 5, which B does not have; B says what it has, and A calls in version 7.
  @Test
  void aCallInAVersionThatIsNotUnderstoodIsRepeatedInOneThatIs() {
    LossyPair pair = pair(CALM, versions(5, 7), versions(6, 8));
    pair.a.call();
    pair.quiet(100);
    assertThat(pair.b.received).isEmpty();
    assertThat(pair.b.counters.get(Count.PACKET_OF_OTHER_VERSION)).isOne();
    pair.a.call();
    pair.quiet(100);
    assertThat(pair.b.received).hasSize(1);
    assertThat(pair.a.spoken).containsExactly(5, 7);
    assertThat(pair.a.counters.get(Count.REFUSED_FOR_VERSION)).isZero();
  }

  @Test
  void nodesWithoutACommonVersionAreToldAndHearNothing() {
    LossyPair pair = pair(CALM, versions(5, 6), versions(7, 9));
    talk(pair);
    assertThat(pair.a.received).isEmpty();
    assertThat(pair.b.received).isEmpty();
    assertThat(pair.a.heardFirst).isEmpty();
    var words = "it speaks versions 7 to 9 of the protocol, this node versions 5 to 6";
    assertThat(pair.a.refused).contains(new Refused(Members.B.address(), Reason.OTHER_VERSION, words));
    words = "it speaks versions 5 to 6 of the protocol, this node versions 7 to 9";
    assertThat(pair.b.refused).contains(new Refused(Members.A.address(), Reason.OTHER_VERSION, words));
    for (LossyPair.End end : List.of(pair.a, pair.b)) {
      assertThat(end.counters.get(Count.PACKET_OF_OTHER_VERSION)).isPositive();
      assertThat(end.counters.get(Count.REFUSED_FOR_VERSION)).isPositive();
    }
  }

  @Test
  void aNodeIsAnsweredOnceASecond() {
    LossyPair pair = pair(CALM, versions(5, 5), versions(7, 7));
    for (int i = 0; i < 10; i++) {
      pair.a.call();
      pair.quiet(100);
    }
    assertThat(pair.b.counters.get(Count.PACKET_OF_OTHER_VERSION)).isEqualTo(10);
    assertThat(pair.a.counters.get(Count.REFUSED_FOR_VERSION)).isOne();
    assertThat(pair.b.refused).hasSize(1);
    pair.pass(SECOND);
    pair.a.call();
    pair.quiet(100);
    assertThat(pair.a.counters.get(Count.REFUSED_FOR_VERSION)).isEqualTo(2);
  }

  @Test
  void thoseOfManyAddressesAreAnsweredTenTimesASecond() {
    LossyPair pair = pair(CALM, versions(5, 5), versions(7, 7));
    for (int i = 0; i < 1000; i++) {
      byte[] call = RawPackets.datagram(Members.member("n" + i, 100 + i), 0, new byte[Long.BYTES]);
      ByteBuffer.wrap(call).putLong(RawPackets.CLUSTER_AT, LossyPair.CLUSTER);
      pair.b.links.arrived(0, ByteBuffer.wrap(call));
    }
    assertThat(pair.b.refused).hasSize(10);
    assertThat(pair.b.counters.get(Count.PACKET_OF_OTHER_VERSION)).isEqualTo(1000);
  }

  /// What builds before version 5 wrote: an identity without a range, and then the message.
  @Test
  void anIdentityOfAnOldBuildHasTheVersionOfItsPacket() {
    LossyPair pair = pair(CALM, versions(5, 5), versions(5, 5));
    byte[] call = RawPackets.datagram(Members.A, 0, new byte[Long.BYTES]);
    call[0] = 4;
    ByteBuffer.wrap(call).putLong(RawPackets.CLUSTER_AT, LossyPair.CLUSTER);
    pair.b.links.arrived(0, ByteBuffer.wrap(call));
    assertThat(pair.b.refused.getFirst().words()).isEqualTo("it speaks version 4 of the protocol, this node version 5");
  }

  /// Only the range of who speaks is used, and only one that has the version in which it speaks.
  @Test
  void aRangeWithoutThePacketsOwnVersionIsMalformed() {
    for (int[] range : new int[][] {{5, 6}, {8, 9}, {7, 6}, {0, 7}}) {
      LossyPair pair = pair(CALM, versions(5, 5), versions(5, 5));
      byte[] call = RawPackets.datagram(Members.A, 0, new byte[Long.BYTES]);
      int at = call.length - Long.BYTES - 2;
      call[0] = 7;
      call[at] = (byte) range[0];
      call[at + 1] = (byte) range[1];
      ByteBuffer.wrap(call).putLong(RawPackets.CLUSTER_AT, LossyPair.CLUSTER);
      pair.b.links.arrived(0, ByteBuffer.wrap(call));
      assertThat(pair.b.refused).isEmpty();
      assertThat(pair.b.counters.metrics().toString()).contains("versions");
    }
  }

  @Test
  void aRangeIsARange() {
    assertThatIllegalArgumentException().isThrownBy(() -> versions(0, 5));
    assertThatIllegalArgumentException().isThrownBy(() -> versions(6, 5));
    assertThatIllegalArgumentException().isThrownBy(() -> versions(5, 256));
    assertThat(versions(5, 6).common(versions(7, 9))).isZero();
    assertThat(versions(5, 255).common(versions(7, 9))).isEqualTo(9);
    var said = new ArrayList<String>();
    said.add(versions(5, 5).toString());
    said.add(versions(5, 6).toString());
    assertThat(said).containsExactly("version 5", "versions 5 to 6");
  }
}
