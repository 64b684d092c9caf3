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
  private static final double OPEN_LOOP = 3;
  private static final double SLOWED = 0.15; // a tenth, and some inaccuracy of the one who is slow
  private static final double RECOVERY_MILLIS = 1000;
  private static final double PEER = 5;
  private static final double PEERS = 10;

  private GoalTable() {}

  static void flood(List<Goal> goals, TrialSet trialSet, int bytes) {
    String tutti = Instrument.TUTTI;
    String size = String.format(Locale.ROOT, "%,d B", bytes);
    Double least = THROUGHPUT.get(bytes);
    if (least != null) {
      goals.add(
          new Limit("throughput / raw, " + size, trialSet, tutti, List.of(Instrument.RAW), Measure.RATE, true, least));
    }
    if (bytes == CPU_BYTES) {
      goals.add(
          new Limit(
              "CPU of all processes / raw, " + size,
              trialSet,
              tutti,
              List.of(Instrument.RAW),
              Measure.CPU,
              false,
              CPU));
      goals.add(
          new Limit(
              "allocation per message, engine, " + size, trialSet, tutti, List.of(), Measure.ENGINE_BYTES, false, 0));
    }
    goals.add(new Limit("longest pause, ms, " + size, trialSet, tutti, List.of(), Measure.PAUSE, false, PAUSE_MILLIS));
  }

  static void loops(List<Goal> goals, TrialSet trialSet) {
    String raw = trialSet.trials().getFirst().name();
    for (TrialSet.Trial trial : trialSet.trials().subList(1, trialSet.trials().size())) {
      String name = trial.name().replaceFirst(Instrument.TUTTI + " ", "");
      goals.add(
          new Limit(
              "p50 / raw ping, " + name, trialSet, trial.name(), List.of(raw), Measure.P50, false, HALF_OF_TIMES));
      goals.add(
          new Limit(
              "p99 / raw ping, " + name, trialSet, trial.name(), List.of(raw), Measure.P99, false, TAIL_OF_TIMES));
    }
  }

  static void heap(List<Goal> goals, TrialSet trialSet) {
    String tutti = Instrument.TUTTI;
    goals.add(new Limit("live heap per member, MiB", trialSet, tutti, List.of(), Measure.HEAP, false, HEAP_MIB));
  }

  /// Beside the goals it tells how plain sockets do at the same rate: what they cannot, nobody above them can.
  static void openLoop(List<Goal> goals, TrialSet trialSet, int bytes) {
    String size = String.format(Locale.ROOT, "%,d B", bytes);
    String open = Instrument.TUTTI + TrialPlan.OPEN_LOOP;
    String rawOpen = Instrument.RAW + TrialPlan.OPEN_LOOP;
    List<String> closed = List.of(TrialPlan.FROM_LISTENER);
    goals.add(new Limit("open loop p50 / closed loop, " + size, trialSet, open, closed, Measure.P50, false, OPEN_LOOP));
    goals.add(new Limit("open loop p99 / closed loop, " + size, trialSet, open, closed, Measure.P99, false, OPEN_LOOP));
    for (Measure measure : List.of(Measure.P50, Measure.P99)) {
      goals.add(new Comparison(trialSet, rawOpen, List.of(TrialPlan.RAW_PING), measure));
      goals.add(new Comparison(trialSet, open, List.of(rawOpen), measure));
    }
  }

  static void slow(List<Goal> goals, TrialSet trialSet, int bytes) {
    String tutti = Instrument.TUTTI;
    String size = String.format(Locale.ROOT, "%,d B", bytes);
    List<String> none = List.of();
    goals.add(
        new Limit("one slow member: rate / before, " + size, trialSet, tutti, none, Measure.SLOWED, false, SLOWED));
    goals.add(
        new Limit("recovery after it, ms, " + size, trialSet, tutti, none, Measure.RECOVERY, false, RECOVERY_MILLIS));
    goals.add(new Limit("views because of it, " + size, trialSet, tutti, none, Measure.VIEWS, false, 0));
    goals.add(new Limit("live heap meanwhile, MiB, " + size, trialSet, tutti, none, Measure.HEAP, false, HEAP_MIB));
  }

  static void peers(List<Goal> goals, TrialSet one, TrialSet many, List<String> peers) {
    String tutti = Instrument.TUTTI;
    goals.add(new Limit("throughput / best peer, one sender, 1,024 B", one, tutti, peers, Measure.RATE, true, PEER));
    goals.add(new Limit("throughput / best peer, all send, 1,024 B", many, tutti, peers, Measure.RATE, true, PEERS));
  }
}
