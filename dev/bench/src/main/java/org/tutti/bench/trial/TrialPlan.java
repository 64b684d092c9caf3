package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.tutti.bench.member.BenchTarget.SendingThread;

/// Which trial sets a command has.
final class TrialPlan {
  private static final int KIB = 1 << 10;
  private static final int LATENCY_BYTES = 100;
  private static final int WINDOWS_MIN = 4; // two slow ones are alike, too
  private static final int WINDOWS_MAX = 12;
  private static final int OPEN_LOOP_PART = 2; // of the peak

  private final InstrumentOptions options;
  private final List<ProcessGroup> processGroups;
  private final List<Long> own;
  private final long flood;
  private final long loop;

  /// @param options how to measure
  /// @param processGroups   who takes part
  TrialPlan(InstrumentOptions options, List<ProcessGroup> processGroups) {
    this.options = options;
    this.processGroups = List.copyOf(processGroups);
    this.own = processGroups.stream().flatMap(processGroup -> processGroup.pids().stream()).toList();
    this.flood = options.time().toNanos();
    this.loop = options.time().toNanos() / 2;
  }

  List<ProcessGroup> groups() {
    return processGroups;
  }

  /// Tutti's, one for each ordering.
  List<ProcessGroup> tutti() {
    return processGroups.stream().filter(each -> each.name().startsWith(Instrument.TUTTI)).toList();
  }

  private TrialSet trialSet(String title, List<TrialSet.Trial> trials) {
    return new TrialSet(title, trials, options.rounds());
  }

  private List<TrialSet.Trial> trials(Task task) {
    return tutti().stream().map(each -> new TrialSet.Trial(each.name(), each, task)).toList();
  }

  /// All process groups, with the chosen number of senders and each length.
  List<TrialSet> floods() {
    return options.bytes().stream().map(bytes -> flood(options.senders(), bytes)).toList();
  }

  private TrialSet flood(int senders, int bytes) {
    List<Integer> ranks = IntStream.range(0, senders).boxed().toList();
    List<TrialSet.Trial> trials = new ArrayList<>();
    for (ProcessGroup processGroup : processGroups) {
      trials.add(new TrialSet.Trial(processGroup.name(), processGroup, new Task.Flood(ranks, bytes, flood)));
    }
    String who = senders == 1 ? "one sender" : senders + " senders";
    return trialSet(
        String.format(Locale.ROOT, "flood, %d members, %s, %,d B", processGroups.getLast().size(), who, bytes), trials);
  }

  /// Closed loops of all process groups.
  List<TrialSet> loops() {
    return List.of(loop(LATENCY_BYTES));
  }

  private TrialSet loop(int bytes) {
    int last = options.members() - 1;
    List<TrialSet.Trial> trials = new ArrayList<>();
    for (ProcessGroup processGroup : processGroups) {
      if (processGroup.name().equals(Instrument.RAW)) {
        trials.add(ping(processGroup, bytes));
      } else if (processGroup.name().startsWith("aeron")) { // whoever sends there polls, too
        trials.add(
            new TrialSet.Trial(
                processGroup.name() + " leader", processGroup, new Task.Closed(0, bytes, SendingThread.THREAD, loop)));
        trials.add(
            new TrialSet.Trial(
                processGroup.name() + " member",
                processGroup,
                new Task.Closed(last, bytes, SendingThread.THREAD, loop)));
      } else {
        trials.add(loop(processGroup, "sequencer", 0, bytes, SendingThread.LISTENER));
        trials.add(loop(processGroup, "member", last, bytes, SendingThread.LISTENER));
        trials.add(loop(processGroup, "sequencer", 0, bytes, SendingThread.THREAD));
        trials.add(loop(processGroup, "member", last, bytes, SendingThread.THREAD));
      }
    }
    return trialSet(String.format(Locale.ROOT, "closed loop, %,d B", bytes), trials);
  }

  private TrialSet.Trial ping(ProcessGroup raw, int bytes) {
    return new TrialSet.Trial(raw.name() + " ping", raw, new Task.Closed(0, bytes, SendingThread.LISTENER, loop));
  }

