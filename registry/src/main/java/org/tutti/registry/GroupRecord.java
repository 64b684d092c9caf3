package org.tutti.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;

/// The members of one group, in the order of their arrival. Knows the time only from its caller; not thread-safe.
///
/// - A name keeps its number as long as its registration lasts: also in a later life, after a restart. A number that
///   was given is not given again as long as anybody is registered.
/// - The group is complete from when the expected number is there until nobody is.
/// - As long as a complete group has no member that said to be in, the one with the smallest number is its founder.
final class GroupRecord {
  /// Larger numbers cannot be claimed: so the next ones never run out.
  static final long ID_MAX = 1L << 40;

  private static final class Entry {
    final long id;
    long life;
    Address address;
    boolean in;
    long heardNanos;

    Entry(long id, long life, Address address) {
      this.id = id;
      this.life = life;
      this.address = address;
    }
  }

  /// What a member says of itself.
  ///
  /// @param name    its name
  /// @param life    tells lives of a name apart; later ones are greater
  /// @param address where it listens
  /// @param in      whether it is in the group
  /// @param id      the number that it was given before, or -1
  record Announcement(String name, long life, Address address, boolean in, long id) {
    Map<String, Object> toJson(String group) {
      var fields = new LinkedHashMap<String, Object>(); // the same bytes for the same announcement
      fields.put("group", group);
      fields.put("name", name);
      fields.put("life", life);
      fields.put("address", address.text());
      fields.put("in", in);
      fields.put("id", id);
      return fields;
    }
  }

  private final int expected;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private long next;
  private boolean complete;

  GroupRecord(int expected) {
    this.expected = expected;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  int size() {
    return entries.size();
  }

  boolean knows(String name) {
    return entries.containsKey(name);
  }

  /// Whether another life of the name has come since.
  boolean isOutlived(String name, long life) {
    Entry entry = entries.get(name);
    return entry != null && entry.life > life;
  }

  /// Takes a member in, or hears it again. It must not be outlived.
  ///
  /// @return whether anything but the time has changed
  boolean announce(Announcement said, long nowNanos) {
    Entry entry = entries.get(said.name);
    boolean changed = entry == null || entry.life != said.life || entry.in != said.in;
    if (entry == null) {
      entry = new Entry(free(said.id) ? said.id : next, said.life, said.address);
      next = Math.max(next, entry.id + 1);
      entries.put(said.name, entry);
    }
    changed |= !entry.address.equals(said.address);
    entry.life = said.life;
    entry.address = said.address;
    entry.in = said.in;
    entry.heardNanos = nowNanos;
    complete |= said.in || entries.size() >= expected;
    return changed;
  }

  private boolean free(long id) {
    return id >= 0 && id < ID_MAX && entries.values().stream().noneMatch(entry -> entry.id == id);
  }

  /// Forgets a member that says goodbye, unless it has a later life.
  boolean leave(String name, long life) {
    Entry entry = entries.get(name);
    return entry != null && entry.life == life && entries.remove(name) != null;
  }

  /// Forgets members that were not heard for the time of a lease.
  ///
  /// @return their names
  List<String> lapse(long nowNanos, Duration lease) {
    var lapsed = new ArrayList<String>();
    entries.forEach((name, entry) -> {
      if (nowNanos - entry.heardNanos > lease.toNanos()) {
        lapsed.add(name);
      }
    });
    lapsed.forEach(entries::remove);
    return lapsed;
  }

  /// What a member, or somebody who only looks, is told.
  GroupState state(@Nullable String name) {
    Entry entry = name == null ? null : entries.get(name);
    boolean founded = entries.values().stream().anyMatch(each -> each.in);
    boolean first = entry != null && entries.values().stream().noneMatch(each -> each.id < entry.id);
    List<GroupState.Registered> members =
        entries.entrySet().stream()
            .map(each -> new GroupState.Registered(each.getValue().id, each.getKey(), each.getValue().address))
            .sorted(Comparator.comparingLong(GroupState.Registered::id))
            .toList();
    return new GroupState(
        entry == null ? -1 : entry.id,
        expected,
        entries.size(),
        complete,
        founded,
        complete && !founded && first,
        complete ? members : List.of());
  }

  Map<String, Object> toJson() {
    var members = new ArrayList<Map<String, Object>>();
    entries.forEach((name, entry) -> {
      var member = new LinkedHashMap<String, Object>(); // the same bytes for the same members
      member.put("name", name);
      member.put("id", entry.id);
      member.put("life", entry.life);
      member.put("address", entry.address.text());
      member.put("in", entry.in);
      members.add(member);
    });
    var fields = new LinkedHashMap<String, Object>();
    fields.put("next", next);
    fields.put("complete", complete);
    fields.put("members", members);
    return fields;
  }

  /// Goes on from what an earlier life of the registry kept; everybody has a whole lease to be heard.
  static GroupRecord ofJson(Fields json, int expected, long nowNanos) throws Fields.Malformed {
    var groupRecord = new GroupRecord(expected);
    groupRecord.next = json.number("next");
    groupRecord.complete = json.flag("complete");
    for (Object each : json.list("members")) {
      var member = new Fields(each);
      var entry = new Entry(member.number("id"), member.number("life"), member.address("address"));
      entry.in = member.flag("in");
      entry.heardNanos = nowNanos;
      groupRecord.entries.put(member.text("name"), entry);
    }
    return groupRecord;
  }
}
