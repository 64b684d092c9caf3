package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Members;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.fixture.MemoryStorage;
import org.tutti.membership.Terms;
import org.tutti.pack.Payloads;
import org.tutti.spi.NodeSettings;
import org.tutti.storage.StableStorage;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;
import org.tutti.user.Request;
import org.tutti.wire.Versions;

/// Nodes of different builds in one group, and what a node does with what another build has kept.
class NodeVersionsTest {
  private static final GroupConfig GROUP = GroupConfig.builder().stateTransfer(false).build();

  private static final class Witness extends Duet.User {
    private final List<Integer> versions = new ArrayList<>();
    private final List<End> ends = new ArrayList<>();

    @Override
    public void install(View view) {
      versions.add(view.version());
    }

    @Override
    public void closed(End end) {
      ends.add(end);
    }
  }

  private static final class Nobody implements FrameSender {
    @Override
    public @Nullable ByteBuffer claim(Address to, int length) {
      return null;
    }

    @Override
    public void commit() {}

    @Override
    public Traits traits() {
      return new Traits(1400, Duration.ofMillis(20), false);
    }
  }

  private final Witness witness = new Witness();
  private final Witness second = new Witness();

  @Test
  void theGroupIsAtTheVersionThatBothHave() {
    new Duet(GROUP, witness, second, new Versions(5, 7), new Versions(4, 6));
    assertThat(witness.versions).as("alone, it founds the group in its highest version").startsWith(7);
    assertThat(second.ends)
        .containsExactly(new End(End.Cause.OTHER_VERSION, "the group speaks version 7, this node versions 4 to 6"));
  }

  @Test
  void whoFoundsItWithALimitLeavesRoomForWhoComesInAnOlderBuild() {
    MemberConfig limited = MemberConfig.builder().groupVersionMax(6).build();
    var engine = node(1, new Versions(5, 7), new MemoryStorage());
    engine.step(0, new Input.Requested(new Request.Create("g", Terms.voter(GROUP, limited), witness, 1)));
    engine.step(
        0, new Input.Requested(new Request.Create("h", Terms.voter(GROUP, MemberConfig.standard()), second, 1)));
    engine.flush(0);
    assertThat(witness.versions).containsExactly(6);
    assertThat(second.versions).as("another group of the node").containsExactly(7);
  }

  @Test
  void aLimitOfAMemberBelowAllVersionsOfItsNodeIsTheLowest() {
    MemberConfig limited = MemberConfig.builder().groupVersionMax(1).build();
    var engine = node(1, new Versions(5, 7), new MemoryStorage());
    engine.step(0, new Input.Requested(new Request.Create("g", Terms.voter(GROUP, limited), witness, 1)));
    engine.flush(0);
    assertThat(witness.versions).containsExactly(5);
  }

  @Test
  void whoComesHoldsItsGroupThereAndWhenItGoesTheGroupRises() {
    var duet = new Duet(GROUP, witness, second, new Versions(5, 6), new Versions(5, 7));
    assertThat(second.versions).containsExactly(6);
    duet.request(duet.a, new Request.Leave(Duet.GROUP, new End(End.Cause.LEFT, "left")));
    duet.run();
    assertThat(second.versions).containsExactly(6, 7);
  }

  /// A group that is durable, at version 6, and whose only member is started again.
  private Witness restartedWith(Versions versions) {
    GroupConfig durable = GROUP.toBuilder().durability(Durability.VIEWS).build();
    StableStorage storage = new MemoryStorage();
    var first = node(1, new Versions(5, 6), storage);
    first.step(
        0, new Input.Requested(new Request.Create("g", Terms.voter(durable, MemberConfig.standard()), witness, 1)));
    first.flush(0);
    assertThat(witness.versions).containsExactly(6);
    var again = node(2, versions, storage);
    again.step(0, new Input.Requested(new Request.Join("g", null, MemberConfig.standard(), false, second)));
    again.flush(0);
    return second;
  }

  private static NodeEngine node(long incarnation, Versions versions, StableStorage storage) {
    return node(Node.named("a").settings(), incarnation, versions, storage);
  }

  private static NodeEngine node(NodeSettings config, long incarnation, Versions versions, StableStorage storage) {
    var random = new SplittableRandom(incarnation);
    return new NodeEngine(
        Members.member("a", incarnation), config, versions, new Nobody(), storage, Payloads.used(), random);
  }

  @Test
  void anOldBuildSaysItselfThatItLacksTheVersionOfWhatItsNewerOneHasKept() {
    assertThat(restartedWith(new Versions(5, 5)).ends)
        .singleElement()
        .satisfies(end -> {
          assertThat(end.cause()).isEqualTo(End.Cause.OTHER_VERSION);
          assertThat(end.words())
              .startsWith("stable storage of node ")
              .endsWith("the group speaks version 6, this node version 5");
        });
  }

  @Test
  void aNewerBuildGoesOnWithIt() {
    assertThat(restartedWith(new Versions(6, 7)).ends).isEmpty();
    assertThat(second.versions).allMatch(version -> version == 6 || version == 7);
  }

  @Test
  void aLimitBelowAllVersionsOfTheNodeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> node(Node.named("a").groupVersionMax(4).settings(), 1, Versions.OWN, new MemoryStorage()))
        .withMessage("groupVersionMax is 4, but this node speaks version 5 of the protocol");
    assertThatIllegalArgumentException().isThrownBy(() -> Node.named("a").groupVersionMax(0).settings());
    assertThatIllegalArgumentException().isThrownBy(() -> Node.named("a").groupVersionMax(256).settings());
  }
}
