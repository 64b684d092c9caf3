package org.tutti.romiop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedComponent;
import org.omg.IOP.TaggedComponentSeqHolder;
import org.omg.IOP.TaggedProfile;
import org.omg.IOP.TaggedProfileHolder;
import org.tutti.fixture.Golden;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// The bytes of references to groups of objects, between their clients and members, and of states.
class RomiopGoldenTest {
  private static final UUID CLIENT = new UUID(1, -2);
  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");
  private static final String PORTS = "127.0.0.1:7421,[::1]:7422";
  private static final List<String> KEYS = List.of("Counter", "M\u00fcnze");

  private static byte[] written(StateMachine.Snapshot state) throws IOException {
    var out = new ByteArrayOutputStream();
    state.writeTo(out);
    return out.toByteArray();
  }

  /// A message without the class that reads it.
  private record Message(boolean isReply, UUID client, long call, long time, byte[] giop) {}

  private static Golden.Format<Message> messages() {
    return new Golden.Format<>() {
      @Override
      public byte[] write(Message message) throws Exception {
        Giop giop = Giop.of(message.giop);
        return new GroupMessage(message.isReply, message.client, message.call, message.time, giop).encoded();
      }

      @Override
      public Message read(byte[] bytes) throws Exception {
        GroupMessage read = GroupMessage.read(ByteBuffer.wrap(bytes), CLIENT);
        return new Message(read.isReply(), read.client(), read.call(), read.time(), read.giop().bytes());
      }
    };
  }

  @Test
  void betweenClientsAndMembers() {
    byte[] request = Giop.request("Counter", "get", null).bytes();
    byte[] little = new Requests(1, ByteOrder.LITTLE_ENDIAN).request(9, 1, "Counter", new byte[] {5, 0, 0, 0});
    byte[] reply = Giop.reply(2, Giop.RESULT, new byte[] {0, 0, 0, 5}).bytes();
    new Golden("romiop", "object-message", "multicast in a group of objects: `GroupMessage`")
        .example("request", new Message(false, CLIENT, 7, 0, request), messages())
        .example("request by a gateway, of another ORB", new Message(false, CLIENT, 8, 1L << 56, little), messages())
        .example("reply", new Message(true, CLIENT, 7, 0, reply), messages())
        .check();
  }

  /// A call or a reply in the words of the interface of the servants' process.
  private record Delivered(String life, long number, String key, String operation, int minor, boolean little, int at) {}

  private static Delivered delivered(byte[] bytes) throws Exception {
    DeliveryPeer.Delivered read = DeliveryPeer.delivered(Giop.of(bytes));
    Giop request = Giop.of(read.message());
    assertThat(request.bytes().length - request.bodyBytes()).isEqualTo(read.argumentsAt());
    return new Delivered(
        read.life(),
        read.number(),
        read.key(),
        read.operation(),
        read.minor(),
        read.isLittleEndian(),
        read.argumentsAt());
  }

  @Test
  void betweenDelegatesAndServants() throws Exception {
    Giop big = Giop.of(new Requests(2, ByteOrder.BIG_ENDIAN).request(9, 1, "Counter", new byte[] {0, 0, 0, 5}));
    Giop little = Giop.of(new Requests(0, ByteOrder.LITTLE_ENDIAN).request(9, 1, "Counter", new byte[] {5, 0, 0, 0}));
    CdrOut types = new CdrOut().ulong(1).string("Counter").string("IDL:Demo/Counter:1.0").octet(1);
    CdrOut outcome = new CdrOut().ulong(Giop.RESULT).octets(new CdrOut().ulong(7).bytes());
    new Golden("romiop", "delivery", "calls of `Tutti::Delivery` and their replies: `ServantProcess`")
        .written("deliver", deliver(1, big), RomiopGoldenTest::delivered)
        .written("deliver, of another ORB", deliver(1L << 40, little), RomiopGoldenTest::delivered)
        .written("begun", reply(types), bytes -> ServantProcess.servants(Giop.of(bytes)))
        .written("an outcome", reply(outcome), bytes -> ServantProcess.outcome(big, Giop.of(bytes)).bytes())
        .check();
  }

  private static byte[] deliver(long number, Giop request) throws Exception {
    return Giop.call("the key", "deliver", ServantProcess.delivered("a life", number, request)).bytes();
  }

  private static byte[] reply(CdrOut result) {
    return Giop.reply(2, Giop.RESULT, result.bytes()).bytes();
  }

  private record Asked(List<InetSocketAddress> ports, byte[] giop) {}

