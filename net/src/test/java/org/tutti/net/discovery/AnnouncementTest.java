package org.tutti.net.discovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.text.MessageFormat;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.tutti.Metric;
import org.tutti.fixture.LogRecords;
import org.tutti.net.discovery.MulticastDiscovery.Announcement.Verdict;
import org.tutti.transport.Address;

/// Datagrams of multicast discovery, good ones and all others.
class AnnouncementTest {
  private static final Address MEMBER = new Address("10.0.0.5:7001");
  private final MulticastDiscovery.Announcement bank = new MulticastDiscovery.Announcement("bank");

  private Verdict verdict(byte[] datagram) {
    return bank.verdict(ByteBuffer.wrap(datagram));
  }

  private static byte[] with(byte[] datagram, int at, int value) {
    byte[] changed = datagram.clone();
    changed[at] = (byte) value;
    return changed;
  }

  @Test
  void whatAMemberTellsIsRead() {
    for (String text : List.of("10.0.0.5:7001", "[fe80::1%eth0]:7001", "[::1]:1")) {
      byte[] datagram = bank.of(new Address(text));
      Verdict verdict = verdict(datagram);
      if (!text.contains("%")) { // a scope is that of this host's interfaces
        assertThat(verdict).as(text).isEqualTo(Verdict.TAKEN);
      }
      assertThat(MulticastDiscovery.Announcement.address(ByteBuffer.wrap(datagram))).hasToString(text);
    }
  }

  @Test
  void whatIsWrongIsNamed() {
    byte[] good = bank.of(MEMBER);
    assertThat(verdict(new byte[0])).isEqualTo(Verdict.DROP_FOREIGN_PROTOCOL);
    assertThat(verdict("M-SEARCH * HTTP/1.1".getBytes(UTF_8))).isEqualTo(Verdict.DROP_FOREIGN_PROTOCOL);
    assertThat(verdict(with(good, 4, 2))).isEqualTo(Verdict.DROP_OTHER_VERSION);
    assertThat(verdict(Arrays.copyOf(good, 4))).isEqualTo(Verdict.DROP_BAD_LENGTH);
    assertThat(verdict(Arrays.copyOf(good, good.length - 1))).isEqualTo(Verdict.DROP_BAD_LENGTH);
    assertThat(verdict(Arrays.copyOf(good, good.length + 1))).isEqualTo(Verdict.DROP_BAD_LENGTH);
    assertThat(verdict(with(good, 5, 255))).isEqualTo(Verdict.DROP_BAD_LENGTH);
    assertThat(verdict(with(good, 7, 'x'))).isEqualTo(Verdict.DROP_OTHER_CLUSTER);
    assertThat(new MulticastDiscovery.Announcement("").verdict(ByteBuffer.wrap(good)))
        .isEqualTo(Verdict.DROP_OTHER_CLUSTER);
  }

  @Test
  void onlyLiteralAddressesOfHostsAreTaken() {
    for (String text :
        List.of(
            "host:1",
            "10.0.0.5",
            "10.0.0.5:0",
            "10.0.0.5:65536",
            "10.0.0.5:-1",
            "239.1.1.1:7",
            "0.0.0.0:7",
            "[::]:7",
            "10.0.0.5:7\n",
            "10.0.0.5\u0000:7",
            "10.0.0.5:7\u0661",
            "::1:7",
            ":",
            "x".repeat(255))) {
      assertThat(verdict(bank.of(new Address(text)))).as(text).isEqualTo(Verdict.DROP_BAD_ADDRESS);
    }
    byte[] none = Arrays.copyOf(bank.of(MEMBER), 7 + 4);
    assertThat(verdict(with(none, 6, 0))).isEqualTo(Verdict.DROP_BAD_ADDRESS);
  }

  /// Whatever comes, there is a verdict, and what is taken can be read.
  @Test
  void randomAndDamagedDatagramsAreJudged() {
    var random = new Random(7);
    Map<Verdict, Integer> met = new EnumMap<>(Verdict.class);
    for (int i = 0; i < 200_000; i++) {
      byte[] datagram = bank.of(MEMBER);
      if (i % 4 == 0) {
        datagram = new byte[random.nextInt(MulticastDiscovery.Announcement.BYTES_MAX + 2)];
        random.nextBytes(datagram);
      } else if (i % 4 == 1) {
        datagram = Arrays.copyOf(datagram, random.nextInt(2 * datagram.length));
      }
      for (int changes = i % 4 == 3 ? 1 : random.nextInt(4); changes > 0 && datagram.length > 0; changes--) {
        datagram[random.nextInt(datagram.length)] = (byte) random.nextInt();
      }
      ByteBuffer heard = ByteBuffer.wrap(datagram);
      Verdict verdict = bank.verdict(heard);
      met.merge(verdict, 1, Integer::sum);
      if (verdict == Verdict.TAKEN) {
        assertThat(MulticastDiscovery.Announcement.address(heard).text()).matches("[0-9a-fA-F.:\\[\\]]+:[+0-9]+");
      }
    }
    assertThat(met).hasSize(Verdict.values().length - 1).doesNotContainKey(Verdict.DROP_TOO_MANY);
  }

  @Test
  void membersThatAnnounceThemselvesInAnotherVersionAreToldOfOnce() throws InterruptedException {
    byte[] newer = with(bank.of(MEMBER), 4, 2);
    var own = new Address("10.0.0.6:7001");
    try (var log = new LogRecords(MulticastDiscovery.class.getName());
        var discovery = MulticastDiscovery.member(new Address("239.1.1.1:7000"), "eth0", "bank", own)) {
      for (int i = 0; i < 3; i++) {
        discovery.take(ByteBuffer.wrap(newer), InetAddress.getLoopbackAddress());
      }
      LogRecord told = log.next();
      assertThat(new MessageFormat(told.getMessage(), Locale.ROOT).format(told.getParameters()))
          .isEqualTo(
              "a member at 127.0.0.1 announces itself in version 2 of multicast discovery, this node reads version 1");
      assertThat(log.all()).isEmpty();
      assertThat(Metric.byKey(discovery.metrics()))
          .containsEntry("discovery.datagrams.dropped{reason=other-version}", 3L);
    }
  }
}
