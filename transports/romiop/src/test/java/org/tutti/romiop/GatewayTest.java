package org.tutti.romiop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.SendOptions;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.replica.consolidation.Consolidation;

/// A gateway, and a group of one member that answers each request, except for those to the object `Mute`.
class GatewayTest {
  private static final Requests BIG = new Requests(2, ByteOrder.BIG_ENDIAN);
  private static final byte[] BODY = "arguments".getBytes(US_ASCII);
  private static final Duration SUSPECT_AFTER = Duration.ofSeconds(15); // the same everywhere
  private static final Gateway.Limits PATIENT = limits(Duration.ofMinutes(5));

  private final LinkedBlockingQueue<Giop> requests = new LinkedBlockingQueue<>();
  private String address;
  private Node member;
  private Gateway gateway;
  private CurrentReferences references;
  private int port;

  private static Gateway.Limits limits(Duration all) {
    return new Gateway.Limits(50, all, all, all);
  }

  @BeforeEach
  void found() throws Exception {
    address = LoopbackPorts.address();
    member = Node.named("m").cluster("c").listen(address).suspectAfter(SUSPECT_AFTER).start();
    Group group = member.create("g", GroupConfig.builder().build());
    group.joined().get(1, TimeUnit.MINUTES);
    Thread.ofPlatform().daemon().start(() -> answer(group));
    open(PATIENT);
  }

  private void open(Gateway.Limits limits) throws IOException {
    RomiopProfile profile = RomiopProfile.of("tutti:1.0@c!g!" + address);
    Consolidation rule = Consolidation.first().within(Duration.ofMinutes(2));
    var times = new GroupCaller.Times(new NodeProperties(SUSPECT_AFTER), Duration.ofMinutes(1), Duration.ZERO);
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    port = socket.getLocalPort();
    gateway =
        new Gateway(
            socket,
            List.of("Counter", "Mute")::contains,
            views -> GroupCaller.join(profile, rule, times, views),
            references,
            limits);
    gateway.start();
    until(() -> {
      try (Client client = new Client()) {
        client.send(BIG.locate(1, "Counter"));
        return client.next() != null;
      } catch (IOException _) {
        return false;
      }
    });
  }

  @AfterEach
  void close() {
    gateway.close();
    member.close();
  }

