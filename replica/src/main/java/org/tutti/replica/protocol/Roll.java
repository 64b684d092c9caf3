package org.tutti.replica.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;

/// What a replica tells those of its clients that collect several replies: its view, and who of it is to answer. That
/// are the members that clients can reach, without those that have said that they do not serve: who says nothing may
/// serve, so that no reply is missing in those of all. A replica that gets the state has said so.
final class Roll {
  private final String self;
  private final ReplicaProtocol.Group group;

  Roll(String self, ReplicaProtocol.Group group) {
    this.self = self;
    this.group = group;
  }

  /// @param view      null before the first one
  /// @param addresses where clients reach replicas, by name
  /// @return null when there is nothing to tell
  Frame.@Nullable Live of(@Nullable View view, Map<String, String> addresses) {
    if (view == null || !view.primary()) {
      return null;
    }
    List<MemberId> asked = new ArrayList<>();
    MemberId own = null;
    for (MemberId member : view.members()) {
      boolean isSelf = member.name().equals(self);
      own = isSelf ? member : own;
      boolean isReached = !addresses.getOrDefault(member.name(), "").isEmpty();
      if (isSelf || isReached && !group.isAway(member)) {
        asked.add(member);
      }
    }
    return own == null ? null : new Frame.Live(view.id(), own, view.members(), asked);
  }
}
