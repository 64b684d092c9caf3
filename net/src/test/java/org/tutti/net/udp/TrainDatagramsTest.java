package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.transport.Counts;

/// Trains, with a kernel that says whatever the test wants.
class TrainDatagramsTest {
  private static final InetSocketAddress A = new InetSocketAddress("127.0.0.1", 1);
  private static final InetSocketAddress B = new InetSocketAddress("127.0.0.1", 2);

  private final Counts<UdpCount> counters = new Counts<>(UdpCount.class);
  private final TrainDatagrams.Buffers buffers =
      new TrainDatagrams.Buffers(ByteBuffer.allocate(1 << 16), ByteBuffer.allocate(1 << 16));
  private final Kernel kernel = new Kernel();
  private Selector selector;
  private DatagramChannel channel;
  private TrainDatagrams datagrams;

  /// Notes what is sent as `port:length/each`, and the first byte of each datagram.
  private final class Kernel implements TrainDatagrams.TrainSocket {
    final ArrayDeque<Integer> results = new ArrayDeque<>();
    final List<String> sent = new ArrayList<>();
    final List<Integer> firsts = new ArrayList<>();
    int read;
    int each;
    @Nullable InetSocketAddress from = A;

    @Override
    public int send(InetSocketAddress to, int at, int length, int each) {
      sent.add(to.getPort() + ":" + length + "/" + each);
      int result = Objects.requireNonNullElse(results.poll(), length);
      for (int i = at; i < at + length && result >= 0; i += each) {
        firsts.add((int) buffers.out().get(i));
      }
      return result;
    }

    @Override
    public int receive() {
      int once = read;
      read = AGAIN;
      return once;
    }

    @Override
    public int each() {
      return each;
    }

