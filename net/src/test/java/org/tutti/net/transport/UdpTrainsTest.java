package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;

/// Several datagrams in one system call, and what becomes of them where that is not to be had.
@EnabledOnOs(OS.LINUX)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UdpTrainsTest {
  private static final Address ANYWHERE = new Address("127.0.0.1:0");
  private static final UdpConfig ETHERNET = UdpConfig.lan().withDatagramBytesMax(1472);
  private static final int FRAMES = 2000;
  private static final String OF_THE_JVM = "restricted method"; // in each of its warnings

  /// Two nodes in a process of its own; it prints what their transports counted.
  static final class Pair {
    private static final int MESSAGES = 300;
    private static final int BYTES = 1000;
    private static final Duration SOON = Duration.ofSeconds(30);

    /// Arguments: how long datagrams may be on loopback from some moment on, in bytes; then even less, until a train
    /// was refused. Who is looking for a longer datagram at that moment, as at first, finds out before it sends any
    /// train.
    public static void main(String[] mtus) throws Exception {
      try (Node a = Node.named("a").transport(UdpTransport.open(ANYWHERE, ETHERNET)).start();
          Node b =
              Node.named("b")
                  .contacts(List.of(a.self().address()))
                  .transport(UdpTransport.open(ANYWHERE, ETHERNET))
                  .start()) {
        Group sender = a.create("g", GroupConfig.standard());
        Group receiver = b.join("g");
        while (receiver.view() == null || receiver.view().size() < 2) {
          next(receiver);
        }
        if (mtus.length == 0) {
          send(sender, receiver);
        }
        for (int i = 0; i < mtus.length && Told.of(a.metrics(), "trains.refused") == 0; i++) {
          narrow(mtus[i]);
          send(sender, receiver);
        }
        var told = a.metrics();
        System.out.println("all " + Told.of(told, "trains.sent") + " " + Told.of(told, "trains.refused"));
      }
    }

    private static void narrow(String mtu) throws Exception {
      Process process = new ProcessBuilder("ip", "link", "set", "lo", "mtu", mtu).inheritIO().start();
      if (process.waitFor() != 0) {
        throw new IllegalStateException("mtu " + mtu);
      }
    }

    private static void send(Group sender, Group receiver) throws InterruptedException {
      for (int i = 0; i < MESSAGES; i++) {
        byte[] message = new byte[BYTES];
        message[0] = (byte) i;
        sender.post(ByteBuffer.wrap(message));
      }
      for (int i = 0; i < MESSAGES; ) {
        if (next(receiver) instanceof Event.Delivery delivery && delivery.payload().get(0) != (byte) i++) {
          throw new IllegalStateException("out of order");
        }
      }
    }

    private static Event next(Group group) throws InterruptedException {
      return Objects.requireNonNull(group.receive(SOON), "nothing comes");
    }
  }

  private static List<String> pair(boolean mayCall) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (mayCall) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Pair.class.getName()));
    return command;
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes());
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return output;
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFloodNeedsFewSystemCalls(boolean sealed) throws IOException {
    UdpConfig config = sealed ? ETHERNET.withKey(UdpKey.of(new byte[UdpKey.BYTES])) : ETHERNET;
    try (Station a = new Station(UdpTransport.open(ANYWHERE, config));
        Station b = new Station(UdpTransport.open(ANYWHERE, config))) {
      int length = 1400; // one fills a datagram
      a.send(b.address(), new byte[length], b);
      until("the first one", () -> b.frames.size() == 1, a, b);
      for (int i = 0; i < FRAMES; i++) {
        byte[] frame = new byte[length];
        frame[0] = (byte) i;
        frame[length - 1] = (byte) (i >> 8);
        while (!a.offer(b.address(), frame)) {
          Station.turns(1, a, b);
        }
      }
      until("all", () -> b.frames.size() == FRAMES + 1, a, b);
      for (int i = 0; i < FRAMES; i++) {
        byte[] frame = b.frames.get(i + 1);
        assertThat(frame[0] & 0xff | (frame[length - 1] & 0xff) << 8).isEqualTo(i);
      }
      SortedMap<String, Long> sent = Metric.byKey(a.transport.metrics());
      SortedMap<String, Long> read = Metric.byKey(b.transport.metrics());
      System.out.printf(
          "%d datagrams sent by %d calls, read by %d%n",
          sent.get("udp.datagrams.sent"), sent.get("udp.sends.made"), read.get("udp.reads.made"));
      assertThat(sent.get("udp.datagrams.sent")).isGreaterThan(FRAMES);
      assertThat(sent.get("udp.sends.made")).isLessThan(FRAMES / 4);
      assertThat(sent.get("udp.segments.sent")).isGreaterThan(FRAMES * 3 / 4);
      assertThat(read.get("udp.trains.received")).isGreaterThan(sent.get("udp.trains.sent") / 2);
      assertThat(sent.get("udp.trains.refused") + sent.get("udp.datagrams.unsent{reason=failed}")).isZero();
    }
  }

  @Test
  void withoutNativeAccessNothingIsPrintedByTheJvmAndAllArrives() throws Exception {
    assertThat(run(pair(false)))
        .contains("all 0 0")
        .contains("a system call for each datagram, as native access needs --enable-native-access=org.tutti.net")
        .doesNotContainIgnoringCase(OF_THE_JVM);
    assertThat(run(pair(true))).containsPattern("all [1-9][0-9]* 0").doesNotContainIgnoringCase(OF_THE_JVM);
  }

  /// In a namespace of its own, whose loopback carries less than a datagram: the kernel does not cut then.
  @Test
  @Tag("system")
  void aTrainThatTheKernelRefusesArrivesPieceByPiece() throws Exception {
    var command = new ArrayList<>(List.of("unshare", "-n", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"));
    Assumptions.assumeTrue(run(List.of("unshare", "-n", "true")).isEmpty(), "no namespaces");
    command.addAll(pair(true));
    command.addAll(List.of("1300", "1200", "1100", "1000"));
    assertThat(run(command)).containsPattern("all [0-9]* [1-9][0-9]*");
  }
}
