package org.tutti.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.batch;
import static org.tutti.Members.primary;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.MemoryStorage;
import org.tutti.membership.Lineage;
import org.tutti.membership.PersistentState;
import org.tutti.membership.Terms;
import org.tutti.storage.Region;
import org.tutti.storage.StorageException;

/// What an operator who forces a member leaves on its disk.
class ForcedPrimaryTest {
  private static final GroupConfig GROUP = GroupConfig.builder().durability(Durability.EACH).build();
  private static final Lineage LINEAGE = new Lineage(new ViewId(1, 1), 1000, GROUP);
  private static final View LAST = primary(3, A, B, C);
  private static final ViewId PROMISED = new ViewId(8, 2);
  private static final MemberId NEXT = new MemberId(C.name(), C.address(), 5000);

  private final MemoryStorage storage = new MemoryStorage();
  private final Region region = storage.region("bank");

  private void keep(@Nullable Lineage lineage, Restart.@Nullable Kept history, Position base) {
    var views = new PersistentState(C, List.of(), new ViewId(2, 3), PROMISED, lineage, LAST, List.of(), null, null);
    RegionCodec.views(region, new RegionCodec.Views(views, history));
    RegionCodec.base(region, base, base.index());
    storage.commit(true);
  }

  /// Three places that follow the tenth position, the last of which nobody is known to hold.
  private void keepThree() {
    keep(LINEAGE, new Restart.Kept(LAST, 6, Ordering.SKEEN), new Position(6, 10));
    for (int i = 0; i < 3; i++) {
      RegionCodec.append(region, 6 + i, batch(i == 1 ? B : A, i / 2));
    }
    storage.commit(true);
  }

  private Restart restart() {
    Terms terms = Terms.voter(GROUP, MemberConfig.builder().position(12).build());
    return Objects.requireNonNull(Restart.read(region, NEXT, terms, false));
  }

  @Test
  void theNextLifeIsAQuorumOfAViewBehindAllThatIsHeld() {
    keepThree();
    ForcedPrimary stored = ForcedPrimary.of(storage, "bank");
    assertThat(stored.givenUp()).containsExactly(A, B);
    assertThat(stored.installed()).isEqualTo(LAST);
    long end = stored.position();
    assertThat(end).isGreaterThan(12);
    View alone = stored.force(4000, 2000);
    storage.crash();

    assertThat(alone.members()).extracting(MemberId::name).containsExactly(C.name());
    assertThat(alone.id().compareTo(PROMISED)).isPositive();
    Restart restart = restart();
    assertThat(restart.primary()).isEqualTo(alone);
    assertThat(restart.identity().isIn(alone)).isTrue();
    assertThat(restart.identity().isIn(LAST)).as("no life of the replaced history").isFalse();
    assertThat(restart.history()).isEqualTo(new Restart.Kept(alone, 9, Ordering.SKEEN));
    assertThat(restart.stable().index()).isEqualTo(9);
    assertThat(restart.stable().position()).isEqualTo(end);
    assertThat(restart.unstable()).isEmpty();
    assertThat(restart.goesOn()).hasValue(12);
    Lineage lineage = Objects.requireNonNull(restart.views().lineage());
    assertThat(lineage.forcings())
        .singleElement()
        .satisfies(forcing -> {
          assertThat(forcing.view()).isEqualTo(alone.id());
          assertThat(forcing.last()).isEqualTo(LAST.id());
          assertThat(forcing.position()).isEqualTo(end);
          assertThat(forcing.at()).isEqualTo(2000);
        });
    assertThat(Journal.group(storage, "bank")).isEqualTo(GROUP);
  }

  @Test
  void whoIsForcedAgainTellsOfBoth() {
    keepThree();
    ForcedPrimary.of(storage, "bank").force(4000, 2000);
    ForcedPrimary again = ForcedPrimary.of(storage, "bank");
    assertThat(again.givenUp()).isEmpty();
    View second = again.force(4001, 1999);
    assertThat(ForcedPrimary.of(storage, "bank").earlier())
        .extracting(earlier -> earlier.by().incarnation())
        .containsExactly(4000L, 4001L);
    assertThat(restart().primary()).isEqualTo(second);
  }

  @Test
  void observersAreNotGivenUpAndWhoDecidesAloneNeedNotBeForced() {
    keepThree();
    assertThat(ForcedPrimary.of(storage, "bank").goesOnAlone()).isFalse();
    var watched = new View(LAST.id(), List.of(C, A), 1, true, List.of(), LAST.version());
    var views = new PersistentState(C, List.of(), new ViewId(2, 3), PROMISED, LINEAGE, watched, List.of(), null, null);
    RegionCodec.views(region, new RegionCodec.Views(views, new Restart.Kept(watched, 6, Ordering.SKEEN)));
    storage.commit(true);
    ForcedPrimary stored = ForcedPrimary.of(storage, "bank");
    assertThat(stored.givenUp()).isEmpty();
    assertThat(stored.goesOnAlone()).isTrue();
  }

  private void isRefused(String words) {
    assertThatThrownBy(() -> ForcedPrimary.of(storage, "bank"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(words);
  }

  @Test
  void nothingToGoOnFromIsRefused() {
    isRefused("it knows no history of group bank");
    keep(null, null, new Position(0, 0));
    isRefused("it knows no history of group bank");
    keep(new Lineage(new ViewId(0, 1), 1, GROUP), new Restart.Kept(LAST, 0, Ordering.SKEEN), new Position(0, 0));
    isRefused("was not founded yet");
    keep(LINEAGE, null, new Position(0, 0));
    isRefused("does not have the state");
    keep(LINEAGE, new Restart.Kept(LAST, 6, Ordering.SKEEN), Position.unknown(6));
    isRefused("does not have the state");
    keep(LINEAGE, new Restart.Kept(LAST, 7, Ordering.SKEEN), new Position(6, 10));
    isRefused("the log ends before");
  }
}