  private TrialSet.Trial loop(ProcessGroup processGroup, String who, int rank, int bytes, SendingThread sendingThread) {
    String how = sendingThread == SendingThread.LISTENER ? "from the listener" : "a thread waits";
    return new TrialSet.Trial(
        processGroup.name() + " " + who + ", " + how, processGroup, new Task.Closed(rank, bytes, sendingThread, loop));
  }

  /// Everything that there is beside plain sockets.
  List<TrialSet> versusRaw() throws InterruptedException {
    List<TrialSet> all = new ArrayList<>();
    for (int bytes : options.bytes()) {
      all.add(flood(1, bytes));
    }
    all.add(loop(LATENCY_BYTES));
    all.add(openLoop(KIB));
    all.add(new TrialSet("live heap under a flood of 1,024 B", trials(new Task.Memory(KIB, flood)), 1));
    return all;
  }

  /// Messages at half of the peak, beside closed loops.
  List<TrialSet> openLoops() throws InterruptedException {
    List<TrialSet> trialSets = new ArrayList<>();
    for (int bytes : options.bytes()) {
      trialSets.add(openLoop(bytes));
    }
    return trialSets;
  }

  private TrialSet openLoop(int bytes) throws InterruptedException {
    int perSecond = Math.max(1, (int) (peak(bytes) / OPEN_LOOP_PART));
    var task = new Task.Open(0, bytes, perSecond, flood);
    List<TrialSet.Trial> trials = new ArrayList<>();
    for (ProcessGroup processGroup : processGroups) {
      boolean raw = processGroup.name().equals(Instrument.RAW);
      trials.add(raw ? ping(processGroup, bytes) : loop(processGroup, "sequencer", 0, bytes, SendingThread.LISTENER));
      if (!raw) {
        trials.add(loop(processGroup, "sequencer", 0, bytes, SendingThread.THREAD));
      }
      trials.add(new TrialSet.Trial(processGroup.name() + " open loop", processGroup, task));
    }
    return trialSet(
        String.format(Locale.ROOT, "open loop at half of the peak, %,d messages/s, %,d B", perSecond, bytes), trials);
  }

  /// The rate of Tutti, with the first of its orderings and one sender, once it does not grow any more.
  private double peak(int bytes) throws InterruptedException {
    var windows = new ArrayList<Double>();
    while (windows.size() < WINDOWS_MIN || !Rounds.isSteady(windows) && windows.size() < WINDOWS_MAX) {
      windows.add(tutti().getFirst().run(new Task.Flood(List.of(0), bytes, loop), own).value(Measure.RATE));
    }
    return Collections.max(windows);
  }

  /// One member that is ten times slower for a while.
  List<TrialSet> slow() {
    List<TrialSet> trialSets = new ArrayList<>();
    for (int bytes : options.bytes()) {
      Task task = new Task.Slow(options.members() - 1, bytes, flood);
      trialSets.add(trialSet(String.format(Locale.ROOT, "one slow member, %,d B", bytes), trials(task)));
    }
    return trialSets;
  }

  /// Floods, and a closed loop, of all process groups.
  List<TrialSet> besideEachOther() {
    var all = new ArrayList<>(floods());
    var task = new Task.Closed(0, LATENCY_BYTES, SendingThread.LISTENER, loop);
    all.add(
        trialSet(
            String.format(Locale.ROOT, "closed loop, %,d B", LATENCY_BYTES),
            processGroups.stream().map(each -> new TrialSet.Trial(each.name(), each, task)).toList()));
    return all;
  }

  /// One sender and all senders beside other toolkits, and closed loops.
  List<TrialSet> versusPeers() {
    List<TrialSet> all = new ArrayList<>();
    for (int bytes : options.bytes()) {
      all.add(flood(1, bytes));
      all.add(flood(options.members(), bytes));
    }
    if (!options.quick()) {
      all.add(loop(LATENCY_BYTES));
    }
    return all;
  }
}
