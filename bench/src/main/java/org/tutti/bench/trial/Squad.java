package org.tutti.bench.trial;

import java.nio.file.Path;
import java.util.List;

/// Which processes are to be started as a team.
///
/// @param name       names the team in tables
/// @param contestant what plays
/// @param size       how many processes
/// @param settings   besides those of the run, `name=value`
/// @param flags      of the JVMs, besides those of the run
record Squad(String name, String contestant, int size, List<String> settings, List<String> flags) {
  Squad {
    settings = List.copyOf(settings);
    flags = List.copyOf(flags);
  }

  Squad(String name, String contestant, int size, List<String> settings) {
    this(name, contestant, size, settings, List.of());
  }

  static Squad tutti(int size) {
    return new Squad(Instrument.TUTTI, Instrument.TUTTI, size, List.of());
  }

  static Squad raw(int size) {
    return new Squad(Instrument.RAW, Instrument.RAW, size, List.of());
  }

  /// JGroups with one of its stacks.
  static Squad jgroups(int size, String stack) {
    return new Squad(Instrument.JGROUPS + "-" + stack, Instrument.JGROUPS, size, List.of("stack=" + stack));
  }

  /// Aeron Cluster with one of two stacks.
  ///
  /// @param scratch where its files go
  static Squad aeron(int size, String stack, Path scratch) {
    // What its libraries reach into; see their documentation.
    List<String> opens =
        List.of("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
    List<String> settings = List.of("stack=" + stack, "scratch=" + scratch);
    return new Squad("aeron-" + stack, Instrument.AERON, size, settings, opens);
  }
}
