package org.tutti.bench;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.member.BenchTarget.SendingThread;
import org.tutti.bench.member.Callers;
import org.tutti.bench.member.IpcTarget;
import org.tutti.bench.trial.IpcOptions;
import org.tutti.bench.trial.Numbers;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Status;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// The experiments of See's thesis on group interprocess communication (*Group Communication in Distributed System
/// T-Shoshin*, chapter 5), each row beside the thesis's figure and beside a ping of the transport with as many
/// bytes; and how many questions to three members are answered in a second. Calls are made by a thread that waits, and,
/// measured apart, by the callback of the one before. A last table has the experiments that the thesis proposes and
/// does not make: a send that waits for no host, a reply by the mechanism of two processes, and what its reply without
/// a buffer at the sender's host costs.
///
/// All hosts are in one process, and every message goes to each of them, as in the thesis. Rounds take turns over all
/// rows, so that a change of the machine's load hits all of them.
public final class IpcBenchmark {
  private static final int HOSTS = 4;
  private static final int REMOTE_MAX = HOSTS - 1;
  private static final int PING_BYTES_MIN = Integer.BYTES; // it has a number
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration UNREADY = Duration.ofMillis(10); // longer than a reply takes
  private static final double UNMEASURED = Double.NaN; // by the thesis

  // What the thesis measured, in milliseconds: two SUN workstations and a VAX of 1988 on an Ethernet of 10 Mbit/s.
  private static final List<Integer> PAIR_BYTES = List.of(0, 16, 32, 512, 1024, 2048, 8192);
  private static final List<Integer> PAIR = List.of(1172, 1173, 1173, 1179, 1182, 1730, 3905);
  private static final List<Integer> GROUP_BYTES = List.of(32, 1418);
  private static final Map<Integer, List<Double>> REMOTE =
      Map.of(32, List.of(813.2, 814.0, 813.0), 1418, List.of(813.7, 813.0, 813.0));
  private static final List<Integer> LOCAL_MEMBERS = List.of(1, 3, 5, 7, 9, 11, 13, 15);
  private static final Map<Integer, List<Integer>> LOCAL =
      Map.of(
          32, List.of(819, 828, 834, 868, 854, 888, 872, 888),
          1418, List.of(827, 844, 869, 872, 881, 922, 940, 935));
  private static final List<Integer> EMPTY_BYTES = List.of(32, 64, 128, 256, 512, 1418);
  private static final List<Integer> EMPTY = List.of(1293, 1342, 1341, 1340, 1319, 1342);
  private static final List<Integer> REQUEST_BYTES = List.of(32, 64, 128, 256, 512);
  private static final List<Integer> REQUEST = List.of(2146, 2113, 2090, 2247, 2249);

  // Well-known groups: their numbers.
  private static final int REMOTE_GROUP = 0; // and as many members
  private static final int LOCAL_GROUP = 100; // and as many members
  private static final int EMPTY_GROUP = 200;
  private static final int REPLYING_GROUP = 300; // and as many members

  /// What to measure, and how long.
  ///
  /// @param transport between the hosts
  /// @param askers    how many processes ask at a time, 1 to 64
  /// @param rounds    how often everything is measured, 1 or more
  /// @param time      how long one measurement lasts
  public record Options(TransportProvider transport, int askers, int rounds, Duration time) {
    /// Checks the ranges.
    public Options {
      IpcOptions.requireAskers(askers);
      if (rounds < 1 || !time.isPositive()) {
        throw new IllegalArgumentException("nothing to measure");
      }
    }
  }

  /// How long something took by one way of calling, in each round.
  private record Taken(Numbers half, Numbers tail) {
    Taken() {
      this(new Numbers(), new Numbers());
    }
  }

  /// How long a frame to several transports took, by a thread that waits and by the one that polls, in each round.
  private record Fan(Numbers waits, Numbers polls) {
    Fan() {
      this(new Numbers(), new Numbers());
    }
  }

  /// A row of a table.
  private final class Row {
    final String what;
    final int bytes;
    final double thesisMillis;
    final Callers.Caller call;
    final Map<SendingThread, Taken> taken = new EnumMap<>(SendingThread.class);

    Row(String what, int bytes, double thesisMillis, Callers.Caller call) {
      this(what, bytes, thesisMillis, List.of(SendingThread.values()), call);
    }

    /// One that is measured in some ways only.
    Row(String what, int bytes, double thesisMillis, List<SendingThread> ways, Callers.Caller call) {
      this.what = what;
      this.bytes = bytes;
      this.thesisMillis = thesisMillis;
      this.call = call;
      for (SendingThread way : ways) {
        taken.put(way, new Taken());
      }
    }

