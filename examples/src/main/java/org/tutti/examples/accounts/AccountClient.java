package org.tutti.examples.accounts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.replica.Client;

/// A client of the accounts service: calls it with its transactions, several before the first is answered, and logs
/// what it was told. That each is executed once, whatever happens to replicas, is the business of [Client].
///
/// It goes through its transactions once, as fast as they are answered; or, with a rate, over and over again until it
/// is told to stop. What it has sent by then it still wants answered.
public final class AccountClient {
  private static final Duration PATIENCE = Duration.ofMinutes(10); // a demo gives up before
  private static final Duration BEHIND_MAX = Duration.ofMillis(100); // what is later is not made up for
  private static final Duration PACE = Duration.ofMillis(1); // a request is late by that at most
  private static final Duration REPORT_EVERY = Duration.ofMillis(100);

  private final long id;
  private final List<Transaction> transactions;
  private final Client calls;
  private final AnswerLog log; // of the thread of calls
  private final int perSecond; // 0: as fast as possible, once
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;
  private volatile int limit = Integer.MAX_VALUE; // the last request that may be sent
  private int sent;
  private long nextNanos; // when the next request is due, with a rate
  private long reportedNanos;

  AccountClient(long id, List<Transaction> transactions, Client calls, int perSecond, AnswerLog log) {
    this.id = id;
    this.transactions = transactions;
    this.calls = calls;
    this.perSecond = perSecond;
    this.log = log;
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
    try (AnswerLog log = AnswerLog.create(Path.of(arguments.text("log")));
        Client calls =
            Client.of(AccountReplica.SERVICE)
                .at(arguments.list("replicas").toArray(String[]::new))
                .callsMax(arguments.number("window"))
                .deadline(PATIENCE)
                .connect()) {
      var client = new AccountClient(arguments.number("id"), transactions, calls, arguments.number("rate"), log);
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

  void run() throws InterruptedException {
    nextNanos = System.nanoTime();
    while (!isDone()) {
      long now = System.nanoTime();
      if (isDue(now)) {
        send(now);
      } else {
        LockSupport.parkNanos(PACE.toNanos());
      }
      if (now - reportedNanos > REPORT_EVERY.toNanos()) {
        reportedNanos = now;
        report();
      }
      Throwable why = failure.get();
      if (why != null) {
        throw new IllegalStateException("a call failed", why);
      }
    }
    report();
  }

  private boolean isDone() {
    return answered.get() == sent && (perSecond == 0 ? sent == transactions.size() : stopped);
  }

  private boolean isDue(long now) {
    nextNanos = Math.max(nextNanos, now - BEHIND_MAX.toNanos());
    return sent < limit && (perSecond == 0 ? sent < transactions.size() : !stopped && now - nextNanos >= 0);
  }

  /// Blocks while as many calls are open as may be.
  private void send(long now) throws InterruptedException {
    nextNanos += perSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / perSecond;
    Transaction transaction = transactions.get(sent % transactions.size());
    int number = ++sent;
    calls
        .call(ByteBuffer.wrap(new ClientRequest(id, number, transaction).encode()))
        .whenComplete((reply, why) -> {
          if (why == null) {
            take(number, Reply.decode(reply), now);
          } else {
            failure.compareAndSet(null, why);
          }
        });
  }

  private void take(int number, Reply reply, long sentNanos) {
    long waitMicros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sentNanos);
    long atMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    log.add(new AnswerLog.Entry(number, reply.outcome(), waitMicros, atMicros));
    answered.incrementAndGet();
  }

  private void report() {
    List<Metric> metrics = calls.metrics();
    long resent = Metric.sum(metrics, "client.commands.repeated");
    new StatusLine.Progress(answered.get(), resent, Metric.sum(metrics, "client.replicas.left")).print();
  }
}
