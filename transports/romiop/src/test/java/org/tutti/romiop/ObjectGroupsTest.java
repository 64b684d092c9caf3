package org.tutti.romiop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.replica.Command;
import org.tutti.romiop.GroupReference.Id;

/// The group service as a replica has it: requests of GIOP in, replies out.
class ObjectGroupsTest {
  private static final Id COUNTER = new Id("demo", "counter", "Counter");
  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");

  private final ReplicatedObjects service = new ReplicatedObjects(new ObjectGroups());
  private int position;

  private static CdrOut name(Id id) {
    CdrOut out = new CdrOut();
    ObjectGroups.writeName(id, out);
    return out;
  }

  private Giop apply(Giop request) throws Exception {
    return apply(service, request);
  }

  private Giop apply(ReplicatedObjects to, Giop request) throws Exception {
    position++;
    ByteBuffer reply = to.apply(new Command(1, position, position, NOW, ServiceRequest.encoded("", request)));
    return Giop.of(reply.array());
  }

  /// The name of the exception by which a call ends, with the texts in it; or "done".
  private String outcome(String operation, CdrOut arguments) throws Exception {
    Giop reply = apply(Giop.call(ObjectGroups.KEY, operation, arguments));
    if (reply.isResult()) {
      return "done";
    }
    CdrIn in = reply.body();
    String said = in.string(255).replace("IDL:TuttiGroups/", "").replace("IDL:omg.org/CORBA/", "").replace(":1.0", "");
    return switch (said) {
      case "InvalidProperty" -> said + " " + in.string(255) + "=" + in.string(255);
      case "ObjectNotCreated", "ObjectNotAdded" -> said + " " + in.string(255);
      default -> reply.isUserException() ? said : said + " " + (in.ulong() & 0xfff);
    };
  }

  private String create(Id id, String type, String rule) throws Exception {
    return outcome("create_object_group", name(id).string(type).string(rule));
  }

  private String add(Id id, String location, String contact, String gateway) throws Exception {
    return outcome("add_member", name(id).string(location).string(contact).string(gateway));
  }

  private Giop ask(String operation, CdrOut arguments) throws Exception {
    Giop request = Giop.call(ObjectGroups.KEY, operation, arguments);
    ByteBuffer question = ServiceRequest.encoded("", request.withRequestId(4711));
    Giop reply = Giop.of(service.query(question).array());
    assertThat(reply.requestId()).isEqualTo(4711);
    return reply;
  }

  private List<String> locations() throws Exception {
    CdrIn in = ask("locations_of_members", name(COUNTER)).body();
    List<String> all = new ArrayList<>();
    for (int left = in.length(100); left > 0; left--) {
      all.add(in.string(255));
    }
    return all;
  }

  private void fill() throws Exception {
    assertThat(create(COUNTER, "IDL:Demo/Counter:1.0", "all~2000ms")).isEqualTo("done");
    assertThat(add(COUNTER, "s1", "127.0.0.1:7101", "127.0.0.1:7201")).isEqualTo("done");
    assertThat(add(COUNTER, "s2", "127.0.0.1:7102", "")).isEqualTo("done");
    assertThat(add(COUNTER, "s3", "[::1]:7103", "host-3.example:7203")).isEqualTo("done");
  }

  @Test
  void aReferenceLeadsToAllMembers() throws Exception {
    fill();
    assertThat(locations()).containsExactly("s1", "s2", "s3");
    CdrIn in = ask("get_object_group_ref", name(COUNTER)).body();
    assertThat(in.string(255)).isEqualTo("IDL:Demo/Counter:1.0");
    assertThat(in.ulong()).as("profiles").isEqualTo(3);
    assertThat(in.ulong()).isEqualTo(RomiopProfile.TAG);
    String tutti = new String(in.octets(1000), US_ASCII);
    assertThat(tutti).contains("demo\0", "127.0.0.1:7101+127.0.0.1:7102+[::1]:7103\0", "all~2000ms\0", "Counter");
    assertThat(in.ulong()).as("IIOP").isZero();
    assertThat(new String(in.octets(1000), US_ASCII)).contains("127.0.0.1\0", "host-3.example\0", "Counter");
    assertThat(in.ulong()).as("IIOP").isZero();
    assertThat(ask("get_object_group_id", name(COUNTER)).body().octet()).isEqualTo(COUNTER.number() >>> 56);
  }