    void measure(boolean counts) throws InterruptedException, ExecutionException, TimeoutException {
      for (Map.Entry<SendingThread, Taken> each : taken.entrySet()) {
        Histogram times = Callers.run(List.of(call), nanos, each.getKey()).times();
        if (counts) {
          each.getValue().half.add(times.getValueAtPercentile(P50));
          each.getValue().tail.add(times.getValueAtPercentile(P99));
        }
      }
    }
  }

  private final Options options;
  private final PrintWriter out;
  private final long nanos;

  private IpcBenchmark(Options options, PrintWriter out) {
    this.options = options;
    this.out = out;
    this.nanos = options.time().toNanos();
  }

  /// Measures and prints.
  ///
  /// @param options what to measure
  /// @param out     where to print
  /// @throws InterruptedException when interrupted
  /// @throws ExecutionException   when a question fails
  /// @throws TimeoutException     when a question is not answered
  public static void run(Options options, PrintWriter out)
      throws InterruptedException, ExecutionException, TimeoutException {
    new IpcBenchmark(options, out).run();
  }

  private void run() throws InterruptedException, ExecutionException, TimeoutException {
    out.printf(
        Locale.ROOT,
        "%d hosts in this one process, over %s on loopback; %d processors; Java %s; microseconds;%n"
            + "median of %d rounds in turn over all rows [lowest..highest round]; load %.1f%n",
        HOSTS,
        options.transport().name(),
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        options.rounds(),
        MachineLoad.now());
    out.flush();
    try (var hosts = new IpcHosts(HOSTS, options.transport())) {
      Map<String, List<Row>> tables = tables(hosts);
      List<Row> rows = tables.values().stream().flatMap(List::stream).toList();
      Map<Integer, Numbers> pings = new LinkedHashMap<>();
      int frameBytesMax = frameBytesMax(); // longer messages have no ping: they travel in several
      rows.stream().filter(row -> row.bytes <= frameBytesMax).forEach(row -> pings.put(row.bytes, new Numbers()));
      List<Callers.Caller> askers = askers(hosts);
      List<Fan> fans = Stream.generate(Fan::new).limit(REMOTE_MAX).toList();
      var perSecond = new Numbers();
      for (int round = -1; round < options.rounds(); round++) { // the first one warms up
        boolean counts = round >= 0;
        measureRaw(round, pings, fans);
        for (Row row : MachineLoad.inTurn(rows, Math.max(0, round))) {
          row.measure(counts);
        }
        Callers.Result asked = Callers.run(askers, nanos, SendingThread.LISTENER);
        if (counts) {
          perSecond.add(asked.times().getTotalCount() * 1e9 / (asked.end() - asked.start()));
        }
      }
      tables.forEach((title, all) -> print(title, all, pings));
      print(fans);
      out.printf(
          "%nquestions of 32 bytes to %d members, all replies, %d processes ask: %s a second%n",
          REMOTE_MAX, options.askers(), perSecond.show(each -> String.format(Locale.ROOT, "%,.0f", each)));
    }
    out.printf(Locale.ROOT, "%nload at the end: %.1f%n", MachineLoad.now());
    out.flush();
  }

  private Transport openTransport() {
    return options.transport().open(TransportSettings.at(LocalGroup.ANYWHERE));
  }

  private int frameBytesMax() {
    try (Transport any = openTransport()) {
      return any.traits().frameBytesMax();
    }
  }

  /// Pings, and frames to several transports at once. These transports are open during that alone: where there are IP
  /// multicasts each one would be woken by those of the hosts, too.
  private void measureRaw(int round, Map<Integer, Numbers> pings, List<Fan> fans) throws InterruptedException {
    boolean counts = round >= 0;
    Transport[] far = Stream.generate(this::openTransport).limit(REMOTE_MAX).toArray(Transport[]::new);
    try (var ping = new Ping(openTransport(), far)) {
      ping.run(REMOTE_MAX, GROUP_BYTES.getFirst(), nanos); // all are connected, and hear multicasts if there are any
      for (int bytes : MachineLoad.inTurn(List.copyOf(pings.keySet()), Math.max(0, round))) {
        double half = ping.run(Math.max(bytes, PING_BYTES_MIN), nanos).getValueAtPercentile(P50);
        if (counts) {
          pings.get(bytes).add(half);
        }
      }
      for (int peers = 1; peers <= REMOTE_MAX; peers++) {
        double waits = ping.runWaiting(peers, GROUP_BYTES.getFirst(), nanos).getValueAtPercentile(P50);
        double half = ping.run(peers, GROUP_BYTES.getFirst(), nanos).getValueAtPercentile(P50);
        if (counts) {
          fans.get(peers - 1).waits.add(waits);
          fans.get(peers - 1).polls.add(half);
        }
      }
    }
  }

