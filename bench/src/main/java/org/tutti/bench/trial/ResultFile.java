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
  /// @param teams   who took part
  ResultFile(String command, Map<String, Object> machine, List<Team> teams) {
    root.put("command", command);
    root.put("machine", machine);
    var contestants = new LinkedHashMap<String, Object>();
    for (Team team : teams) {
      contestants.put(team.name(), Map.of("processes", team.size(), "jvm", team.flags(), "settings", team.settings()));
    }
    root.put("teams", contestants);
  }

  /// Writes the file.
  void write(Path file, List<Heat> heats, List<Goal> goals) throws IOException {
    root.put("heats", heats.stream().map(ResultFile::heat).toList());
    root.put("goals", goals.stream().map(Goal::line).toList());
    JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).write(root, file.toFile());
  }

  private static Map<String, Object> heat(Heat heat) {
    var map = new LinkedHashMap<String, Object>();
    map.put("title", heat.title());
    map.put("rounds-that-count", heat.roundsThatCount());
    map.put("complete", heat.complete());
    var trials = new ArrayList<Map<String, Object>>();
    for (int i = 0; i < heat.trials().size(); i++) {
      Heat.Trial trial = heat.trials().get(i);
      var about = new LinkedHashMap<String, Object>();
      about.put("name", trial.name());
      about.put("team", trial.player().name());
      about.put("task", trial.task().toString());
      if (i < heat.warmUps().size()) {
        about.put("warm-up", heat.warmUps().get(i).windows());
        about.put("stable", heat.warmUps().get(i).stable());
      }
      about.put("medians", medians(heat, i));
      trials.add(about);
    }
    map.put("trials", trials);
    map.put("rounds", heat.rounds().stream().map(ResultFile::round).toList());
    return map;
  }

  private static Map<String, Double> medians(Heat heat, int trial) {
    var medians = new LinkedHashMap<String, Double>();
    for (Measure measure : Measure.values()) {
      Numbers figure = heat.figure(trial, measure);
      if (figure.rounds() > 0) {
        medians.put(key(measure), figure.median());
      }
    }
    return medians;
  }

  private static Map<String, Object> round(Heat.Round round) {
    var map = new LinkedHashMap<String, Object>();
    map.put("number", round.number());
    map.put("reversed", round.reversed());
    map.put("counts", round.counts());
    map.put("disturbance", round.disturbance());
    map.put("outcomes", round.outcomes().stream().map(ResultFile::outcome).toList());
    return map;
  }

  private static Map<String, Object> outcome(Outcome outcome) {
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
    if (outcome.profile() != null) {
      map.put("profile", profile(outcome.profile()));
    }
    return map;
  }

  private static Map<String, Object> profile(Profile profile) {
    var map = new LinkedHashMap<String, Object>();
    map.put("messages", profile.messages());
    map.put("batches", profile.batches());
    map.put("by-cpu-time", profile.byCpuTime());
    var processes = new ArrayList<Map<String, Object>>();
    for (Spending spent : profile.processes()) {
      var about = new LinkedHashMap<String, Object>();
      about.put("samples", spent.samples());
      about.put("missed", spent.missed());
      spent.nanos().forEach((stage, nanos) -> about.put(stage.title(), nanos));
      processes.add(about);
    }
    map.put("cpu-nanos", processes);
    return map;
  }

  private static String key(Measure measure) {
    return measure.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
