package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.tls.Credentials;

/// What every port promises on which a process listens for strangers. Those that speak TLS promise more
/// ([TlsPortContract]).
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class PortContract {
  private static final long DEADLINE_NANOS = Duration.ofSeconds(30).toNanos();
  private static final int ANSWER_MILLIS = 10_000;

  private @Nullable OpenPort listener;

  /// A port that is listened on.
  interface OpenPort extends AutoCloseable {
    /// Its number, on 127.0.0.1.
    int port();

    /// What a client says first, so that there is an answer.
    byte[] question();

    @Override
    void close() throws IOException;
  }

  /// Begins to listen.
  abstract OpenPort open(@Nullable Credentials tls) throws IOException;

  /// How many connections it keeps at once.
  int most() {
    return 256;
  }

  @AfterEach
  void close() throws IOException {
    if (listener != null) {
      listener.close();
    }
  }

  final OpenPort opened(@Nullable Credentials tls) throws IOException {
    OpenPort one = open(tls);
    listener = one;
    return one;
  }

  static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("time until " + what).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  static boolean answers(Socket socket, byte[] question) throws IOException {
    try {
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.getOutputStream().write(question);
      socket.getOutputStream().flush();
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException _) {
      return false;
    }
  }

  final boolean answers(OpenPort at) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", at.port()), ANSWER_MILLIS);
      return answers(socket, at.question());
    }
  }

  private static final int MORE = 50;
  private static final int ATTEMPTS = 3;

  @Test
  void silentConnectionsShutThePortForNobody() throws IOException {
    OpenPort at = opened(null);
    assertThat(answers(at)).isTrue();
    flood(at, new byte[0], () -> answers(at));
  }

  @Test
  void connectionsThatSayHalfAWordShutThePortForNobody() throws IOException {
    OpenPort at = opened(null);
    flood(at, Arrays.copyOf(at.question(), 3), () -> answers(at));
  }

  /// Strangers keep their connections open and come again when they are hung up on.
  final void flood(OpenPort at, byte[] words, Attempt honest) throws IOException {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < most() + MORE; i++) {
        Socket one = new Socket();
        silent.add(one);
        one.connect(new InetSocketAddress("127.0.0.1", at.port()), ANSWER_MILLIS);
        say(one, words);
        if (i % 100 == 99 || i >= most() && i % 10 == 0) {
          assertThat(isServed(honest)).as("served beside " + (i + 1) + " silent connections").isTrue();
        }
      }
      await("the end of the silent ones", () -> silent.stream().allMatch(PortContract::isEnded));
    } finally {
      for (Socket one : silent) {
        one.close();
      }
    }
  }

  /// Somebody's attempt to be served.
  interface Attempt {
    boolean answered() throws IOException;
  }

  /// A handshake may take longer than it may on a busy machine; who comes again at once is served.
  private static boolean isServed(Attempt honest) throws IOException {
    boolean served = false;
    for (int i = 0; i < ATTEMPTS && !served; i++) {
      served = honest.answered();
    }
    return served;
  }

  private static void say(Socket socket, byte[] words) {
    try {
      socket.getOutputStream().write(words);
    } catch (IOException _) {
      // Hung up on already.
    }
  }

  private static boolean isEnded(Socket socket) {
    try {
      socket.setSoTimeout(1);
      return socket.getInputStream().read(new byte[1 << 10]) < 0; // some ports greet
    } catch (SocketTimeoutException _) {
      return false;
    } catch (IOException _) {
      return true;
    }
  }

  @Test
  void whoSaysOneByteAfterTheOtherIsEnded() throws IOException {
    OpenPort at = opened(null);
    try (Socket slow = new Socket("127.0.0.1", at.port())) {
      byte[] question = at.question();
      long start = System.nanoTime();
      int[] said = {0};
      await(
          "its end",
          () -> {
            // The last byte would be an answer's due; a byte each half second.
            boolean due = System.nanoTime() - start > said[0] * 500_000_000L;
            if (due && said[0] < question.length - 1) {
              say(slow, new byte[] {question[said[0]++]});
            }
            return isEnded(slow);
          });
      assertThat(answers(at)).isTrue();
    }
  }
}