  private static Asked asked(byte[] bytes) {
    ServiceRequest read = ServiceRequest.read(ByteBuffer.wrap(bytes));
    return new Asked(read.ports(), read.giop().bytes());
  }

  @Test
  void fromGatewaysToServices() {
    Giop request = Giop.request("NameService", "list", null);
    new Golden("romiop", "service-request", "commands and questions to services of objects: `ServiceRequest`")
        .written("with ports", ServiceRequest.encoded(PORTS, request).array(), RomiopGoldenTest::asked)
        .written("without ports", ServiceRequest.encoded("", request).array(), RomiopGoldenTest::asked)
        .check();
  }

  /// A profile of a reference: by whom it is read, and what of it.
  private record Profile(int tag, String group, String key, List<Integer> components) {}

  private record Reference(String type, List<Profile> profiles) {}

  private static Reference reference(byte[] bytes) throws Exception {
    assertThat(bytes[0]).as("byte order").isZero();
    IOR read = new CdrIn(ByteBuffer.wrap(bytes), 1).reference(255, 9999);
    List<Profile> profiles = new ArrayList<>();
    for (TaggedProfile each : read.profiles) {
      profiles.add(each.tag == RomiopProfile.TAG ? ofTutti(each) : ofGateway(each));
    }
    return new Reference(read.type_id, profiles);
  }

  private static Profile ofTutti(TaggedProfile profile) {
    RomiopProfile read = new RomiopProfile();
    var components = new TaggedComponentSeqHolder(new TaggedComponent[0]);
    read.demarshal(new TaggedProfileHolder(profile), components);
    return new Profile(profile.tag, read.toString(), new String(read.get_object_key(), US_ASCII), List.of());
  }

  private static Profile ofGateway(TaggedProfile profile) throws Exception {
    CdrIn in = new CdrIn(ByteBuffer.wrap(profile.profile_data), 1);
    String version = in.octet() + "." + in.octet();
    String address = in.string(255) + ":" + in.ushort();
    String key = new String(in.octets(255), US_ASCII);
    List<Integer> components = new ArrayList<>();
    for (int left = in.length(10); left > 0; left--) {
      components.add(in.ulong());
      in.octets(1000);
    }
    return new Profile(profile.tag, "IIOP " + version + " " + address, key, components);
  }

  /// The bytes behind `IOR:`.
  private static byte[] bytes(GroupReference reference) {
    return HexFormat.of().parseHex(reference.toString().substring("IOR:".length()));
  }

  @Test
  void references() {
    List<InetSocketAddress> gateways = GroupReference.addresses("127.0.0.1:7201,[::1]:7202");
    String address = "tutti:1.0@demo!counter!127.0.0.1:7101+127.0.0.1:7102!";
    Golden golden = new Golden("romiop", "group-reference", "references to objects of groups: `GroupReference`");
    for (String rule : List.of("all~2000ms", "!reliable")) {
      var reference = new GroupReference("IDL:Demo/Counter:1.0", RomiopProfile.of(address + rule), "Counter", gateways);
      golden.written("with the rule " + rule, bytes(reference), RomiopGoldenTest::reference);
    }
    var id = new GroupReference.Id("demo", "counter", "Counter");
    var others = new GroupReference("IDL:Demo/Counter:1.0", id, 3, null, gateways.subList(0, 1));
    golden.written("for others only", bytes(others), RomiopGoldenTest::reference).check();
  }

  /// A state of objects, with the replies that are kept for two calls.
  private record States(Map<String, byte[]> objects, List<byte[]> replies, byte[] expired) {}

  private static FtRequest call(int number) {
    return new FtRequest("client", number, 100L + number);
  }

  private static States states(byte[] bytes) throws IOException {
    ObjectStates read = ObjectStates.read(new ByteArrayInputStream(bytes), KEYS);
    KeptReplies kept = read.kept();
    List<byte[]> replies = List.of(kept.instead(call(1), 2).bytes(), kept.instead(call(2), 0).bytes());
    assertThat(kept.size()).isEqualTo(2);
    return new States(read.objects(), replies, kept.instead(new FtRequest("client", 3, 49), 2).bytes());
  }

