package org.tutti.bench.trial;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What Tutti should reach, as ratios to plain sockets in the same rounds.
final class GoalTable {
  private static final Map<Integer, Double> THROUGHPUT = Map.of(100, 0.5, 1 << 10, 0.6, 10 << 10, 0.7, 100 << 10, 0.7);
  private static final int CPU_BYTES = 1 << 10;
  private static final double CPU = 2.5;
  private static final double HALF_OF_TIMES = 2.0;
  private static final double TAIL_OF_TIMES = 3.0;
  private static final double PAUSE_MILLIS = 10;
  private static final double HEAP_MIB = 64;

  private GoalTable() {}

  static void flood(List<Goal> goals, Heat heat, int bytes) {
    String tutti = Instrument.TUTTI;
    String size = String.format(Locale.ROOT, "%,d B", bytes);
    Double least = THROUGHPUT.get(bytes);
    if (least != null) {
      goals.add(new Goal("throughput / raw, " + size, heat, tutti, Instrument.RAW, Measure.RATE, true, least));
    }
    if (bytes == CPU_BYTES) {
      goals.add(new Goal("CPU of all processes / raw, " + size, heat, tutti, Instrument.RAW, Measure.CPU, false, CPU));
      goals.add(
          new Goal("allocation per message, engine, " + size, heat, tutti, tutti, Measure.ENGINE_BYTES, false, 0));
    }
    goals.add(new Goal("longest pause, ms, " + size, heat, tutti, tutti, Measure.PAUSE, false, PAUSE_MILLIS));
  }

  static void loops(List<Goal> goals, Heat heat) {
    String raw = heat.trials().getFirst().name();
    for (Heat.Trial trial : heat.trials().subList(1, heat.trials().size())) {
      String name = trial.name().replaceFirst(Instrument.TUTTI + " ", "");
      goals.add(new Goal("p50 / raw ping, " + name, heat, trial.name(), raw, Measure.P50, false, HALF_OF_TIMES));
      goals.add(new Goal("p99 / raw ping, " + name, heat, trial.name(), raw, Measure.P99, false, TAIL_OF_TIMES));
    }
  }

  static void heap(List<Goal> goals, Heat heat) {
    String tutti = Instrument.TUTTI;
    goals.add(new Goal("live heap per member, MiB", heat, tutti, tutti, Measure.HEAP, false, HEAP_MIB));
  }
}
