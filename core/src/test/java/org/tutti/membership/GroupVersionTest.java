package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.wire.Versions;

class GroupVersionTest {
  private final List<Map.Entry<MemberId, SpokenVersions>> members = new ArrayList<>();

  private GroupVersionTest with(MemberId member, int oldest, int newest, int admitted) {
    members.add(Map.entry(member, SpokenVersions.of(new Versions(oldest, newest), admitted)));
    return this;
  }

  private GroupVersionTest with(MemberId member, int oldest, int newest) {
    return with(member, oldest, newest, Versions.MAX);
  }

  private void goesTo(int version, int last, MemberId... refused) {
    var choice = new GroupVersion(last, members);
    assertThat(choice.refused()).containsExactly(refused);
    assertThat(choice.chosen()).isEqualTo(version);
  }

  @Test
  void itIsTheHighestThatAllHave() {
    with(A, 4, 7).with(B, 5, 6).with(C, 3, 9).goesTo(6, 5);
  }

  @Test
  void oneOldMemberHoldsAllBack() {
    with(A, 5, 7).with(B, 5, 7).with(C, 5, 5).goesTo(5, 5);
  }

  @Test
  void theFirstPrimaryViewHasNoneBeforeIt() {
    with(A, 5, 6).with(B, 5, 7).goesTo(6, 0);
  }

  @Test
  void itNeverFallsAndWhoLacksItIsRefused() {
    with(A, 5, 7).with(B, 5, 5).with(C, 6, 6).goesTo(6, 6, B);
  }

  @Test
  void itDoesNotRiseBeyondWhatAMemberAdmitsTo() {
    with(A, 5, 7, 5).with(B, 5, 7).goesTo(5, 5);
  }

  @Test
  void whereItHasRisenALimitHoldsNobodyOff() {
    with(A, 5, 7).with(B, 5, 7, 5).goesTo(6, 6);
  }

  @Test
  void whoNeedsAHigherOneIsTakenInWhenAllOthersHaveIt() {
    with(A, 5, 7).with(B, 5, 6).with(C, 6, 8).goesTo(6, 5);
  }

  @Test
  void aNewcomerPutsOutNobody() {
    with(A, 5, 5).with(B, 5, 6).with(C, 6, 7).goesTo(5, 5, C);
  }

  @Test
  void aNewcomerDoesNotMakeAMemberGoFurtherThanItAdmitsTo() {
    with(A, 5, 6, 5).with(B, 6, 7).goesTo(5, 5, B);
  }

  @Test
  void aStrangerIsJudgedByTheGroupsVersionAndTheCoordinator() {
    var own = SpokenVersions.of(new Versions(5, 7), 6);
    assertThat(GroupVersion.mayJoin(5, own, new Versions(5, 5))).isTrue();
    assertThat(GroupVersion.mayJoin(5, own, new Versions(6, 9))).as("the group may rise").isTrue();
    assertThat(GroupVersion.mayJoin(5, own, new Versions(7, 9))).as("not so far").isFalse();
    assertThat(GroupVersion.mayJoin(6, own, new Versions(5, 5))).as("it does not fall").isFalse();
    assertThat(GroupVersion.mayJoin(0, own, new Versions(1, 1))).as("it has none yet").isTrue();
  }

  @Test
  void aLimitBelowAllThatANodeSpeaksIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SpokenVersions.of(new Versions(5, 6), 4))
        .withMessage("groupVersionMax is 4, but this node speaks versions 5 to 6 of the protocol");
    assertThat(SpokenVersions.of(new Versions(5, 6), Versions.MAX).most()).isEqualTo(6);
  }
}
