package org.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConfigTest {
  @Test
  void theTextShowsWhatDiffersFromTheDefaultsFirst() {
    GroupConfig group = GroupConfig.builder().ordering(Ordering.SKEEN).electorate("n2", "n1").build();
    assertThat(group)
        .hasToString(
            "GroupConfig{ordering=SKEEN, electorate=[n1, n2], primaryViews=STATIC_MAJORITY; guarantee=UNIFORM,"
                + " domain=none, partitions=SUSPEND, stateTransfer=false, durability=NONE}");
    MemberConfig member = MemberConfig.builder().windowBytes(100_000).batchBytesMax(1 << 20).position(7).build();
    assertThat(member.toString())
        .startsWith("MemberConfig{windowBytes=100000 bytes, batchBytesMax=1 MiB, position=7; listener=none, ")
        .endsWith(", leaveWhenBehind=none, spillBytesMax=0 bytes, takesState=true, groupVersionMax=255}");
    assertThat(MemberConfig.builder().spillBytesMax(3L << 30).build().toString())
        .startsWith("MemberConfig{spillBytesMax=3 GiB; ");
  }

  @Test
  void configurationsAreEqualWhenTheirSettingsAre() {
    GroupConfig one = GroupConfig.builder().electorate("n1").build();
    GroupConfig other =
        GroupConfig.builder().electorate(Set.of("n1")).primaryViews(PrimaryViews.STATIC_MAJORITY).build();
    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other).isNotEqualTo(GroupConfig.standard());
    assertThat(one.toBuilder().build()).isEqualTo(one);
    assertThat(GroupConfig.builder().domain("none").build()).isNotEqualTo(GroupConfig.standard());
    MemberConfig member = MemberConfig.builder().position(1).build();
    assertThat(member.toBuilder().build()).isEqualTo(member).isNotEqualTo(MemberConfig.standard());
  }

  @Test
  void aBuilderMayBeUsedFurtherAndChangesNothingThatItHasBuilt() {
    MemberConfig.Builder builder = MemberConfig.builder().windowBytes(1 << 20);
    MemberConfig before = builder.build();
    assertThat(builder.windowBytes(2 << 20).build().windowBytes()).isEqualTo(2 << 20);
    assertThat(before.windowBytes()).isEqualTo(1 << 20);
  }

  @Test
  void whatIsOutOfRangeIsRefusedWithTheRange() {
    refuses(MemberConfig.builder().windowBytes(1), "windowBytes is 65536 to 1073741824, not 1");
    refuses(MemberConfig.builder().batchBytesMax(1 << 21), "batchBytesMax is 1024 to 1048576, not 2097152");
    refuses(MemberConfig.builder().batchMessagesMax(0), "batchMessagesMax is 1 to 65536, not 0");
    refuses(MemberConfig.builder().catchUpBytesMax(0), "catchUpBytesMax is 65536 to 1073741824, not 0");
    refuses(MemberConfig.builder().refutedMax(1001), "refutedMax is 1 to 1000, not 1001");
    refuses(MemberConfig.builder().groupVersionMax(0), "groupVersionMax is 1 to 255, not 0");
    refuses(
        MemberConfig.builder().leaveWhenBehind(Duration.ofMillis(9)),
        "leaveWhenBehind is 10 ms to a day, or zero for any time, not 9 ms");
    refuses(
        MemberConfig.builder().spillBytesMax(1),
        "spillBytesMax is 1048576 to 1099511627776, or 0 to write none, not 1");
    refuses(
        MemberConfig.builder().spillBytesMax(1 << 20).listener((_, _, _, _) -> {}),
        "spillBytesMax is for Group.receive: for a listener nothing waits");
    refuses(MemberConfig.builder().position(-1), "position is 0 or more, not -1");
  }

  private static void refuses(MemberConfig.Builder builder, String message) {
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessage(message);
  }

  /// In whatever order they were given: only the whole is checked.
  @Test
  void settingsThatDoNotGoTogetherAreRefused() {
    GroupConfig.Builder durable = GroupConfig.builder().durability(Durability.EACH);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> durable.domain("banks").build())
        .withMessage("durability EACH does not go with domain \"banks\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> durable.domain(null).partitions(Partitions.CONTINUE).build())
        .withMessage("durability EACH does not go with partitions CONTINUE");
    assertThat(GroupConfig.builder().primaryViews(PrimaryViews.BOTH).electorate("n1", "n2").build().electorate())
        .containsExactly("n1", "n2");
  }
}
