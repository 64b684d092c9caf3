package org.tutti.bench.trial;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What is measured of clients that are far from the replicas that they call.
///
/// @param ways      how they call
/// @param failures  what fails meanwhile
/// @param clients   how many there are; several are measured one after the other
/// @param requests  how many each client makes when nothing fails
/// @param roundTrip from the clients to the servers and back
/// @param suspect   after which silence members suspect each other
/// @param silence   after which silence a client with a connection goes to another server; one in groups waits four
///                  times as long, as views tell it of failures, and a group says nothing while its view changes
/// @param rounds    how often each of them is measured
/// @param flags     of all JVMs
/// @param out       where results and logs go
public record PolicyOptions(
    List<Way> ways,
    List<Failure> failures,
    List<Integer> clients,
    int requests,
    Duration roundTrip,
    Duration suspect,
    Duration silence,
    int rounds,
    List<String> flags,
    Path out) {
  static final int SERVERS = 3;

  private static final int CLIENTS_MAX = 32;
  private static final int REQUESTS_MAX = 10_000;

  /// How clients call.
  public enum Way {
    /// One server, without replicas, in a one-clusive group with each client: what the others are compared with.
    SINGLE(1, "ordering=SEQUENCER", "kind=ONE_CLUSIVE", "dissemination=MANAGER", "collection=FIRST"),

    /// The source's first policy: a one-clusive group with the manager, which bundles the replies of all; servers order
    /// by a sequencer.
    P1(SERVERS, "ordering=SEQUENCER", "kind=ONE_CLUSIVE", "dissemination=MANAGER", "collection=ALL"),

    /// Its second one: an inclusive group in which the manager orders, and through which requests go; the replies of
    /// all.
    P2(SERVERS, "ordering=SEQUENCER", "kind=INCLUSIVE", "dissemination=MANAGER", "collection=ALL"),

    /// Its third one: as the first, but all servers order.
    P3(SERVERS, "ordering=SYMMETRIC", "kind=ONE_CLUSIVE", "dissemination=MANAGER", "collection=ALL"),

    /// Its fourth one: an inclusive group in which all members order, and a request is every server's; the replies of
    /// all.
    P4(SERVERS, "ordering=SYMMETRIC", "kind=INCLUSIVE", "dissemination=ALL", "collection=ALL"),

    /// No group: a connection to one server.
    CONNECTED(SERVERS, "ordering=SEQUENCER"),

    /// The same, and the request goes to a second server when the first is late.
    HEDGED(SERVERS, "ordering=SEQUENCER", "hedged=true"),

    /// What section 5.5 of the source proposes, with connections: as the second policy, and to all servers while the
    /// client suspects the manager, after half of the time after which it would go to another one.
    SWITCHING(SERVERS, "ordering=SEQUENCER", "dissemination=MANAGER", "collection=ALL", "switching=true");

    private final int servers;
    private final List<String> settings;

    Way(int servers, String... settings) {
      this.servers = servers;
      this.settings = List.of(settings);
    }

    /// What it is called in options and tables.
    ///
    /// @return its name in lower case
    public String word() {
      return PolicyOptions.word(this);
    }

    boolean isInGroups() {
      return settings.stream().anyMatch(setting -> setting.startsWith("kind="));
    }

    int servers() {
      return servers;
    }

    /// What its processes are told.
    List<String> settings() {
      return Stream.concat(settings.stream(), Stream.of("servers=" + servers)).toList();
    }
  }

  /// What happens to the manager, as section 5.1 of the source has it.
  public enum Failure {
    /// Nothing.
    NONE,

    /// It is killed right before the clients call.
    TRUE_PRE_SEND,

    /// It is killed when the requests have come to it, and says nothing more before.
    TRUE_POST_SEND,

    /// Its connections with the clients are reset when they call.
    VIRTUAL_PRE_SEND,

    /// It is not heard by the clients from when the requests have come to it, until another server has heard of their
    /// suspicion: it has refuted it, or refused a client.
    VIRTUAL_POST_SEND;

    boolean isTrue() {
      return this == TRUE_PRE_SEND || this == TRUE_POST_SEND;
    }

    /// What it is called in options and tables.
    ///
    /// @return its name in lower case, with hyphens
    public String word() {
      return PolicyOptions.word(this);
    }
  }

  /// Checks the ranges.
  public PolicyOptions {
    ways = List.copyOf(ways);
    failures = List.copyOf(failures);
    clients = List.copyOf(clients);
    flags = List.copyOf(flags);
    require(!ways.isEmpty() && !failures.isEmpty() && !clients.isEmpty(), "there is nothing to measure");
    for (int count : clients) {
      require(count >= 1 && count <= CLIENTS_MAX, "1 to " + CLIENTS_MAX + " clients, not " + count);
    }
    require(requests >= 1 && requests <= REQUESTS_MAX, "1 to " + REQUESTS_MAX + " requests, not " + requests);
    require(rounds >= 1, "at least one round, not " + rounds);
    require(
        suspect.compareTo(roundTrip) > 0 && silence.compareTo(roundTrip) > 0,
        "times without a word, "
            + suspect.toMillis()
            + " and "
            + silence.toMillis()
            + " ms, are longer than the round trip");
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }

  /// A constant's name in options and tables.
  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// All names of ways or failures.
  ///
  /// @param all the constants
  /// @return separated by commas
  public static String words(Enum<?>... all) {
    return Arrays.stream(all).map(PolicyOptions::word).collect(Collectors.joining(","));
  }

  /// The constant of a name.
  ///
  /// @param all  the constants
  /// @param word its name in options
  /// @param <E>  their type
  /// @return the constant
  /// @throws IllegalArgumentException when there is none
  public static <E extends Enum<E>> E of(E[] all, String word) {
    return Arrays.stream(all)
        .filter(each -> word(each).equals(word))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("'" + word + "' is none of " + words(all)));
  }
}
