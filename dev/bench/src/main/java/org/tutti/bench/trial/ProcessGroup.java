package org.tutti.bench.trial;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.tutti.bench.member.BenchTarget;
import org.tutti.bench.member.Times;

/// The processes of one target, by rank. It makes trials into outcomes.
final class ProcessGroup implements TrialSet.Runner, AutoCloseable {
  private static final Map<String, Measure> COUNTED_PER_MESSAGE =
      Map.of(
          "tcp.wakeups.made", Measure.WAKEUPS, "udp.wakeups.made", Measure.WAKEUPS, "loop.waits.made", Measure.WAITS);
  private static final String COUNTED = "counted.";
  private static final double MILLION = 1e6;
  private static final long STILL_NANOS = 200_000_000; // nothing more comes after such a silence
  private static final long DRAIN_NANOS = 20_000_000_000L;

  private final String name;
  private final ProcessGroupPlan groupPlan;
  private final boolean record;
  private final Path directory;
  private final List<String> settings;
  private final List<String> flags;
  private final List<MeasuredProcess> children = new ArrayList<>();
  private final Map<MeasuredProcess, Long> baseline = new HashMap<>();
  private List<String> addresses = List.of();
  private int replaced;

  /// Starts the processes and has them come together.
  ///
  /// @param groupPlan which
  /// @param options   what they are told, and the flags of the JVMs
  /// @param directory where logs go
  ProcessGroup(ProcessGroupPlan groupPlan, InstrumentOptions options, Path directory) throws InterruptedException {
    this.name = groupPlan.name();
    this.groupPlan = groupPlan;
    this.record = options.record();
    this.directory = directory;
    this.settings = Stream.concat(options.allSettings().stream(), groupPlan.settings().stream()).toList();
    this.flags = Stream.concat(options.flags().stream(), groupPlan.flags().stream()).toList();
    try {
      for (int rank = 0; rank < groupPlan.size(); rank++) {
        children.add(started(rank, name + "-of-" + groupPlan.size() + "-" + rank));
      }
      for (int rank = 0; rank < groupPlan.size(); rank++) {
        children.get(rank).tell(open(rank));
      }
      addresses = answers(children, 0).stream().map(answer -> answer.get("address")).toList();
      for (int rank = 0; rank < groupPlan.size(); rank++) {
        children.get(rank).ask(form(rank));
      }
      tellAll(children, "ready");
      answers(children, 0);
    } catch (IOException e) {
      close();
      throw new UncheckedIOException(e);
    } catch (RuntimeException | InterruptedException failure) {
      close();
      throw failure;
    }
  }

  private MeasuredProcess started(int rank, String title) throws IOException {
    return new MeasuredProcess(title, directory, flags, record, groupPlan.target(), groupPlan.place(rank).prefix());
  }

  private String open(int rank) {
    return "open " + String.join(" ", settings) + " " + BenchTarget.HOST + "=" + groupPlan.place(rank).host();
  }

  private String form(int rank) {
    return "form " + rank + " " + String.join(",", addresses);
  }

  /// Ends a process as a crash does.
  void kill(int rank) throws InterruptedException {
    child(rank).kill();
  }

