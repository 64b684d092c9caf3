package org.tutti.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Station;
import org.tutti.transport.Address;

final class UnixTransportTest extends SocketContract {
  @TempDir Path temporary;
  private Path directory = Path.of("");

  @BeforeEach
  void chooseDirectory() {
    directory = temporary.resolve("s");
  }

  @Override
  Path socketDirectory() {
    return directory;
  }

  @Override
  SocketChannel dial(Address address) throws IOException {
    return SocketChannel.open(UnixDomainSocketAddress.of(socketFile(address)));
  }

  @Test
  void nodesOnOneHostMeetByUnixSocketInAPrivateDirectory() throws IOException {
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    assertThat(unixConnections(a)).isPositive();
    assertThat(tcpConnections(a)).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))).isEqualTo("rwx------");
    assertThat(files()).hasSize(2);
    a.close();
    b.close();
    assertThat(files()).isEmpty();
  }

  @Test
  void aStaleFileIsReplaced() throws IOException {
    Station crashed = station("crashed");
    Path file = socketFile(crashed.address());
    crashed.close();
    try (ServerSocketChannel leftover = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      leftover.bind(UnixDomainSocketAddress.of(file));
    }
    assertThat(file).exists();
    Station again = stationAt(crashed.address());
    Station other = station("other");
    exchange(other, again);
    assertThat(unixConnections(again)).isPositive();
  }

  @Test
  void aLiveListenerIsLeftAloneAndItsSilenceLeadsToTcp() throws IOException {
    Station gone = station("gone");
    Path file = socketFile(gone.address());
    gone.close();
    Station a = station("a");
    try (ServerSocketChannel foreign = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      foreign.bind(UnixDomainSocketAddress.of(file));
      Station b = stationAt(gone.address());
      a.send(b.address(), bytes(1), b);
      assertThat(counter(a, "closed{reason=preamble-timeout}")).isEqualTo(1);
      assertThat(counter(a, "peers.connected{over=tcp}")).isEqualTo(1);
      b.close();
      assertThat(file).exists();
    }
  }

  @Test
  void anotherNodeBehindTheFileIsNotUsed() throws IOException {
    Station a = station("a");
    Station b = station("b");
    Station other = station("other");
    Path file = socketFile(b.address());
    Files.delete(file);
    Files.createSymbolicLink(file, socketFile(other.address()));
    a.send(b.address(), bytes(1), b, other);
    assertThat(counter(other, "closed{reason=wrong-identity}")).isEqualTo(1);
    assertThat(counter(a, "peers.connected{over=tcp}")).isEqualTo(1);
    assertThat(other.frames).isEmpty();
  }

  @Test
  void aFileWithoutListenerLeadsToTcp() throws IOException {
    Station a = station("a");
    Station b = station("b");
    Path file = socketFile(b.address());
    Files.delete(file);
    Files.createFile(file);
    a.send(b.address(), bytes(1), b);
    assertThat(counter(a, "peers.connected{over=tcp}")).isEqualTo(1);
    exchange(a, b);
  }

  @Test
  void aPathTooLongForASocketLeadsToTcp() throws IOException {
    directory = temporary.resolve("d".repeat(80));
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    assertThat(files()).isEmpty();
    assertThat(tcpConnections(a)).isPositive();
  }

  @Test
  void aDirectoryOpenToOthersIsNotUsed() throws IOException {
    Files.createDirectory(directory);
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    Station a = station("a");
    Station b = station("b");
    exchange(a, b);
    assertThat(files()).isEmpty();
    assertThat(tcpConnections(a)).isPositive();
  }

  private static long unixConnections(Station station) {
    return counter(station, "peers.connected{over=unix}") + counter(station, "connections.accepted{over=unix}");
  }

  private static long tcpConnections(Station station) {
    return counter(station, "peers.connected{over=tcp}") + counter(station, "connections.accepted{over=tcp}");
  }

  private Path socketFile(Address address) throws IOException {
    String suffix = "_" + Station.port(address) + ".sock";
    return files().stream().filter(file -> file.toString().endsWith(suffix)).findFirst().orElseThrow();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }
}
