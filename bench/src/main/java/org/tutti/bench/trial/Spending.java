package org.tutti.bench.trial;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import org.tutti.bench.member.FlightRecording;

/// What a process has used the processor for.
///
/// The CPU time of each thread is known, and goes to stages as the thread's samples do; that of the JVM's own threads,
/// of which no samples are taken, goes to the stage that their names tell. So the sum is what the process has used.
///
/// @param nanos   CPU time by stage
/// @param samples how many stacks that is drawn from
/// @param missed  how many of them could not be walked; these are of the stage [Stage#OTHER]
record Spending(SortedMap<Stage, Double> nanos, long samples, long missed) {
  private static final long ANY_THREAD = -1;

  Spending {
    nanos = new TreeMap<>(nanos);
  }

  double total() {
    return nanos.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  Spending plus(Spending other) {
    var sum = new TreeMap<>(nanos);
    other.nanos.forEach((stage, more) -> sum.merge(stage, more, Double::sum));
    return new Spending(sum, samples + other.samples, missed + other.missed);
  }

  /// Reads a recording.
  ///
  /// @param file    the recording
  /// @param from    earlier samples do not count
  /// @param to      later samples do not count
  /// @param threads CPU times of the threads between these moments
  /// @param cpu     CPU nanoseconds of the process, for when those of its threads are not known
  /// @param rules   which stage a stack belongs to
  static Spending read(Path file, Instant from, Instant to, ThreadTimes threads, double cpu, StageRules rules)
      throws IOException {
    boolean known = !threads.threads().isEmpty();
    ToLongFunction<RecordedEvent> thread = event -> known ? thread(event) : ANY_THREAD;
    var samples = new HashMap<Long, Map<Stage, Integer>>();
    long count = 0;
    long missed = 0;
    try (var recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        RecordedEvent event = recording.readEvent();
        Instant at = event.getStartTime();
        if (isSample(event) && !at.isBefore(from) && !at.isAfter(to)) {
          RecordedStackTrace stack = event.getStackTrace();
          Stage stage = stack == null ? Stage.OTHER : rules.of(stack.getFrames());
          samples
              .computeIfAbsent(thread.applyAsLong(event), _ -> new EnumMap<>(Stage.class))
              .merge(stage, 1, Integer::sum);
          count++;
          missed += stack == null ? 1 : 0;
        }
      }
    }
    Map<Long, ThreadTimes.Time> times =
        known ? threads.threads() : Map.of(ANY_THREAD, new ThreadTimes.Time("", (long) cpu));
    return new Spending(split(times, samples), count, missed);
  }

  private static boolean isSample(RecordedEvent event) {
    String name = event.getEventType().getName();
    return name.equals(FlightRecording.BY_CPU_TIME) || FlightRecording.BY_CLOCK.contains(name);
  }

  private static long thread(RecordedEvent event) {
    String field = event.hasField("sampledThread") ? "sampledThread" : "eventThread";
    RecordedThread thread = event.getThread(field);
    return thread == null ? ANY_THREAD : thread.getOSThreadId();
  }

  /// Gives each thread's time to stages.
  static SortedMap<Stage, Double> split(
      Map<Long, ThreadTimes.Time> threads, Map<Long, ? extends Map<Stage, Integer>> samples) {
    var nanos = new TreeMap<Stage, Double>();
    threads.forEach((thread, time) -> {
      Map<Stage, Integer> its = samples.containsKey(thread) ? samples.get(thread) : Map.of();
      Stage only = Stage.ofThread(time.name());
      if (only != null || its.isEmpty()) {
        nanos.merge(only == null ? Stage.OTHER : only, (double) time.nanos(), Double::sum);
      } else {
        double all = List.copyOf(its.values()).stream().mapToInt(Integer::intValue).sum();
        its.forEach((stage, count) -> nanos.merge(stage, time.nanos() * (count / all), Double::sum));
      }
    });
    return nanos;
  }
}
