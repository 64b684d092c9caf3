package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.examples.accounts.Reply.Outcome;

class AccountClientTest {
  private static final long CLIENT = 5; // odd: it asks the first of two replicas first
  private static final List<Transaction> TRANSACTIONS =
      LongStream.rangeClosed(1, 5).<Transaction>mapToObj(amount -> new Transaction.Deposit("alice", amount)).toList();

  private static final int SILENCE_MILLIS = 100; // many times what a request takes

  @TempDir private Path directory;

  @Test
  void whatIsUnansweredGoesToAnotherReplicaUnderTheSameNumbers() throws Exception {
    try (var first = listen();
        var second = listen()) {
      FutureTask<List<AnswerLog.Entry>> client = start(first, second, 3);
      try (Socket connection = first.accept()) {
        assertThat(requests(connection, 3)).isEqualTo(numbered(1, 2, 3));
        reply(connection, 1);
        assertThat(requests(connection, 1)).isEqualTo(numbered(4));
      }
      try (Socket connection = second.accept()) {
        assertThat(requests(connection, 3)).isEqualTo(numbered(2, 3, 4));
        reply(connection, 2, 3, 4);
        assertThat(requests(connection, 1)).isEqualTo(numbered(5));
        reply(connection, 5);
        assertThat(numbers(client)).containsExactly(1L, 2L, 3L, 4L, 5L);
      }
    }
  }

  /// The former replica's copies are delivered while the client has its connection to the next one already.
  @Test
  void answersOutOfTurnAreNotCounted() throws Exception {
    try (var first = listen();
        var second = listen()) {
      FutureTask<List<AnswerLog.Entry>> client = start(first, second, 5);
      first.accept().close();
      try (Socket connection = second.accept()) {
        requests(connection, 5);
        reply(connection, 4, 5, 1, 1, 2, 3, 1, 4, 5);
        assertThat(numbers(client)).containsExactly(1L, 2L, 3L, 4L, 5L);
      }
    }
  }

  /// A replica that is cut off says so; what it was asked is asked elsewhere.
  @Test
  void undecidedIsNoAnswer() throws Exception {
    try (var first = listen();
        var second = listen()) {
      FutureTask<List<AnswerLog.Entry>> client = start(first, second, 5);
      try (Socket connection = first.accept()) {
        requests(connection, 5);
        reply(connection, 1);
        var out = new DataOutputStream(connection.getOutputStream());
        ClientFrames.write(out, new Reply(2, Outcome.UNDECIDED, 0).encode());
      }
      try (Socket connection = second.accept()) {
        assertThat(requests(connection, 4)).isEqualTo(numbered(2, 3, 4, 5));
        reply(connection, 2, 3, 4, 5);
        assertThat(client.get()).extracting(AnswerLog.Entry::outcome).containsOnly(Outcome.ACCEPTED);
      }
    }
  }

  @Test
  void withARateItGoesOnUntilItIsStopped() throws Exception {
    Path file = directory.resolve("log");
    try (var only = listen();
        AnswerLog log = AnswerLog.create(file)) {
      var client = new AccountClient(CLIENT, TRANSACTIONS, List.of(address(only)), 3, 1000, log);
      Thread thread = Thread.ofVirtual().start(client::run);
      try (Socket connection = only.accept()) {
        for (int number = 1; number <= 12; number++) {
          ClientRequest request = requests(connection, 1).getFirst();
          assertThat(request.number()).isEqualTo(number);
          assertThat(request.transaction()).isEqualTo(TRANSACTIONS.get((number - 1) % TRANSACTIONS.size()));
          if (number < 12) {
            reply(connection, number);
          }
        }
        client.stop();
        reply(connection, 12);
        for (int next = connection.getInputStream().read(); next >= 0; next = connection.getInputStream().read()) {
          // What was sent before it was stopped is not answered here; it waits for that.
          if (next == 13 || next == 14) {
            reply(connection, next);
          }
        }
        thread.join();
      }
    }
  }

  /// So that something happens to the replicas before the work is done, however quick the client is.
  @Test
  void nothingBehindItsLimitIsSentBeforeItIsLifted() throws Exception {
    Path file = directory.resolve("log");
    try (var only = listen();
        AnswerLog log = AnswerLog.create(file)) {
      var client = new AccountClient(CLIENT, TRANSACTIONS, List.of(address(only)), 3, 0, log);
      client.limit(2);
      Thread thread = Thread.ofVirtual().start(client::run);
      try (Socket connection = only.accept()) {
        assertThat(requests(connection, 2)).isEqualTo(numbered(1, 2));
        reply(connection, 1, 2);
        connection.setSoTimeout(SILENCE_MILLIS);
        assertThatThrownBy(() -> requests(connection, 1)).isInstanceOf(SocketTimeoutException.class);
        connection.setSoTimeout(0);
        client.limit(Integer.MAX_VALUE);
        assertThat(requests(connection, 3)).isEqualTo(numbered(3, 4, 5));
        reply(connection, 3, 4, 5);
        thread.join();
      }
    }
  }

  private FutureTask<List<AnswerLog.Entry>> start(ServerSocket first, ServerSocket second, int window) {
    Path file = directory.resolve("log");
    List<InetSocketAddress> replicas = List.of(address(first), address(second));
    var task =
        new FutureTask<>(() -> {
          try (AnswerLog log = AnswerLog.create(file)) {
            new AccountClient(CLIENT, TRANSACTIONS, replicas, window, 0, log).run();
          }
          return AnswerLog.read(file);
        });
    Thread.ofVirtual().start(task);
    return task;
  }

  private static List<Long> numbers(FutureTask<List<AnswerLog.Entry>> client)
      throws ExecutionException, InterruptedException {
    return client.get().stream().map(AnswerLog.Entry::number).toList();
  }

  private static List<ClientRequest> numbered(int... numbers) {
    var requests = new ArrayList<ClientRequest>();
    for (int number : numbers) {
      requests.add(new ClientRequest(CLIENT, number, TRANSACTIONS.get(number - 1)));
    }
    return requests;
  }

  private static List<ClientRequest> requests(Socket connection, int count) throws IOException {
    var in = new DataInputStream(connection.getInputStream());
    var requests = new ArrayList<ClientRequest>();
    for (int i = 0; i < count; i++) {
      requests.add(ClientRequest.decode(ByteBuffer.wrap(ClientFrames.read(in, ClientRequest.BYTES_MAX))));
    }
    return requests;
  }

  private static void reply(Socket connection, int... numbers) throws IOException {
    var out = new DataOutputStream(connection.getOutputStream());
    for (int number : numbers) {
      ClientFrames.write(out, new Reply(number, Outcome.ACCEPTED, 0).encode());
    }
  }

  private static ServerSocket listen() throws IOException {
    return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  private static InetSocketAddress address(ServerSocket server) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
  }
}
