package org.tutti.bench.trial;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.lab.network.LineNetwork;
import org.tutti.lab.network.Unavailable;

/// Tutti and others on lines of limited rate, which are made for it and removed afterwards.
///
/// Everybody is alone while it is measured: its processes are started on a network of their own, flood with one
/// sender and with all, and end. A round does so with all stacks, every other round in the opposite order. A
/// process that falls out is no failure of the measurement: its stack has delivered nothing then, and the report
/// says why.
public final class LineRun {
  private final LineOptions options;
  private final PrintWriter out;
  private final Path directory;
  private final List<String> flags; // of all JVMs
  private final Map<String, Object> machine = Machine.description();
  private final Map<String, ProcessGroup> everybody = new LinkedHashMap<>(); // the last ones of each name
  private final List<Case> cases = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();

  /// A table: groups of one size on lines of one rate.
  private record Case(
      LineNetwork.Line line,
      int members,
      LineOptions.Senders senders,
      TrialSet trialSet,
      Map<String, TrialOutcome> news) {
    Case(LineNetwork.Line line, int members, LineOptions.Senders senders, LineOptions options) {
      this(
          line,
          members,
          senders,
          new TrialSet(title(line, members, senders, options), trials(options, senders, members), options.rounds()),
          new LinkedHashMap<>());
    }

    private static String title(LineNetwork.Line line, int members, LineOptions.Senders senders, LineOptions options) {
      return String.format(
          Locale.ROOT,
          "%d Mbit/s, %d members, %s, %,d B, queues of %d ms%s%s%s; the line carries %.1f MB/s, the optimum is %.1f",
          line.mbit(),
          members,
          senders == LineOptions.Senders.ONE ? "one sends" : "all send",
          options.bytes(),
          line.queue().toMillis(),
          line.loss() == 0 ? "" : String.format(Locale.ROOT, ", %.2f %% lost", line.loss() / 1e4),
          options.busy() == 0 ? "" : String.format(Locale.ROOT, ", busy loops: %d", options.busy()),
          options.stream() ? ", beside a TCP stream" : "",
          line.bytesPerSecond() / 1e6,
          line.bytesPerSecond() * senders.optimum(members) / 1e6);
    }

    private static List<TrialSet.Trial> trials(LineOptions options, LineOptions.Senders senders, int members) {
      List<Integer> ranks = IntStream.range(0, senders.of(members)).boxed().toList();
      Task task = new Task.Flood(ranks, options.bytes(), options.time().toNanos());
      return options.stacks().stream().map(stack -> new TrialSet.Trial(stack.word(), new Named(stack), task)).toList();
    }
  }

  /// Its processes live for one round only.
  record Named(LineStack stack) implements TrialSet.Runner {
    @Override
    public String name() {
      return stack.word();
    }

    @Override
    public TrialOutcome run(Task task, List<Long> own) {
      throw new UnsupportedOperationException();
    }
  }

  private LineRun(LineOptions options, PrintWriter out) throws IOException {
    this.options = options;
    this.out = out;
    this.directory = Files.createDirectories(Instrument.directory(options.out(), "line"));
    this.flags = Stream.concat(options.flags().stream(), options.optimized().flags(directory).stream()).toList();
    for (LineNetwork.Line line : options.lines()) {
      for (int size : options.members()) {
        options.senders().forEach(senders -> cases.add(new Case(line, size, senders, options)));
      }
    }
  }