  private Map<String, List<Row>> tables(IpcHosts hosts) {
    Map<String, List<Row>> tables = new LinkedHashMap<>();
    tables.put(
        "5.1: send to one process at another host, until the message is in its queue",
        IntStream.range(0, PAIR_BYTES.size())
            .mapToObj(at -> sendingToOne(hosts, PAIR_BYTES.get(at), PAIR.get(at)))
            .toList());
    List<Row> remote = new ArrayList<>();
    for (int members = 1; members <= REMOTE_MAX; members++) {
      hosts.remote(GroupId.wellKnown(REMOTE_GROUP + members), members, false);
      for (int bytes : GROUP_BYTES) {
        double thesis = REMOTE.get(bytes).get(members - 1);
        remote.add(sending(hosts.sender(), members + " remote", REMOTE_GROUP + members, members, bytes, thesis));
      }
    }
    tables.put("5.2: send to members at other hosts, until their number is known", remote);
    List<Row> local = new ArrayList<>();
    for (int at = 0; at < LOCAL_MEMBERS.size(); at++) {
      int members = LOCAL_MEMBERS.get(at);
      hosts.local(GroupId.wellKnown(LOCAL_GROUP + members), members);
      for (int bytes : GROUP_BYTES) {
        double thesis = LOCAL.get(bytes).get(at);
        local.add(sending(hosts.sender(), members + " local", LOCAL_GROUP + members, members, bytes, thesis));
      }
    }
    tables.put("5.3: send to members at the sender's host", local);
    tables.put(
        "5.4: send to a group without members",
        IntStream.range(0, EMPTY_BYTES.size())
            .mapToObj(at -> sending(hosts.sender(), "empty", EMPTY_GROUP, 0, EMPTY_BYTES.get(at), EMPTY.get(at)))
            .toList());
    hosts.remote(GroupId.wellKnown(REPLYING_GROUP + 1), 1, true);
    hosts.remote(GroupId.wellKnown(REPLYING_GROUP + REMOTE_MAX), REMOTE_MAX, true);
    tables.put(
        "5.5: ask one member at another host, until it has replied",
        IntStream.range(0, REQUEST_BYTES.size())
            .mapToObj(at -> asking(hosts.sender(), "1 remote", REQUEST_BYTES.get(at), REQUEST.get(at)))
            .toList());
    List<Row> proposed = new ArrayList<>();
    GROUP_BYTES.forEach(bytes -> proposed.add(unacknowledged(hosts, bytes)));
    REQUEST_BYTES.forEach(bytes -> proposed.add(askingOne(hosts, bytes)));
    proposed.add(unbuffered(hosts, REQUEST_BYTES.getFirst()));
    tables.put("by a program that is attached to the sender's host", attached(hosts));
    tables.put("proposed there: no wait for hosts; a reply as of two processes; a reply not buffered", proposed);
    return tables;
  }

  /// A send to three members that returns when the message is on its way: each one ends the one before.
  private Row unacknowledged(IpcHosts hosts, int bytes) {
    IpcProcess sender = hosts.sender();
    GroupId to = GroupId.wellKnown(REMOTE_GROUP + REMOTE_MAX);
    ByteBuffer message = ByteBuffer.allocate(bytes);
    return new Row(
        "no wait",
        bytes,
        UNMEASURED,
        List.of(SendingThread.THREAD), // a callback that waits for nothing would keep the thread that sends it
        () -> {
          CompletableFuture<Result<IpcProcess.Communication>> sent;
          do {
            sent = sender.send(to, 0, message, 0);
            sender.groups().join(); // the host's thread has had the message, too
          } while (sent.isDone() && sent.join().equals(new Result.Aborted<>(Status.NO_BUFF)));
          return sent.isDone() ? sent.thenAccept(IpcBenchmark::done) : CompletableFuture.completedFuture(to);
        });
  }

  private Row askingOne(IpcHosts hosts, int bytes) {
    IpcProcess sender = hosts.sender();
    ProcessId to = hosts.replier();
    ByteBuffer message = ByteBuffer.allocate(bytes);
    return new Row(
        "1 process", bytes, UNMEASURED, () -> sender.request(to, 0, message, PATIENCE).thenAccept(IpcBenchmark::done));
  }

  /// The sender says how many replies it wants when the reply has come, and has found no room: so it comes again when
  /// the member's host probes.
  private Row unbuffered(IpcHosts hosts, int bytes) {
    IpcProcess sender = hosts.sender();
    GroupId to = GroupId.wellKnown(REPLYING_GROUP + 1);
    ByteBuffer message = ByteBuffer.allocate(bytes);
    var whenItHasCome = CompletableFuture.delayedExecutor(UNREADY.toNanos(), TimeUnit.NANOSECONDS);
    return new Row(
        "no buffer",
        bytes,
        UNMEASURED,
        List.of(SendingThread.THREAD),
        () ->
            sender
                .send(to, 0, message, 0)
                .thenComposeAsync(
                    sent -> {
                      IpcProcess.Communication open = done(sent);
                      return open.want(1).thenCompose(_ -> open.reply(PATIENCE));
                    },
                    whenItHasCome)
                .thenAccept(IpcBenchmark::done));
  }

