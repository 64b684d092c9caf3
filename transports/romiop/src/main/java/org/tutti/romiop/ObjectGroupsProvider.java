package org.tutti.romiop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Client;
import org.tutti.replica.StateMachine;
import org.tutti.replica.spi.PortProvider;
import org.tutti.romiop.Giop.BrokenGiopException;
import org.tutti.transport.Address;

/// Offers [ObjectGroups], the group service, as `corba-groups`.
public final class ObjectGroupsProvider implements PortProvider {
  private static final String NAME = "corba-groups";

  /// For the service loader.
  public ObjectGroupsProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public StateMachine machine() {
    return new ReplicatedObjects(new ObjectGroups());
  }

  @Override
  public Port open(Address listen, List<Address> all, Client client) throws IOException {
    var id = new GroupReference.Id("tutti", NAME, ObjectGroups.KEY);
    return ServiceGateway.open(listen, all, client, new ObjectGroups(), id, ObjectGroups.TYPE);
  }

  @Override
  public List<Entry> entries(Client client) throws InterruptedException {
    List<Entry> all = new ArrayList<>();
    GroupReference.@Nullable Id last = new GroupReference.Id("", "", "");
    while (last != null) {
      List<ObjectGroups.Listed> some = list(client, last);
      some.forEach(each -> all.add(entry(each)));
      last = some.isEmpty() ? null : some.getLast().id();
    }
    return all;
  }

  private static List<ObjectGroups.Listed> list(Client client, GroupReference.Id after) throws InterruptedException {
    CdrOut arguments = new CdrOut();
    ObjectGroups.writeName(after, arguments);
    Giop question = Giop.call(ObjectGroups.KEY, "list_object_groups", arguments.ulong(ObjectGroups.LISTED_MAX));
    Giop reply = ServiceCaller.ask(client, question);
    try {
      Giop.require(reply.isResult(), "no result");
      CdrIn in = reply.body();
      List<ObjectGroups.Listed> some = new ArrayList<>();
      for (int i = in.length(ObjectGroups.LISTED_MAX); i > 0; i--) {
        some.add(ObjectGroups.Listed.read(in));
      }
      return some;
    } catch (BrokenGiopException e) {
      throw new IllegalStateException("another service answers: " + e.getMessage(), e);
    }
  }

  private static Entry entry(ObjectGroups.Listed one) {
    GroupReference.Id id = one.id();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("cluster", id.cluster());
    fields.put("group", id.group());
    fields.put("key", id.key());
    fields.put("type", one.entry().type());
    fields.put("version", Integer.toUnsignedLong(one.entry().version()));
    List<ObjectGroups.Member> members = one.entry().members();
    fields.put("members", members.stream().map(ObjectGroupsProvider::fields).toList());
    if (!members.isEmpty()) {
      fields.put("reference", ObjectGroups.reference(id, one.entry()).toString());
    }
    String words =
        members.stream().map(each -> " " + each.location() + "@" + each.contact()).collect(Collectors.joining());
    String head = id.cluster() + "/" + id.group() + "/" + id.key() + " " + one.entry().type();
    return new Entry(head + (words.isEmpty() ? ": no member" : ":" + words), fields);
  }

  private static Map<String, Object> fields(ObjectGroups.Member member) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("location", member.location());
    fields.put("contact", member.contact());
    if (!member.gateway().isEmpty()) {
      fields.put("gateway", member.gateway());
    }
    return fields;
  }
}
