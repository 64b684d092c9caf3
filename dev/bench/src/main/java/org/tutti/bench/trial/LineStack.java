package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.tutti.lab.network.LineNetwork;

/// What is compared on lines of limited rate. A row more is one constant more: what it plays, and its settings;
/// those of Tutti are read by its target (`TuttiTarget.open`).
public enum LineStack {
  /// Tutti over TCP.
  TUTTI_TCP(Instrument.TUTTI, "insecure=true"),

  /// The same, each batch directly from its sender to all.
  TUTTI_TCP_STAR(Instrument.TUTTI, "insecure=true", "dissemination=star"),

  /// The same, each batch from member to member.
  TUTTI_TCP_CHAIN(Instrument.TUTTI, "insecure=true", "dissemination=chain"),

  /// The same, each batch through the most senior member.
  TUTTI_TCP_RELAY(Instrument.TUTTI, "insecure=true", "dissemination=relay"),

  /// Tutti over UDP: a datagram for each peer.
  TUTTI_UDP(Instrument.TUTTI, "udp=8192", Shared.KEY),

  /// Tutti over UDP, with IP multicast.
  TUTTI_MULTICAST(Instrument.TUTTI, "udp=8192", Shared.KEY, Shared.MULTICAST),

  /// JGroups over UDP, with IP multicast and its sequencer.
  JGROUPS_UDP(Instrument.JGROUPS, "stack=udp"),

  /// JGroups over TCP, with its sequencer.
  JGROUPS_TCP(Instrument.JGROUPS, "stack=tcp"),

  /// Plain sockets without any order: the same bytes to each other one. A limit.
  RAW_TCP(Instrument.RAW),

  /// Plain IP multicast without any order or repair. A limit.
  RAW_MULTICAST("raw-multicast", Shared.MULTICAST);

  /// Settings of several.
  private static final class Shared {
    static final String MULTICAST = "multicast=239.192.0.7:7400@eth0";

    /// Nobody else reaches the network, so everybody may know it; but UDP does not run without one.
    static final String KEY = "key=" + "00112233445566778899aabbccddeeff".repeat(2);
  }

  private final String target;
  private final List<String> settings;

  LineStack(String target, String... settings) {
    this.target = target;
    this.settings = List.of(settings);
  }

  /// What it is called in options and tables.
  ///
  /// @return its name in lower case, with hyphens
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// The stack of a name.
  ///
  /// @param word what [#word] tells
  /// @return the stack
  /// @throws IllegalArgumentException when there is none
  public static LineStack of(String word) {
    return Arrays.stream(values())
        .filter(stack -> stack.word().equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("'" + word + "' is none of " + words()));
  }

  /// All names.
  ///
  /// @return separated by commas
  public static String words() {
    return Arrays.stream(values()).map(LineStack::word).collect(Collectors.joining(","));
  }

  boolean isTutti() {
    return target.equals(Instrument.TUTTI);
  }

  boolean isJGroups() {
    return target.equals(Instrument.JGROUPS);
  }

  /// A process for each host.
  ///
  /// @param more settings for Tutti's members, besides its own
  ProcessGroupPlan on(LineNetwork network, int members, List<String> more) {
    var places = new ArrayList<ProcessGroupPlan.Place>();
    for (int host = 0; host < members; host++) {
      places.add(new ProcessGroupPlan.Place(network.at(host), network.addressOf(host)));
    }
    var all = new ArrayList<>(settings);
    if (isTutti()) {
      all.addAll(more);
    }
    return new ProcessGroupPlan(word(), target, members, all, List.of(), places);
  }
}