  @Test
  void statesOfServants() throws Exception {
    var kept = new KeptReplies();
    kept.turn(50);
    kept.keep(call(1), Giop.reply(2, Giop.RESULT, new byte[] {1}));
    kept.keep(call(2), Giop.reply(0, Giop.USER_EXCEPTION, new byte[] {2, 3}));
    var objects = new TreeMap<>(Map.of(KEYS.getFirst(), new byte[] {1, 2, 3}, KEYS.getLast(), new byte[0]));
    var out = new ByteArrayOutputStream();
    new ObjectStates(objects, kept).write(out);
    new Golden("romiop", "object-states", "the state of a group of objects, for a newcomer: `ObjectStates`")
        .written("two objects and two replies", out.toByteArray(), RomiopGoldenTest::states)
        .check();
    byte[] other = out.toByteArray();
    other[3]++;
    assertThatThrownBy(() -> states(other))
        .isInstanceOf(ObjectStates.OtherObjectsException.class)
        .hasMessage("states of objects of version 3, this member reads version 2");
  }

  /// A replicated service that has read a state: what it answers, and that it would write the same.
  private record Restored(long digest, List<byte[]> answers) {}

  private static Restored restored(ServedObjects objects, byte[] bytes, List<Giop> questions) throws IOException {
    var service = new ReplicatedObjects(objects);
    service.restore(new ByteArrayInputStream(bytes));
    assertThat(written(service.snapshot())).isEqualTo(bytes);
    List<byte[]> answers = new ArrayList<>();
    questions.forEach(each -> answers.add(service.query(ServiceRequest.encoded(PORTS, each)).array()));
    return new Restored(service.digest().orElseThrow(), answers);
  }

  private static byte[] after(ServedObjects objects, Giop... commands) throws Exception {
    var service = new ReplicatedObjects(objects);
    for (int i = 0; i < commands.length; i++) {
      var command = new Command(1, i + 1, i + 1, NOW, ServiceRequest.encoded(PORTS, commands[i]));
      assertThat(Giop.of(service.apply(command).array()).isResult()).as("command %d", i).isTrue();
    }
    return written(service.snapshot());
  }

  @Test
  void statesOfTheGroupService() throws Exception {
    byte[] state =
        after(
            new ObjectGroups(),
            Giop.call(ObjectGroups.KEY, "create_object_group", counter().string("IDL:Demo/Counter:1.0").string("all")),
            Giop.call(ObjectGroups.KEY, "add_member", member("s1", "127.0.0.1:7101", "127.0.0.1:7201")),
            Giop.call(ObjectGroups.KEY, "add_member", member("s2", "[::1]:7102", "")));
    Giop locations = Giop.call(ObjectGroups.KEY, "locations_of_members", counter());
    new Golden("romiop", "group-service-state", "what replicas of the group service keep: `ObjectGroups`")
        .written("a group of two", state, bytes -> restored(new ObjectGroups(), bytes, List.of(locations)))
        .check();
    byte[] other = state.clone();
    other[1]++;
    assertThatThrownBy(() -> restored(new ObjectGroups(), other, List.of()))
        .isInstanceOf(IOException.class)
        .hasMessage("CORBA objects of format 2, not 1");
  }

  private static CdrOut counter() {
    CdrOut out = new CdrOut();
    ObjectGroups.writeName(new GroupReference.Id("demo", "counter", "Counter"), out);
    return out;
  }

  private static CdrOut member(String location, String contact, String gateway) {
    return counter().string(location).string(contact).string(gateway);
  }

  @Test
  void statesOfTheNamingService() throws Exception {
    CdrOut profile = new CdrOut().octet(0).octet(1).octet(2).string("h").ushort(7).octets(new byte[] {'k'});
    var object = new IOR("IDL:X:1.0", new TaggedProfile[] {new TaggedProfile(0, profile.ulong(0).bytes())});
    byte[] state =
        after(
            new NamingService(),
            Giop.call(NamingService.KEY, "bind_new_context", named("a.x")),
            Giop.call(NamingService.KEY, "bind", named("a.x/o").reference(object)),
            Giop.call(NamingService.KEY, "bind_context", named("other").reference(object)),
            Giop.call(NamingService.KEY, "list", new CdrOut().ulong(1)));
    Giop resolve = Giop.call(NamingService.KEY, "resolve", named("a.x/o"));
    new Golden("romiop", "naming-state", "what replicas of the naming service keep: `NamingTree`")
        .written(
            "contexts, an object and a list that is read",
            state,
            bytes -> restored(new NamingService(), bytes, List.of(resolve)))
        .check();
  }

  private static CdrOut named(String text) {
    List<NamingTree.Name> name = NameText.read(text);
    CdrOut out = new CdrOut().ulong(name.size());
    name.forEach(each -> out.string(each.id()).string(each.kind()));
    return out;
  }
}
