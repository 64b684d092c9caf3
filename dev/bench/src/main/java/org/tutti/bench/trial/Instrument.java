package org.tutti.bench.trial;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.tutti.bench.member.Scratch;
import org.tutti.bench.trial.ReplicaOptions.Part;
import org.tutti.lab.network.MulticastLoopback;
import org.tutti.lab.network.Unavailable;

/// Measures Tutti with each member a process of its own, alone or side by side with others.
public final class Instrument {
  static final String TUTTI = "tutti";
  static final String RAW = "raw";

  private static final String WINDOW = "window=";
  private static final int DATABASE_WINDOW_BYTES = 256 << 10; // a larger one would take minutes to write

  /// Another toolkit, for [#versus].
  public static final String JGROUPS = "jgroups";

  /// Another toolkit, for [#versus].
  public static final String AERON = "aeron-cluster";

  private final InstrumentOptions options;
  private final String command;
  private final PrintWriter out;
  private final long begun = System.nanoTime();
  private final Path directory;
  private final Map<String, Object> machine = Machine.description();
  private final List<ProcessGroup> everybody = new ArrayList<>(); // who took part
  private final List<TrialSet> trialSets = new ArrayList<>();
  private final List<Addition> additions = new ArrayList<>();

  private Instrument(InstrumentOptions options, String command, PrintWriter out) {
    this.options = options;
    this.command = command;
    this.out = out;
    this.directory = directory(options.out(), command);
  }

  /// Where the results of a command that begins now go.
  static Path directory(Path parent, String command) {
    String when = Instant.now().toString().replaceAll("[:.]", "-");
    return parent.resolve(command.replace(' ', '-') + "-" + when).toAbsolutePath();
  }

  /// What is measured once, not in rounds.
  ///
  /// @param key    names it in the file of results
  /// @param title  heads the table
  /// @param rows   of the table
  /// @param values for the file of results
  private record Addition(String key, String title, List<List<String>> rows, Map<String, Object> values) {}

  /// What a command measures.
  private interface Plan {
    List<TrialSet> trialSets(TrialPlan programme) throws InterruptedException;
  }

  /// What is measured with the processes of one group, or with plain sockets beside it.
  public enum Subject {
    /// Throughput.
    FLOOD("flood", Instrument::tutti, TrialPlan::floods),

    /// Latency of a closed loop.
    LATENCY("latency", Instrument::tutti, TrialPlan::loops),

    /// Latency at half of the peak, beside plain sockets at the same rate.
    OPEN_LOOP("openloop", Instrument::besideRaw, TrialPlan::openLoops),

    /// What one slow member does.
    SLOW("slow", Instrument::receiving, TrialPlan::slow),

    /// Throughput, latency and memory beside plain sockets.
    VERSUS_RAW("versus raw", Instrument::besideRaw, TrialPlan::versusRaw);

    private final String command;
    private final Function<InstrumentOptions, List<ProcessGroupPlan>> processGroups;
    private final Plan plan;

    Subject(String command, Function<InstrumentOptions, List<ProcessGroupPlan>> processGroups, Plan plan) {
      this.command = command;
      this.processGroups = processGroups;
      this.plan = plan;
    }
  }

