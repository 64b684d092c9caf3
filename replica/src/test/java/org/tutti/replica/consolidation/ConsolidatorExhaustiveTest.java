package org.tutti.replica.consolidation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.MemberId;
import org.tutti.transport.Address;

/// All that can happen to a call to a few members, for all rules: each member answers something, leaves, or stays
/// silent, in every order, and the deadline may come after every step. The rules are stated here once more, over whole
/// histories instead of steps: a call succeeds when its rule is met, and fails before the deadline exactly when nothing
/// that can still happen would meet it.
class ConsolidatorExhaustiveTest {
  private static final Duration DEADLINE = Duration.ofSeconds(1);

  private int successes;
  private int failures;

  /// One member answers, or leaves when it has no value.
  private record Step(MemberId member, @Nullable Integer value) {}

  private static List<Consolidation> rules(int members) {
    var quora = new ArrayList<Quorum>();
    quora.add(new Quorum.First());
    quora.add(new Quorum.Last());
    quora.add(new Quorum.All());
    quora.add(new Quorum.Majority());
    List.of(25, 51, 67).forEach(percent -> quora.add(new Quorum.Percentage(percent)));
    IntStream.rangeClosed(1, members + 1).forEach(n -> quora.add(new Quorum.Equal(n)));
    var rules = new ArrayList<Consolidation>();
    for (Quorum quorum : quora) {
      for (Consistency consistency : Consistency.values()) {
        if (!(quorum instanceof Quorum.Equal(int n) && n > 1 && consistency == Consistency.ALL_DIFFERENT)) {
          rules.add(new Consolidation(quorum, consistency, Set.of(), DEADLINE));
          rules.add(new Consolidation(quorum, consistency, Set.of("n1"), DEADLINE));
        }
      }
    }
    return rules;
  }

