package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RelayTest {
  private static final int SILENCE_MILLIS = 200; // far longer than a byte takes here
  private static final int READ_MILLIS_MAX = 10_000;
  private static final String ONE = "127.0.0.1:1";
  private static final String OTHER = "127.0.0.1:2";
  private static final String THIRD = "127.0.0.1:3";

  private final Relay relay = new Relay();
  private ServerSocket replica;
  private int listener;

  @BeforeEach
  void open() throws IOException {
    replica = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    listener = Fleet.freePorts(1);
    relay.open(listener, replica.getLocalPort());
  }

  @AfterEach
  void close() throws IOException {
    relay.close();
    replica.close();
  }

  @Test
  void bytesPassInBothDirections() throws IOException {
    try (Socket near = dial(ONE);
        Socket far = accepted(ONE)) {
      exchange(near, far);
      exchange(far, near);
    }
  }

  @Test
  void whatIsSentWhileTheNetworkIsCutArrivesWhenItIsMended() throws IOException {
    try (Socket near = dial(ONE);
        Socket far = accepted(ONE)) {
      exchange(near, far);
      relay.cut(Set.of(OTHER), false);
      near.getOutputStream().write(7);
      far.getOutputStream().write(8);
      assertSilent(far);
      assertSilent(near);
      relay.mend();
      assertThat(far.getInputStream().read()).isEqualTo(7);
      assertThat(near.getInputStream().read()).isEqualTo(8);
    }
  }

  @Test
  void aNewConnectionGetsThroughWhenTheNetworkIsMended() throws IOException {
    relay.cut(Set.of(OTHER), false);
    try (Socket near = dial(ONE)) {
      replica.setSoTimeout(SILENCE_MILLIS);
      assertThatThrownBy(replica::accept).isInstanceOf(SocketTimeoutException.class);
      relay.mend();
      try (Socket far = accepted(ONE)) {
        exchange(near, far);
      }
    }
  }

  @Test
  void onlyTheSidesAreCutFromEachOther() throws IOException {
    try (Socket near = dial(THIRD);
        Socket far = accepted(THIRD)) {
      relay.cut(Set.of(THIRD, OTHER), false);
      exchange(near, far);
      relay.cut(Set.of(ONE), true);
      exchange(near, far);
    }
  }

  @Test
  void aNetworkThatRejectsBreaksConnections() throws IOException {
    try (Socket near = dial(ONE);
        Socket far = accepted(ONE)) {
      exchange(near, far);
      relay.cut(Set.of(OTHER), true);
      assertThatThrownBy(near.getInputStream()::read).isInstanceOf(IOException.class);
      assertThatThrownBy(far.getInputStream()::read).isInstanceOf(IOException.class);
    }
    try (Socket again = dial(ONE)) {
      assertThat(ends(again)).isTrue();
    }
    relay.mend();
    try (Socket near = dial(ONE);
        Socket far = accepted(ONE)) {
      exchange(near, far);
    }
  }

  /// Connects as a replica of this address does that wants to speak to the other one.
  private Socket dial(String from) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), listener);
    socket.setSoTimeout(READ_MILLIS_MAX);
    socket.getOutputStream().write(preamble(from));
    return socket;
  }

  private Socket accepted(String from) throws IOException {
    replica.setSoTimeout(READ_MILLIS_MAX);
    Socket socket = replica.accept();
    socket.setSoTimeout(READ_MILLIS_MAX);
    byte[] expected = preamble(from);
    assertThat(socket.getInputStream().readNBytes(expected.length)).isEqualTo(expected);
    return socket;
  }

  private static byte[] preamble(String from) throws IOException {
    var bytes = new ByteArrayOutputStream();
    bytes.write(new byte[] {'T', 'u', 't', 't', 1, (byte) from.length(), (byte) OTHER.length()});
    bytes.write(from.getBytes(StandardCharsets.UTF_8));
    bytes.write(OTHER.getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  private static void exchange(Socket sender, Socket receiver) throws IOException {
    sender.getOutputStream().write(42);
    assertThat(receiver.getInputStream().read()).isEqualTo(42);
  }

  private static void assertSilent(Socket receiver) throws IOException {
    receiver.setSoTimeout(SILENCE_MILLIS);
    assertThatThrownBy(receiver.getInputStream()::read).isInstanceOf(SocketTimeoutException.class);
    receiver.setSoTimeout(READ_MILLIS_MAX);
  }

  private static boolean ends(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException _) {
      return false;
    } catch (IOException _) {
      return true;
    }
  }
}
