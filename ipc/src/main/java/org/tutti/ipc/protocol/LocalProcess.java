package org.tutti.ipc.protocol;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.protocol.IpcProtocol.Received;

/// What a host keeps of one of its processes, communications of two apart.
final class LocalProcess {
  final int number;
  final Set<GroupId> groups = new LinkedHashSet<>(); // it is a member of
  final Set<GroupId> destroyed = new LinkedHashSet<>(); // of those it was in, until it is told
  final Map<Long, Delivery> queue = new LinkedHashMap<>(); // by number, oldest first, also received ones
  final Map<GroupId, Communication> own = new LinkedHashMap<>(); // it is the sender of
  @Nullable Selection selection; // what it waits for
  @Nullable Waiting<Received> receive;
  long begun; // calls that may wait

  LocalProcess(int number) {
    this.number = number;
  }

  /// Whether a group was destroyed of which it wants messages, and it was not told; now it is.
  boolean isNews(Selection wanted) {
    GroupId group = wanted.group();
    if (group == null && wanted.from() == null && !destroyed.isEmpty()) {
      group = destroyed.iterator().next();
    }
    return group != null && destroyed.remove(group);
  }

  /// Its calls that wait, those of communications of two apart.
  PairProtocol.Others others() {
    int count = receive == null ? 0 : 1;
    for (Communication one : own.values()) {
      count += (one.send == null ? 0 : 1) + (one.reply == null ? 0 : 1);
    }
    for (Delivery delivery : queue.values()) {
      count += delivery.replied == null ? 0 : 1;
    }
    ProcessId from = selection == null ? null : selection.from();
    return new PairProtocol.Others(count, from);
  }

  /// Fails when an invariant does not hold.
  void check() {
    Invariant.check(queue.size() <= IpcProtocol.QUEUE_MAX, "a queue is bounded");
    Invariant.check(own.size() <= IpcProtocol.GROUPS_MAX, "a process has so many communications at most");
    Invariant.check((receive == null) == (selection == null), "who receives says what");
    for (Delivery delivery : queue.values()) {
      Invariant.check(delivery.received || delivery.reply == null, "what has a reply was received");
      Invariant.check(!(delivery.received && delivery.over), "what was received and is over is gone");
    }
    for (Communication one : own.values()) {
      int replies = one.queued.size() + one.taken.size();
      Invariant.check(replies <= one.wanted, "no more replies are kept than wanted");
      Invariant.check(one.wanted == 0 || one.taken.size() < one.wanted, "who has all replies is done");
      Invariant.check(one.send == null || !one.asked.isEmpty(), "a send waits for somebody");
    }
  }
}
