package org.tutti.romiop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.Names;
import org.tutti.replica.StateMachine;
import org.tutti.romiop.Giop.BrokenGiopException;

/// The group service: the one object `ObjectGroups`, with the interface `ObjectGroupManager` of `object-groups.idl`. It
/// keeps which objects in groups there are and where their members are, and makes references to them
/// ([GroupReference]), with a profile for clients with the plug-in and one of IIOP for each member with a gateway.
///
/// It starts and stops no members, and whether they live is not looked at: who adds a location says so. A reference has
/// the number of the last change of its group, counted over all groups: a later one has a greater number, also when a
/// group was deleted and made again.
///
/// ```
/// state: changes (4)   groups (4)
///        { cluster  group  key  type  rule   version (4)   members (4) { location  contact  gateway } }
/// ```
///
/// Source: OMG, *Fault Tolerant CORBA*, formal/04-03-12, section 23.3: `ObjectGroupManager`, and of `GenericFactory`
/// what makes and deletes groups. Deviations: groups are named in words and not by a reference, a member is where it is
/// reached and not an object, and nothing of replication styles, factories and primary members.
final class ObjectGroups implements ServedObjects {
  /// The object's key.
  static final String KEY = "ObjectGroups";

  /// Its interface.
  static final String TYPE = "IDL:TuttiGroups/ObjectGroupManager:1.0";

  /// The exception that there is no such group.
  static final String NOT_FOUND = "IDL:TuttiGroups/ObjectGroupNotFound:1.0";

  static final int GROUPS_MAX = 10_000;
  static final int MEMBERS_MAX = 32; // of a group: references name each gateway as often as there are gateways
  static final int ALL_MEMBERS_MAX = 100_000;

  /// How many groups an answer lists.
  static final int LISTED_MAX = 20;

  private static final int TEXT_MAX = 255;
  private static final Pattern TYPE_ID = Pattern.compile("[\\x21-\\x7e]{1,255}");
  private static final Pattern ADDRESS = Pattern.compile("([\\w.%-]{1,240}|\\[[\\w.:%]{1,240}\\]):\\d{1,5}");

  private static final Set<String> READS =
      Set.of("locations_of_members", "get_object_group_ref", "get_object_group_id", "describe", "list_object_groups");

  private static final Comparator<GroupReference.Id> BY_NAME =
      Comparator.comparing(GroupReference.Id::cluster)
          .thenComparing(GroupReference.Id::group)
          .thenComparing(GroupReference.Id::key);

  private final TreeMap<GroupReference.Id, Entry> groups = new TreeMap<>(BY_NAME);
  private int changes;
  private int members; // of all groups
  private long digest; // the sum of those of the groups

  /// Where a member is.
  ///
  /// @param location its name
  /// @param contact  for clients with the plug-in
  /// @param gateway  for others, or nothing
  record Member(String location, String contact, String gateway) {
    static Member read(CdrIn in) throws BrokenGiopException {
      return new Member(in.string(TEXT_MAX), in.string(TEXT_MAX), in.string(TEXT_MAX));
    }

    void write(CdrOut out) {
      out.string(location).string(contact).string(gateway);
    }

    void check() throws DeclaredException {
      valid("the_location", location, Names.faultOfNode(location) == null);
      valid("contact", contact, isAddress(contact));
      valid("gateway", gateway, gateway.isEmpty() || isAddress(gateway));
    }
  }

  /// What a group has besides its name.
  ///
  /// @param type    the interface of the object
  /// @param rule    by which clients with the plug-in consolidate replies, or nothing
  /// @param version of the references to it
  /// @param members in the order in which they were added
  record Entry(String type, String rule, int version, List<Member> members) {
    /// Of texts and lists, whose hash codes are the same in every Java.
    long digest(GroupReference.Id id) {
      List<Object> all = new ArrayList<>(List.of(id.cluster(), id.group(), id.key(), type, rule, version));
      members.forEach(each -> all.addAll(List.of(each.location, each.contact, each.gateway)));
      return (long) all.hashCode() * 0x9e3779b97f4a7c15L; // spread over all bits
    }
  }

  /// A group as it is listed.
  ///
  /// @param id    its name
  /// @param entry the rest
  record Listed(GroupReference.Id id, Entry entry) {
    static Listed read(CdrIn in) throws BrokenGiopException {
      GroupReference.Id id = readName(in);
      String type = in.string(TEXT_MAX);
      String rule = in.string(TEXT_MAX);
      int version = in.ulong();
      List<Member> members = new ArrayList<>();
      for (int i = in.length(MEMBERS_MAX); i > 0; i--) {
        members.add(Member.read(in));
      }
      return new Listed(id, new Entry(type, rule, version, List.copyOf(members)));
    }

