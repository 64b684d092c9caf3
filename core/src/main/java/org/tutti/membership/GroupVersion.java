package org.tutti.membership;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tutti.MemberId;
import org.tutti.wire.Versions;

/// Which version of the protocol the members of a next primary view speak: the highest one that all of them have and
/// admit to, and none below the version of the last primary view. Pure.
///
/// The members are asked one after the other, those of the last primary view first: all of these have its version, so
/// nobody who comes puts one of them out. Whoever has no version in common with those before it is refused.
///
/// ```
///   last primary view 5; a 5 to 6, b 5 to 7, newcomer c 5 to 5         5, as c has no other one
///   the same without c                                                 6
///   last primary view 6; a 5 to 6, b 5 to 7, c 5 to 5                  6, and c is refused
///   last primary view 5; a 5 to 6 but admits to 5, newcomer c 6 to 7   5, and c is refused
/// ```
final class GroupVersion {
  private final List<MemberId> refused = new ArrayList<>();
  private int lowest;
  private int highest = Integer.MAX_VALUE;

  /// Chooses.
  ///
  /// @param last    the version of the last primary view; 0 before the first one
  /// @param members what each speaks, those of the last primary view first
  GroupVersion(int last, List<Map.Entry<MemberId, SpokenVersions>> members) {
    this.lowest = last;
    members.forEach(member -> ask(last, member.getKey(), member.getValue()));
  }

  private void ask(int last, MemberId member, SpokenVersions its) {
    int from = Math.max(lowest, its.understood().oldest());
    int to = Math.min(highest, Math.max(its.most(), Math.min(last, its.understood().newest())));
    if (from > to) {
      refused.add(member);
    } else {
      lowest = from;
      highest = to;
    }
  }

  /// The version for all that are not refused.
  int chosen() {
    return highest;
  }

  /// Who has none in common with the others.
  List<MemberId> refused() {
    return refused;
  }

  /// Whether a stranger may come to a group whose coordinator says what it speaks itself; what the others admit to
  /// shows in an attempt only.
  ///
  /// @param version of the group; 0 when it has none yet
  /// @param own     what the coordinator speaks
  /// @param its     what the stranger understands
  static boolean mayJoin(int version, SpokenVersions own, Versions its) {
    return version == 0 || (its.newest() >= version && its.oldest() <= Math.max(version, own.most()));
  }
}
