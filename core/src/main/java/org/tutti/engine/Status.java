package org.tutti.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.membership.PrimaryRule;

/// How a group stands, in a sentence for people: above all, whom a member waits for.
///
/// @param group      the group's name
/// @param self       this member
/// @param rule       who may carry a primary view on
/// @param deliveries know where this member stands
record Status(String group, MemberId self, PrimaryRule rule, Deliveries deliveries) {
  /// Says it.
  ///
  /// @param view    the view that is installed
  /// @param primary the latest primary view that is known here, or null
  String of(View view, @Nullable View primary) {
    String name = "group " + group + ": ";
    if (primary == null) {
      return name + self + " knows no history of it and looks for its members";
    }
    String where = deliveries.isSynced() ? " at position " + deliveries.positionNext() : ", its state is to come";
    if (view.primary()) {
      return name + "primary view " + view.id().epoch() + " of " + names(view.members(), ", ") + where;
    }
    String known = "last primary view " + primary.id().epoch() + " of " + names(primary.members(), ", ");
    return name + known + where + " known here; " + names(view.members(), ", ") + " here; " + awaited(view, primary);
  }

  private String awaited(View view, View primary) {
    List<MemberId> missing = new ArrayList<>(primary.members());
    missing.removeIf(member -> isHere(view, member));
    int needed = 0;
    while (!suffice(view, primary, missing.subList(0, needed))) {
      needed++;
    }
    if (needed == 0) {
      return "waiting for the state, which none of these has, or for members that have not lost their storage"
          + (missing.isEmpty() ? "" : ": " + names(missing, " or "));
    }
    if (needed == missing.size()) {
      return "waiting for " + names(missing, " and ");
    }
    return "waiting for " + (needed == 1 ? names(missing, " or ") : needed + " of " + names(missing, ", "));
  }

  private boolean suffice(View view, View primary, List<MemberId> more) {
    return rule.isQuorum(
        primary,
        rank -> {
          MemberId member = primary.members().get(rank);
          return isHere(view, member) || more.contains(member);
        });
  }

  private static boolean isHere(View view, MemberId member) {
    return view.members().stream().anyMatch(other -> other.name().equals(member.name()));
  }

  private static String names(List<MemberId> members, String between) {
    return members.stream().map(MemberId::name).collect(Collectors.joining(between));
  }
}
