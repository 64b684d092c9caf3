package org.tutti.bench.trial;

import java.util.List;

/// Which processes are to be started as a team.
///
/// @param name       names the team in tables
/// @param contestant what plays
/// @param size       how many processes
/// @param settings   besides those of the run, `name=value`
record Squad(String name, String contestant, int size, List<String> settings) {
  Squad {
    settings = List.copyOf(settings);
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
}
