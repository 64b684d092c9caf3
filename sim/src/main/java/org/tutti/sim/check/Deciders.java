package org.tutti.sim.check;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.PrimaryViews;
import org.tutti.View;

/// Who may go on from the latest primary view of a chain, worked out from the views that were installed and not
/// from what members say: by dynamic linear voting a quorum of that view; by a static majority the lives that were the
/// last of their names in a primary view.
public final class Deciders {
  private final PrimaryViews rule;
  private final Set<String> electorate;
  private final Map<String, MemberId> votes = new LinkedHashMap<>(); // by name of the electorate
  private @Nullable View last;
  private @Nullable View alone; // that was forced
  private final Set<String> unsure = new TreeSet<>(); // names whose vote an unseen view may have moved

  /// Begins before the first view.
  ///
  /// @param config the group's configuration
  public Deciders(GroupConfig config) {
    this(config.primaryViews(), config.electorate());
  }

  Deciders(PrimaryViews rule, Set<String> electorate) {
    this.rule = rule;
    this.electorate = new TreeSet<>(electorate);
  }

  /// The next view of the chain.
  ///
  /// @param view   a primary view
  /// @param unseen whether there was another one between it and the one before, of which nothing is known
  public void next(View view, boolean unseen) {
    if (unseen) {
      unsure.addAll(electorate);
    }
    last = view;
    for (MemberId voter : voters(view)) {
      if (electorate.contains(voter.name())) {
        votes.put(voter.name(), voter);
        unsure.remove(voter.name());
      }
    }
  }

  /// The chain goes on from a view that an operator has made: its only member decides what follows, and nobody else
  /// has a vote.
  ///
  /// @param view a primary view of one member
  public void forced(View view) {
    votes.clear();
    unsure.clear();
    alone = view;
    last = view;
  }

  /// The latest view of the chain.
  ///
  /// @return the view, or null before the first one
  public @Nullable View last() {
    return last;
  }

  /// Whether some lives are enough to go on from the latest view. A name whose vote is not known counts.
  ///
  /// @param here tells who is among them, directly or as a later life with its storage
  /// @return whether they are a quorum; before the first view everybody is
  public boolean areQuorum(Predicate<MemberId> here) {
    if (last == null) {
      return true;
    }
    if (rule != PrimaryViews.STATIC_MAJORITY || last.equals(alone)) {
      return isDynamicQuorum(here, voters(last));
    }
    long known = votes.values().stream().filter(life -> !unsure.contains(life.name()) && here.test(life)).count();
    return 2 * (known + unsure.size()) > electorate.size();
  }

  private static List<MemberId> voters(View view) {
    return view.members().subList(0, view.voters());
  }

  private static boolean isDynamicQuorum(Predicate<MemberId> here, List<MemberId> voters) {
    long common = voters.stream().filter(here).count();
    return 2 * common > voters.size() || 2 * common == voters.size() && here.test(voters.getFirst());
  }
}
