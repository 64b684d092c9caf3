package org.tutti.replica.consolidation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.transport.Address;

class ConsolidatorTest {
  private static final long START = Long.MAX_VALUE - 5; // the origin of the clock is anywhere, also here
  private static final long DEADLINE = START + Duration.ofSeconds(2).toNanos();
  private static final MemberId N1 = member("n1");
  private static final MemberId N2 = member("n2");
  private static final MemberId N3 = member("n3");
  private static final MemberId N4 = member("n4");
  private static final List<MemberId> THREE = List.of(N1, N2, N3);

  private static MemberId member(String name) {
    return new MemberId(name, new Address(name + ":1"), 1);
  }

  private static Consolidator<String> calling(Consolidation rule) {
    var call = new Consolidator<String>(rule.within(Duration.ofSeconds(2)), START);
    call.asked(THREE);
    return call;
  }

  private static Reply<String> reply(MemberId member, String value) {
    return new Reply<>(member, value);
  }

  @Test
  void theFirstReplyEndsACallForTheFirst() {
    Consolidator<String> call = calling(Consolidation.first());
    assertThat(call.outcome()).isNull();
    assertThat(call.reply(N2, "a")).isTrue();
    assertThat(call.outcome()).isEqualTo(new Consolidated.Success<>("a", List.of(reply(N2, "a"))));
  }

  @Test
  void theLastReplyIsChosenOfAll() {
    Consolidator<String> call = calling(Consolidation.last());
    call.reply(N2, "a");
    call.reply(N3, "b");
    assertThat(call.outcome()).isNull();
    call.reply(N1, "c");
    assertThat(call.outcome())
        .isEqualTo(new Consolidated.Success<>("c", List.of(reply(N2, "a"), reply(N3, "b"), reply(N1, "c"))));
  }

  @Test
  void whatMostSayIsChosenOfAll() {
    Consolidator<String> call = calling(Consolidation.all());
    call.reply(N1, "a");
    call.reply(N2, "b");
    call.reply(N3, "b");
    assertThat(call.outcome())
        .isEqualTo(new Consolidated.Success<>("b", List.of(reply(N1, "a"), reply(N2, "b"), reply(N3, "b"))));
  }

  @Test
  void aMajorityThatDiffersWaitsForOneMore() {
    Consolidator<String> call = calling(Consolidation.majority());
    call.reply(N1, "a");
    call.reply(N2, "b");
    assertThat(call.outcome()).isNull();
    call.reply(N3, "a");
    assertThat(chosen(call.outcome())).isEqualTo("a");
  }

  @Test
  void threeDifferentRepliesHaveNoMajority() {
    Consolidator<String> call = calling(Consolidation.majority());
    call.reply(N1, "a");
    call.reply(N2, "b");
    call.reply(N3, "c");
    assertThat(call.outcome())
        .isEqualTo(new Consolidated.Inconsistent<>(List.of(reply(N1, "a"), reply(N2, "b"), reply(N3, "c"))));
  }

  @Test
  void twoThatDifferEndACallForEqualReplies() {
    Consolidator<String> call = calling(Consolidation.all().consistent(Consistency.ALL_EQUAL));
    call.reply(N1, "a");
    call.reply(N2, "b");
    assertThat(call.outcome()).isEqualTo(new Consolidated.Inconsistent<>(List.of(reply(N1, "a"), reply(N2, "b"))));
  }

  @Test
  void twoThatAreEqualEndACallForDifferentReplies() {
    Consolidator<String> call = calling(Consolidation.all().consistent(Consistency.ALL_DIFFERENT));
    call.reply(N1, "a");
    call.reply(N2, "a");
    assertThat(call.outcome()).isInstanceOf(Consolidated.Inconsistent.class);
  }

  @Test
  void differentRepliesOfAllAreASuccess() {
    Consolidator<String> call = calling(Consolidation.all().consistent(Consistency.ALL_DIFFERENT));
    call.reply(N1, "a");
    call.reply(N2, "b");
    call.reply(N3, "c");
    assertThat(chosen(call.outcome())).isEqualTo("a");
  }

