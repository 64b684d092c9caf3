package org.tutti.sim.check;

import java.util.List;
import java.util.function.Consumer;
import org.tutti.MemberId;
import org.tutti.View;

/// The primary views form one chain: each holds a quorum of the one before it, that is, more than half of its members,
/// or exactly half with the most senior one (B3, B4). So no view has two primary successors.
public record PrimaryUniqueness() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    List<View> chain = stays.primaries();
    for (int i = 1; i < chain.size(); i++) {
      if (!isQuorum(chain.get(i).members(), chain.get(i - 1))) {
        report.accept(chain.get(i) + " follows " + chain.get(i - 1) + " without a quorum of it");
      }
    }
  }

  /// Whether some members are enough of a view to go on from it.
  ///
  /// @param members the members
  /// @param view    the primary view to go on from
  /// @return whether they are more than half of it, or half with its most senior member
  public static boolean isQuorum(List<MemberId> members, View view) {
    long common = view.members().stream().filter(members::contains).count();
    return 2 * common > view.size() || 2 * common == view.size() && members.contains(view.senior());
  }
}
