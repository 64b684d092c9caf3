package org.tutti.examples.accounts;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/// A client of the accounts service: sends its transactions as numbered requests, several before the first is answered.
///
/// When its replica dies or stalls it goes to the next one and sends what is unanswered again, oldest first and with
/// the same numbers. It cannot know which of them were executed, and need not: the service executes a number once.
///
/// One thread does it all: fill the window, wait for a reply, take what else has arrived. A window of requests fits
/// into the buffers of a connection, so writing does not wait for a replica that does not read.
public final class AccountClient {
  private static final Duration PATIENCE = Duration.ofSeconds(5); // longer than a view change takes
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration REPORT_EVERY = Duration.ofMillis(100);

  /// A request that waits for its reply.
  private record Unanswered(Request request, long sentNanos) {}

  private final long id;
  private final List<Transaction> transactions;
  private final List<InetSocketAddress> replicas;
  private final int window;
  private final AnswerLog log;
  private final Deque<Unanswered> unanswered = new ArrayDeque<>(); // numbers answered + 1, answered + 2, ...
  private int answered;
  private int replica;
  private long resent;
  private long moves = -1; // the first connection is not a move
  private long reportedNanos;

  AccountClient(long id, List<Transaction> transactions, List<InetSocketAddress> replicas, int window, AnswerLog log) {
    this.id = id;
    this.transactions = transactions;
    this.replicas = replicas;
    this.window = window;
    this.log = log;
    replica = (int) ((id - 1) % replicas.size());
  }

  /// Runs a client process: it reports, waits for a line of standard input, and ends when all is answered. Its share
  /// `1/3` of the file is the 2nd, 5th, 8th, ... line.
  ///
  /// @param args `--id=N --file=FILE --share=I/N --replicas=HOST:PORT,... --log=FILE --window=N`
  /// @throws IOException          when a file cannot be read or written
  /// @throws InterruptedException never; nobody interrupts this thread
  public static void main(String[] args) throws IOException, InterruptedException {
    var go = new CountDownLatch(1);
    Lifeline.hold(_ -> go.countDown());
    var arguments = new Arguments(args, Set.of("id", "file", "share", "replicas", "log", "window"));
    String[] share = arguments.text("share").split("/");
    List<Transaction> transactions =
        share(
            TransactionFile.read(Path.of(arguments.text("file"))),
            Integer.parseInt(share[0]),
            Integer.parseInt(share[1]));
    try (AnswerLog log = AnswerLog.create(Path.of(arguments.text("log")))) {
      List<InetSocketAddress> replicas = arguments.endpoints("replicas");
      var client = new AccountClient(arguments.number("id"), transactions, replicas, arguments.number("window"), log);
      client.report();
      go.await();
      client.run();
    }
  }

  static List<Transaction> share(List<Transaction> all, int index, int of) {
    return IntStream.range(0, all.size()).filter(i -> i % of == index).mapToObj(all::get).toList();
  }

  void run() {
    while (answered < transactions.size()) {
      try (var socket = new Socket()) {
        socket.connect(replicas.get(replica), (int) PATIENCE.toMillis());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        moves++;
        converse(socket);
      } catch (IOException e) {
        // Dead, stalled or not serving yet: ask the next one.
        System.out.println("leaving " + replicas.get(replica) + " with " + unanswered.size() + " unanswered: " + e);
        replica = (replica + 1) % replicas.size();
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
    report();
  }

  private void converse(Socket socket) throws IOException {
    var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    var out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    for (Unanswered again : unanswered) {
      Frames.write(out, again.request().encode());
      resent++;
    }
    while (answered < transactions.size()) {
      fillWindow(out);
      do {
        take(Reply.decode(ByteBuffer.wrap(Frames.read(in, Reply.BYTES))));
      } while (in.available() > 0);
    }
  }

  private void fillWindow(DataOutputStream out) throws IOException {
    while (unanswered.size() < window && answered + unanswered.size() < transactions.size()) {
      int index = answered + unanswered.size();
      var request = new Request(id, index + 1, transactions.get(index));
      unanswered.add(new Unanswered(request, System.nanoTime()));
      Frames.write(out, request.encode());
    }
    out.flush();
  }

  private void take(Reply reply) {
    Unanswered oldest = unanswered.peek();
    if (oldest == null || reply.number() != oldest.request().number()) {
      // To a copy that the former replica had multicast. The copy sent to this one is answered too, in its turn.
      return;
    }
    if (reply.outcome() == Reply.Outcome.OUT_OF_ORDER) {
      throw new IllegalStateException("a request before " + oldest.request() + " was lost");
    }
    unanswered.remove();
    answered++;
    long now = System.nanoTime();
    log.add(
        new AnswerLog.Entry(reply.number(), reply.outcome(), TimeUnit.NANOSECONDS.toMicros(now - oldest.sentNanos())));
    if (now - reportedNanos > REPORT_EVERY.toNanos()) {
      reportedNanos = now;
      report();
    }
  }

  private void report() {
    new Report.Progress(answered, resent, moves).print();
  }
}