  @Test
  void equalRepliesThatCannotComeAreAnInsufficientQuorum() {
    Consolidator<String> call = calling(Consolidation.equal(2));
    call.reply(N1, "a");
    call.reply(N2, "b");
    call.live(List.of(N1, N2)); // n3 would have decided
    assertThat(call.outcome())
        .isEqualTo(new Consolidated.InsufficientQuorum<>(List.of(reply(N1, "a"), reply(N2, "b")), Set.of(N3)));
  }

  @Test
  void moreEqualRepliesThanMembersAreRefusedAtOnce() {
    assertThat(calling(Consolidation.equal(4)).outcome())
        .isEqualTo(new Consolidated.InsufficientQuorum<>(List.of(), Set.of()));
  }

  @Test
  void aMemberThatLeavesReducesTheMembership() {
    Consolidator<String> call = calling(Consolidation.all());
    call.reply(N1, "a");
    call.reply(N2, "a");
    call.live(List.of(N2, N1, N4));
    assertThat(call.outcome())
        .isEqualTo(new Consolidated.ReducedMembership<>("a", List.of(reply(N1, "a"), reply(N2, "a")), Set.of(N3)));
  }

  @Test
  void aReplyCountsWhenItsMemberLeavesLater() {
    Consolidator<String> call = calling(Consolidation.all());
    call.reply(N3, "a");
    call.live(List.of(N1, N2));
    call.reply(N1, "a");
    call.reply(N2, "a");
    assertThat(call.outcome()).isInstanceOf(Consolidated.Success.class);
  }

  @Test
  void aReplyOfWhoHasLeftIsDropped() {
    Consolidator<String> call = calling(Consolidation.all());
    call.live(List.of(N1, N2));
    call.live(THREE); // the partition is over
    assertThat(call.reply(N3, "a")).isFalse();
    call.reply(N1, "a");
    call.reply(N2, "a");
    assertThat(call.outcome()).isInstanceOf(Consolidated.ReducedMembership.class);
  }

  @Test
  void aNewLifeOfAMemberIsAnother() {
    Consolidator<String> call = calling(Consolidation.first());
    assertThat(call.reply(new MemberId("n1", N1.address(), 2), "a")).isFalse();
    assertThat(call.outcome()).isNull();
  }

  @Test
  void whenAllLeaveNobodyIsWaitedFor() {
    Consolidator<String> call = calling(Consolidation.first());
    call.live(List.of(N4));
    assertThat(call.outcome()).isEqualTo(new Consolidated.InsufficientQuorum<>(List.of(), Set.of(N1, N2, N3)));
  }

  @Test
  void theDeadlineForcesTheOutcomeWithWhatIsThere() {
    Consolidator<String> call = calling(Consolidation.all());
    call.reply(N2, "a");
    assertThat(call.deadlineNanos()).isEqualTo(DEADLINE);
    call.tick(DEADLINE - 1);
    assertThat(call.outcome()).isNull();
    call.tick(DEADLINE);
    assertThat(call.outcome()).isEqualTo(new Consolidated.Timeout<>("a", List.of(reply(N2, "a")), Set.of(N1, N3)));
  }

  @Test
  void atTheDeadlineNothingIsChosenOfRepliesThatDiffer() {
    Consolidator<String> call = calling(Consolidation.all());
    call.reply(N2, "a");
    call.reply(N1, "b");
    call.tick(DEADLINE);
    assertThat(call.outcome())
        .isEqualTo(new Consolidated.Timeout<>(null, List.of(reply(N2, "a"), reply(N1, "b")), Set.of(N3)));
  }

  @Test
  void atTheDeadlineAQuorumThatDiffersIsInconsistent() {
    Consolidator<String> call = calling(Consolidation.majority());
    call.reply(N2, "a");
    call.reply(N1, "b");
    call.tick(DEADLINE);
    assertThat(call.outcome()).isInstanceOf(Consolidated.Inconsistent.class);
  }

  @Test
  void aKeyMemberIsWaitedFor() {
    Consolidator<String> call = calling(Consolidation.first().keyMembers(List.of("n3")));
    call.reply(N1, "a");
    assertThat(call.outcome()).isNull();
    call.reply(N3, "b");
    assertThat(chosen(call.outcome())).isEqualTo("a");
  }

  @Test
  void aKeyMemberThatLeavesEndsTheCall() {
    Consolidator<String> call = calling(Consolidation.first().keyMembers(List.of("n3")));
    call.reply(N1, "a");
    call.live(List.of(N1, N2));
    assertThat(call.outcome()).isEqualTo(new Consolidated.KeyMemberMissing<>(List.of(reply(N1, "a")), Set.of("n3")));
  }