  private static <T> T done(Result<T> result) {
    if (result instanceof Result.Done(T value)) {
      return value;
    }
    throw new IllegalStateException("the process was there, but " + result);
  }

  private Row sendingToOne(IpcHosts hosts, int bytes, double thesis) {
    IpcProcess sender = hosts.sender();
    ProcessId to = hosts.receiver();
    ByteBuffer message = ByteBuffer.allocate(bytes);
    return new Row(
        "1 process", bytes, thesis, () -> sender.send(to, 0, message, PATIENCE).thenAccept(IpcBenchmark::done));
  }

  private Row sending(IpcProcess sender, String what, int group, int members, int bytes, double thesis) {
    GroupId to = GroupId.wellKnown(group);
    ByteBuffer message = ByteBuffer.allocate(bytes);
    return new Row(
        what,
        bytes,
        thesis,
        () ->
            sender
                .send(to, 0, message, 0)
                .thenAccept(result -> {
                  int reached = result instanceof Result.Done(IpcProcess.Communication sent) ? sent.count() : 0;
                  boolean none = result instanceof Result.Aborted(Status status) && status == Status.NO_MEMBERS;
                  if (reached != members || members == 0 && !none) {
                    throw new IllegalStateException(what + ": " + members + " members were there, but " + result);
                  }
                }));
  }

  private Row asking(IpcProcess sender, String what, int bytes, double thesis) {
    return new Row(what, bytes, thesis, asker(sender, 1, bytes));
  }

  /// Calls of a program that is attached to the sender's host.
  private List<Row> attached(IpcHosts hosts) {
    IpcProcess sender = hosts.attachedSender();
    int bytes = GROUP_BYTES.getFirst();
    return List.of(
        sending(sender, "empty", EMPTY_GROUP, 0, bytes, UNMEASURED),
        sending(sender, "send 1", REMOTE_GROUP + 1, 1, bytes, UNMEASURED),
        asking(sender, "ask 1", bytes, UNMEASURED));
  }

  private List<Callers.Caller> askers(IpcHosts hosts) {
    return Stream.generate(() -> asker(hosts.sender(), REMOTE_MAX, GROUP_BYTES.getFirst()))
        .limit(options.askers())
        .toList();
  }

  private static Callers.Caller asker(IpcProcess sender, int members, int bytes) {
    GroupId to = GroupId.wellKnown(REPLYING_GROUP + members);
    ByteBuffer message = ByteBuffer.allocate(bytes);
    return IpcTarget.asker(sender, to, members, message);
  }

  private void print(String title, List<Row> rows, Map<Integer, Numbers> pings) {
    String form = "%-10s %6s  %-22s %-24s %-7s %-22s %-7s %s%n";
    out.printf("%n%s%n%s%n", title, "                   a thread waits: " + " ".repeat(40) + "callbacks:");
    out.printf(form, "members", "bytes", "p50", "p99", "/ ping", "p50", "/ ping", "thesis");
    for (Row row : rows) {
      Taken waits = row.taken.get(SendingThread.THREAD);
      @Nullable Taken calls = row.taken.get(SendingThread.LISTENER);
      Numbers ping = pings.get(row.bytes);
      out.printf(
          form,
          row.what,
          row.bytes,
          waits.half.show(Numbers::micros),
          waits.tail.show(Numbers::micros),
          over(waits, ping),
          calls == null ? "-" : calls.half.show(Numbers::micros),
          calls == null ? "-" : over(calls, ping),
          Double.isNaN(row.thesisMillis) ? "-" : String.format(Locale.ROOT, "%,.0f ms", row.thesisMillis));
    }
    out.flush();
  }

  private void print(List<Fan> fans) {
    out.printf("%nraw: a frame of 32 bytes to so many transports at once, until it is back from all%n");
    out.printf("%-17s  %-22s %s%n", "", "a thread waits:", "the thread that polls:");
    for (int peers = 1; peers <= fans.size(); peers++) {
      Fan fan = fans.get(peers - 1);
      out.printf("%-17d  %-22s %s%n", peers, fan.waits.show(Numbers::micros), fan.polls.show(Numbers::micros));
    }
  }

  private static String over(Taken taken, @Nullable Numbers ping) {
    return ping == null ? "-" : Numbers.hundredths(taken.half.median() / ping.median());
  }
}