  private void answer(Group group) {
    try {
      while (true) {
        if (group.receive() instanceof Event.Delivery(var _, var _, var _, ByteBuffer payload)) {
          GroupMessage asked = GroupMessage.read(payload, null);
          if (asked != null) {
            requests.add(asked.giop());
          }
          if (asked != null && asked.giop().isTwoWay() && !asked.giop().key().equals("Mute")) {
            Giop reply = Giop.exception(asked.giop().minorVersion(), RomiopFailure.INCONSISTENT);
            var message = new GroupMessage(true, asked.client(), asked.call(), 0, reply);
            group.post(ByteBuffer.wrap(message.encoded()), SendOptions.fifo());
          }
        }
      }
    } catch (InterruptedException | GroupClosedException _) {
      // The test ends.
    } catch (Giop.BrokenGiopException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void allVersionsAndByteOrdersAreSpoken() throws Exception {
    try (Client client = new Client()) {
      for (int minor = 0; minor <= 2; minor++) {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
          Requests orb = new Requests(minor, order);
          client.send(orb.request(1000 + minor, 1, "Counter", BODY));
          assertThat(client.next()).isEqualTo(Giop.exception(minor, 1000 + minor, RomiopFailure.INCONSISTENT));
          assertThat(endsWith(requests.take(), BODY)).isTrue();
          client.send(orb.request(5, 0, "Counter", BODY));
          assertThat(requests.take().isTwoWay()).isFalse();
          client.send(orb.request(6, 1, "Nobody", BODY));
          assertThat(client.next()).isEqualTo(Giop.exception(minor, 6, RomiopFailure.NO_SUCH_OBJECT));
          client.send(orb.locate(7, "Counter"));
          assertThat(client.next()).isEqualTo(Giop.located(minor, 7, true));
          client.send(orb.locate(8, "Nobody"));
          assertThat(client.next()).isEqualTo(Giop.located(minor, 8, false));
        }
      }
    }
  }

  @Test
  void messagesInFragmentsAreMadeWhole() throws Exception {
    byte[] body = new byte[300_000];
    Arrays.fill(body, (byte) 7);
    Requests old = new Requests(1, ByteOrder.LITTLE_ENDIAN);
    Requests little = new Requests(2, ByteOrder.LITTLE_ENDIAN);
    byte[] first = little.request(1, 3, "Counter", body);
    byte[] second = BIG.request(2, 3, "Counter", BODY);
    byte[] third = old.request(3, 1, "Counter", body);
    try (Client client = new Client()) {
      byte[][] ofFirst = little.fragments(first, 1, 40, 80_000, 160_000);
      byte[][] ofSecond = BIG.fragments(second, 2, 16);
      client.send(ofFirst[0]);
      client.send(ofSecond[0]);
      client.send(ofFirst[1]);
      client.send(ofSecond[1]);
      assertThat(withoutId(requests.take())).isEqualTo(withoutId(Giop.of(second)));
      client.send(ofFirst[2]);
      client.send(ofFirst[3]);
      assertThat(withoutId(requests.take())).isEqualTo(withoutId(Giop.of(first)));
      for (byte[] each : old.fragments(third, 0, 20, 30)) {
        client.send(each);
      }
      assertThat(withoutId(requests.take())).isEqualTo(withoutId(Giop.of(third)));
      // The client does not want it any more, and says so before it is whole.
      client.send(little.fragments(first, 9, 40)[0]);
      client.send(little.cancel(1));
      client.send(little.request(1, 3, "Counter", BODY));
      assertThat(endsWith(requests.take(), BODY)).isTrue();
    }
  }

  @Test
  void contextsAboutConnectionsReachNoServant() throws Exception {
    try (Client client = new Client()) {
      client.send(BIG.request(1, 3, "Counter", BODY, 1, 99, 7, 5, 6));
      Giop request = requests.take();
      for (int hidden : new int[] {1, 5, 6, 7}) {
        assertThat(request.context(hidden)).isNull();
      }
      assertThat(request.context(99)).hasSize(5);
    }
  }

  @Test
  void aTargetInAProfileIsAskedForByItsKey() throws Exception {
    byte[] request = BIG.request(3, 3, "Counter", BODY);
    request[21] = 1;
    byte[] question = BIG.locate(4, "Counter");
    question[17] = 2;
    try (Client client = new Client()) {
      client.send(request);
      ByteBuffer reply = ByteBuffer.wrap(client.next());
      assertThat(List.of(reply.getInt(12), reply.getInt(16), (int) reply.getShort(24))).isEqualTo(List.of(3, 5, 0));
      client.send(question);
      reply = ByteBuffer.wrap(client.next());
      assertThat(List.of(reply.getInt(12), reply.getInt(16), (int) reply.getShort(20))).isEqualTo(List.of(4, 5, 0));
    }
  }

  @Test
  void aCancelledCallIsNotAnsweredAndItsIdIsFree() throws Exception {
    try (Client client = new Client()) {
      for (int i = 0; i < 300; i++) { // more than may be under way
        client.send(BIG.request(1, 3, "Mute", BODY));
        client.send(BIG.cancel(1));
      }
      client.send(BIG.request(1, 3, "Counter", BODY));
      assertThat(client.next()).isEqualTo(Giop.exception(2, 1, RomiopFailure.INCONSISTENT));
    }
  }

  @Test
  void aClientWithAnOldReferenceGetsTheNewestOne() throws Exception {
    try (GroupService service = new GroupService()) {
      var counter = new GroupReference.Id("c", "g", "Counter");
      service.create(counter);
      service.add(counter, "m", "127.0.0.1:7201");
      references = new CurrentReferences(new GroupServiceClient(List.of(service.address())), List.of(counter));
      gateway.close();
      open(PATIENT);
      try (Client client = new Client()) {
        client.send(Requests.versioned("Counter", 7, 1));
        Giop reply = Giop.of(client.next());
        assertThat(reply).isEqualTo(Giop.forward(2, service.reference(counter)));
        assertThat(reply.requestId()).isEqualTo(7);
        client.send(Requests.versioned("Counter", 8, 2));
        assertThat(client.next()).isEqualTo(Giop.exception(2, 8, RomiopFailure.INCONSISTENT));
        client.send(Requests.versioned("Counter", 9, 3));
        assertThat(client.next()).isEqualTo(Giop.exception(2, 9, RomiopFailure.UNKNOWN_REFERENCE));
        client.send(BIG.request(10, 3, "Counter", BODY));
        assertThat(client.next()).isEqualTo(Giop.exception(2, 10, RomiopFailure.INCONSISTENT));
      }
      assertThat(requests).as("what was executed").hasSize(2);
      Map<String, Long> counted = Metric.byKey(gateway.metrics());
      assertThat(counted)
          .containsEntry("gateway.requests.received{kind=two-way}", 4L)
          .containsEntry("gateway.requests.answered{outcome=forwarded}", 1L)
          .containsEntry("gateway.requests.failed{reason=inconsistent}", 2L)
          .containsEntry("gateway.requests.failed{reason=unknown-reference}", 1L)
          .containsEntry("gateway.open.calls", 0L);
    }
  }

  @Test
  void whatIsNoGiopIsRefusedAndHarmsNobody() throws Exception {
    List<byte[]> all = wrong();
    try (Client honest = new Client()) {
      long before = gateway.refused();
      for (byte[] each : all) {
        try (Client client = new Client()) {
          client.send(each);
          assertThat(client.next()).as(new String(each, US_ASCII)).isEqualTo(Giop.bare(2, Giop.MESSAGE_ERROR));
          assertThat(client.next()).isNull();
        }
      }
      assertThat(gateway.refused() - before).isEqualTo(all.size());
      assertThat(Metric.byKey(gateway.metrics()))
          .containsEntry("gateway.connections.closed{reason=malformed}", (long) all.size());
      honest.send(BIG.request(1, 3, "Counter", BODY));
      assertThat(honest.next()).isEqualTo(Giop.exception(2, 1, RomiopFailure.INCONSISTENT));
      until(() -> gateway.connections() == 1);
    }
    until(() -> gateway.connections() == 0);
  }

  private static List<byte[]> wrong() {
    byte[] good = BIG.request(1, 3, "Counter", BODY, 99);
    List<byte[]> all = new ArrayList<>();
    all.add("GET / HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
    all.add(changed(good, 4, 2));
    all.add(changed(good, 5, 3));
    all.add(changed(good, 7, 8)); // no type
    all.add(changed(good, 16, 2)); // no response flags
    all.add(changed(good, 8, 1)); // more than 16 MiB
    all.add(changed(good, 8, 0xff));
    all.add(changed(good, 24, 0x7f)); // the length of the key
    all.add(changed(good, 36, 0xff)); // the length of the operation
    all.add(changed(good, 44, 0x10)); // the number of contexts
    all.add(changed(good, 52, 0x10)); // the length of a context
    all.add(BIG.request(1, 3, "Counter", BODY, FtRequest.ID)); // a context of only zeros
    all.add(BIG.request(1, 3, "Counter", BODY, FtGroupVersion.ID));
    all.add(BIG.bare(Giop.REPLY));
    all.add(BIG.bare(Giop.REQUEST));
    all.add(BIG.bare(Giop.LOCATE_REQUEST));
    all.add(BIG.bare(Giop.CANCEL_REQUEST));
    all.add(BIG.bare(Giop.MESSAGE_ERROR));
    all.add(BIG.bare(Giop.FRAGMENT));
    all.add(BIG.fragments(good, 1, 40)[1]); // of nothing
    all.add(BIG.fragments(good, 1, 41)[0]); // of an odd length
    all.add(changed(BIG.fragments(good, 1, 40)[0], 5, 0)); // in GIOP 1.0
    all.add(joined(BIG.fragments(good, 1, 40)[0], BIG.fragments(good, 1, 40)[0]));
    byte[] little = new Requests(2, ByteOrder.LITTLE_ENDIAN).fragments(good, 1, 40)[1];
    all.add(joined(BIG.fragments(good, 1, 40)[0], little));
    byte[] mute = BIG.request(1, 3, "Mute", BODY);
    all.add(joined(mute, mute)); // an id that is under way
    byte[][] many = new byte[17][];
    for (int i = 0; i < many.length; i++) {
      many[i] = BIG.fragments(BIG.request(i, 3, "Counter", BODY), i, 40)[0];
    }
    all.add(joined(many));
    return all;
  }

  private static byte[] changed(byte[] message, int at, int value) {
    byte[] copy = message.clone();
    copy[at] = (byte) value;
    return copy;
  }

  private static byte[] joined(byte[]... messages) {
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(messages).mapToInt(each -> each.length).sum());
    Arrays.stream(messages).forEach(all::put);
    return all.array();
  }

  @Test
  void whoMakesOthersWaitIsSentAway() throws Exception {
    gateway.close();
    open(limits(Duration.ofSeconds(2)));
    try (Client silent = new Client();
        Client slow = new Client();
        Client idle = new Client();
        Client unfinished = new Client()) {
      slow.send(Arrays.copyOf(BIG.request(1, 3, "Counter", BODY), 20));
      unfinished.send(BIG.fragments(BIG.request(1, 3, "Counter", BODY), 1, 40)[0]);
      idle.send(BIG.request(1, 3, "Counter", BODY));
      assertThat(idle.next()).isEqualTo(Giop.exception(2, 1, RomiopFailure.INCONSISTENT));
      assertThat(idle.next()).isEqualTo(Giop.bare(2, Giop.CLOSE_CONNECTION));
      assertThat(idle.next()).isNull();
      // The time of a stranger and that of silence are the same here; one of them ends it.
      while (silent.next() != null) {
        // It may be told.
      }
      assertThat(slow.next()).isNull();
      assertThat(unfinished.next()).isNull();
    }
    try (Client deaf = new Client()) {
      byte[] question = BIG.locate(1, "Counter");
      while (true) {
        deaf.send(question); // until it is thrown out
      }
    } catch (IOException _) {
      until(() -> gateway.connections() == 0);
    }
  }

  @Test
  void whenTheGroupIsLostConnectionsEndAndNoneIsTaken() throws Exception {
    try (Client calling = new Client();
        Client idle = new Client()) {
      idle.send(BIG.locate(1, "Counter"));
      assertThat(idle.next()).isNotNull();
      calling.send(BIG.request(1, 3, "Mute", BODY));
      requests.take();
      gateway.close();
      // What is under way may have been executed, so nothing is said.
      assertThat(calling.next()).isNull();
      assertThat(idle.next()).isEqualTo(Giop.bare(2, Giop.CLOSE_CONNECTION));
      assertThat(idle.next()).isNull();
    }
  }

  private static boolean endsWith(Giop message, byte[] body) {
    byte[] bytes = message.bytes();
    return Arrays.equals(bytes, bytes.length - body.length, bytes.length, body, 0, body.length);
  }

  private static List<Byte> withoutId(Giop message) {
    List<Byte> all = new ArrayList<>();
    for (byte each : message.withRequestId(0).bytes()) {
      all.add(each);
    }
    return all;
  }

  private static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait(); // the test's time is limited by the build
    }
  }

  private final class Client implements AutoCloseable {
    private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);

    Client() throws IOException {
      socket.setSoTimeout(60_000);
    }

    void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
    }

    /// The next message; null at the end.
    byte[] next() throws IOException {
      byte[] header;
      try {
        header = socket.getInputStream().readNBytes(12);
      } catch (java.net.SocketException _) {
        return null; // the end was noticed by what was sent
      }
      if (header.length == 0) {
        return null;
      }
      byte[] body = socket.getInputStream().readNBytes(ByteBuffer.wrap(header).getInt(8));
      return joined(header, body);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
