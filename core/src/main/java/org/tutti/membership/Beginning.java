package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// Where a member starts: in a view of its own. A founder's is the first primary view of a new history, unless others
/// of the configured set have to come first: then it is not primary, and follows one that nobody was in.
///
/// @param view    the first view
/// @param lineage the history that it founds, or null
/// @param primary the history's first primary view, or null
record Beginning(View view, @Nullable Lineage lineage, @Nullable View primary) {
  static Beginning of(MemberId self, boolean founder, ViewHost host) {
    List<MemberId> alone = List.of(self);
    var first = new View(new ViewId(0, self.incarnation()), alone, false, List.of());
    if (!founder) {
      return new Beginning(first, null, null);
    }
    Electorate electorate = host.electorate();
    var birth = new ViewId(1, self.incarnation());
    var lineage =
        new Lineage(
            birth, host.founded(), host.isStateful(), host.guarantee(), host.domain(), electorate, host.partitions());
    var primary = new View(birth, alone, true, List.of());
    if (electorate.allows(alone)) {
      return new Beginning(primary, lineage, primary);
    }
    return new Beginning(new View(new ViewId(2, self.incarnation()), alone, false, List.of(birth)), lineage, primary);
  }
}
