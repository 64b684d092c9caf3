package org.tutti.registry;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.RoleRegistration.Role;

/// What a registry says of a group, to a member or to somebody who only looks.
///
/// @param id       the member's number, by arrival; -1 for who only looks
/// @param expected how many members the group has when it begins
/// @param clients  how many of these are clients, which have the numbers from 0
/// @param present  how many are registered
/// @param complete whether the expected number has been there
/// @param founded  whether somebody said to be in the group
/// @param founder  whether this member is the one to create the group, now
/// @param members  all that are registered, by number; empty until complete
public record GroupState(
    long id,
    int expected,
    int clients,
    int present,
    boolean complete,
    boolean founded,
    boolean founder,
    List<Registered> members) {
  /// Copies the list.
  public GroupState {
    members = List.copyOf(members);
  }

  /// One member as the registry knows it.
  ///
  /// @param id      its number
  /// @param name    its name
  /// @param address where it listens
  /// @param role    what it has registered as; null for a member without a role
  public record Registered(long id, String name, Address address, @Nullable Role role) {}

  Map<String, Object> toJson() {
    var fields = new LinkedHashMap<String, Object>();
    fields.put("id", id);
    fields.put("expected", expected);
    if (clients > 0) {
      fields.put("clients", clients);
    }
    fields.put("present", present);
    fields.put("complete", complete);
    fields.put("founded", founded);
    fields.put("founder", founder);
    var list = new ArrayList<Map<String, Object>>();
    for (Registered member : members) {
      var each = new LinkedHashMap<String, Object>(); // the same bytes for the same members
      each.put("id", member.id);
      each.put("name", member.name);
      each.put("address", member.address.text());
      if (member.role != null) {
        each.put("role", member.role.word());
      }
      list.add(each);
    }
    fields.put("members", list);
    return fields;
  }

  static GroupState ofJson(@Nullable Object json) throws Fields.Malformed {
    var fields = new Fields(json);
    var members = new ArrayList<Registered>();
    for (Object each : fields.list("members")) {
      var member = new Fields(each);
      members.add(
          new Registered(member.number("id"), member.text("name"), member.address("address"), member.role("role")));
    }
    return new GroupState(
        fields.number("id"),
        fields.count("expected"),
        fields.count("clients", 0),
        fields.count("present"),
        fields.flag("complete"),
        fields.flag("founded"),
        fields.flag("founder"),
        members);
  }
}
