package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.tutti.bench.member.Contestant.Seat;

/// Which heats a command has, and which goals.
final class Programme {
  private static final int KIB = 1 << 10;
  private static final int WINDOWS_MIN = 4; // two slow ones are alike, too
  private static final int WINDOWS_MAX = 12;
  private static final int OPEN_LOOP_PART = 2; // of the peak

  static final String OPEN_LOOP = " open loop";
  static final String RAW_PING = Instrument.RAW + " ping";
  static final String FROM_LISTENER = Instrument.TUTTI + " sequencer, from the listener";

  private final InstrumentOptions options;
  private final List<Team> teams;
  private final List<Long> own;
  private final List<Goal> goals = new ArrayList<>();
  private final long flood;
  private final long loop;

  /// @param options how to measure
  /// @param teams   who takes part; Tutti is the last one
  Programme(InstrumentOptions options, List<Team> teams) {
    this.options = options;
    this.teams = List.copyOf(teams);
    this.own = teams.stream().flatMap(team -> team.pids().stream()).toList();
    this.flood = options.time().toNanos();
    this.loop = options.time().toNanos() / 2;
  }

  List<Goal> goals() {
    return goals;
  }

  Team tutti() {
    return teams.getLast();
  }

  private Heat heat(String title, List<Heat.Trial> trials) {
    return new Heat(title, trials, options.rounds());
  }

  /// All teams, with the chosen number of senders and each length.
  List<Heat> floods() {
    return options.bytes().stream().map(bytes -> flood(options.senders(), bytes)).toList();
  }

  private Heat flood(int senders, int bytes) {
    List<Integer> ranks = IntStream.range(0, senders).boxed().toList();
    List<Heat.Trial> trials = new ArrayList<>();
    for (Team team : teams) {
      trials.add(new Heat.Trial(team.name(), team, new Task.Flood(ranks, bytes, flood)));
    }
    String who = senders == 1 ? "one sender" : senders + " senders";
    return heat(String.format(Locale.ROOT, "flood, %d members, %s, %,d B", tutti().size(), who, bytes), trials);
  }

  /// Floods as they are, and with a recording of what takes the time.
  List<Heat> stages() {
    return options.bytes().stream().map(this::stages).toList();
  }

  private Heat stages(int bytes) {
    var task = new Task.Flood(List.of(0), bytes, flood);
    return heat(
        String.format(Locale.ROOT, "flood, %d members, one sender, %,d B", tutti().size(), bytes),
        List.of(
            new Heat.Trial(tutti().name(), tutti(), task),
            new Heat.Trial(tutti().name() + ", recorded", tutti(), new Task.Recorded(task))));
  }

  /// Closed loops of all teams.
  List<Heat> loops() {
    return List.of(loop(Numbers.LATENCY_BYTES));
  }

  private Heat loop(int bytes) {
    int last = options.members() - 1;
    List<Heat.Trial> trials = new ArrayList<>();
    for (Team team : teams) {
      if (team.name().equals(Instrument.RAW)) {
        trials.add(ping(team, bytes));
      } else if (team.name().startsWith("aeron")) { // whoever sends there polls, too
        trials.add(new Heat.Trial(team.name() + " leader", team, new Task.Closed(0, bytes, Seat.THREAD, loop)));
        trials.add(new Heat.Trial(team.name() + " member", team, new Task.Closed(last, bytes, Seat.THREAD, loop)));
      } else {
        trials.add(loop(team, "sequencer", 0, bytes, Seat.LISTENER));
        trials.add(loop(team, "member", last, bytes, Seat.LISTENER));
        trials.add(loop(team, "sequencer", 0, bytes, Seat.THREAD));
        trials.add(loop(team, "member", last, bytes, Seat.THREAD));
      }
    }
    return heat(String.format(Locale.ROOT, "closed loop, %,d B", bytes), trials);
  }

  private Heat.Trial ping(Team raw, int bytes) {
    return new Heat.Trial(RAW_PING, raw, new Task.Closed(0, bytes, Seat.LISTENER, loop));
  }

  private Heat.Trial loop(Team team, String who, int rank, int bytes, Seat seat) {
    String how = seat == Seat.LISTENER ? "from the listener" : "a thread waits";
    return new Heat.Trial(team.name() + " " + who + ", " + how, team, new Task.Closed(rank, bytes, seat, loop));
  }