  /// Measures one thing.
  ///
  /// @param subject what
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean measure(Subject subject, InstrumentOptions options, PrintWriter out)
      throws InterruptedException {
    return new Instrument(options, subject.command, out).run(subject.processGroups.apply(options), subject.plan);
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
      instrument.measure(besideRaw(options.withMembers(size)), TrialPlan::floods);
    }
    return instrument.report();
  }

  /// Throughput and latency of groups whose metrics are read, beside one whose metrics nobody reads, and another one of
  /// these, which shows how far figures of the same thing differ.
  ///
  /// @param options how
  /// @param every   how often they are read, for each group whose metrics are read
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean metrics(InstrumentOptions options, List<Duration> every, PrintWriter out)
      throws InterruptedException {
    var groupPlans = new ArrayList<ProcessGroupPlan>();
    groupPlans.add(ProcessGroupPlan.metrics(options.members(), "without metrics", null));
    groupPlans.add(ProcessGroupPlan.metrics(options.members(), "the same again", null));
    every.forEach(time ->
        groupPlans.add(ProcessGroupPlan.metrics(options.members(), "metrics every " + time.toMillis() + " ms", time)));
    return new Instrument(options, "metrics", out).run(groupPlans, TrialPlan::besideEachOther);
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
    Plan plan = programme -> new PackingPlan(options, degrees, programme.tutti().getFirst(), null).trialSets();
    return new Instrument(options, "packing", out).run(tutti(options), plan);
  }

  /// The same with continuous sources, where each delivery is written to a database of its member, and where not.
  ///
  /// @param options how
  /// @param degrees which fixed ones, rising, the first one 1
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean packingIntoDatabases(InstrumentOptions options, List<Integer> degrees, PrintWriter out)
      throws InterruptedException {
    try (var scratch = Scratch.onDisk()) {
      boolean chosen = options.settings().stream().anyMatch(setting -> setting.startsWith(WINDOW));
      String[] window = chosen ? new String[0] : new String[] {WINDOW + DATABASE_WINDOW_BYTES};
      ProcessGroupPlan counting = ProcessGroupPlan.tutti(options.members(), options.orderings(), window).getFirst();
      List<String> settings = new ArrayList<>(counting.settings());
      settings.add("database=" + scratch.path());
      var writing = new ProcessGroupPlan(TUTTI + "-database", TUTTI, options.members(), settings);
      Plan plan =
          programme ->
              new PackingPlan(options, degrees, programme.groups().getFirst(), programme.groups().getLast())
                  .trialSets();
      return new Instrument(options, "packing --database", out).run(List.of(counting, writing), plan);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Throughput and latency beside another toolkit.
  ///
  /// @param peer    `jgroups` or `aeron-cluster`
  /// @param stacks  which of its stacks
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean versus(String peer, List<String> stacks, InstrumentOptions options, PrintWriter out)
      throws InterruptedException {
    try (var scratch = Scratch.create()) {
      var groupPlans = new ArrayList<>(tutti(options));
      for (String stack : stacks) {
        groupPlans.add(
            peer.equals(AERON)
                ? ProcessGroupPlan.aeron(options.members(), stack, scratch.path())
                : ProcessGroupPlan.jgroups(options.members(), stack));
      }
      return new Instrument(options, "versus " + peer, out).run(groupPlans, TrialPlan::versusPeers);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// What clients of a replicated service get, beside multicasts of members, other toolkits, and plain sockets.
  ///
  /// @param what    which measurements
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean replica(ReplicaOptions what, InstrumentOptions options, PrintWriter out)
      throws InterruptedException {
    try (var scratch = Scratch.create()) {
      return new Instrument(options, "replica", out).replicas(what, scratch.path());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Questions to members in other processes, beside calls of another toolkit.
  ///
  /// @param what    over which transport, how many ask, and beside what
  /// @param options how; it has as many members as there are processes
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean ipc(IpcOptions what, InstrumentOptions options, PrintWriter out) throws InterruptedException {
    Plan plan = programme -> new IpcPlan(options, what, programme.groups()).trialSets();
    return new Instrument(options, "ipc", out).run(IpcPlan.groups(options, what), plan);
  }

  /// Calls of a CORBA client to a group of servers, beside plain IIOP to one server.
  ///
  /// @param what    which measurements
  /// @param options how; each group has its own number of processes
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  public static boolean romiop(RomiopOptions what, InstrumentOptions options, PrintWriter out)
      throws InterruptedException {
    Plan plan = programme -> new RomiopPlan(options, what, programme.groups()).trialSets();
    var instrument = new Instrument(options, "romiop", out);
    if (what.parts().contains(RomiopOptions.Part.STACKS)) {
      try (var host = MulticastLoopback.open()) {
        return instrument.run(RomiopPlan.groups(what, host.inside()), plan);
      } catch (Unavailable why) {
        out.println("MIOP is not measured: " + why.getMessage());
      }
    }
    return instrument.run(RomiopPlan.groups(what, null), plan);
  }

  private boolean replicas(ReplicaOptions what, Path scratch) throws InterruptedException {
    if (what.parts().contains(Part.CALLS) || what.parts().contains(Part.LATENCY)) {
      measure(
          ReplicaPlan.groups(options, what, scratch),
          programme -> new ReplicaPlan(options, what, programme.groups()).trialSets());
    }
    if (what.parts().contains(Part.FAILOVER)) {
      with(
          Failover.group(options.members()),
          service -> {
            var failover = new Failover(service, options.members(), out);
            failover.run(what.kills());
            additions.add(
                new Addition("failover", "failover, " + what.kills() + " kills", failover.rows(), failover.asMap()));
          });
    }
    if (what.parts().contains(Part.BALANCE)) {
      with(
          LoadOverTime.group(options.members()),
          service -> {
            var load = new LoadOverTime(service, options.members(), what.clients(), out);
            load.run(options.rounds());
            additions.add(new Addition("balance", load.title(), load.rows(), load.asMap()));
            Plot.draw(
                directory.resolve("load.png"),
                new Plot.Text("a new replica gets its share", "seconds since it serves", "clients"),
                load.series(),
                out);
          });
    }
    if (what.parts().contains(Part.SESSIONS)) {
      with(
          SessionMemory.group(what.sessions()),
          service -> {
            var memory = new SessionMemory(service, what.sessions());
            memory.run();
            additions.add(
                new Addition("sessions", "memory of one replica with all sessions", memory.rows(), memory.asMap()));
          });
    }
    return report();
  }

  /// What is done with processes that live no longer than it takes.
  private interface Use {
    void of(ProcessGroup processGroup) throws InterruptedException;
  }

  private void with(ProcessGroupPlan groupPlan, Use use) throws InterruptedException {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try (var processGroup = new ProcessGroup(groupPlan, options, directory)) {
      use.of(processGroup);
    }
  }

  private static List<ProcessGroupPlan> tutti(InstrumentOptions options) {
    return ProcessGroupPlan.tutti(options.members(), options.orderings());
  }

  private static List<ProcessGroupPlan> receiving(InstrumentOptions options) {
    return ProcessGroupPlan.tutti(options.members(), options.orderings(), "receive=true");
  }

  private static List<ProcessGroupPlan> besideRaw(InstrumentOptions options) {
    var groupPlans = new ArrayList<>(List.of(ProcessGroupPlan.raw(options.members())));
    groupPlans.addAll(tutti(options));
    return groupPlans;
  }

  private boolean run(List<ProcessGroupPlan> groupPlans, Plan plan) throws InterruptedException {
    measure(groupPlans, plan);
    return report();
  }

  /// Starts process groups, runs their trial sets, and ends them.
  private void measure(List<ProcessGroupPlan> groupPlans, Plan plan) throws InterruptedException {
    var processGroups = new ArrayList<ProcessGroup>();
    try {
      Files.createDirectories(directory);
      for (ProcessGroupPlan groupPlan : groupPlans) {
        processGroups.add(new ProcessGroup(groupPlan, options, directory));
      }
      var programme = new TrialPlan(options, processGroups);
      List<TrialSet> planned = plan.trialSets(programme);
      List<Long> own = processGroups.stream().flatMap(processGroup -> processGroup.pids().stream()).toList();
      new Rounds(options.rules(), own, begun, out).run(planned);
      trialSets.addAll(planned);
      everybody.addAll(processGroups);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      processGroups.forEach(ProcessGroup::close);
    }
  }

  private boolean report() {
    machine.put("load at the end", Machine.description().get("load"));
    Path file = directory.resolve("results.json");
    try {
      var results = new ResultFile(command, machine, everybody);
      additions.forEach(each -> results.add(each.key(), each.values()));
      results.write(file, trialSets);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var report = new TextReport(out);
    report.machine(machine, everybody);
    trialSets.forEach(report::trialSet);
    additions.forEach(each -> report.table(each.title(), each.rows()));
    boolean complete = trialSets.stream().allMatch(TrialSet::complete);
    out.printf("%n%s%nraw results: %s%n", TextReport.verdict(complete, options.rules().limits()), file);
    out.flush();
    return complete;
  }
}
