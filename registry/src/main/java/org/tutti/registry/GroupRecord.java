package org.tutti.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.RoleRegistration.Role;

/// The members of one group, in the order of their arrival. Knows the time only from its caller; not thread-safe.
///
/// - A name keeps its number as long as its registration lasts: also in a later life, after a restart. A number that
///   was given is not given again as long as anybody is registered.
/// - Who registers in a role gets the lowest free number of it, so those are given again: clients have those below the
///   number of clients, servers the others. Who has no role gets none of the clients' numbers.
/// - The group is complete from when the expected number is there, of clients and of others, until nobody is.
/// - As long as a complete group has no member that said to be in, the one with the smallest number is its founder;
///   clients are not.
final class GroupRecord {
  /// Larger numbers cannot be claimed: so the next ones never run out.
  static final long ID_MAX = 1L << 40;

  private static final class Entry {
    final long id;
    final @Nullable Role role;
    long life;
    Address address;
    boolean in;
    long heardNanos;

    Entry(long id, @Nullable Role role, long life, Address address) {
      this.id = id;
      this.role = role;
      this.life = life;
      this.address = address;
    }

    boolean isClient() {
      return role == Role.CLIENT;
    }
  }

  /// What a member says of itself.
  ///
  /// @param name    its name
  /// @param life    tells lives of a name apart; later ones are greater
  /// @param address where it listens
  /// @param in      whether it is in the group
  /// @param id      the number that it was given before, or -1
  /// @param role    what it is; null for a member without a role
  record Announcement(String name, long life, Address address, boolean in, long id, @Nullable Role role) {
    static Announcement ofJson(Fields fields) throws Fields.Malformed {
      return new Announcement(
          fields.text("name"),
          fields.number("life"),
          fields.address("address"),
          fields.flag("in"),
          fields.number("id"),
          fields.role("role"));
    }

    Map<String, Object> toJson(String group) {
      var fields = new LinkedHashMap<String, Object>(); // the same bytes for the same announcement
      fields.put("group", group);
      fields.put("name", name);
      fields.put("life", life);
      fields.put("address", address.text());
      fields.put("in", in);
      fields.put("id", id);
      put(fields, role);
      return fields;
    }
  }

  private final int expected;
  private final int clients;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private long next;
  private boolean complete;

  GroupRecord(RegistryConfig config) {
    this.expected = config.expected();
    this.clients = config.clients();
    this.next = clients;
  }

  private static void put(Map<String, Object> fields, @Nullable Role role) {
    if (role != null) {
      fields.put("role", role.word());
    }
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

  /// Whether a number is free for who announces itself, or it has one.
  boolean hasRoom(Announcement said) {
    return number(said) >= 0;
  }

  /// Takes a member in, or hears it again. It must not be outlived, and there must be room.
  ///
  /// @return whether anything but the time has changed
  boolean announce(Announcement said, long nowNanos) {
    Entry entry = entries.get(said.name);
    boolean changed = entry == null || entry.life != said.life || entry.in != said.in;
    if (entry == null || entry.role != said.role) {
      entry = new Entry(number(said), said.role, said.life, said.address);
      next = Math.max(next, entry.id + 1);
      entries.put(said.name, entry);
      changed = true;
    }
    changed |= !entry.address.equals(said.address);
    entry.life = said.life;
    entry.address = said.address;
    entry.in = said.in;
    entry.heardNanos = nowNanos;
    complete |= said.in || isEverybodyThere();
    return changed;
  }

  private boolean isEverybodyThere() {
    long there = entries.values().stream().filter(Entry::isClient).count();
    return there >= clients && entries.size() - there >= expected - clients;
  }

  /// The number that a member has or gets.
  ///
  /// @return -1 when none is free
  private long number(Announcement said) {
    Entry entry = entries.get(said.name);
    if (entry != null && entry.role == said.role) {
      return entry.id;
    }
    boolean isClient = said.role == Role.CLIENT;
    if (isClient == said.id < clients && free(said.id)) {
      return said.id;
    }
    if (said.role == null) {
      return next;
    }
    long id = isClient ? 0 : clients;
    while (!free(id)) {
      id++;
    }
    return isClient && id >= clients ? -1 : id;
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
    boolean first =
        entry != null
            && !entry.isClient()
            && entries.values().stream().noneMatch(each -> !each.isClient() && each.id < entry.id);
    List<GroupState.Registered> members =
        entries.entrySet().stream()
            .map(each -> registered(each.getKey(), each.getValue()))
            .sorted(Comparator.comparingLong(GroupState.Registered::id))
            .toList();
    return new GroupState(
        entry == null ? -1 : entry.id,
        expected,
        clients,
        entries.size(),
        complete,
        founded,
        complete && !founded && first,
        complete ? members : List.of());
  }

  private static GroupState.Registered registered(String name, Entry entry) {
    return new GroupState.Registered(entry.id, name, entry.address, entry.role);
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
      put(member, entry.role);
      members.add(member);
    });
    var fields = new LinkedHashMap<String, Object>();
    fields.put("next", next);
    fields.put("complete", complete);
    fields.put("members", members);
    return fields;
  }

  /// Goes on from what an earlier life of the registry kept; everybody has a whole lease to be heard.
  static GroupRecord ofJson(Fields json, RegistryConfig config, long nowNanos) throws Fields.Malformed {
    var groupRecord = new GroupRecord(config);
    groupRecord.next = Math.max(groupRecord.next, json.number("next"));
    groupRecord.complete = json.flag("complete");
    for (Object each : json.list("members")) {
      var member = new Fields(each);
      var entry = new Entry(member.number("id"), member.role("role"), member.number("life"), member.address("address"));
      entry.in = member.flag("in");
      entry.heardNanos = nowNanos;
      groupRecord.entries.put(member.text("name"), entry);
    }
    return groupRecord;
  }
}
