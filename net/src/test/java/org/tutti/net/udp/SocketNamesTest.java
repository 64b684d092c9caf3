package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketNamesTest {
  private final MemorySegment name = Arena.ofAuto().allocate(LinuxSocket.SocketNames.BYTES_MAX, 8);

  /// As `sockaddr_in` and `sockaddr_in6` of a machine whose lowest byte comes first.
  @ParameterizedTest
  @CsvSource({
    "false, 10.1.2.3, 258, 02000102 0a010203 0000000000000000",
    "false, 255.255.255.255, 65535, 0200ffff ffffffff 0000000000000000",
    "true, ::1, 80, 0a000050 00000000 00000000000000000000000000000001 00000000",
    "true, fe80::1:2%7, 80, 0a000050 00000000 fe800000000000000000000000010002 07000000",
    "true, 10.1.2.3, 80, 0a000050 00000000 00000000000000000000ffff0a010203 00000000"
  })
  void anAddressIsWrittenAsTheKernelReadsIt(boolean six, String host, int port, String bytes) {
    var names = new LinuxSocket.SocketNames(six);
    var address = new InetSocketAddress(java.net.InetAddress.ofLiteral(host), port);
    byte[] expected = HexFormat.of().parseHex(bytes.replace(" ", ""));
    assertThat(names.write(address, name)).isEqualTo(expected.length);
    assertThat(name.asSlice(0, expected.length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)).isEqualTo(expected);
    assertThat(names.read(name)).isEqualTo(address).isSameAs(names.read(name));
  }

  @Test
  void manyAddressesAreToldApart() {
    var names = new LinuxSocket.SocketNames(false);
    for (int i = 0; i < 5000; i++) {
      var address = new InetSocketAddress("10.0." + i % 50 + "." + i / 50, 1 + i);
      names.write(address, name);
      assertThat(names.read(name)).isEqualTo(address);
    }
  }

  @Test
  void anotherFamilyIsNoAddress() {
    new LinuxSocket.SocketNames(false).write(new InetSocketAddress("127.0.0.1", 1), name);
    assertThat(new LinuxSocket.SocketNames(true).read(name)).isNull();
  }
}
