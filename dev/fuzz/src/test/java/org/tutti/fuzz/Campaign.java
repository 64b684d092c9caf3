package org.tutti.fuzz;

import java.io.IOException;
import java.util.List;

/// `tools/fuzz`: fuzzes targets one after the other, each from its recorded inputs on, and records what reaches more
/// code, or breaks something.
final class Campaign {
  private static final String PROGRESS = "#\\d+\\s+(pulse|DONE).*"; // pulses come at powers of two

  private Campaign() {}

  /// Runs.
  ///
  /// @param arguments seconds for all together, the seed, and the names of targets, none for all, or `--list`
  public static void main(String[] arguments) throws IOException, InterruptedException {
    long seconds = Long.parseLong(arguments[0]);
    int seed = Integer.parseInt(arguments[1]);
    List<String> known = Targets.names();
    List<String> targets = List.of(arguments).subList(2, arguments.length);
    if (targets.equals(List.of("--list"))) {
      known.forEach(System.out::println);
      return;
    }
    if (!known.containsAll(targets)) {
      System.err.println("fuzz: the targets are " + String.join(", ", known));
      System.exit(2);
    }
    targets = targets.isEmpty() ? known : targets;
    long each = Math.max(1, seconds / targets.size());
    boolean whole = true;
    for (String target : targets) {
      System.out.printf("%s: %d s, seed %d%n", target, each, seed);
      Jazzer.Outcome outcome = fuzz(target, each, seed);
      whole &= outcome.finding().isEmpty();
      if (outcome.interrupted()) {
        break;
      }
    }
    System.exit(whole ? 0 : 1);
  }

  private static Jazzer.Outcome fuzz(String target, long seconds, int seed) throws IOException, InterruptedException {
    Corpus corpus = Corpus.of(target);
    try (var jazzer = new Jazzer(List.of(target))) {
      corpus.unpack(jazzer.recorded());
      int before = corpus.inputs().size();
      Jazzer.Outcome outcome =
          jazzer.fuzz(seconds, seed, line -> System.out.print(line.matches(PROGRESS) ? "  " + line + "\n" : ""));
      if (!outcome.finding().isEmpty()) {
        corpus.add(jazzer.breaking(), outcome.finding());
        System.out.printf("%s %s%n  recorded in %s%n", target, outcome.finding(), corpus.file());
      }
      if (jazzer.merge().interrupted()) {
        return new Jazzer.Outcome(outcome.executions(), outcome.finding(), true);
      }
      System.out.printf(
          "%s: %,d inputs tried, %d recorded, before %d%n",
          target, outcome.executions(), corpus.pack(jazzer.merged()), before);
      return outcome;
    }
  }
}
