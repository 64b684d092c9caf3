package org.tutti.bench.trial;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.bench.member.BenchTarget;

/// Which processes are to be started as a process group.
///
/// @param name     names the process group in tables
/// @param target   what plays
/// @param size     how many processes
/// @param settings besides those of the run, `name=value`
/// @param flags    of the JVMs, besides those of the run
/// @param places   where they run, by rank; empty for all on loopback
record ProcessGroupPlan(
    String name, String target, int size, List<String> settings, List<String> flags, List<Place> places) {
  /// Where a process runs.
  ///
  /// @param prefix what its command begins with
  /// @param host   the address that it listens on
  record Place(List<String> prefix, String host) {
    Place {
      prefix = List.copyOf(prefix);
    }
  }

  ProcessGroupPlan {
    settings = List.copyOf(settings);
    flags = List.copyOf(flags);
    places = List.copyOf(places);
  }

  ProcessGroupPlan(String name, String target, int size, List<String> settings) {
    this(name, target, size, settings, List.of(), List.of());
  }

  Place place(int rank) {
    return places.isEmpty() ? new Place(List.of(), BenchTarget.LOOPBACK) : places.get(rank);
  }

  /// Tutti with each of some orderings; where there is only one, its name says nothing of it.
  ///
  /// @param settings besides the ordering, `name=value`
  static List<ProcessGroupPlan> tutti(int size, List<Ordering> orderings, String... settings) {
    return orderings.stream()
        .map(ordering -> {
          String name = ordering.name().toLowerCase(Locale.ROOT);
          List<String> all = Stream.concat(Stream.of("ordering=" + name), Stream.of(settings)).toList();
          String title = orderings.size() == 1 ? Instrument.TUTTI : Instrument.TUTTI + "-" + name;
          return new ProcessGroupPlan(title, Instrument.TUTTI, size, all);
        })
        .toList();
  }

  /// Tutti, whose metrics are read now and then.
  ///
  /// @param every how often, or null for never
  static ProcessGroupPlan metrics(int size, String name, @Nullable Duration every) {
    List<String> settings = every == null ? List.of() : List.of("metrics=" + every.toNanos());
    return new ProcessGroupPlan(name, Instrument.TUTTI, size, settings);
  }

  static ProcessGroupPlan raw(int size) {
    return new ProcessGroupPlan(Instrument.RAW, Instrument.RAW, size, List.of());
  }

  /// JGroups with one of its stacks.
  static ProcessGroupPlan jgroups(int size, String stack) {
    return new ProcessGroupPlan(Instrument.JGROUPS + "-" + stack, Instrument.JGROUPS, size, List.of("stack=" + stack));
  }

  /// JGroups with one of its stacks, whose members call each other.
  static ProcessGroupPlan jgroupsCalls(int size, String stack) {
    String name = Instrument.JGROUPS + "-" + stack;
    return new ProcessGroupPlan(name, Instrument.JGROUPS, size, List.of("stack=" + stack, "calls=true"));
  }

  /// JGroups with one of its stacks, without its sequencer, whose members call the other ones.
  static ProcessGroupPlan jgroupsQuestions(int size, String stack) {
    String name = Instrument.JGROUPS + "-" + stack;
    List<String> settings = List.of("stack=" + stack, "sequencer=false", "calls=others");
    return new ProcessGroupPlan(name, Instrument.JGROUPS, size, settings);
  }

  /// Aeron Cluster with one of two stacks.
  ///
  /// @param scratch where its files go
  static ProcessGroupPlan aeron(int size, String stack, Path scratch) {
    // What its libraries reach into; see their documentation.
    List<String> opens =
        List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    List<String> settings = List.of("stack=" + stack, "scratch=" + scratch);
    return new ProcessGroupPlan("aeron-" + stack, Instrument.AERON, size, settings, opens, List.of());
  }
}