    void write(CdrOut out) {
      writeName(id, out);
      out.string(entry.type).string(entry.rule).ulong(entry.version).ulong(entry.members.size());
      entry.members.forEach(each -> each.write(out));
    }
  }

  static GroupReference.Id readName(CdrIn in) throws BrokenGiopException {
    return new GroupReference.Id(in.string(TEXT_MAX), in.string(TEXT_MAX), in.string(TEXT_MAX));
  }

  static void writeName(GroupReference.Id id, CdrOut out) {
    out.string(id.cluster()).string(id.group()).string(id.key());
  }

  @Override
  public boolean isType(String key, String repositoryId) {
    return repositoryId.equals(TYPE);
  }

  @Override
  public boolean isKey(String key) {
    return key.equals(KEY);
  }

  @Override
  public boolean exists(String key) {
    return isKey(key);
  }

  @Override
  public boolean isRead(String operation) {
    return READS.contains(operation);
  }

  @Override
  public void call(Call call) throws DeclaredException, FailedException, BrokenGiopException {
    CdrIn in = call.arguments();
    CdrOut out = call.results();
    if (call.operation().equals("list_object_groups")) {
      list(readName(in), in.ulong(), out);
      return;
    } else if (!READS.contains(call.operation()) && !isChange(call.operation())) {
      throw new FailedException(RomiopFailure.NO_SUCH_OPERATION);
    }
    GroupReference.Id id = readName(in);
    if (call.operation().equals("create_object_group")) {
      create(id, in.string(TEXT_MAX), in.string(TEXT_MAX));
      return;
    }
    Entry entry = groups.get(id);
    switch (call.operation()) {
      case "delete_object_group" -> put(id, found(entry), null);
      case "add_member" -> refer(id, add(id, entry, Member.read(in)), out);
      case "remove_member" -> refer(id, remove(id, entry, in.string(TEXT_MAX)), out);
      case "locations_of_members" -> {
        List<Member> all = found(entry).members;
        out.ulong(all.size());
        all.forEach(each -> out.string(each.location));
      }
      case "get_object_group_ref" -> refer(id, found(entry), out);
      case "get_object_group_id" -> {
        found(entry);
        out.ulonglong(id.number());
      }
      default -> new Listed(id, found(entry)).write(out); // describe
    }
  }

  private static boolean isChange(String operation) {
    return switch (operation) {
      case "create_object_group", "delete_object_group", "add_member", "remove_member" -> true;
      default -> false;
    };
  }

  private static DeclaredException exception(String name) {
    return new DeclaredException("IDL:TuttiGroups/" + name + ":1.0");
  }

  private static Entry found(@Nullable Entry entry) throws DeclaredException {
    if (entry == null) {
      throw new DeclaredException(NOT_FOUND);
    }
    return entry;
  }

  private static void valid(String what, String value, boolean isValid) throws DeclaredException {
    if (!isValid) {
      throw exception("InvalidProperty").with(what).with(value);
    }
  }

  private static boolean isAddress(String text) {
    try {
      return text.length() <= TEXT_MAX && ADDRESS.matcher(text).matches() && GroupReference.hostAndPort(text) != null;
    } catch (IllegalArgumentException _) {
      return false; // its port
    }
  }

  private void create(GroupReference.Id id, String type, String rule) throws DeclaredException {
    if (groups.containsKey(id)) {
      throw exception("ObjectGroupAlreadyPresent");
    }
    valid("cluster", id.cluster(), isName(id.cluster()));
    valid("group", id.group(), isName(id.group()));
    valid("object_key", id.key(), Names.fault(id.key()) == null);
    valid("type_id", type, TYPE_ID.matcher(type).matches());
    valid("replies", rule, isRule(rule));
    if (groups.size() == GROUPS_MAX) {
      throw exception("ObjectNotCreated").with("there are " + GROUPS_MAX + " groups");
    }
    put(id, null, new Entry(type, rule, ++changes, List.of()));
  }

  /// As it has to be within a profile ([RomiopProfile]).
  private static boolean isName(String text) {
    return Names.fault(text) == null && text.chars().noneMatch(each -> "!/,;".indexOf(each) >= 0);
  }

