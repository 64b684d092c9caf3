package org.tutti.ipc.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.protocol.IpcMessage.Key;

/// What is in the queues of a host's processes, found by its sender and group as well: a later message of a sender to a
/// group supersedes an earlier one.
final class Deliveries {
  private record Line(MemberId host, int process, GroupId group) {
    Line(MemberId host, Key key) {
      this(host, key.process(), key.group());
    }
  }

  private final Map<Line, Set<Delivery>> lines = new HashMap<>();

  void add(Delivery delivery) {
    delivery.member.queue.put(delivery.id, delivery);
    lines.computeIfAbsent(new Line(delivery.host, delivery.key), _ -> new LinkedHashSet<>()).add(delivery);
  }

  void remove(Delivery delivery) {
    delivery.member.queue.remove(delivery.id);
    lines.computeIfPresent(
        new Line(delivery.host, delivery.key), (_, same) -> same.remove(delivery) && same.isEmpty() ? null : same);
  }

  /// Makes room: nobody misses a message that is over.
  ///
  /// @return whether there was one
  boolean dropOldest(LocalProcess process) {
    for (Delivery delivery : process.queue.values()) {
      if (delivery.over) {
        remove(delivery);
        return true;
      }
    }
    return false;
  }

  /// Those of one sender to one group up to a session.
  List<Delivery> upTo(MemberId host, Key key, long session) {
    Set<Delivery> line = line(host, key);
    if (line.isEmpty()) {
      return List.of();
    }
    List<Delivery> found = new ArrayList<>(line.size());
    for (Delivery delivery : line) {
      if (delivery.key.session() <= session) {
        found.add(delivery);
      }
    }
    return found;
  }

  /// Whether this message, or a later one of the same sender to the group, is here: it is a repetition.
  boolean isOld(MemberId host, Key key) {
    for (Delivery delivery : line(host, key)) {
      if (delivery.key.session() >= key.session()) {
        return true;
      }
    }
    return false;
  }

  /// A member's message of this communication, if the member waits with a reply to it.
  @Nullable Delivery replying(int member, MemberId host, Key key) {
    for (Delivery delivery : line(host, key)) {
      if (delivery.member.number == member && delivery.reply != null && delivery.key.equals(key)) {
        return delivery;
      }
    }
    return null;
  }

  private Set<Delivery> line(MemberId host, Key key) {
    return lines.getOrDefault(new Line(host, key), Set.of());
  }
}
