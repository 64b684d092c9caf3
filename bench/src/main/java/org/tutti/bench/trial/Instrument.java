package org.tutti.bench.trial;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.tutti.bench.member.Contestant.Seat;

/// Measures Tutti with each member a process of its own, alone or side by side with others.
public final class Instrument {
  static final String TUTTI = "tutti";
  static final String RAW = "raw";

  private final InstrumentOptions options;
  private final String command;
  private final PrintWriter out;
  private final long begun = System.nanoTime();
  private final Path directory;

  private Instrument(InstrumentOptions options, String command, PrintWriter out) {
    this.options = options;
    this.command = command;
    this.out = out;
    String when = Instant.now().toString().replaceAll("[:.]", "-");
    this.directory = options.out().resolve(command.replace(' ', '-') + "-" + when).toAbsolutePath();
  }

  /// Throughput.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean flood(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    return new Instrument(options, "flood", out).run(List.of(TUTTI), Programme::floods);
  }

  /// Latency of a closed loop.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean latency(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    return new Instrument(options, "latency", out).run(List.of(TUTTI), Programme::loops);
  }

  /// Both, and the memory, beside plain sockets, and the table of goals.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean versusRaw(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    return new Instrument(options, "versus raw", out).run(List.of(RAW, TUTTI), Programme::versusRaw);
  }

  private boolean run(List<String> contestants, Function<Programme, List<Heat>> what) throws InterruptedException {
    var teams = new ArrayList<Team>();
    try {
      Files.createDirectories(directory);
      for (String contestant : contestants) {
        teams.add(team(contestant));
      }
      Map<String, Object> machine = Machine.description();
      var programme = new Programme(options, teams);
      List<Heat> heats = what.apply(programme);
      List<Long> own = teams.stream().flatMap(team -> team.pids().stream()).toList();
      new Rounds(options.rules(), own, begun, out).run(heats);
      return report(machine, teams, heats, programme.goals());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      teams.forEach(Team::close);
    }
  }

  private Team team(String contestant) throws InterruptedException {
    return new Team(contestant, contestant, options.members(), options.allSettings(), options.flags(), directory);
  }

  private boolean report(Map<String, Object> machine, List<Team> teams, List<Heat> heats, List<Goal> goals)
      throws IOException {
    machine.put("load-at-the-end", Machine.description().get("load"));
    Path file = directory.resolve("results.json");
    new ResultFile(command, machine, teams).write(file, heats, goals);
    var report = new Report(out);
    report.machine(machine, teams);
    heats.forEach(report::heat);
    report.goals(goals);
    boolean complete = heats.stream().allMatch(Heat::complete);
    out.printf(
        Locale.ROOT,
        "%n%s%nraw results: %s%n",
        complete ? "Every figure comes from undisturbed rounds." : "SOME FIGURES DO NOT COUNT: rounds were disturbed.",
        file);
    out.flush();
    return complete;
  }

  /// Which heats a command has.
  static final class Programme {
    private final InstrumentOptions options;
    private final List<Team> teams;
    private final List<Goal> goals = new ArrayList<>();
    private final long flood;
    private final long loop;

    Programme(InstrumentOptions options, List<Team> teams) {
      this.options = options;
      this.teams = List.copyOf(teams);
      this.flood = options.time().toNanos();
      this.loop = options.time().toNanos() / 2;
    }

    List<Goal> goals() {
      return goals;
    }

    private Heat heat(String title, List<Heat.Trial> trials) {
      return new Heat(title, trials, options.rounds());
    }

    private List<Heat> floods() {
      var heats = new ArrayList<Heat>();
      List<Integer> senders = IntStream.range(0, options.senders()).boxed().toList();
      for (int bytes : options.bytes()) {
        List<Heat.Trial> trials = new ArrayList<>();
        for (Team team : teams) {
          trials.add(new Heat.Trial(team.name(), team, new Task.Flood(senders, bytes, flood)));
        }
        String who = senders.size() == 1 ? "one sender" : senders.size() + " senders";
        heats.add(heat(String.format(Locale.ROOT, "flood, %s, %,d B", who, bytes), trials));
      }
      return heats;
    }

    private List<Heat> loops() {
      int bytes = Numbers.LATENCY_BYTES;
      int last = options.members() - 1;
      List<Heat.Trial> trials = new ArrayList<>();
      for (Team team : teams) {
        if (team.name().equals(RAW)) {
          trials.add(new Heat.Trial("raw ping", team, new Task.Closed(0, bytes, Seat.LISTENER, loop)));
        } else {
          trials.add(trial(team, "sequencer", 0, Seat.LISTENER));
          trials.add(trial(team, "member", last, Seat.LISTENER));
          trials.add(trial(team, "sequencer", 0, Seat.THREAD));
          trials.add(trial(team, "member", last, Seat.THREAD));
        }
      }
      return List.of(heat("closed loop, " + bytes + " B", trials));
    }

    private Heat.Trial trial(Team team, String who, int rank, Seat seat) {
      String how = seat == Seat.LISTENER ? "from the listener" : "a thread waits";
      return new Heat.Trial(
          team.name() + " " + who + ", " + how, team, new Task.Closed(rank, Numbers.LATENCY_BYTES, seat, loop));
    }

    private List<Heat> versusRaw() {
      List<Heat> floods = floods();
      List<Heat> loops = loops();
      var memory = new ArrayList<Heat.Trial>();
      Team tutti = teams.getLast();
      memory.add(new Heat.Trial(TUTTI, tutti, new Task.Memory(1 << 10, flood)));
      Heat heap = new Heat("live heap under a flood of 1,024 B", memory, 1);
      for (int i = 0; i < floods.size(); i++) {
        GoalTable.flood(goals, floods.get(i), options.bytes().get(i));
      }
      GoalTable.loops(goals, loops.getFirst());
      GoalTable.heap(goals, heap);
      var all = new ArrayList<>(floods);
      all.addAll(loops);
      all.add(heap);
      return all;
    }
  }
}
