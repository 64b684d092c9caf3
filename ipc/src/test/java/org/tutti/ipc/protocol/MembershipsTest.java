package org.tutti.ipc.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.protocol.MembershipMessage.First;
import org.tutti.ipc.protocol.MembershipMessage.Known;
import org.tutti.ipc.protocol.MembershipMessage.Last;
import org.tutti.ipc.protocol.MembershipMessage.Whole;
import org.tutti.ipc.protocol.RecordingPort.Told;
import org.tutti.transport.Address;

/// What one host says of its members, and knows of those elsewhere.
class MembershipsTest {
  private static final GroupId GROUP = GroupId.wellKnown(3);
  private static final GroupId OTHER = GroupId.wellKnown(4);
  private static final long IN_TIME = 100;

  private final MemberId peer = new MemberId("peer", new Address("peer"), 2);
  private final MemberId third = new MemberId("third", new Address("third"), 3);
  private final RecordingPort port = new RecordingPort(peer);
  private final List<Told> sent = port.told;
  private final Later later = new Later();
  private int told;
  private final Memberships memberships = new Memberships(IN_TIME, port, later);

  private MembershipMessage last() {
    return sent.getLast().message();
  }

  private void join(GroupId group) {
    memberships.joined(group);
    memberships.whenKnown(group, () -> told++);
    memberships.check();
  }

  @Test
  void aJoinIsToldWhenAllWhoAreHeardKnow() {
    port.hosts.add(third);
    join(GROUP);
    assertThat(sent).containsExactly(new Told(Set.of(peer, third), new First(1, GROUP)));
    memberships.arrived(peer, new Known(1));
    assertThat(told).isZero();
    memberships.arrived(third, new Known(1));
    assertThat(told).isEqualTo(1);
    join(GROUP);
    assertThat(told).as("they know already").isEqualTo(2);
    assertThat(sent).hasSize(1);
  }

  @Test
  void theSecondMemberWaitsForWhatTheFirstOneSaid() {
    join(GROUP);
    join(OTHER);
    join(GROUP);
    memberships.arrived(peer, new Known(1));
    assertThat(told).isEqualTo(2);
    memberships.arrived(peer, new Known(2));
    assertThat(told).isEqualTo(3);
  }

  @Test
  void nobodyWaitsForAHostThatIsLostOrSilent() {
    port.hosts.add(third);
    join(GROUP);
    memberships.lost(third);
    port.hosts.remove(third);
    assertThat(told).isZero();
    assertThat(memberships.deadline()).isEqualTo(IN_TIME);
    port.now = IN_TIME;
    memberships.tick();
    later.run();
    assertThat(told).isEqualTo(1);
    assertThat(memberships.deadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void whoHasSaidNothingMayHaveAllGroups() {
    assertThat(memberships.mayHave(peer, GROUP)).isTrue();
    memberships.arrived(peer, new First(1, GROUP));
    assertThat(memberships.mayHave(peer, OTHER)).as("that was not all").isTrue();
    memberships.arrived(peer, new Whole(1, false, true, List.of(GROUP)));
    assertThat(memberships.mayHave(peer, GROUP)).isTrue();
    assertThat(memberships.mayHave(peer, OTHER)).isFalse();
    memberships.arrived(peer, new First(2, OTHER));
    memberships.arrived(peer, new Last(3, GROUP));
    assertThat(memberships.mayHave(peer, OTHER)).isTrue();
    assertThat(memberships.mayHave(peer, GROUP)).isFalse();
    memberships.arrived(peer, new Whole(4, false, false, List.of()));
    assertThat(memberships.mayHave(peer, GROUP)).as("it has too many to list").isTrue();
    memberships.arrived(peer, new Whole(5, false, true, List.of()));
    memberships.lost(peer);
    assertThat(memberships.mayHave(peer, GROUP)).as("what it said is not known to hold").isTrue();
  }

  @Test
  void whoIsHeardAnewIsToldAllAndAsked() {
    join(GROUP);
    port.hosts.add(third);
    memberships.heard(third);
    assertThat(sent.getLast()).isEqualTo(new Told(Set.of(third), new Whole(1, true, true, List.of(GROUP))));
    memberships.arrived(third, new Whole(7, true, true, List.of()));
    assertThat(sent.subList(2, 4))
        .containsExactly(
            new Told(Set.of(third), new Whole(1, false, true, List.of(GROUP))), new Told(Set.of(third), new Known(7)));
  }

  @Test
  void theLastMemberThatLeavesIsTold() {
    join(GROUP);
    join(GROUP);
    memberships.left(GROUP);
    assertThat(sent).hasSize(1);
    memberships.left(GROUP);
    assertThat(last()).isEqualTo(new Last(2, GROUP));
    assertThat(memberships.has(GROUP)).isFalse();
    join(GROUP);
    assertThat(last()).isEqualTo(new First(3, GROUP));
    assertThat(told).isZero();
    memberships.arrived(peer, new Known(1));
    assertThat(told).as("those who left do not wait for later ones").isEqualTo(2);
  }

  @Test
  void moreGroupsThanCanBeListedAreNotListedUntilHalfOfThemAreGone() {
    List<GroupId> all = IntStream.rangeClosed(0, Memberships.LISTED_MAX).mapToObj(GroupId::wellKnown).toList();
    all.forEach(memberships::joined);
    int version = Memberships.LISTED_MAX + 1;
    assertThat(last()).isEqualTo(new Whole(version, false, false, List.of()));
    int said = sent.size();
    join(GroupId.named("one more"));
    assertThat(sent).hasSize(said);
    memberships.arrived(peer, new Known(version));
    assertThat(told).isEqualTo(1);
    memberships.left(GroupId.named("one more"));
    all.subList(Memberships.LISTED_MAX / 2 + 1, all.size()).forEach(memberships::left);
    assertThat(sent).hasSize(said);
    memberships.left(all.getFirst());
    assertThat(last()).isEqualTo(new Whole(version + 1, false, true, all.subList(1, Memberships.LISTED_MAX / 2 + 1)));
    memberships.check();
  }

  @Test
  void aHostThatSaysMoreThanItMayGetsAllMessages() {
    memberships.arrived(peer, new Whole(1, false, true, List.of()));
    for (int i = 0; i <= Memberships.LISTED_MAX; i++) {
      memberships.arrived(peer, new First(i, GroupId.wellKnown(i)));
    }
    memberships.check();
    assertThat(memberships.mayHave(peer, GroupId.named("any"))).isTrue();
  }

  @Test
  void whatAHostClaimsToKnowIsNoMoreThanWhatWasSaid() {
    memberships.arrived(peer, new Known(Long.MAX_VALUE));
    join(GROUP);
    assertThat(told).isZero();
  }
}