  /// Measures, and prints tables.
  ///
  /// @param options how
  /// @param out     where to print
  /// @return whether enough rounds were undisturbed
  /// @throws InterruptedException when interrupted
  /// @throws Unavailable          when such a network cannot be had here, such as without root
  public static boolean measure(LineOptions options, PrintWriter out) throws InterruptedException, Unavailable {
    try {
      LineNetwork.open(2, options.lines().getFirst()).close(); // before anything else is done
      var run = new LineRun(options, out);
      try (var _ = new BusyLoops(options.busy())) {
        for (int number = 0; number < options.rounds(); number++) {
          run.round(number);
        }
      }
      return run.report();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void round(int number) throws InterruptedException, IOException, Unavailable {
    boolean reversed = number % 2 == 1;
    List<LineStack> order = reversed ? options.stacks().reversed() : options.stacks();
    for (LineNetwork.Line line : options.lines()) {
      for (int size : options.members()) {
        List<Case> these = cases.stream().filter(each -> each.line.equals(line) && each.members == size).toList();
        for (LineStack stack : order) {
          sit(stack, these, number);
        }
      }
    }
    for (Case each : cases) {
      List<TrialOutcome> outcomes = options.stacks().stream().map(stack -> each.news.get(stack.word())).toList();
      each.trialSet.add(new TrialSet.Round(number, reversed, outcomes, disturbance(outcomes)));
      each.news.clear();
    }
  }

  private @Nullable String disturbance(List<TrialOutcome> outcomes) {
    for (TrialOutcome outcome : outcomes) {
      String why = outcome.load().disturbance(options.limits());
      if (why != null) {
        return why;
      }
    }
    return null;
  }

  /// One stack with one size: one sender, then all; with other processes after a failure.
  private void sit(LineStack stack, List<Case> these, int number)
      throws InterruptedException, IOException, Unavailable {
    var open = new ArrayList<>(these);
    while (!open.isEmpty()) {
      LineNetwork.Line line = open.getFirst().line;
      int members = open.getFirst().members;
      try (LineNetwork network = LineNetwork.open(members, line);
          ProcessGroup group = start(stack.on(network, members, options.settings()));
          ProcessGroup stream = options.stream() ? start(stream(network, members)) : null) {
        everybody.put(stack.word() + "-of-" + members, group);
        boolean rests = true;
        while (rests && !open.isEmpty()) {
          rests = once(stack, open.removeFirst(), number, new LineTrial(options, network, line, group, stream));
        }
      } catch (BenchException failure) { // nobody came together
        while (!open.isEmpty()) {
          failed(stack, open.removeFirst(), number, failure);
        }
      }
    }
  }

  /// What competes: from the last host to the second one, before whose line it meets what others send. From a sender's
  /// host it would not: the kernel lets a TCP have but a few packets in a queue of its own host (TCP small queues).
  private static ProcessGroupPlan stream(LineNetwork network, int members) {
    ProcessGroupPlan all = LineStack.RAW_TCP.on(network, members, List.of());
    List<ProcessGroupPlan.Place> ends = List.of(all.places().getLast(), all.places().get(1));
    return new ProcessGroupPlan("stream", all.target(), ends.size(), all.settings(), all.flags(), ends);
  }

  private ProcessGroup start(ProcessGroupPlan plan) throws InterruptedException {
    var common =
        new InstrumentOptions(
            plan.size(),
            1,
            List.of(Ordering.SEQUENCER),
            List.of(options.bytes()),
            1,
            Duration.ofSeconds(1),
            false,
            List.of(),
            flags,
            options.record(),
            options.out(),
            0,
            0,
            false);
    return new ProcessGroup(plan, common, directory);
  }

  /// @return whether the processes can go on
  private boolean once(LineStack stack, Case which, int number, LineTrial trial)
      throws InterruptedException, IOException {
    try {
      TrialOutcome outcome = trial.run(which.senders);
      which.news.put(stack.word(), outcome);
      tell(
          number,
          stack,
          which,
          String.format(
              Locale.ROOT,
              "%s MB/s, %s of the line, %s views",
              Measure.PAYLOAD.show(outcome.value(Measure.PAYLOAD)),
              Measure.OF_LINE.show(outcome.value(Measure.OF_LINE)),
              Measure.VIEWS.show(outcome.value(Measure.VIEWS))));
      return trial.rests();
    } catch (BenchException failure) {
      if (which.news.containsKey(stack.word())) {
        failures.add(stack.word() + ", after it was measured: " + failure.getMessage());
      } else {
        failed(stack, which, number, failure);
      }
      return false;
    }
  }

  private void failed(LineStack stack, Case which, int number, BenchException failure) {
    which.news.put(stack.word(), LineTrial.nothing());
    failures.add(
        String.format(
            Locale.ROOT,
            "%s, round %d, %d Mbit/s, %d members, %s: %s",
            stack.word(),
            number + 1,
            which.line.mbit(),
            which.members,
            which.senders == LineOptions.Senders.ONE ? "one sends" : "all send",
            failure.getMessage()));
    tell(number, stack, which, "nothing: " + failure.getMessage());
  }

  private void tell(int number, LineStack stack, Case which, String news) {
    out.printf(
        "round %d, %d Mbit/s, %d members, %s, %s: %s%n",
        number + 1,
        which.line.mbit(),
        which.members,
        which.senders == LineOptions.Senders.ONE ? "one" : "all",
        stack.word(),
        news);
    out.flush();
  }

  private boolean report() throws IOException {
    List<TrialSet> trialSets = cases.stream().map(Case::trialSet).toList();
    machine.put("load at the end", Machine.description().get("load"));
    Path file = directory.resolve("results.json");
    new ResultFile("line", machine, List.copyOf(everybody.values())).write(file, trialSets);
    var report = new TextReport(out);
    report.machine(machine, List.copyOf(everybody.values()));
    for (TrialSet trialSet : trialSets) {
      report.table(trialSet, LineTable.rows(trialSet));
    }
    failures.forEach(failure -> out.println("FAILED " + failure));
    boolean complete = trialSets.stream().allMatch(TrialSet::complete);
    out.printf("%n%s%nraw results: %s%n", TextReport.verdict(complete, options.limits()), file);
    out.flush();
    return complete && failures.isEmpty();
  }
}
