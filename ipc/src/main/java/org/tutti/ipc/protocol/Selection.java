package org.tutti.ipc.protocol;

import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.ProcessId;

/// What a receive takes; null takes any.
///
/// @param group sent to which group
/// @param from  sent by which process to this one
/// @param tag   with which tag
public record Selection(@Nullable GroupId group, @Nullable ProcessId from, @Nullable Integer tag) {
  /// Of a group, or of any and of all processes.
  ///
  /// @param group of which group
  /// @param tag   with which tag
  public Selection(@Nullable GroupId group, @Nullable Integer tag) {
    this(group, null, tag);
  }

  boolean takes(Delivery delivery) {
    return from == null
        && (group == null || group.equals(delivery.key.group()))
        && (tag == null || tag == delivery.tag);
  }

  boolean takes(ProcessId sender, int tagOfIt) {
    return group == null && (from == null || from.equals(sender)) && (tag == null || tag == tagOfIt);
  }
}
