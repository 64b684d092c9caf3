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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
/// It goes through its transactions once, as fast as they are answered; or, with a rate, over and over again until it
/// is told to stop. What it has sent by then it still wants answered.
///
/// One thread does it all: fill the window, wait for a reply, take what else has arrived. A window of requests fits
/// into the buffers of a connection, so writing does not wait for a replica that does not read.
public final class AccountClient {
  private static final Duration PATIENCE = Duration.ofSeconds(5); // longer than a view change takes
  private static final Duration BEHIND_MAX = Duration.ofMillis(100); // what is later is not made up for
  private static final Duration PACE = Duration.ofMillis(1); // a request is late by that at most
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final Duration REPORT_EVERY = Duration.ofMillis(100);

  /// A request that waits for its reply.
  private record Unanswered(ClientRequest request, long sentNanos) {}

  private final long id;
  private final List<Transaction> transactions;
  private final List<InetSocketAddress> replicas;
  private final int window;
  private final AnswerLog log;
  private final Deque<Unanswered> unanswered = new ArrayDeque<>(); // numbers answered + 1, answered + 2, ...
  private final int perSecond; // 0: as fast as possible, once
  private volatile boolean stopped;
  private volatile int limit = Integer.MAX_VALUE; // the last request that may be sent
  private long nextNanos; // when the next request is due, with a rate
  private int answered;
  private int reported;
  private boolean turnedAway; // nothing new to this replica
  private int replica;
  private long resent;
  private long undecided;
  private long moves = -1; // the first connection is not a move
  private long reportedNanos;

  AccountClient(
      long id,
      List<Transaction> transactions,
      List<InetSocketAddress> replicas,
      int window,
      int perSecond,
      AnswerLog log) {
    this.id = id;
    this.transactions = transactions;
    this.replicas = replicas;
    this.window = window;
    this.perSecond = perSecond;
    this.log = log;
    replica = (int) ((id - 1) % replicas.size());
  }

  /// Runs a client process: it reports, waits for `go` on its standard input, and ends when all is answered; with a
  /// rate, when all is answered after `stop`. Its share `1/3` of the file is the 2nd, 5th, 8th, ... line. With a limit
  /// it sends so many requests and waits for `on` before it sends more.
  ///
  /// @param args `--id=N --file=FILE --share=I/N --replicas=HOST:PORT,... --log=FILE --window=N --rate=PER_SECOND
  ///             --limit=N`; 0 is no limit
  /// @throws IOException          when a file cannot be read or written
  /// @throws InterruptedException never; nobody interrupts this thread
  public static void main(String[] args) throws IOException, InterruptedException {
    var go = new CountDownLatch(1);
    var arguments = new Arguments(args, Set.of("id", "file", "share", "replicas", "log", "window", "rate", "limit"));
    String[] share = arguments.text("share").split("/");
    List<Transaction> transactions =
        share(
            TransactionFile.read(Path.of(arguments.text("file"))),
            Integer.parseInt(share[0]),
            Integer.parseInt(share[1]));
    try (AnswerLog log = AnswerLog.create(Path.of(arguments.text("log")))) {
      List<InetSocketAddress> replicas = arguments.endpoints("replicas");
      var client =
          new AccountClient(
              arguments.number("id"),
              transactions,
              replicas,
              arguments.number("window"),
              arguments.number("rate"),
              log);
      if (arguments.number("limit") > 0) {
        client.limit(arguments.number("limit"));
      }
      ParentWatch.hold(command -> {
        switch (command) {
          case "stop" -> client.stop();
          case "on" -> client.limit(Integer.MAX_VALUE);
          default -> {} // it goes, if it has not yet
        }
        go.countDown();
      });
      client.report();
      go.await();
      client.run();
    }
  }

  static List<Transaction> share(List<Transaction> all, int index, int of) {
    return IntStream.range(0, all.size()).filter(i -> i % of == index).mapToObj(all::get).toList();
  }

  /// Lets no more requests be sent; any thread may call it.
  void stop() {
    stopped = true;
  }

  /// Lets no request with a higher number be sent until there is another limit; any thread may call it.
  void limit(int number) {
    limit = number;
  }

  void run() {
    nextNanos = System.nanoTime();
    while (!isDone()) {
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
      ClientFrames.write(out, again.request().encode());
      resent++;
    }
    turnedAway = false;
    while (!isDone()) {
      if (!turnedAway) {
        fillWindow(out);
      }
      if (unanswered.isEmpty()) {
        if (reported < answered) {
          report(); // whoever set the limit may wait for this
        }
        LockSupport.parkNanos(PACE.toNanos());
        continue;
      }
      do {
        take(Reply.decode(ByteBuffer.wrap(ClientFrames.read(in, Reply.BYTES))));
      } while (in.available() > 0);
    }
  }

  private boolean isDone() {
    return unanswered.isEmpty() && (perSecond == 0 ? answered == transactions.size() : stopped);
  }

  private void fillWindow(DataOutputStream out) throws IOException {
    long now = System.nanoTime();
    nextNanos = Math.max(nextNanos, now - BEHIND_MAX.toNanos());
    while (unanswered.size() < window && isDue(now)) {
      nextNanos += perSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / perSecond;
      int index = answered + unanswered.size();
      var request = new ClientRequest(id, index + 1, transactions.get(index % transactions.size()));
      unanswered.add(new Unanswered(request, System.nanoTime()));
      ClientFrames.write(out, request.encode());
    }
    out.flush();
  }

  private boolean isDue(long now) {
    int sent = answered + unanswered.size();
    return sent < limit && (perSecond == 0 ? sent < transactions.size() : !stopped && now - nextNanos >= 0);
  }

  private void take(Reply reply) {
    if (reply.outcome() == Reply.Outcome.UNDECIDED) {
      undecided++; // it stays unanswered: the connection ends next, and another replica is asked
      turnedAway = true;
      return;
    }
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
    turnedAway = false; // the replica was cut off for so short a time that it did not even end the connection
    long now = System.nanoTime();
    long waitMicros = TimeUnit.NANOSECONDS.toMicros(now - oldest.sentNanos());
    long atMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    log.add(new AnswerLog.Entry(reply.number(), reply.outcome(), waitMicros, atMicros));
    if (now - reportedNanos > REPORT_EVERY.toNanos()) {
      reportedNanos = now;
      report();
    }
  }

  private void report() {
    reported = answered;
    new StatusLine.Progress(answered, resent, undecided, moves).print();
  }
}
