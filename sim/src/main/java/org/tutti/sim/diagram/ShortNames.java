package org.tutti.sim.diagram;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.check.History;

/// Short names: members by node and life, views by epoch and proposer.
final class ShortNames {
  private final Map<Long, String> byIncarnation = new HashMap<>(); // looked up only

  ShortNames(History history) {
    for (int ordinal = 0; ordinal < history.members().size(); ordinal++) {
      byIncarnation.put(history.members().get(ordinal).incarnation(), history.name(ordinal));
    }
  }

  String of(MemberId member) {
    return byIncarnation.getOrDefault(member.incarnation(), member.name());
  }

  /// Such as `7.n0`, and `7.n0~n2` for the view in which n2 is shown that it was away.
  String of(ViewId id) {
    String agreed = id.epoch() + "." + byIncarnation.getOrDefault(id.proposer(), "?");
    return id.alone() == 0 ? agreed : agreed + "~" + byIncarnation.getOrDefault(id.alone(), "?");
  }

  String members(View view) {
    return view.members().stream().map(this::of).collect(Collectors.joining(" "));
  }

  String views(List<ViewId> ids) {
    return ids.stream().map(this::of).collect(Collectors.joining(", "));
  }

  static String kind(View view) {
    return view.primary() ? "primary" : "non-primary";
  }
}
