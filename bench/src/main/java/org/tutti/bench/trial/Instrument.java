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
import org.tutti.bench.member.Scratch;

/// Measures Tutti with each member a process of its own, alone or side by side with others.
public final class Instrument {
  static final String TUTTI = "tutti";
  static final String RAW = "raw";
  static final String JGROUPS = "jgroups";
  static final String AERON = "aeron-cluster";

  /// Without these, stacks that were taken between two safepoints are those of the next one: other code's, if inlined.
  private static final List<String> EXACT = List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints");

  private static final double PERCENT = 100;

  private final InstrumentOptions options;
  private final String command;
  private final PrintWriter out;
  private final long begun = System.nanoTime();
  private final Path directory;
  private final Map<String, Object> machine = Machine.description();
  private final List<Team> everybody = new ArrayList<>(); // who took part
  private final List<Heat> heats = new ArrayList<>();
  private final List<Goal> goals = new ArrayList<>();

  private Instrument(InstrumentOptions options, String command, PrintWriter out) {
    this.options = options;
    this.command = command;
    this.out = out;
    String when = Instant.now().toString().replaceAll("[:.]", "-");
    this.directory = options.out().resolve(command.replace(' ', '-') + "-" + when).toAbsolutePath();
  }

  /// What a command measures.
  private interface Plan {
    List<Heat> heats(Programme programme) throws InterruptedException;
  }

  /// Throughput.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean flood(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    return new Instrument(options, "flood", out).run(List.of(Squad.tutti(options.members())), Programme::floods);
  }

  /// Latency of a closed loop.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean latency(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    return new Instrument(options, "latency", out).run(List.of(Squad.tutti(options.members())), Programme::loops);
  }

  /// Latency at half of the peak, beside plain sockets at the same rate.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean openLoop(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    List<Squad> squads = List.of(Squad.raw(options.members()), Squad.tutti(options.members()));
    return new Instrument(options, "openloop", out).run(squads, Programme::openLoops);
  }

  /// What one slow member does.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean slow(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    Squad taking = new Squad(TUTTI, TUTTI, options.members(), List.of("receive=true"));
    return new Instrument(options, "slow", out).run(List.of(taking), Programme::slow);
  }

  /// Where the CPU time of a flood goes, stage by stage.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean stages(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    return new Instrument(options.withFlags(EXACT), "stages", out)
        .run(List.of(Squad.tutti(options.members())), Programme::stages);
  }

  /// Throughput of groups of several sizes beside plain sockets to as many.
  ///
  /// @param options how
  /// @param sizes   of the groups, rising
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean scale(InstrumentOptions options, List<Integer> sizes, PrintWriter out)
      throws InterruptedException {
    var instrument = new Instrument(options, "scale", out);
    for (int size : sizes) {
      instrument.measure(List.of(Squad.raw(size), Squad.tutti(size)), Programme::floods);
    }
    int lengths = options.bytes().size();
    for (int i = lengths; i < instrument.heats.size(); i++) {
      Heat few = instrument.heats.get(i % lengths);
      Heat many = instrument.heats.get(i);
      instrument.goals.add(
          new Fall("throughput / raw, over that of " + sizes.getFirst() + "; " + many.title(), few, many));
    }
    return instrument.report();
  }

  /// Packing policies beside fixed degrees.
  ///
  /// @param options how
  /// @param degrees which fixed ones, rising, the first one 1
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean packing(InstrumentOptions options, List<Integer> degrees, PrintWriter out)
      throws InterruptedException {
    Plan plan = programme -> new PackingProgramme(options, degrees, programme.tutti(), programme.goals()).heats();
    return new Instrument(options, "packing", out).run(List.of(Squad.tutti(options.members())), plan);
  }

  /// Throughput, latency and memory beside plain sockets, and the table of goals.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean versusRaw(InstrumentOptions options, PrintWriter out) throws InterruptedException {
    int size = options.members();
    return new Instrument(options, "versus raw", out)
        .run(List.of(Squad.raw(size), Squad.tutti(size)), Programme::versusRaw);
  }

  /// Throughput and latency beside JGroups.
  ///
  /// @param options how
  /// @param stacks  which of its stacks
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean versusJGroups(InstrumentOptions options, List<String> stacks, PrintWriter out)
      throws InterruptedException {
    var squads = new ArrayList<Squad>();
    stacks.forEach(stack -> squads.add(Squad.jgroups(options.members(), stack)));
    squads.add(Squad.tutti(options.members()));
    return new Instrument(options, "versus jgroups", out).run(squads, Programme::versusJGroups);
  }

  /// Throughput and latency beside Aeron Cluster.
  ///
  /// @param options how
  /// @param stacks  which of its stacks
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean versusAeron(InstrumentOptions options, List<String> stacks, PrintWriter out)
      throws InterruptedException {
    try (var scratch = Scratch.create()) {
      var squads = new ArrayList<Squad>();
      stacks.forEach(stack -> squads.add(Squad.aeron(options.members(), stack, scratch.path())));
      squads.add(Squad.tutti(options.members()));
      return new Instrument(options, "versus aeron-cluster", out).run(squads, Programme::versusAeron);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean run(List<Squad> squads, Plan plan) throws InterruptedException {
    measure(squads, plan);
    return report();
  }

  /// Starts teams, runs their heats, and ends them.
  private void measure(List<Squad> squads, Plan plan) throws InterruptedException {
    var teams = new ArrayList<Team>();
    try {
      Files.createDirectories(directory);
      for (Squad squad : squads) {
        var settings = new ArrayList<>(options.allSettings());
        settings.addAll(squad.settings());
        teams.add(new Team(squad, settings, options.flags(), directory));
      }
      var programme = new Programme(options, teams);
      List<Heat> planned = plan.heats(programme);
      List<Long> own = teams.stream().flatMap(team -> team.pids().stream()).toList();
      new Rounds(options.rules(), own, begun, out).run(planned);
      heats.addAll(planned);
      goals.addAll(programme.goals());
      everybody.addAll(teams);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      teams.forEach(Team::close);
    }
  }

  private boolean report() {
    machine.put("load at the end", Machine.description().get("load"));
    Path file = directory.resolve("results.json");
    try {
      new ResultFile(command, machine, everybody).write(file, heats, goals);
      String page = HtmlReport.of("tutti bench " + command, machine, everybody, heats, goals);
      Files.writeString(directory.resolve("report.html"), page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var report = new Report(out);
    report.machine(machine, everybody);
    heats.forEach(report::heat);
    report.goals(goals);
    heats.forEach(report::stages);
    boolean complete = heats.stream().allMatch(Heat::complete);
    String limits =
        String.format(
            Locale.ROOT,
            "others used up to %.0f %% of the machine and the host took up to %.0f %%",
            options.others() * PERCENT,
            options.steal() * PERCENT);
    out.printf(
        "%n%s%nraw results: %s, and report.html beside it%n",
        complete
            ? "Every figure comes from rounds in which " + limits + "."
            : "SOME FIGURES DO NOT COUNT: in too few rounds " + limits + ".",
        file);
    out.flush();
    return complete;
  }
}
