package org.tutti.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.lab.network.Unavailable;

/// A lab in which one fault follows another, as a seed draws them, for some time; then the verdict.
///
/// The faults come in rounds, each with all kinds in an order of its own. Which ones, who is struck, how hard and for
/// how long depends on the seed only; what the group makes of it depends on the machine.
public final class LabCampaign {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration CALM = Duration.ofMillis(700);
  private static final double NANOS = 1e9;
  private static final long REACH = -1_000_000_000; // random numbers of their own: the faults are the same

  /// What was seen of one kind of fault.
  private static final class Seen {
    int times;
    int views;
    Duration longestStop = Duration.ZERO;
    Duration longestRecovery = Duration.ZERO;
  }

  /// One fault, drawn.
  private record DrawnFault(Fault fault, List<Script.Step> steps) {
    String words() {
      return String.format(Locale.ROOT, "%-12s ", fault.option())
          + steps.stream()
              .map(step -> step.what() + (step.hold().isZero() ? "" : " " + seconds(step.hold())))
              .collect(Collectors.joining("; "));
    }
  }

  /// Draws one fault after another.
  private final class Deck {
    private final List<Fault> left = new ArrayList<>();
    private int number;

    DrawnFault next() {
      if (left.isEmpty()) {
        left.addAll(faults);
        Collections.shuffle(left, random(-1 - number));
      }
      Fault fault = left.removeFirst();
      List<Script.Step> steps = new ArrayList<>(Script.drawReach(config, random(REACH - number)));
      steps.addAll(Script.draw(fault, config, random(number++)));
      return new DrawnFault(fault, steps);
    }

    private Random random(long stream) {
      return Random.from(new SplittableRandom(config.seed() * 1_000_003 + stream));
    }
  }

  private final LabConfig config;
  private final Duration duration;
  private final List<Fault> faults;
  private final PrintWriter out;
  private final Map<Fault, Seen> seen = new EnumMap<>(Fault.class);
  private long startNanos;

  /// Makes a campaign.
  ///
  /// @param config   the lab
  /// @param duration how long faults are made
  /// @param faults   which kinds
  /// @param out      gets a line for each
  public LabCampaign(LabConfig config, Duration duration, List<Fault> faults, PrintWriter out) {
    this.config = config;
    this.duration = duration;
    this.faults = List.copyOf(faults);
    this.out = out;
    if (faults.isEmpty() || !duration.isPositive()) {
      throw new IllegalArgumentException("a campaign has faults, and takes time");
    }
  }

  /// Runs it. Histories and logs stay if something was violated, or if the configuration names their directory.
  ///
  /// @return the verdict
  /// @throws Unavailable when network namespaces cannot be had here
  /// @throws IOException when the directory cannot be made or read
  public LabVerdict run() throws Unavailable, IOException {
    LabVerdict verdict;
    Path directory;
    try (Lab lab = Lab.open(config)) {
      directory = lab.directory();
      say(
          "%d members, %s, seed %d; histories and logs in %s",
          config.members(), config.ordering().name().toLowerCase(Locale.ROOT), config.seed(), directory);
      startNanos = System.nanoTime();
      try {
        lab.start();
        say("%s all members are together", time());
        strike(lab);
      } catch (LabException e) {
        say("%s %s", time(), e.getMessage());
      }
      double seconds = (System.nanoTime() - startNanos) / NANOS;
      verdict = lab.finish();
      say("%s at rest", time());
      table(verdict, lab, seconds);
    }
    report(verdict, directory);
    return verdict;
  }

  /// What is done first, second, and so on: the same for the same seed.
  ///
  /// @param count how many faults
  /// @return each in words
  public List<String> plan(int count) {
    var deck = new Deck();
    return Stream.generate(deck::next).limit(count).map(DrawnFault::words).toList();
  }

  private void strike(Lab lab) {
    var deck = new Deck();
    long begin = System.nanoTime();
    do {
      lab.pass(CALM);
      strike(lab, deck.next());
    } while (System.nanoTime() - begin < duration.toNanos());
  }

  private void strike(Lab lab, DrawnFault blow) {
    say("%s %s", time(), blow.words());
    int views = lab.views();
    long begin = System.nanoTime();
    for (Script.Step step : blow.steps) {
      step.action().accept(lab);
      lab.pass(step.hold());
    }
    long end = System.nanoTime();
    String obstacle = lab.recover(PATIENCE);
    if (obstacle != null) {
      throw new LabException("not together " + PATIENCE.toSeconds() + " s after the fault ended: " + obstacle);
    }
    Duration recovery = Duration.ofNanos(System.nanoTime() - end);
    Duration stop = lab.longestStop(begin);
    Seen kind = seen.computeIfAbsent(blow.fault, _ -> new Seen());
    kind.times++;
    kind.views += lab.views() - views;
    kind.longestStop = longer(kind.longestStop, stop);
    kind.longestRecovery = longer(kind.longestRecovery, recovery);
    say(
        "%s              %d views, longest stop %s, together again after %s",
        time(), lab.views() - views, seconds(stop), seconds(recovery));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  // ---- report ----------------------------------------------------------------------------------------------------

  private void table(LabVerdict verdict, Lab lab, double seconds) {
    say("");
    say("%-12s %-26s %5s %8s %13s %15s", "fault", "", "times", "views", "longest stop", "together after");
    seen.forEach((fault, kind) ->
        say(
            "%-12s %-26s %5d %8d %13s %15s",
            fault.option(),
            fault.words(),
            kind.times,
            kind.views,
            seconds(kind.longestStop),
            seconds(kind.longestRecovery)));
    say("");
    say("%d processes; %d views, %d of them primary", verdict.lives(), verdict.views(), verdict.primaries());
    String words =
        verdict.calls() == null
            ? "%d messages, %d deliveries, %.0f per second and member"
            : "%d commands, executed %d times at all replicas, %.0f per second and member";
    double each = verdict.deliveries() / seconds / config.members();
    say(words, verdict.messages(), verdict.deliveries(), each);
    say(
        "%d frames, of which %d were lost; %d connections reset",
        lab.network().frames(), lab.network().lost(), lab.network().resets());
    if (verdict.calls() != null) {
      say("longest time without an answer while a quorum was connected: %s", seconds(lab.longestStopWithQuorum()));
    }
  }

  private void report(LabVerdict verdict, Path directory) throws IOException {
    if (verdict.calls() != null) {
      say("%s", verdict.calls());
      say("exactly once: %s", verdict.isExactlyOnce() ? "yes" : "NO");
      say("history of the calls: %s", directory.resolve(CallHistory.FILE));
    }
    verdict.violations().forEach(violation -> say("VIOLATED %s", violation));
    if (verdict.lostQuorum()) {
      say("The group lost the quorum of its last primary view, and cannot go on; only safety was checked.");
    }
    say("verdict: %s", verdict.word());
    boolean kept = !verdict.holds() || config.directory() != null;
    if (kept) {
      say("histories and logs: %s", directory);
    } else {
      delete(directory);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private String time() {
    return String.format(Locale.ROOT, "%6.1f s", (System.nanoTime() - startNanos) / NANOS);
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.2f s", duration.toMillis() / 1000.0);
  }

  private void say(String format, @Nullable Object... arguments) {
    out.println(String.format(Locale.ROOT, format, arguments).stripTrailing());
    out.flush();
  }
}
