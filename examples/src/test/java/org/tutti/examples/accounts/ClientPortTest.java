package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.examples.accounts.Reply.Outcome;
import org.tutti.examples.accounts.Transaction.Deposit;

class ClientPortTest {
  private static final int READ_MILLIS_MAX = 10_000;

  private final BlockingQueue<byte[]> submitted = new ArrayBlockingQueue<>(100);
  private ClientPort port;
  private int number;

  @BeforeEach
  void open() throws IOException {
    port = new ClientPort(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), submitted::put);
    number = port.open();
  }

  @AfterEach
  void close() throws IOException {
    port.close();
  }

  @Test
  void aRequestIsPassedOnUnchangedAndItsReplyReturned() throws IOException, InterruptedException {
    try (Socket client = connect()) {
      converse(client, 1, 1);
    }
  }

  @Test
  void aReplyGoesToTheConnectionThatTheClientOpenedLast() throws IOException, InterruptedException {
    try (Socket first = connect();
        Socket second = connect()) {
      converse(first, 1, 1);
      converse(second, 1, 2);
      assertClosed(first);
      converse(second, 1, 3);
    }
  }

  @Test
  void aLengthThatIsTooLargeOrNegativeClosesTheConnection() throws IOException, InterruptedException {
    for (int length : new int[] {ClientRequest.BYTES_MAX + 1, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
      try (Socket client = connect()) {
        new DataOutputStream(client.getOutputStream()).writeInt(length);
        assertClosed(client);
      }
    }
    assertThat(port.malformed()).isEqualTo(4);
    lives();
  }

  @Test
  void randomBytesCloseTheConnection() throws IOException, InterruptedException {
    var random = new Random(1);
    for (int i = 0; i < 200; i++) {
      try (Socket client = connect()) {
        byte[] junk = new byte[random.nextInt(2000)];
        random.nextBytes(junk);
        sendLast(client, junk);
        assertClosed(client);
      }
    }
    assertThat(submitted).isEmpty();
    lives();
  }

  @Test
  void wellFramedNonsenseClosesTheConnection() throws IOException, InterruptedException {
    var random = new Random(2);
    for (int i = 0; i < 200; i++) {
      try (Socket client = connect()) {
        byte[] junk = new byte[random.nextInt(ClientRequest.BYTES_MAX + 1)];
        random.nextBytes(junk);
        sendLast(client, ByteBuffer.allocate(4 + junk.length).putInt(junk.length).put(junk).array());
        assertClosed(client);
      }
    }
    assertThat(submitted).isEmpty();
    assertThat(port.malformed()).isEqualTo(200);
    lives();
  }

  @Test
  void aConnectionServesOneClient() throws IOException, InterruptedException {
    try (Socket client = connect()) {
      converse(client, 1, 1);
      send(client, frame(new ClientRequest(2, 1, new Deposit("alice", 1))));
      assertClosed(client);
      assertThat(submitted).isEmpty();
    }
  }

  @Test
  void aClientThatDoesNotReadItsRepliesIsDropped() throws IOException, InterruptedException {
    try (Socket client = connect()) {
      converse(client, 1, 1);
      // Far more than the buffers of a connection take.
      for (int i = 0; i < 1_000_000; i++) {
        port.reply(1, new Reply(i, Outcome.ACCEPTED, 1));
      }
      assertThat(readToTheEnd(client)).isLessThan(1_000_000L * (4 + Reply.BYTES));
    }
    lives();
  }

  @Test
  void connectionsAreBounded() throws IOException, InterruptedException {
    var sockets = new Socket[ClientPort.CONNECTIONS_MAX];
    for (int i = 0; i < sockets.length; i++) {
      sockets[i] = connect();
      converse(sockets[i], i + 1, 1); // those that have asked for nothing would yield
    }
    try (Socket tooMany = connect()) {
      assertClosed(tooMany);
    }
    converse(sockets[0], 1, 2);
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  @Test
  void aPortThatIsSuspendedTellsWhatIsUndecidedAndTurnsClientsAwayUntilItIsOpenedAgain()
      throws IOException, InterruptedException {
    try (Socket client = connect();
        Socket silent = connect()) {
      converse(client, 1, 1);
      for (long n = 2; n <= 3; n++) {
        send(client, frame(new ClientRequest(1, n, new Deposit("alice", 100))));
        submitted.take();
      }
      port.suspend();
      var in = new DataInputStream(client.getInputStream());
      for (long n = 2; n <= 3; n++) {
        assertThat(in.readInt()).isEqualTo(Reply.BYTES);
        byte[] reply = in.readNBytes(Reply.BYTES);
        assertThat(Reply.decode(ByteBuffer.wrap(reply))).isEqualTo(new Reply(n, Outcome.UNDECIDED, 0));
      }
      assertClosed(client);
      assertClosed(silent);
    }
    assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
    number = port.open();
    lives();
  }

  private void lives() throws IOException, InterruptedException {
    try (Socket client = connect()) {
      converse(client, 77, 1);
    }
  }

  private void converse(Socket client, long id, long requestNumber) throws IOException, InterruptedException {
    var request = new ClientRequest(id, requestNumber, new Deposit("alice", 100));
    send(client, frame(request));
    assertThat(submitted.take()).isEqualTo(request.encode());
    var reply = new Reply(requestNumber, Outcome.ACCEPTED, 100);
    port.reply(id, reply);
    var in = new DataInputStream(client.getInputStream());
    assertThat(in.readInt()).isEqualTo(Reply.BYTES);
    assertThat(Reply.decode(ByteBuffer.wrap(in.readNBytes(Reply.BYTES)))).isEqualTo(reply);
  }

  private Socket connect() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), number);
    socket.setSoTimeout(READ_MILLIS_MAX);
    return socket;
  }

  private static byte[] frame(ClientRequest request) {
    byte[] bytes = request.encode();
    return ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array();
  }

  private static void send(Socket client, byte[] bytes) throws IOException {
    client.getOutputStream().write(bytes);
  }

  private static void sendLast(Socket client, byte[] bytes) {
    try {
      send(client, bytes);
      client.shutdownOutput();
    } catch (IOException _) {
      // It was closed at the first bytes, which is what is wanted of the others.
    }
  }

  private static void assertClosed(Socket client) throws IOException {
    assertThat(readToTheEnd(client)).isZero();
  }

  private static long readToTheEnd(Socket client) throws IOException {
    try {
      return client.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (SocketException _) {
      return 0; // closed by a reset, because bytes were left unread
    }
  }
}
