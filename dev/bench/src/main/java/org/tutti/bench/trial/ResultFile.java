package org.tutti.bench.trial;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Everything that was measured, as JSON: each window of each warm-up, each round, disturbed or not, with its counters
/// and histograms, and the machine. Values are in base units: nanoseconds, bytes, seconds, messages per second.
final class ResultFile {
  private final Map<String, Object> root = new LinkedHashMap<>();

  /// @param command what was run
  /// @param machine see [Machine#description()]
  /// @param processGroups   who took part
  ResultFile(String command, Map<String, Object> machine, List<ProcessGroup> processGroups) {
    root.put("command", command);
    root.put("machine", machine);
    var targets = new LinkedHashMap<String, Object>();
    for (ProcessGroup processGroup : processGroups) {
      targets.put(
          processGroup.name(),
          Map.of("processes", processGroup.size(), "jvm", processGroup.flags(), "settings", processGroup.settings()));
    }
    root.put("process-groups", targets);
  }

  /// Adds what no trial set has.
  void add(String key, Object value) {
    root.put(key, value);
  }

  /// Writes the file.
  void write(Path file, List<TrialSet> trialSets) throws IOException {
    root.put("trial-sets", trialSets.stream().map(ResultFile::trialSet).toList());
    JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).write(root, file.toFile());
  }

  private static Map<String, Object> trialSet(TrialSet trialSet) {
    var map = new LinkedHashMap<String, Object>();
    map.put("title", trialSet.title());
    map.put("rounds-that-count", trialSet.roundsThatCount());
    map.put("complete", trialSet.complete());
    var trials = new ArrayList<Map<String, Object>>();
    for (int i = 0; i < trialSet.trials().size(); i++) {
      TrialSet.Trial trial = trialSet.trials().get(i);
      var about = new LinkedHashMap<String, Object>();
      about.put("name", trial.name());
      about.put("process-group", trial.runner().name());
      about.put("task", trial.task().toString());
      if (i < trialSet.warmUps().size()) {
        about.put("warm-up", trialSet.warmUps().get(i).windows());
        about.put("steady", trialSet.warmUps().get(i).steady());
      }
      about.put("medians", medians(trialSet, i));
      trials.add(about);
    }
    map.put("trials", trials);
    map.put("rounds", trialSet.rounds().stream().map(ResultFile::round).toList());
    return map;
  }

  private static Map<String, Double> medians(TrialSet trialSet, int trial) {
    var medians = new LinkedHashMap<String, Double>();
    for (Measure measure : Measure.values()) {
      Numbers figure = trialSet.figure(trial, measure);
      if (figure.rounds() > 0) {
        medians.put(key(measure), figure.median());
      }
    }
    return medians;
  }

  private static Map<String, Object> round(TrialSet.Round round) {
    var map = new LinkedHashMap<String, Object>();
    map.put("number", round.number());
    map.put("reversed", round.reversed());
    map.put("counts", round.counts());
    map.put("disturbance", round.disturbance());
    map.put("outcomes", round.outcomes().stream().map(ResultFile::outcome).toList());
    return map;
  }

  private static Map<String, Object> outcome(TrialOutcome outcome) {
    var map = new LinkedHashMap<String, Object>();
    var values = new TreeMap<String, Double>();
    outcome.values().forEach((measure, value) -> values.put(key(measure), value));
    map.put("values", values);
    map.put("seconds", outcome.seconds());
    map.put("load-known", outcome.load().known());
    map.put("others", outcome.load().others());
    map.put("steal", outcome.load().steal());
    map.put("counters", outcome.counters());
    if (outcome.times() != null) {
      map.put("histogram", outcome.times());
    }
    return map;
  }

  private static String key(Measure measure) {
    return measure.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