  /// Starts another process in the place of one that was killed, with its addresses, and waits until it is ready.
  void replace(int rank) throws InterruptedException {
    try {
      child(rank).close();
      MeasuredProcess next = started(rank, name + "-of-" + groupPlan.size() + "-" + rank + "-again-" + ++replaced);
      children.set(rank, next);
      next.ask(open(rank) + " " + BenchTarget.AT + "=" + addresses.get(rank));
      next.ask(form(rank));
      next.ask("ready");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  int size() {
    return children.size();
  }

  List<String> settings() {
    return settings;
  }

  List<String> flags() {
    return flags;
  }

  List<Long> pids() {
    return children.stream().map(MeasuredProcess::pid).toList();
  }

  MeasuredProcess child(int rank) {
    return children.get(rank);
  }

  static void tellAll(List<MeasuredProcess> whom, String command) {
    whom.forEach(child -> child.tell(command));
  }

  static List<Map<String, String>> answers(List<MeasuredProcess> whom, long workNanos) throws InterruptedException {
    var answers = new ArrayList<Map<String, String>>();
    for (MeasuredProcess child : whom) {
      answers.add(child.answer(workNanos));
    }
    return answers;
  }

  static long number(Map<String, String> answer, String key) {
    String value = answer.get(key);
    if (value == null) {
      throw new BenchException("an answer without " + key + ": " + answer);
    }
    return Long.parseLong(value);
  }

  // ---- trials ----------------------------------------------------------------------------------------------------

  @Override
  public TrialOutcome run(Task task, List<Long> own) throws InterruptedException {
    turn(true);
    children.forEach(MeasuredProcess::longestPause);
    List<Map<String, String>> before = usage();
    double cpu = cpuSeconds();
    double servers = cpuSeconds(servers(task));
    Machine.Moment start = Machine.now(own);
    var values = new TreeMap<Measure, Double>();
    String times = null;
    long messages;
    switch (task) {
      case Task.Flood flood -> messages = flood(flood, values);
      case Task.Cast cast -> messages = cast(cast, values);
      case Task.Closed closed -> {
        times =
            times(
                child(closed.rank()),
                "closed-loop " + closed.bytes() + " " + closed.nanos() + " " + closed.sendingThread());
        messages = timed(times, values);
      }
      case Task.Open open -> {
        String command = "open-loop " + open.bytes() + " " + open.nanos() + " " + open.perSecond();
        times = times(child(open.rank()), command);
        messages = timed(times, values);
      }
      case Task.Calls calls -> {
        Histogram all = calls(calls, values);
        times = Times.encoded(all);
        messages = timed(times, values);
      }
      case Task.Memory memory -> messages = memory(memory, values);
      case Task.Slow slow -> messages = new SlowMember(this, slow).run(values);
      case Task.Packed packed -> {
        var answer = new PackingTrial(this, packed.packing(), packed.source()).run(packed.nanos(), values);
        times = answer.times();
        timed(times, values);
        messages = answer.messages();
      }
      case Task.Settling settling ->
          messages = new PackingTrial(this, settling.packing(), settling.source()).settle(settling.nanos(), values);
    }
    Machine.Moment end = Machine.now(own);
    values.put(Measure.CPU, (cpuSeconds() - cpu) / messages * MILLION);
    if (!servers(task).isEmpty()) {
      values.put(Measure.SERVER_CPU, (cpuSeconds(servers(task)) - servers) / messages * MILLION);
    }
    List<Map<String, String>> after = usage();
    SortedMap<String, Long> counters = counted(before, after);
    if (task instanceof Task.Slow) {
      values.put(Measure.VIEWS, (double) counters.getOrDefault(BenchTarget.VIEWS, 0L));
    }
    COUNTED_PER_MESSAGE.forEach((counter, measure) -> {
      if (counters.containsKey(counter)) {
        values.put(measure, (double) counters.get(counter) / messages);
      }
    });
    values.put(
        Measure.ALL_BYTES,
        more(before, after, "process").stream().mapToLong(Long::longValue).sum() / (double) messages);
    if (number(after.getLast(), "engine") >= 0 && senders(task).size() < size()) {
      List<Long> engines = more(before, after, "engine");
      senders(task).forEach(rank -> engines.set(rank, 0L));
      values.put(Measure.ENGINE_BYTES, (double) Collections.max(engines) / messages);
    }
    turn(false);
    values.put(Measure.PAUSE, (double) children.stream().mapToLong(MeasuredProcess::longestPause).max().orElse(0));
    return new TrialOutcome(values, counters, times, (end.nanos() - start.nanos()) / 1e9, start.until(end));
  }

  private void turn(boolean ours) throws InterruptedException {
    tellAll(children, "turn " + ours);
    answers(children, 0);
  }

  double cpuSeconds() {
    return cpuSeconds(children);
  }

  private static double cpuSeconds(List<MeasuredProcess> some) {
    return some.stream().mapToDouble(child -> Machine.cpuSeconds(child.pid())).sum();
  }

  /// The processes that answer the calls of others and make none.
  private List<MeasuredProcess> servers(Task task) {
    return task instanceof Task.Calls calls
        ? IntStream.range(0, size()).filter(rank -> calls.callers().get(rank) == 0).mapToObj(this::child).toList()
        : List.of();
  }

  /// What each process has delivered, allocated and counted, and when.
  List<Map<String, String>> usage() throws InterruptedException {
    tellAll(children, "usage");
    return answers(children, 0);
  }

  private long flood(Task.Flood flood, Map<Measure, Double> values) throws InterruptedException {
    rest();
    List<MeasuredProcess> senders = flood.senders().stream().map(this::child).toList();
    tellAll(senders, "flood " + flood.bytes() + " " + flood.nanos());
    List<Map<String, String>> sent = answers(senders, flood.nanos());
    long messages = sent.stream().mapToLong(answer -> number(answer, "sent")).sum();
    long start = sent.stream().mapToLong(answer -> number(answer, "start")).min().orElseThrow();
    values.put(Measure.RATE, messages / ((drained(messages) - start) / 1e9));
    return messages;
  }

  /// The rate is that of what reaches the process that gets least of it while the sender sends.
  private long cast(Task.Cast cast, Map<Measure, Double> values) throws InterruptedException {
    rest();
    MeasuredProcess sender = child(cast.rank());
    sender.tell("flood " + cast.bytes() + " " + cast.nanos());
    long messages = number(sender.answer(cast.nanos()), "sent");
    long least = least();
    for (long before = -1; least != before; least = least()) {
      before = least;
      TimeUnit.NANOSECONDS.sleep(STILL_NANOS);
    }
    values.put(Measure.RATE, least / (cast.nanos() / 1e9));
    values.put(Measure.LOST, 1 - least / (double) messages);
    return messages;
  }

  /// How much more than at rest has been delivered where it is least.
  private long least() throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (MeasuredProcess child : children) {
      least = Math.min(least, number(child.ask("delivered"), "count") - baseline.getOrDefault(child, 0L));
    }
    return least;
  }

  /// Remembers how much has been delivered before anything is sent.
  void rest() throws InterruptedException {
    for (MeasuredProcess child : children) {
      baseline.put(child, number(child.ask("delivered"), "count"));
    }
  }

  /// Waits until everybody has so many messages more than at rest.
  ///
  /// @return when the last one had them
  long drained(long messages) throws InterruptedException {
    for (MeasuredProcess child : children) {
      child.tell("await " + (baseline.getOrDefault(child, 0L) + messages) + " " + DRAIN_NANOS);
    }
    return answers(children, DRAIN_NANOS).stream().mapToLong(answer -> number(answer, "at")).max().orElseThrow();
  }

  /// The others collect garbage while one sends; the sender, whose command is not finished, does so right afterwards.
  private long memory(Task.Memory memory, Map<Measure, Double> values) throws InterruptedException {
    rest();
    MeasuredProcess sender = children.getFirst();
    List<MeasuredProcess> others = children.subList(1, children.size());
    sender.tell("flood " + memory.bytes() + " " + memory.nanos());
    others.getFirst().ask("await " + (baseline.getOrDefault(others.getFirst(), 0L) + 1) + " " + DRAIN_NANOS);
    tellAll(others, "memory");
    var live = new ArrayList<>(answers(others, 0));
    long messages = number(sender.answer(memory.nanos()), "sent");
    live.add(sender.ask("memory"));
    drained(messages);
    values.put(Measure.HEAP, live.stream().mapToDouble(answer -> number(answer, "live")).max().orElse(0));
    values.put(Measure.DIRECT, live.stream().mapToDouble(answer -> number(answer, "direct")).max().orElse(0));
    return messages;
  }

  /// Callers in several processes, from the first call to the last answer.
  private Histogram calls(Task.Calls calls, Map<Measure, Double> values) throws InterruptedException {
    List<Integer> ranks = calls.ranks();
    for (int rank : ranks) {
      child(rank)
          .tell(
              String.format(
                  Locale.ROOT,
                  "calls %s %d %d %d %d %s",
                  calls.operation(),
                  calls.callers().get(rank),
                  calls.perClient(),
                  calls.bytes(),
                  calls.nanos(),
                  calls.sendingThread()));
    }
    List<Map<String, String>> answers = answers(ranks.stream().map(this::child).toList(), calls.nanos());
    Histogram all = Times.empty();
    answers.forEach(answer -> all.add(decoded(timesIn(answer))));
    long start = answers.stream().mapToLong(answer -> number(answer, "start")).min().orElseThrow();
    long end = answers.stream().mapToLong(answer -> number(answer, "end")).max().orElseThrow();
    if (all.getTotalCount() == 0) {
      throw new BenchException(name + " has answered no call");
    }
    values.put(Measure.CALLS, all.getTotalCount() / ((end - start) / 1e9));
    return all;
  }

  private static String times(MeasuredProcess child, String command) throws InterruptedException {
    child.tell(command);
    return timesIn(child.answer(0));
  }

  private static String timesIn(Map<String, String> answer) {
    String times = answer.get("times");
    if (times == null) {
      throw new BenchException("an answer without times");
    }
    return times;
  }

  private static long timed(String encoded, Map<Measure, Double> values) {
    Histogram times = decoded(encoded);
    values.put(Measure.P50, (double) times.getValueAtPercentile(50));
    values.put(Measure.P90, (double) times.getValueAtPercentile(90));
    values.put(Measure.P99, (double) times.getValueAtPercentile(99));
    values.put(Measure.P999, (double) times.getValueAtPercentile(99.9));
    values.put(Measure.MAX, (double) times.getMaxValue());
    return times.getTotalCount();
  }

  private static Histogram decoded(String times) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(times)), Times.NANOS_MAX);
    } catch (DataFormatException e) {
      throw new IllegalStateException(e);
    }
  }

  /// By how much a figure has grown at each process.
  private static List<Long> more(List<Map<String, String>> before, List<Map<String, String>> after, String key) {
    var more = new ArrayList<Long>();
    for (int rank = 0; rank < before.size(); rank++) {
      more.add(number(after.get(rank), key) - number(before.get(rank), key));
    }
    return more;
  }

  /// What the processes have counted themselves meanwhile, all together.
  static SortedMap<String, Long> counted(List<Map<String, String>> before, List<Map<String, String>> after) {
    var counters = new TreeMap<String, Long>();
    for (int rank = 0; rank < before.size(); rank++) {
      Map<String, String> then = before.get(rank);
      after
          .get(rank)
          .forEach((key, value) -> {
            if (key.startsWith(COUNTED)) {
              long more = Long.parseLong(value) - Long.parseLong(then.getOrDefault(key, "0"));
              counters.merge(key.substring(COUNTED.length()), more, Long::sum);
            }
          });
    }
    counters.values().removeIf(count -> count == 0);
    return counters;
  }

  private static List<Integer> senders(Task task) {
    return switch (task) {
      case Task.Flood flood -> flood.senders();
      case Task.Cast cast -> List.of(cast.rank());
      case Task.Closed closed -> List.of(closed.rank());
      case Task.Open open -> List.of(open.rank());
      case Task.Calls calls -> calls.ranks();
      case Task.Memory _, Task.Slow _, Task.Packed _, Task.Settling _ -> List.of(0);
    };
  }

  /// Ends the processes, those of the highest rank first.
  @Override
  public void close() {
    children.forEach(MeasuredProcess::endInput);
    children.reversed().forEach(MeasuredProcess::close);
  }
}