  @Test
  void aKeyMemberThatIsSilentAtTheDeadlineIsNamed() {
    Consolidator<String> call = calling(Consolidation.first().keyMembers(List.of("n2", "n3")));
    call.reply(N1, "a");
    call.reply(N2, "a");
    call.tick(DEADLINE);
    assertThat(call.outcome())
        .isEqualTo(new Consolidated.KeyMemberMissing<>(List.of(reply(N1, "a"), reply(N2, "a")), Set.of("n3")));
  }

  @Test
  void aKeyMemberThatIsNotAskedEndsTheCallAtOnce() {
    assertThat(calling(Consolidation.first().keyMembers(List.of("n4"))).outcome())
        .isEqualTo(new Consolidated.KeyMemberMissing<>(List.of(), Set.of("n4")));
  }

  @Test
  void repliesAreKeptUntilItIsKnownWhoWasAsked() {
    var call = new Consolidator<String>(Consolidation.majority(), START);
    call.reply(N4, "x");
    call.reply(N3, "a");
    call.reply(N1, "a");
    call.live(List.of(N4));
    assertThat(call.outcome()).isNull();
    call.asked(THREE);
    assertThat(call.outcome()).isEqualTo(new Consolidated.Success<>("a", List.of(reply(N3, "a"), reply(N1, "a"))));
  }

  @Test
  void aCallThatReachedNobodyEndsAtItsDeadline() {
    var call = new Consolidator<String>(Consolidation.first().within(Duration.ofSeconds(2)), START);
    call.tick(DEADLINE);
    assertThat(call.outcome()).isEqualTo(new Consolidated.Timeout<>(null, List.of(), Set.of()));
    call.asked(THREE); // too late, and no error
    assertThat(call.reply(N1, "a")).isFalse();
    assertThat(call.outcome()).isInstanceOf(Consolidated.Timeout.class);
  }

  @Test
  void aMemberAnswersOnce() {
    Consolidator<String> call = calling(Consolidation.all());
    assertThat(call.reply(N1, "a")).isTrue();
    assertThat(call.reply(N1, "b")).isFalse();
    call.tick(DEADLINE);
    assertThat(call.outcome()).isEqualTo(new Consolidated.Timeout<>("a", List.of(reply(N1, "a")), Set.of(N2, N3)));
  }

  @Test
  void callsAskSomebodyAndOnce() {
    Consolidator<String> call = calling(Consolidation.all());
    assertThatThrownBy(() -> call.asked(THREE)).isInstanceOf(IllegalStateException.class).hasMessageContaining("3");
    var other = new Consolidator<String>(Consolidation.all(), START);
    assertThatThrownBy(() -> other.asked(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void quorumsAreCountedInWholeMembers() {
    assertThat(new Quorum.Majority().of(4)).isEqualTo(3);
    assertThat(new Quorum.Majority().of(5)).isEqualTo(3);
    assertThat(new Quorum.Percentage(51).of(3)).isEqualTo(2);
    assertThat(new Quorum.Percentage(50).of(4)).isEqualTo(2);
    assertThat(new Quorum.Percentage(1).of(3)).isEqualTo(1);
    assertThat(new Quorum.Percentage(100).of(7)).isEqualTo(7);
  }

  @Test
  void rulesThatNothingFulfilsAreRefused() {
    assertThatThrownBy(() -> Consolidation.percentage(0)).hasMessageContaining("not 0");
    assertThatThrownBy(() -> Consolidation.percentage(101)).hasMessageContaining("not 101");
    assertThatThrownBy(() -> Consolidation.equal(0)).hasMessageContaining("not 0");
    assertThatThrownBy(() -> Consolidation.first().within(Duration.ZERO)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> Consolidation.first().keyMembers(List.of("a b"))).hasMessageContaining("blanks");
    assertThatThrownBy(() -> Consolidation.equal(2).consistent(Consistency.ALL_DIFFERENT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static @Nullable String chosen(@Nullable Consolidated<String> outcome) {
    return outcome instanceof Consolidated.Success<String>(String chosen, var _) ? chosen : null;
  }
}