  @Test
  void eachChangeMakesALaterReference() throws Exception {
    fill();
    Giop before = ask("get_object_group_ref", name(COUNTER));
    assertThat(outcome("remove_member", name(COUNTER).string("s2"))).isEqualTo("done");
    assertThat(locations()).containsExactly("s1", "s3");
    assertThat(ask("get_object_group_ref", name(COUNTER))).isNotEqualTo(before);
    assertThat(add(COUNTER, "s2", "127.0.0.1:7102", "")).isEqualTo("done");
    assertThat(listed().getFirst().entry().version()).isEqualTo(6);
    assertThat(outcome("delete_object_group", name(COUNTER))).isEqualTo("done");
    assertThat(create(COUNTER, "IDL:Demo/Counter:1.0", "")).isEqualTo("done");
    assertThat(listed().getFirst().entry().version()).as("also of one that is made again").isEqualTo(7);
    CdrIn nil = ask("get_object_group_ref", name(COUNTER)).body();
    assertThat(nil.string(255)).as("the reference to nobody").isEmpty();
    assertThat(nil.ulong()).isZero();
  }

  private List<ObjectGroups.Listed> listed() throws Exception {
    CdrIn in = ask("list_object_groups", name(new Id("", "", "")).ulong(100)).body();
    List<ObjectGroups.Listed> all = new ArrayList<>();
    for (int left = in.length(ObjectGroups.LISTED_MAX); left > 0; left--) {
      all.add(ObjectGroups.Listed.read(in));
    }
    return all;
  }

  @Test
  void mistakesAreExceptionsAndChangeNothing() throws Exception {
    String type = "IDL:Demo/Counter:1.0";
    assertThat(add(COUNTER, "s1", "127.0.0.1:7101", "")).isEqualTo("ObjectGroupNotFound");
    for (String operation : List.of("remove_member", "delete_object_group", "describe", "get_object_group_id")) {
      assertThat(outcome(operation, name(COUNTER).string("s1"))).isEqualTo("ObjectGroupNotFound");
    }
    fill();
    long digest = service.digest().orElseThrow();
    assertThat(create(COUNTER, type, "")).isEqualTo("ObjectGroupAlreadyPresent");
    assertThat(add(COUNTER, "s1", "127.0.0.1:9", "")).isEqualTo("MemberAlreadyPresent");
    assertThat(outcome("remove_member", name(COUNTER).string("s4"))).isEqualTo("MemberNotFound");
    assertThat(create(new Id("a!b", "g", "k"), type, "")).isEqualTo("InvalidProperty cluster=a!b");
    assertThat(create(new Id("c", "a/b", "k"), type, "")).isEqualTo("InvalidProperty group=a/b");
    assertThat(create(new Id("c", "g", ""), type, "")).isEqualTo("InvalidProperty object_key=");
    assertThat(create(new Id("c", "g", "k"), "a b", "")).isEqualTo("InvalidProperty type_id=a b");
    assertThat(create(new Id("c", "g", "k"), type, "most")).isEqualTo("InvalidProperty replies=most");
    assertThat(add(COUNTER, "s 4", "h:1", "")).isEqualTo("InvalidProperty the_location=s 4");
    assertThat(add(COUNTER, "s4", "h:1+h:2", "")).isEqualTo("InvalidProperty contact=h:1+h:2");
    assertThat(add(COUNTER, "s4", "h:1", "h:99999")).isEqualTo("InvalidProperty gateway=h:99999");
    assertThat(outcome("shutdown", name(COUNTER))).isEqualTo("BAD_OPERATION 12");
    assertThat(outcome("add_member", name(COUNTER))).isEqualTo("MARSHAL 7");
    assertThat(outcome("add_member", new CdrOut().ulong(Integer.MAX_VALUE).ulong(1))).isEqualTo("MARSHAL 7");
    assertThat(outcome("describe", new CdrOut().string("x".repeat(256)).string("").string(""))).isEqualTo("MARSHAL 7");
    Giop other = apply(Giop.call("Other", "describe", name(COUNTER)));
    assertThat(other).isEqualTo(Giop.exception(2, RomiopFailure.NO_SUCH_OBJECT));
    assertThat(service.digest()).hasValue(digest);
  }