  private static List<MemberId> members(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(i -> new MemberId("n" + i, new Address("n" + i + ":1"), 1))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void everyHistoryEndsAsItsRuleSays(int count) {
    for (Consolidation rule : rules(count)) {
      explore(rule, members(count), List.of());
    }
    assertThat(successes).isPositive();
    assertThat(failures).isPositive();
  }

  /// @return whether the rule is met after these steps, or may be after more
  private boolean explore(Consolidation rule, List<MemberId> members, List<Step> steps) {
    boolean met = met(rule, members, steps);
    boolean possible = met;
    int values = counts(steps).size() + 1; // those that somebody said, and one that nobody did
    for (MemberId member : members) {
      if (steps.stream().noneMatch(step -> step.member().equals(member))) {
        for (int value = 0; value <= values; value++) {
          var longer = new ArrayList<>(steps);
          longer.add(new Step(member, value == 0 ? null : value));
          possible |= explore(rule, members, longer);
        }
      }
    }
    // What comes behind an outcome does not count.
    if (steps.isEmpty() || outcome(rule, members, steps.subList(0, steps.size() - 1), false) == null) {
      judge(rule, members, steps, met, possible);
    }
    return possible;
  }

  private void judge(Consolidation rule, List<MemberId> members, List<Step> steps, boolean met, boolean possible) {
    Supplier<String> history = () -> rule + " of " + members + ": " + steps;
    Consolidated<Integer> known = outcome(rule, members, steps, false);
    Consolidated<Integer> forced = outcome(rule, members, steps, true);
    if (met) {
      successes++;
      assertThat(known).as(history).isInstanceOfAny(Consolidated.Success.class, Consolidated.ReducedMembership.class);
    } else if (possible) {
      assertThat(known).as(history).isNull();
      assertThat(forced)
          .as(history)
          .isInstanceOfAny(
              Consolidated.Timeout.class, Consolidated.Inconsistent.class, Consolidated.KeyMemberMissing.class);
    } else {
      failures++;
      assertThat(known)
          .as(history)
          .isInstanceOfAny(
              Consolidated.InsufficientQuorum.class,
              Consolidated.Inconsistent.class,
              Consolidated.KeyMemberMissing.class);
    }
    if (known != null) {
      assertThat(forced).as(history).isEqualTo(known);
    }
    assertThat(forced).as(history).isNotNull();
    assertThat(forced.replies()).as(history).isEqualTo(replies(steps));
    truthful(history, rule, members, steps, forced);
  }

  /// What an outcome says of the replies and of the members is so.
  private static void truthful(
      Supplier<String> history,
      Consolidation rule,
      List<MemberId> members,
      List<Step> steps,
      Consolidated<Integer> outcome) {
    var departed = new TreeSet<MemberId>();
    steps.stream().filter(step -> step.value() == null).forEach(step -> departed.add(step.member()));
    var silent = new TreeSet<>(members);
    steps.forEach(step -> silent.remove(step.member()));
    Map<Integer, Integer> counts = counts(steps);
    switch (outcome) {
      case Consolidated.Success<Integer>(Integer chosen, var replies) -> {
        assertThat(counts).as(history).containsKey(chosen);
        assertThat(rule.quorum() instanceof Quorum.Equal(int n) ? counts.get(chosen) : replies.size())
            .as(history)
            .isGreaterThanOrEqualTo(rule.quorum().of(members.size()));
        if (rule.consistency() == Consistency.MAJORITY_EQUAL && !(rule.quorum() instanceof Quorum.Last)) {
          assertThat(2 * counts.get(chosen)).as(history).isGreaterThan(replies.size());
        }
      }
      case Consolidated.ReducedMembership<Integer>(Integer chosen, var replies, var who) -> {
        assertThat(counts).as(history).containsKey(chosen);
        assertThat(replies.size()).as(history).isLessThan(rule.quorum().of(members.size()));
        assertThat(who).as(history).isNotEmpty().isEqualTo(departed);
      }
      case Consolidated.Timeout<Integer>(var chosen, var _, var who) -> {
        assertThat(chosen == null || counts.containsKey(chosen)).as(history).isTrue();
        assertThat(who).as(history).isNotEmpty().isEqualTo(silent);
      }
      case Consolidated.InsufficientQuorum<Integer>(var _, var who) -> assertThat(who).as(history).isEqualTo(departed);
      case Consolidated.Inconsistent<Integer>(var replies) -> assertThat(replies).as(history).hasSizeGreaterThan(1);
      case Consolidated.KeyMemberMissing<Integer>(var replies, var missing) -> {
        assertThat(missing).as(history).containsExactly("n1");
        assertThat(replies).as(history).noneMatch(reply -> reply.member().name().equals("n1"));
      }
    }
  }

  /// The rule, over a whole history.
  private static boolean met(Consolidation rule, List<MemberId> members, List<Step> steps) {
    Map<Integer, Integer> counts = counts(steps);
    int replies = replies(steps).size();
    int most = counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    int left = steps.size() - replies;
    int silent = members.size() - steps.size();
    boolean consistent =
        switch (rule.consistency()) {
          case ANY -> true;
          case ALL_EQUAL -> counts.size() <= 1;
          case ALL_DIFFERENT -> counts.size() == replies;
          case MAJORITY_EQUAL -> most > replies - most;
        };
    boolean quorum =
        switch (rule.quorum()) {
          case Quorum.First _ -> replies >= 1;
          case Quorum.Last _, Quorum.All _ -> silent == 0;
          case Quorum.Majority _ -> share(replies, silent, left, members.size(), 50.01);
          case Quorum.Percentage(int percent) -> share(replies, silent, left, members.size(), percent);
          case Quorum.Equal(int n) -> most >= n;
        };
    List<String> who = replies(steps).stream().map(reply -> reply.member().name()).toList();
    return replies > 0 && consistent && quorum && who.containsAll(rule.keyMembers());
  }

  /// A share of all, or, when too many have left for that, of those who have not.
  private static boolean share(int replies, int silent, int left, int members, double percent) {
    boolean reachable = 100.0 * (replies + silent) >= percent * members;
    return 100.0 * replies >= percent * (reachable ? members : members - left);
  }

  private static Map<Integer, Integer> counts(List<Step> steps) {
    var counts = new LinkedHashMap<Integer, Integer>();
    replies(steps).forEach(reply -> counts.merge(reply.value(), 1, Integer::sum));
    return counts;
  }

  private static List<Reply<Integer>> replies(List<Step> steps) {
    var replies = new ArrayList<Reply<Integer>>();
    for (Step step : steps) {
      Integer value = step.value();
      if (value != null) {
        replies.add(new Reply<>(step.member(), value));
      }
    }
    return replies;
  }

  private static @Nullable Consolidated<Integer> outcome(
      Consolidation rule, List<MemberId> members, List<Step> steps, boolean due) {
    var call = new Consolidator<Integer>(rule, 0);
    call.asked(members);
    var live = new ArrayList<>(members);
    for (Step step : steps) {
      Integer value = step.value();
      if (value == null) {
        live.remove(step.member());
        call.live(live);
      } else {
        call.reply(step.member(), value);
      }
    }
    call.tick(due ? call.deadlineNanos() : call.deadlineNanos() - 1);
    return call.outcome();
  }
}
