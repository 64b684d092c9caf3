package org.tutti.bench.trial;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.member.BenchTarget;
import org.tutti.lab.network.LineNetwork;

/// A flood of processes that have lines of limited rate, measured in its middle: how much each process delivers in
/// a time, so that it does not matter how long queues are, nor whether anything is lost or stands still.
final class LineTrial {
  private static final long MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(300); // of the flood, after it was measured
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
  private static final long REST_MAX_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final double SECOND = 1e9;
  private static final int SEGMENT_BYTES = 1448; // of TCP, in a packet of Ethernet

  private final LineOptions options;
  private final LineNetwork network;
  private final LineNetwork.Line line;
  private final ProcessGroup group;
  private final @Nullable ProcessGroup stream;

  /// @param stream of two processes, the first of which sends to the other one meanwhile; null for none
  LineTrial(
      LineOptions options,
      LineNetwork network,
      LineNetwork.Line line,
      ProcessGroup group,
      @Nullable ProcessGroup stream) {
    this.options = options;
    this.network = network;
    this.line = line;
    this.group = group;
    this.stream = stream;
  }

  /// Clocks and counts at one moment.
  private record Moment(
      List<Map<String, String>> usage,
      Map<String, String> streamed,
      double cpuSeconds,
      Machine.Moment machine,
      LineNetwork.Traffic traffic,
      long segmentsRepeated) {}

  TrialOutcome run(LineOptions.Senders senders) throws InterruptedException, IOException {
    int count = senders.of(group.size());
    if (group.name().equals(LineStack.RAW_MULTICAST.word())) {
      long pace = count == 1 ? Long.MAX_VALUE : (long) (line.bytesPerSecond() / (count - 1));
      for (int rank = 0; rank < group.size(); rank++) {
        group.child(rank).ask("pace " + pace);
      }
    }
    long flood = options.warmUp().plus(options.time()).toNanos() + MARGIN_NANOS;
    List<MeasuredProcess> sending = IntStream.range(0, count).mapToObj(group::child).collect(Collectors.toList());
    if (stream != null) {
      sending.add(stream.child(0));
    }
    ProcessGroup.tellAll(sending, "flood-aside " + options.bytes() + " " + flood);
    ProcessGroup.answers(sending, 0);
    pause(options.warmUp().toNanos());
    Moment before = moment();
    pause(options.time().toNanos());
    return outcome(before, moment(), senders);
  }

  /// Lets time pass.
  static void pause(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
  }

  private Moment moment() throws InterruptedException, IOException {
    return new Moment(
        group.usage(),
        stream == null ? Map.of() : stream.child(1).ask("usage"),
        group.cpuSeconds(),
        Machine.now(measured()),
        network.traffic(),
        segmentsRepeated());
  }

  /// Who is not reckoned among others: this process, too, if it keeps processors busy.
  private List<Long> measured() {
    List<Long> pids = new ArrayList<>(group.pids());
    if (stream != null) {
      pids.addAll(stream.pids());
    }
    if (options.busy() > 0) {
      pids.add(ProcessHandle.current().pid());
    }
    return pids;
  }

  /// Segments that the kernels of the hosts sent again.
  private long segmentsRepeated() {
    return group.pids().stream().mapToLong(Machine::segmentsRepeated).sum();
  }

  private TrialOutcome outcome(Moment before, Moment after, LineOptions.Senders senders) {
    double rate = Double.MAX_VALUE; // of the slowest
    for (int rank = 0; rank < group.size(); rank++) {
      rate = Math.min(rate, rate(before.usage().get(rank), after.usage().get(rank)));
    }
    double seconds = (after.machine().nanos() - before.machine().nanos()) / SECOND;
    SortedMap<String, Long> counters = ProcessGroup.counted(before.usage(), after.usage());
    LineNetwork.Traffic traffic = after.traffic().since(before.traffic());
    long segments = after.segmentsRepeated() - before.segmentsRepeated();
    counters.put("line.up.bytes", traffic.upBytes());
    counters.put("line.down.bytes", traffic.downBytes());
    counters.put("line.up.dropped", traffic.upDropped());
    counters.put("line.down.dropped", traffic.downDropped());
    counters.put("tcp.segments.repeated", segments);
    var values = new TreeMap<Measure, Double>();
    double repeated = segments * SEGMENT_BYTES + counters.getOrDefault(BenchTarget.REPEATED, 0L);
    values.put(Measure.PAYLOAD, rate);
    values.put(Measure.OF_LINE, rate / line.bytesPerSecond());
    values.put(Measure.OF_OPTIMUM, rate / line.bytesPerSecond() / senders.optimum(group.size()));
    values.put(Measure.VIEWS, (double) counters.getOrDefault(BenchTarget.VIEWS, 0L));
    values.put(Measure.REPEATED, repeated / seconds);
    values.put(Measure.DROPPED, (traffic.upDropped() + traffic.downDropped()) / seconds);
    values.put(Measure.UP, traffic.upBytes() / Math.max(1, rate * seconds));
    values.put(Measure.CPU_TIME, (after.cpuSeconds() - before.cpuSeconds()) / seconds);
    if (stream != null) {
      values.put(Measure.STREAM, rate(before.streamed(), after.streamed()));
    }
    return new TrialOutcome(values, counters, null, seconds, before.machine().until(after.machine()));
  }

  /// Bytes per second that a process has delivered between two answers.
  private double rate(Map<String, String> then, Map<String, String> now) {
    double messages = ProcessGroup.number(now, "count") - ProcessGroup.number(then, "count");
    double nanos = ProcessGroup.number(now, "at") - ProcessGroup.number(then, "at");
    return messages * options.bytes() * SECOND / nanos;
  }

  /// What a trial is worth in which a process fell out.
  static TrialOutcome nothing() {
    var values = new TreeMap<Measure, Double>();
    values.put(Measure.PAYLOAD, 0.0);
    values.put(Measure.OF_LINE, 0.0);
    values.put(Measure.OF_OPTIMUM, 0.0);
    return new TrialOutcome(values, new TreeMap<>(), null, 0, new Machine.Load(false, 0, 0));
  }

  /// Waits until nobody sends any more and nothing arrives.
  ///
  /// @return whether that was so within some time
  boolean rests() throws InterruptedException {
    long end = System.nanoTime() + REST_MAX_NANOS;
    List<Long> before = List.of();
    while (System.nanoTime() < end) {
      List<Long> now = new ArrayList<>();
      boolean busy = stream != null && ProcessGroup.number(stream.child(0).ask("delivered"), "busy") > 0;
      for (int rank = 0; rank < group.size(); rank++) {
        Map<String, String> answer = group.child(rank).ask("delivered");
        now.add(ProcessGroup.number(answer, "count"));
        busy |= ProcessGroup.number(answer, "busy") > 0;
      }
      if (!busy && now.equals(before)) {
        return true;
      }
      before = now;
      pause(REST_NANOS);
    }
    return false;
  }
}
