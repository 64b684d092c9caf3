package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Trains through the kernel of this machine, which must have them.
@EnabledOnOs(OS.LINUX)
class LinuxSocketTest {
  private static final int EACH = 1000;
  private static final int COUNT = 20;
  private static final int LAST = 300;

  private final List<DatagramChannel> channels = new ArrayList<>();
  private final TrainDatagrams.Buffers buffers =
      new TrainDatagrams.Buffers(ByteBuffer.allocateDirect(1 << 16), ByteBuffer.allocateDirect(1 << 16));

  @BeforeEach
  void mayCall() {
    assertThat(LinuxSocket.class.getModule().isNativeAccessEnabled()).isTrue();
  }

  @AfterEach
  void close() throws IOException {
    for (DatagramChannel channel : channels) {
      channel.close();
    }
  }

  private DatagramChannel bound(String host) throws IOException {
    InetAddress inet = InetAddress.ofLiteral(host);
    DatagramChannel channel = DatagramChannel.open(UdpTransport.family(inet));
    channels.add(channel);
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
    return channel.bind(new InetSocketAddress(inet, 0));
  }

  private static InetSocketAddress name(DatagramChannel channel) throws IOException {
    return (InetSocketAddress) channel.getLocalAddress();
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  void aTrainArrivesWithTheLengthOfItsDatagrams(String host) throws IOException {
    DatagramChannel channel = bound(host);
    bound(host); // another one, so that there is a choice
    var socket = new LinuxSocket(name(channel), buffers);
    assertThat(socket.receive()).isEqualTo(TrainDatagrams.TrainSocket.AGAIN);
    int length = EACH * COUNT + LAST;
    for (int i = 0; i < length; i++) {
      buffers.out().put(i, (byte) (i / EACH + i));
    }
    assertThat(socket.send(name(channel), 0, length, EACH)).isEqualTo(length);
    assertThat(socket.receive()).isEqualTo(length);
    assertThat(socket.each()).isEqualTo(EACH);
    assertThat(socket.from()).isEqualTo(name(channel));
    assertThat(buffers.in().limit(length)).isEqualTo(buffers.out().limit(length));
    assertThat(socket.send(name(channel), EACH, LAST, LAST)).isEqualTo(LAST);
    assertThat(socket.receive()).isEqualTo(LAST);
    assertThat(socket.each()).as("a single one").isZero();
    assertThat(buffers.in().limit(LAST)).isEqualTo(buffers.out().slice(EACH, LAST));
  }

  /// The receiver has not asked for trains.
  @Test
  void aChannelReadsDatagramByDatagram() throws IOException {
    DatagramChannel channel = bound("127.0.0.1");
    DatagramChannel other = bound("127.0.0.1");
    var socket = new LinuxSocket(name(channel), buffers);
    assertThat(socket.send(name(other), 0, EACH * COUNT + LAST, EACH)).isPositive();
    ByteBuffer into = ByteBuffer.allocate(1 << 16);
    for (int i = 0; i <= COUNT; i++) {
      assertThat(other.receive(into.clear())).isEqualTo(name(channel));
      assertThat(into.position()).isEqualTo(i < COUNT ? EACH : LAST);
    }
  }

  @Test
  void moreThanTheKernelTakesIsRefused() throws IOException {
    DatagramChannel channel = bound("127.0.0.1");
    var socket = new LinuxSocket(name(channel), buffers);
    int error = socket.send(name(channel), 0, 1 << 16, 1 << 15);
    assertThat(error).isNegative();
    assertThat(TrainDatagrams.TrainSocket.isRefusal(error)).isTrue();
    assertThat(socket.receive()).isEqualTo(TrainDatagrams.TrainSocket.AGAIN);
  }

  /// The next file gets the number of the one that was closed.
  @Test
  void aClosedSocketsDescriptorIsNotUsed() throws IOException {
    DatagramChannel channel = bound("127.0.0.1");
    InetSocketAddress was = name(channel);
    var socket = new LinuxSocket(was, buffers);
    socket.close();
    channel.close();
    DatagramChannel heir = bound("127.0.0.1");
    DatagramChannel witness = bound("127.0.0.1");
    heir.send(ByteBuffer.allocate(1), name(heir));
    assertThat(socket.send(name(witness), 0, EACH, EACH)).isEqualTo(TrainDatagrams.TrainSocket.CLOSED);
    assertThat(socket.receive()).isEqualTo(TrainDatagrams.TrainSocket.CLOSED);
    assertThat(witness.receive(ByteBuffer.allocate(EACH))).isNull();
    assertThat(heir.receive(ByteBuffer.allocate(EACH))).isEqualTo(name(heir));
  }

  @Test
  void whatIsNotThereIsNotFound() throws IOException {
    DatagramChannel channel = bound("127.0.0.1");
    InetSocketAddress gone = name(channel);
    channel.close();
    assertThatThrownBy(() -> new LinuxSocket(gone, buffers))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not found");
  }
}
