package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.GroupMetrics;
import org.tutti.GroupMetrics.Traffic;
import org.tutti.Guarantee;
import org.tutti.Members;
import org.tutti.wire.Versions;

/// What the engine knows of another member is what that one has said.
class PeersTest {
  private static final GroupConfig AGREED = GroupConfig.builder().guarantee(Guarantee.AGREED).build();

  /// Keeps what it is told of the others, and where it was meanwhile.
  private static final class Observer extends Duet.User {
    private record Seen(long position, GroupMetrics.Peer peer) {}

    private final List<Seen> all = new ArrayList<>();
    private long position;

    @Override
    public void position(long next) {
      position = next;
    }

    @Override
    public void peers(List<GroupMetrics.Peer> seen) {
      seen.forEach(peer -> all.add(new Seen(position, peer)));
    }
  }

  private final Observer ofA = new Observer();
  private final Duet duet = new Duet(AGREED, ofA, new Duet.User(), new Versions(5, 6), new Versions(5, 7));

  @Test
  void whatItHasAcknowledgedIsKnownByItsPosition() {
    duet.multicast(duet.a);
    duet.multicast(duet.b);
    duet.run();
    assertThat(ofA.all.getLast())
        .satisfies(
            seen -> assertThat(seen.position).isEqualTo(2),
            seen -> assertThat(seen.peer.member()).isEqualTo(Members.B),
            seen -> assertThat(seen.peer.acknowledged()).hasValue(2),
            seen -> assertThat(requireLag(seen.peer).messages()).isZero());

    ofA.all.clear();
    duet.cut(Members.B);
    duet.multicast(duet.a);
    duet.multicast(duet.a);
    duet.multicast(duet.a);
    duet.run();
    assertThat(ofA.all.getFirst())
        .satisfies(
            seen -> assertThat(seen.position).as("delivered here").isEqualTo(5),
            seen -> assertThat(seen.peer.acknowledged()).hasValue(2),
            seen -> assertThat(requireLag(seen.peer).messages()).isEqualTo(3));
  }

  @Test
  void theVersionsAreThoseThatItHasSaid() {
    duet.run();
    assertThat(ofA.all.getLast().peer.speaks()).isEqualTo(new GroupMetrics.Versions(5, 7));
  }

  private static Traffic requireLag(GroupMetrics.Peer peer) {
    return Objects.requireNonNull(peer.lag());
  }
}
