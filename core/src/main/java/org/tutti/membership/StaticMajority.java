package org.tutti.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tutti.MemberId;
import org.tutti.View;

/// A majority of a configured set of names goes on, whether or not its members were in the last primary view
/// (Garcia-Molina and Barbara, 1985).
///
/// Names have votes, and lives use them, because a new life of a name has forgotten what the one before promised,
/// accepted and held: the vote is that of the life in the primary view, or else of the life that had it before, an
/// *absentee*. A new life gets it by being in a primary view. So two majorities share a life and not only a name.
///
/// The first view of a founder that is no majority is nobody's but its own: it alone decides what follows.
///
/// @param electorate the names, at least one
public record StaticMajority(Electorate electorate) implements PrimaryRule {
  private static final DynamicLinearVoting OF_THE_FOUNDER = new DynamicLinearVoting();

  @Override
  public boolean isQuorum(View primary, IntPredicate ranks) {
    if (!electorate.allows(primary)) {
      return OF_THE_FOUNDER.isQuorum(primary, ranks);
    }
    List<MemberId> voters = PrimaryRule.voters(primary);
    long votes = IntStream.range(0, voters.size()).filter(rank -> has(voters.get(rank)) && ranks.test(rank)).count();
    return electorate.isMajority(votes);
  }

  private boolean has(MemberId member) {
    return electorate.names().contains(member.name());
  }

  @Override
  public List<MemberId> deciders(View primary, List<MemberId> absentees) {
    List<MemberId> voters = PrimaryRule.voters(primary);
    return electorate.allows(primary)
        ? Stream.concat(voters.stream().filter(this::has), absentees.stream()).toList()
        : voters;
  }

  @Override
  public boolean mayGoOn(View primary, List<MemberId> absentees, Predicate<MemberId> here) {
    if (!electorate.allows(primary)) {
      return OF_THE_FOUNDER.mayGoOn(primary, absentees, here);
    }
    return electorate.isMajority(deciders(primary, absentees).stream().filter(here).count());
  }

  @Override
  public List<MemberId> absentees(View next, View last, List<MemberId> ofLast) {
    if (Founding.isZero(last.id()) || !electorate.allows(last)) {
      return List.of(); // nobody was in it
    }
    List<String> here = PrimaryRule.voters(next).stream().map(MemberId::name).toList();
    List<MemberId> absentees = new ArrayList<>(deciders(last, ofLast));
    absentees.removeIf(life -> here.contains(life.name()));
    return List.copyOf(absentees);
  }
}