  @Test
  void boundsAreSaid() throws Exception {
    fill();
    for (int i = 4; i <= ObjectGroups.MEMBERS_MAX; i++) {
      assertThat(add(COUNTER, "s" + i, "h:" + i, "")).isEqualTo("done");
    }
    assertThat(add(COUNTER, "more", "h:1", "")).isEqualTo("ObjectNotAdded the group has 32 members");
    for (int i = 1; i < ObjectGroups.GROUPS_MAX; i++) {
      assertThat(create(new Id("c", "g" + i, "k"), "IDL:X:1.0", "")).isEqualTo("done");
    }
    Id more = new Id("c", "more", "k");
    assertThat(create(more, "IDL:X:1.0", "")).isEqualTo("ObjectNotCreated there are 10000 groups");
    assertThat(listed()).hasSize(ObjectGroups.LISTED_MAX).first().extracting("id").isEqualTo(new Id("c", "g1", "k"));
  }

  @Test
  void allVersionsAndByteOrdersAreSpoken() throws Exception {
    for (int minor = 0; minor <= 2; minor++) {
      for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
        byte[] type = (ObjectGroups.TYPE + "\0").getBytes(US_ASCII);
        ByteBuffer body = ByteBuffer.allocate(4 + type.length).order(order).putInt(type.length).put(type);
        Giop asked = Giop.of(new Requests(minor, order).request(7, 1, ObjectGroups.KEY, "_is_a", body.array()));
        Giop reply = apply(asked);
        assertThat(reply.requestId()).isEqualTo(7);
        assertThat(reply.minorVersion()).isEqualTo(minor);
        assertThat(reply.body().octet()).as("yes").isOne();
      }
    }
  }

  @Test
  void aCallThatComesAgainIsAnsweredAndNotExecuted() throws Exception {
    assertThat(create(COUNTER, "IDL:X:1.0", "")).isEqualTo("done");
    byte[] body = name(COUNTER).string("s1").string("h:1").string("").bytes();
    byte[] context = ftRequest(1);
    Giop first = Giop.of(Requests.withContext("add_member", ObjectGroups.KEY, 1, context, body));
    Giop again = Giop.of(Requests.withContext("add_member", ObjectGroups.KEY, 2, context, body));
    Giop other = Giop.of(Requests.withContext("add_member", ObjectGroups.KEY, 3, ftRequest(2), body));
    Giop reply = apply(first);
    assertThat(reply.isResult()).isTrue();
    var copy = new ReplicatedObjects(new ObjectGroups());
    restore(copy);
    for (ReplicatedObjects each : List.of(service, copy)) {
      assertThat(apply(each, again)).isEqualTo(reply).extracting(Giop::requestId).isEqualTo(2);
      assertThat(apply(each, other).isUserException()).as("another call").isTrue();
    }
    assertThat(locations()).containsExactly("s1");
    assertThat(copy.digest()).isEqualTo(service.digest());
  }

  private static byte[] ftRequest(int call) {
    ByteBuffer context = ByteBuffer.allocate(32).putInt(0).putInt(2).put("c\0".getBytes(US_ASCII)).position(12);
    return context.putInt(call).putLong(FtRequest.time(NOW.plusSeconds(60))).flip().limit(24).array();
  }

  private byte[] snapshot() throws IOException {
    var out = new ByteArrayOutputStream();
    service.snapshot().writeTo(out);
    return out.toByteArray();
  }

  private void restore(ReplicatedObjects to) throws IOException {
    to.restore(new ByteArrayInputStream(snapshot()));
  }

  @Test
  void aNewcomerGetsTheState() throws Exception {
    fill();
    assertThat(create(new Id("demo", "empty", "E"), "IDL:X:1.0", "")).isEqualTo("done");
    byte[] state = snapshot();
    var copy = new ReplicatedObjects(new ObjectGroups());
    restore(copy);
    assertThat(copy.digest()).isEqualTo(service.digest());
    assertThat(create(new Id("demo", "later", "L"), "IDL:X:1.0", "")).isEqualTo("done");
    assertThat(copy.digest()).as("another state").isNotEqualTo(service.digest());
    var out = new ByteArrayOutputStream();
    copy.snapshot().writeTo(out);
    assertThat(out.toByteArray()).isEqualTo(state);
    state[1] = 9;
    assertThatThrownBy(() -> copy.restore(new ByteArrayInputStream(state)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("format 9");
  }
}
