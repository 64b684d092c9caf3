package org.tutti.replica.consolidation;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.tutti.Names;

/// The rule by which the replies of several members become one outcome. Pure data; one rule serves any number of calls.
///
/// ```java
/// Consolidation.majority() // replies of more than half, most of them equal, within 10 seconds
/// Consolidation.all().consistent(Consistency.ALL_EQUAL).within(Duration.ofSeconds(2))
/// Consolidation.percentage(51).keyMembers(List.of("n1")) // and the reply of n1 in any case
/// ```
///
/// When the quorum is met and the replies are not consistent, more replies are waited for, as long as these can make
/// them so. So `majority()` is also the rule of the first replies that are consistent.
///
/// Source: D. Borusch, L. C. Lung, A. N. Bessani, J. da Silva Fraga, *Integrating the ROMIOP and ETF Specifications for
/// Atomic Multicast in CORBA*, 2005, section 4. There a key member is not defined; here it is one without whose reply
/// a call does not succeed.
///
/// @param quorum      how many replies are needed
/// @param consistency how these have to agree
/// @param keyMembers  the names of members whose replies are needed whatever the quorum says; may be empty
/// @param deadline    after which the outcome is made from what is there; positive
public record Consolidation(Quorum quorum, Consistency consistency, Set<String> keyMembers, Duration deadline) {
  /// The deadline where none is given.
  public static final Duration DEADLINE = Duration.ofSeconds(10);

  /// Checks that the parts fit together.
  ///
  /// @throws IllegalArgumentException when the deadline is not positive or longer than 100 years, when a key member's
  ///     name is none, or when several equal replies are asked for that all differ
  public Consolidation {
    keyMembers = Collections.unmodifiableSet(new TreeSet<>(keyMembers));
    for (String name : keyMembers) {
      Names.require("a key member's", name, Names.faultOfNode(name));
    }
    if (!deadline.isPositive() || deadline.compareTo(Duration.ofDays(36_500)) > 0) {
      throw new IllegalArgumentException("a deadline is positive and at most 36500 days, not " + deadline);
    }
    if (quorum instanceof Quorum.Equal(int replies) && replies > 1 && consistency == Consistency.ALL_DIFFERENT) {
      throw new IllegalArgumentException(replies + " equal replies are not all different");
    }
  }

  private static Consolidation of(Quorum quorum, Consistency consistency) {
    return new Consolidation(quorum, consistency, Set.of(), DEADLINE);
  }

  /// The first reply that comes.
  ///
  /// @return a rule with [Consistency#ANY]
  public static Consolidation first() {
    return of(new Quorum.First(), Consistency.ANY);
  }

  /// The replies of all, of which the last one is chosen.
  ///
  /// @return a rule with [Consistency#ANY]
  public static Consolidation last() {
    return of(new Quorum.Last(), Consistency.ANY);
  }

  /// The replies of all.
  ///
  /// @return a rule with [Consistency#MAJORITY_EQUAL]
  public static Consolidation all() {
    return of(new Quorum.All(), Consistency.MAJORITY_EQUAL);
  }

  /// The replies of more than half of the members.
  ///
  /// @return a rule with [Consistency#MAJORITY_EQUAL]
  public static Consolidation majority() {
    return of(new Quorum.Majority(), Consistency.MAJORITY_EQUAL);
  }

  /// The replies of a part of the members.
  ///
  /// @param percent how many of a hundred, 1 to 100; rounded up to whole members
  /// @return a rule with [Consistency#MAJORITY_EQUAL]
  public static Consolidation percentage(int percent) {
    return of(new Quorum.Percentage(percent), Consistency.MAJORITY_EQUAL);
  }

  /// As many equal replies, whatever the others say.
  ///
  /// @param replies how many, at least 1
  /// @return a rule with [Consistency#ANY]
  public static Consolidation equal(int replies) {
    return of(new Quorum.Equal(replies), Consistency.ANY);
  }

  /// The same rule with another consistency.
  ///
  /// @param consistency how the replies have to agree
  /// @return the new rule
  public Consolidation consistent(Consistency consistency) {
    return new Consolidation(quorum, consistency, keyMembers, deadline);
  }

  /// The same rule with other key members.
  ///
  /// @param names names of members, as in [org.tutti.MemberId#name()]
  /// @return the new rule
  public Consolidation keyMembers(Collection<String> names) {
    return new Consolidation(quorum, consistency, new TreeSet<>(names), deadline);
  }

  /// The same rule with another deadline.
  ///
  /// @param deadline positive
  /// @return the new rule
  public Consolidation within(Duration deadline) {
    return new Consolidation(quorum, consistency, keyMembers, deadline);
  }
}