  private static boolean isRule(String rule) {
    try {
      return rule.isEmpty() || rule.chars().noneMatch(each -> "!/,;".indexOf(each) >= 0) && ReplyRule.of(rule) != null;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private Entry add(GroupReference.Id id, @Nullable Entry entry, Member member) throws DeclaredException {
    List<Member> all = new ArrayList<>(found(entry).members);
    if (all.stream().anyMatch(each -> each.location.equals(member.location))) {
      throw exception("MemberAlreadyPresent");
    }
    member.check();
    if (all.size() == MEMBERS_MAX) {
      throw exception("ObjectNotAdded").with("the group has " + MEMBERS_MAX + " members");
    } else if (members == ALL_MEMBERS_MAX) {
      throw exception("ObjectNotAdded").with("there are " + ALL_MEMBERS_MAX + " members");
    }
    all.add(member);
    return put(id, entry, new Entry(found(entry).type, found(entry).rule, ++changes, List.copyOf(all)));
  }

  private Entry remove(GroupReference.Id id, @Nullable Entry entry, String location) throws DeclaredException {
    List<Member> all = new ArrayList<>(found(entry).members);
    if (!all.removeIf(each -> each.location.equals(location))) {
      throw exception("MemberNotFound");
    }
    return put(id, entry, new Entry(found(entry).type, found(entry).rule, ++changes, List.copyOf(all)));
  }

  private <T extends @Nullable Entry> T put(GroupReference.Id id, @Nullable Entry before, T now) {
    if (before != null) {
      groups.remove(id);
      members -= before.members.size();
      digest -= before.digest(id);
    }
    if (now != null) {
      groups.put(id, now);
      members += now.members().size();
      digest += now.digest(id);
    }
    return now;
  }

  private static void refer(GroupReference.Id id, Entry entry, CdrOut out) {
    if (entry.members.isEmpty()) {
      out.nil();
    } else {
      out.reference(reference(id, entry).ior());
    }
  }

  /// The reference to a group with members.
  static GroupReference reference(GroupReference.Id id, Entry entry) {
    String contacts = entry.members.stream().map(Member::contact).collect(Collectors.joining("+"));
    String rule = entry.rule.isEmpty() ? "" : "!" + entry.rule;
    var profile = RomiopProfile.of("tutti:1.0@" + id.cluster() + "!" + id.group() + "!" + contacts + rule);
    List<InetSocketAddress> gateways = new ArrayList<>();
    for (Member each : entry.members) {
      if (!each.gateway.isEmpty()) {
        gateways.add(GroupReference.hostAndPort(each.gateway));
      }
    }
    return new GroupReference(entry.type, id, entry.version, profile, gateways);
  }

  private void list(GroupReference.Id after, int howMany, CdrOut out) {
    int most = (int) Math.min(Integer.toUnsignedLong(howMany), LISTED_MAX);
    List<Map.Entry<GroupReference.Id, Entry>> some =
        groups.tailMap(after, false).entrySet().stream().limit(most).toList();
    out.ulong(some.size());
    some.forEach(each -> new Listed(each.getKey(), each.getValue()).write(out));
  }

  @Override
  public StateMachine.Snapshot snapshot() {
    int last = changes;
    var copy = new TreeMap<GroupReference.Id, Entry>(groups);
    return out -> {
      var data = new DataOutputStream(out);
      data.writeInt(last);
      data.writeInt(copy.size());
      for (Map.Entry<GroupReference.Id, Entry> each : copy.entrySet()) {
        write(each.getKey(), each.getValue(), data);
      }
      data.flush();
    };
  }

  private static void write(GroupReference.Id id, Entry entry, DataOutputStream out) throws IOException {
    for (String text : List.of(id.cluster(), id.group(), id.key(), entry.type, entry.rule)) {
      out.writeUTF(text);
    }
    out.writeInt(entry.version);
    out.writeInt(entry.members.size());
    for (Member each : entry.members) {
      out.writeUTF(each.location);
      out.writeUTF(each.contact);
      out.writeUTF(each.gateway);
    }
  }

  @Override
  public void restore(DataInputStream in) throws IOException {
    groups.clear();
    members = 0;
    digest = 0;
    changes = in.readInt();
    for (int left = in.readInt(); left != 0; left--) {
      var id = new GroupReference.Id(in.readUTF(), in.readUTF(), in.readUTF());
      if (left < 0 || !groups.isEmpty() && BY_NAME.compare(groups.lastKey(), id) >= 0) {
        throw new IOException("groups of objects that are not in the order of their names");
      }
      put(id, null, read(in));
    }
  }

  private static Entry read(DataInputStream in) throws IOException {
    String type = in.readUTF();
    String rule = in.readUTF();
    int version = in.readInt();
    int count = in.readInt();
    if (count < 0 || count > MEMBERS_MAX) {
      throw new IOException("a group of " + count + " objects");
    }
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      members.add(new Member(in.readUTF(), in.readUTF(), in.readUTF()));
    }
    return new Entry(type, rule, version, List.copyOf(members));
  }

  @Override
  public long digest() {
    return 31L * changes + digest;
  }
}