  /// Everything that there is beside plain sockets.
  List<Heat> versusRaw() throws InterruptedException {
    List<Heat> all = new ArrayList<>();
    for (int bytes : options.bytes()) {
      Heat heat = flood(1, bytes);
      GoalTable.flood(goals, heat, bytes);
      all.add(heat);
    }
    Heat loops = loop(Numbers.LATENCY_BYTES);
    GoalTable.loops(goals, loops);
    all.add(loops);
    all.add(openLoop(KIB));
    Heat heap = new Heat("live heap under a flood of 1,024 B", List.of(memory()), 1);
    GoalTable.heap(goals, heap);
    all.add(heap);
    return all;
  }

  private Heat.Trial memory() {
    return new Heat.Trial(Instrument.TUTTI, tutti(), new Task.Memory(KIB, flood));
  }

  /// Messages at half of the peak, beside closed loops.
  List<Heat> openLoops() throws InterruptedException {
    List<Heat> heats = new ArrayList<>();
    for (int bytes : options.bytes()) {
      heats.add(openLoop(bytes));
    }
    return heats;
  }

  private Heat openLoop(int bytes) throws InterruptedException {
    int perSecond = Math.max(1, (int) (peak(bytes) / OPEN_LOOP_PART));
    var task = new Task.Open(0, bytes, perSecond, flood);
    List<Heat.Trial> trials = new ArrayList<>();
    for (Team team : teams) {
      boolean raw = team.name().equals(Instrument.RAW);
      trials.add(raw ? ping(team, bytes) : loop(team, "sequencer", 0, bytes, Seat.LISTENER));
      if (!raw) {
        trials.add(loop(team, "sequencer", 0, bytes, Seat.THREAD));
      }
      trials.add(new Heat.Trial(team.name() + OPEN_LOOP, team, task));
    }
    Heat heat =
        heat(
            String.format(Locale.ROOT, "open loop at half of the peak, %,d messages/s, %,d B", perSecond, bytes),
            trials);
    GoalTable.openLoop(goals, heat, bytes);
    return heat;
  }

  /// The rate of Tutti with one sender, once it does not grow any more.
  private double peak(int bytes) throws InterruptedException {
    var windows = new ArrayList<Double>();
    while (windows.size() < WINDOWS_MIN || !Rounds.isStable(windows) && windows.size() < WINDOWS_MAX) {
      windows.add(tutti().run(new Task.Flood(List.of(0), bytes, loop), own).value(Measure.RATE));
    }
    return Collections.max(windows);
  }

  /// One member that is ten times slower for a while.
  List<Heat> slow() {
    List<Heat> heats = new ArrayList<>();
    for (int bytes : options.bytes()) {
      Task task = new Task.Slow(options.members() - 1, bytes, flood);
      Heat.Trial trial = new Heat.Trial(Instrument.TUTTI, tutti(), task);
      Heat heat = heat(String.format(Locale.ROOT, "one slow member, %,d B", bytes), List.of(trial));
      GoalTable.slow(goals, heat, bytes);
      heats.add(heat);
    }
    return heats;
  }

  /// One sender and all senders beside JGroups, and closed loops.
  List<Heat> versusJGroups() {
    List<Heat> all = new ArrayList<>();
    for (int bytes : options.bytes()) {
      Heat one = flood(1, bytes);
      Heat many = flood(options.members(), bytes);
      if (bytes == KIB) {
        GoalTable.peers(goals, one, many, peers());
      }
      all.add(one);
      all.add(many);
    }
    if (!options.quick()) {
      all.add(loop(Numbers.LATENCY_BYTES));
    }
    return all;
  }

  /// One sender and all senders beside Aeron Cluster, and closed loops. Nothing is wanted; the ratios are told.
  List<Heat> versusAeron() {
    List<Heat> all = new ArrayList<>();
    for (int bytes : options.bytes()) {
      all.add(flood(1, bytes));
      all.add(flood(options.members(), bytes));
    }
    all.forEach(flood -> goals.add(new Comparison(flood, Instrument.TUTTI, peers(), Measure.RATE)));
    if (!options.quick()) {
      Heat loops = loop(Numbers.LATENCY_BYTES);
      List<String> names = loops.trials().stream().map(Heat.Trial::name).toList();
      List<String> ours = names.stream().filter(name -> name.startsWith(Instrument.TUTTI)).toList();
      List<String> theirs = names.stream().filter(name -> !ours.contains(name)).toList();
      ours.forEach(name -> goals.add(new Comparison(loops, name, theirs, Measure.P50)));
      all.add(loops);
    }
    return all;
  }

  private List<String> peers() {
    return teams.subList(0, teams.size() - 1).stream().map(Team::name).toList();
  }
}