    @Override
    public @Nullable InetSocketAddress from() {
      return from;
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void open() throws IOException {
    selector = Selector.open();
    channel = DatagramChannel.open();
    channel.configureBlocking(false);
    SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
    datagrams = new TrainDatagrams(channel, key, kernel, counters, buffers);
  }

  @AfterEach
  void close() throws IOException {
    datagrams.close();
    selector.close();
  }

  private boolean send(int first, int length, InetSocketAddress to) {
    return datagrams.send(ByteBuffer.allocate(length).put(0, (byte) first), to);
  }

  private long count(UdpCount what) {
    return counters.get(what);
  }

  @Test
  void equalDatagramsLeaveAtOnceAndAShorterOneIsTheLast() {
    for (int length : new int[] {100, 100, 90, 90, 91}) {
      assertThat(send(0, length, A)).isTrue();
    }
    send(0, 91, B);
    datagrams.flush();
    assertThat(kernel.sent).containsExactly("1:290/100", "1:90/90", "1:91/91", "2:91/91");
    assertThat(count(UdpCount.TRAINS_SENT)).isEqualTo(1);
    assertThat(count(UdpCount.SEGMENTS_SENT)).isEqualTo(3);
    assertThat(count(UdpCount.SENDS)).isEqualTo(4);
    assertThat(count(UdpCount.BYTES_SENT)).isEqualTo(290 + 90 + 91 + 91);
  }

  @ParameterizedTest
  @CsvSource({"48, 64", "1472, 44", "8192, 7", "32754, 1"})
  void aTrainIsNoLongerThanTheKernelTakes(int length, int most) {
    for (int i = 0; i <= most; i++) {
      send(0, length, A);
    }
    datagrams.flush();
    assertThat(kernel.sent).containsExactly("1:" + most * length + "/" + length, "1:" + length + "/" + length);
  }

  @Test
  void whatAFullSocketDoesNotTakeWaitsAndNothingOvertakesIt() {
    kernel.results.add(TrainDatagrams.TrainSocket.AGAIN);
    send(1, 100, A);
    send(2, 100, A);
    assertThat(send(3, 100, B)).isFalse();
    assertThat(datagrams.isFull()).isTrue();
    datagrams.interest();
    assertThat(channel.keyFor(selector).interestOps()).isEqualTo(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    datagrams.flush();
    assertThat(kernel.sent).hasSize(1);
    datagrams.retry();
    assertThat(send(4, 100, B)).isTrue();
    datagrams.flush();
    assertThat(kernel.firsts).containsExactly(1, 2, 4);
    assertThat(count(UdpCount.SOCKET_FULL)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"-5, 1:50/50", "-22, 1:100/50", "-90, 1:100/50"})
  void aRefusedTrainLeavesPieceByPieceAndThePeerGetsNoOtherLikeIt(int error, String shorter) {
    kernel.results.add(error);
    for (int i = 1; i <= 3; i++) {
      send(i, 100, A);
    }
    datagrams.flush();
    assertThat(kernel.sent).containsExactly("1:300/100", "1:100/100", "1:100/100", "1:100/100");
    for (int i = 4; i <= 7; i++) {
      send(i, 100, i < 6 ? A : B);
    }
    datagrams.flush();
    assertThat(kernel.sent.subList(4, 7)).containsExactly("1:100/100", "1:100/100", "2:200/100");
    send(8, 50, A);
    send(9, 50, A);
    datagrams.flush();
    assertThat(kernel.sent.get(7)).isEqualTo(shorter);
    assertThat(kernel.firsts).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(count(UdpCount.TRAINS_REFUSED)).isEqualTo(1);
    assertThat(count(UdpCount.SEND_FAILED)).isZero();
    assertThat(datagrams.wasTooLong()).isFalse();
  }

  @Test
  void whatIsTooLongForThePathIsToldWhenItLeaves() {
    kernel.results.addAll(List.of(-90, -90, -90));
    send(1, 100, A);
    send(2, 100, A);
    assertThat(datagrams.wasTooLong()).isFalse();
    datagrams.flush();
    assertThat(datagrams.wasTooLong()).isTrue();
    assertThat(count(UdpCount.SEND_TOO_LONG)).isEqualTo(2);
    send(3, 50, A);
    assertThat(datagrams.wasTooLong()).isFalse();
    datagrams.flush();
    assertThat(datagrams.wasTooLong()).isFalse();
    assertThat(kernel.firsts).containsExactly(3);
  }

  @Test
  void aSocketThatFillsUpWithinARefusedTrainGoesOnWhereItWas() {
    kernel.results.addAll(List.of(-5, 100, TrainDatagrams.TrainSocket.AGAIN));
    for (int i = 1; i <= 3; i++) {
      send(i, i == 3 ? 50 : 100, A);
    }
    datagrams.flush();
    assertThat(kernel.firsts).containsExactly(1);
    datagrams.retry();
    assertThat(kernel.firsts).containsExactly(1, 2, 3);
    assertThat(kernel.sent).endsWith("1:100/100", "1:50/50");
    assertThat(count(UdpCount.BYTES_SENT)).isEqualTo(250);
  }

  @Test
  void whatTheNetworkDoesNotTakeIsLostAndCounted() {
    kernel.results.add(-101); // ENETUNREACH
    send(1, 100, A);
    send(2, 100, A);
    datagrams.flush();
    send(3, 100, A);
    datagrams.flush();
    assertThat(kernel.firsts).containsExactly(3);
    assertThat(count(UdpCount.SEND_FAILED)).isEqualTo(2);
  }

  /// Length of all, what the kernel says of each, and the lengths that come out.
  @ParameterizedTest
  @CsvSource({
    "250, 100, 100;100;50",
    "200, 100, 100;100",
    "100, 100, 100",
    "100, 101, 100",
    "100, 0, 100",
    "100, -7, 100",
    "100, 2147483647, 100",
    "3, 1, 1;1;1",
    "0, 0, 0",
    "0, 100, 0"
  })
  void whatComesAtOnceIsGivenOneByOne(int read, int each, String expected) throws IOException {
    kernel.read = read;
    kernel.each = each;
    for (int i = 0; i < read; i++) {
      buffers.in().put(i, (byte) i);
    }
    int at = 0;
    for (String length : expected.split(";")) {
      assertThat(datagrams.receive()).isEqualTo(A);
      assertThat(buffers.in().remaining()).isEqualTo(Integer.parseInt(length));
      assertThat(buffers.in().position()).isEqualTo(at);
      at += buffers.in().remaining();
      assertThat(datagrams.hasMore()).isEqualTo(at < read);
    }
    assertThat(at).isEqualTo(read);
    assertThat(datagrams.receive()).isNull();
    assertThat(count(UdpCount.READS)).isEqualTo(2);
  }

  @Test
  void aReaderMaySpoilTheBuffersBounds() throws IOException {
    kernel.read = 30;
    kernel.each = 10;
    for (int i = 0; i < 3; i++) {
      assertThat(datagrams.receive()).isEqualTo(A);
      assertThat(buffers.in().position()).isEqualTo(10 * i);
      buffers.in().clear().limit(1);
    }
    assertThat(datagrams.hasMore()).isFalse();
  }

  @Test
  void aFailureOrAStrangeAddressIsNoDatagram() throws IOException {
    kernel.read = -111; // ECONNREFUSED
    assertThatThrownBy(datagrams::receive).isInstanceOf(IOException.class);
    assertThat(datagrams.receive()).isNull();
    kernel.read = 50;
    kernel.from = null;
    assertThatThrownBy(datagrams::receive).isInstanceOf(IOException.class);
    assertThat(datagrams.hasMore()).isFalse();
    assertThat(datagrams.receive()).isNull();
  }
}
