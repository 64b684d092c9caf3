package org.tutti.romiop;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.romiop.DeliveryPeer.Connection;
import org.tutti.romiop.DeliveryPeer.Delivered;

class ServantProcessTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final byte[] BODY = "arguments".getBytes(US_ASCII);

  private final BlockingQueue<String> lost = new LinkedBlockingQueue<>();
  private DeliveryPeer peer;
  private ServantProcess process;
  private Connection connection;

  @BeforeEach
  void connect() throws Exception {
    peer = new DeliveryPeer();
    connect(LONG);
  }

  private void connect(Duration patience) throws Exception {
    process = new ServantProcess(peer.address(), "life", patience, lost::add);
    FutureTask<ServantProcess.Begun> begun = begin(process::begin);
    connection = peer.accept();
    assertThat(connection.begun(true)).isEqualTo("life");
    assertThat(begun.get())
        .isEqualTo(new ServantProcess.Begun(new java.util.TreeMap<>(Map.of("Counter", "IDL:Demo/Counter:1.0")), true));
  }

  @AfterEach
  void close() throws IOException {
    process.close();
    connection.close();
    peer.close();
  }

  private static <T> FutureTask<T> begin(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread.ofVirtual().start(task);
    return task;
  }

  private static Giop request(int minor, ByteOrder order, int id) throws Exception {
    return Giop.of(new Requests(minor, order).request(id, 1, "Counter", BODY));
  }

  private FutureTask<Giop> deliver(Giop request) {
    return begin(() -> process.deliver(request));
  }

  private static CdrOut result(int status, byte[] body) {
    return new CdrOut().ulong(status).octets(body);
  }

  @Test
  void requestsOfAllVersionsAreNumberedAndAnsweredInTheirVersion() throws Exception {
    int number = 0;
    for (int minor = 0; minor <= 2; minor++) {
      for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
        Giop request = request(minor, order, 1000 + minor);
        FutureTask<Giop> reply = deliver(request);
        Delivered delivered = connection.delivered();
        assertThat(delivered.life()).isEqualTo("life");
        assertThat(delivered.number()).isEqualTo(++number);
        assertThat(delivered.key()).isEqualTo("Counter");
        assertThat(delivered.operation()).isEqualTo("add");
        assertThat(delivered.minor()).isEqualTo(minor);
        assertThat(delivered.isLittleEndian()).isEqualTo(order == ByteOrder.LITTLE_ENDIAN);
        byte[] message = delivered.message();
        assertThat(Arrays.copyOfRange(message, delivered.argumentsAt(), message.length)).isEqualTo(BODY);
        byte[] body = {0, 0, 0, (byte) number};
        connection.reply(delivered.call(), result(Giop.USER_EXCEPTION, body));
        Giop expected = Giop.reply(minor, Giop.USER_EXCEPTION, body).withRequestId(1000 + minor);
        assertThat(reply.get().bytes()).isEqualTo(expected.bytes());
      }
    }
    assertThat(lost).isEmpty();
  }

  @Test
  void aRequestWhoseReplyWasLostComesAgainWithItsNumber() throws Exception {
    FutureTask<Giop> reply = deliver(request(2, ByteOrder.BIG_ENDIAN, 1));
    Delivered first = connection.delivered();
    connection.close();
    connection = peer.accept();
    Delivered again = connection.delivered();
    assertThat(again.number()).isEqualTo(first.number());
    assertThat(again.message()).isEqualTo(first.message());
    connection.reply(again.call(), result(Giop.RESULT, BODY));
    assertThat(reply.get().isResult()).isTrue();
    assertThat(lost).isEmpty();
  }

  @Test
  void aConnectionThatWasIdleForLongIsReplaced() throws Exception {
    for (int i = 0; i < 5; i++) {
      replaceConnection();
      aRequestIsAnswered();
    }
    assertThat(lost).isEmpty();
  }

  /// The process ends a connection in order, and takes another one.
  private void replaceConnection() throws Exception {
    connection.write(Giop.bare(2, Giop.CLOSE_CONNECTION));
    Connection next = peer.accept();
    connection.close();
    connection = next;
  }

  private void aRequestIsAnswered() throws Exception {
    FutureTask<Giop> reply = deliver(request(2, ByteOrder.BIG_ENDIAN, 1));
    connection.reply(connection.delivered().call(), result(Giop.RESULT, BODY));
    assertThat(reply.get().isResult()).isTrue();
  }

  /// As omniORB does every three minutes, however long nobody calls.
  @Test
  void aConnectionMayBeIdleAnyNumberOfTimes() throws Exception {
    for (int i = 0; i < 5; i++) {
      long begun = System.nanoTime();
      while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(150)) {
        Thread.onSpinWait();
      }
      replaceConnection();
    }
    aRequestIsAnswered();
    assertThat(lost).isEmpty();
  }

  @Test
  void theEndOfTheProcessIsNoticedWithoutARequest() throws Exception {
    peer.close();
    connection.close();
    assertThat(lost.poll(1, TimeUnit.MINUTES)).contains("its connection has ended, and there is no other");
    assertThatThrownBy(() -> process.deliver(request(2, ByteOrder.BIG_ENDIAN, 1))).isInstanceOf(IOException.class);
  }

  @Test
  void aProcessThatEndsEachConnectionIsLeft() throws Exception {
    FutureTask<Giop> reply = deliver(request(2, ByteOrder.BIG_ENDIAN, 1));
    connection.delivered();
    connection.close();
    for (int i = 0; i < 2; i++) {
      Connection next = peer.accept();
      next.delivered();
      next.close();
    }
    assertThat(lost.poll(1, TimeUnit.MINUTES)).contains("it has ended 3 connections one after the other");
    assertThatThrownBy(reply::get).hasCauseInstanceOf(IOException.class);
  }

  @Test
  void exceptionsOfTheInterfaceEndIt() throws Exception {
    FutureTask<Giop> reply = deliver(request(2, ByteOrder.BIG_ENDIAN, 1));
    Delivered delivered = connection.delivered();
    byte[] other = new CdrOut().string("IDL:tutti.org/Tutti/OtherLife:1.0").bytes();
    Giop thrown = Giop.reply(2, Giop.USER_EXCEPTION, other).withRequestId(delivered.call().requestId());
    connection.write(thrown.bytes());
    assertThatThrownBy(reply::get).hasMessageContaining("the exception IDL:tutti.org/Tutti/OtherLife:1.0");
    assertThat(lost.take()).contains("request 1 was answered with the exception");
  }

  @Test
  void whatIsNoReplyEndsIt() throws Exception {
    List<byte[]> wrong = new ArrayList<>();
    wrong.add("HTTP/1.1 400 Bad Request".getBytes(US_ASCII));
    wrong.add(Giop.bare(2, Giop.MESSAGE_ERROR));
    wrong.add(Giop.reply(2, Giop.RESULT, new byte[0]).withRequestId(4711).bytes());
    wrong.add(Giop.reply(2, 3, new byte[0]).withRequestId(2).bytes());
    wrong.add(Giop.reply(2, Giop.RESULT, result(3, BODY).bytes()).withRequestId(2).bytes());
    wrong.add(Giop.reply(2, Giop.RESULT, new byte[2]).withRequestId(2).bytes());
    wrong.add(new byte[] {'G', 'I', 'O', 'P', 1, 2, 0, 1, 127, 0, 0, 0});
    wrong.add(new Requests(2, ByteOrder.BIG_ENDIAN).request(2, 1, "Counter", BODY));
    for (byte[] each : wrong) {
      FutureTask<Giop> reply = deliver(request(2, ByteOrder.BIG_ENDIAN, 1));
      connection.delivered();
      connection.write(each);
      assertThat(lost.poll(1, TimeUnit.MINUTES))
          .as(Arrays.toString(each))
          .contains("the servants' process at 127.0.0.1");
      assertThatThrownBy(reply::get).hasCauseInstanceOf(IOException.class);
      close();
      connect();
    }
    assertThat(lost).isEmpty();
  }

  @Test
  void aReplyMayComeInFragments() throws Exception {
    FutureTask<Giop> reply = deliver(request(2, ByteOrder.BIG_ENDIAN, 1));
    Delivered delivered = connection.delivered();
    byte[] body = new byte[200_000];
    Arrays.fill(body, (byte) 5);
    byte[] whole =
        Giop.reply(2, Giop.RESULT, result(Giop.RESULT, body).bytes())
            .withRequestId(delivered.call().requestId())
            .bytes();
    connection.write(
        new Requests(2, ByteOrder.BIG_ENDIAN).fragments(whole, delivered.call().requestId(), 1024, 100_000));
    assertThat(reply.get().bodyBytes()).isEqualTo(body.length);
  }

  @Test
  void aRequestThatIsNotAnsweredEndsIt() throws Exception {
    close();
    peer = new DeliveryPeer();
    connect(Duration.ofMillis(300));
    FutureTask<Giop> reply = deliver(request(2, ByteOrder.BIG_ENDIAN, 1));
    connection.delivered();
    assertThat(lost.poll(1, TimeUnit.MINUTES)).endsWith("it has not answered for 300 ms");
    assertThatThrownBy(reply::get).hasCauseInstanceOf(IOException.class);
  }

  @Test
  void whatIsNoReferenceIsRefused() {
    for (String each :
        List.of("", "corbaloc::h:1/K", "IOR:", "IOR:0", "IOR:zz", "IOR:00000000", "IOR:" + "00".repeat(12))) {
      assertThatThrownBy(() -> IiopAddress.of(each)).as(each).isInstanceOf(Giop.BrokenGiopException.class);
    }
  }
}
