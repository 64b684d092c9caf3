package org.tutti.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `tutti members`: who is in the view of a running member, and how they stand, seen from there.
@Command(
    name = "members",
    customSynopsis = "tutti members [--tls DIR] [--json] HOST:PORT",
    description = {
      "Prints who is in the view of a running member, most senior first, and how each one stands, seen from there.",
      "HOST:PORT is where that member answers health checks: its --health."
    })
final class MembersCommand implements Callable<Integer> {
  private static final double MICROS_PER_MILLI = 1000;

  @Mixin Output out = new Output();

  @Mixin HealthClient asked = new HealthClient();

  @Override
  public Integer call() throws InterruptedException {
    Map<String, Object> status = asked.status();
    if (status.get("view") == null) {
      throw new Failure("the member has no view: " + status.get("words"));
    }
    Map<?, ?> view = HealthClient.object(status.get("view"));
    List<Map<?, ?>> members = HealthClient.objects(view.get("members"));
    long voters = view.get("voters") instanceof Number number ? number.longValue() : members.size();
    for (int rank = 0; rank < members.size(); rank++) {
      print(status, members.get(rank), rank < voters ? "voter" : "observer");
    }
    out.flush();
    return 0;
  }

  private void print(Map<String, Object> status, Map<?, ?> member, String role) {
    Object name = member.get("name");
    boolean self = Objects.equals(name, HealthClient.object(status.get("self")).get("name"));
    Map<?, ?> peer =
        HealthClient.objects(status.get("peers")).stream()
            .filter(one -> Objects.equals(one.get("name"), name))
            .findFirst()
            .orElse(Map.of());
    List<?> waits =
        HealthClient.objects(status.get("waits")).stream()
            .filter(wait -> wait.get("members") instanceof List<?> list && list.contains(name))
            .map(wait -> wait.get("cause"))
            .toList();
    Map<?, ?> speaks = HealthClient.object((self ? status : peer).get("speaks"));
    String words =
        "%s %s %s%s%s%s%s"
            .formatted(
                name,
                member.get("address"),
                role,
                self ? ", asked, at position " + shown(status.get("position")) : "",
                seen(peer),
                versions(speaks),
                waits.isEmpty() ? "" : ", waited for: " + words(waits));
    out.line(
        words,
        "member",
        "name",
        name,
        "address",
        member.get("address"),
        "role",
        role,
        "self",
        self ? true : null,
        "position",
        self ? status.get("position") : null,
        "acknowledgedPosition",
        peer.get("acknowledgedPosition"),
        "lagMessages",
        peer.get("lagMessages"),
        "lagBytes",
        peer.get("lagBytes"),
        "windowBytes",
        peer.get("windowBytes"),
        "silentMillis",
        peer.get("silentMillis"),
        "roundTripMicros",
        peer.get("roundTripMicros"),
        "queuedBytes",
        peer.get("queuedBytes"),
        "repeatedPackets",
        peer.get("repeatedPackets"),
        "oldestVersion",
        speaks.get("oldest"),
        "newestVersion",
        speaks.get("newest"),
        "waits",
        waits.isEmpty() ? null : waits);
  }

  /// How the others look from the member that was asked, once it has looked.
  private static String seen(Map<?, ?> peer) {
    if (peer.isEmpty()) {
      return "";
    }
    return (", heard %s ms ago, acknowledged position %s, lags by %s messages, takes up %s bytes of the window,"
            + " %s bytes queued, round trip %s")
        .formatted(
            peer.get("silentMillis"),
            shown(peer.get("acknowledgedPosition")),
            shown(peer.get("lagMessages")),
            peer.get("windowBytes"),
            peer.get("queuedBytes"),
            peer.get("roundTripMicros") instanceof Number micros
                ? "%.1f ms".formatted(micros.longValue() / MICROS_PER_MILLI)
                : "unknown");
  }

  /// Which versions of the protocol it speaks, if that is known.
  private static String versions(Map<?, ?> speaks) {
    Object oldest = speaks.get("oldest");
    Object newest = speaks.get("newest");
    return oldest == null || newest == null
        ? ""
        : oldest.equals(newest) ? ", speaks version " + oldest : ", speaks versions " + oldest + " to " + newest;
  }

  /// What others wait for, as a person says it.
  private static String words(List<?> causes) {
    return causes.stream()
        .map(cause -> String.valueOf(cause).toLowerCase(Locale.ROOT).replace('_', ' '))
        .collect(Collectors.joining(", "));
  }

  private static Object shown(@Nullable Object value) {
    return value == null ? "unknown" : value;
  }
}
