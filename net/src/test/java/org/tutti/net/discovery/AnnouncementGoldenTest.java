package org.tutti.net.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Golden;
import org.tutti.net.discovery.MulticastDiscovery.Announcement;
import org.tutti.net.discovery.MulticastDiscovery.Announcement.Verdict;
import org.tutti.transport.Address;

/// The bytes that members multicast of themselves.
class AnnouncementGoldenTest {
  private static final Announcement BANK = new Announcement("bank");

  private static final Golden.Format<Address> FORMAT =
      new Golden.Format<>() {
        @Override
        public byte[] write(Address address) {
          return BANK.of(address);
        }

        @Override
        public Address read(byte[] bytes) {
          assertThat(BANK.verdict(ByteBuffer.wrap(bytes))).isEqualTo(Verdict.TAKEN);
          return Announcement.address(ByteBuffer.wrap(bytes));
        }
      };

  @Test
  void announcements() {
    new Golden("net", "announcement", "a datagram of multicast discovery in the cluster `bank`: `Announcement`")
        .example("IPv4", new Address("10.0.0.5:7001"), FORMAT)
        .example("IPv6", new Address("[::1]:65535"), FORMAT)
        .check();
  }
}
