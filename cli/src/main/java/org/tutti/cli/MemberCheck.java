package org.tutti.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Asks a running member, where [Health] answers, how it stands, which build it runs and what its clock says.
///
/// The clock is compared as by Cristian (*Probabilistic clock synchronization*, Distributed Computing 3, 1989): the
/// member read it at some time between question and answer, so it is compared with the middle of these, and wrong by no
/// more than a half of the round trip. Of some round trips the shortest one counts.
final class MemberCheck {
  static final String CHECK = "member";
  private static final String BUILD = "build";
  private static final String CLOCK = "clock";
  private static final int SAMPLES = 5; // the first one has a connection to make, and classes to load
  private static final Duration TOLD_TO = Duration.ofMillis(1); // an answer leaves out what is less
  private static final Duration OFFSET_MAX = Duration.ofSeconds(1);

  private final DoctorCommand doctor;
  private final String text;

  /// @param doctor whose options say how to ask
  /// @param text   whom, as it was written
  MemberCheck(DoctorCommand doctor, String text) {
    this.doctor = doctor;
    this.text = text;
  }

  /// Asks it; takes no longer than the timeout for each answer.
  List<Finding> find() {
    return Finding.of(CHECK, text, this::ask);
  }

  private List<Finding> ask() throws InterruptedException {
    var client = new HealthClient(new AddressConverter().convert(text), doctor.carrier.tls()).within(doctor.timeout);
    HealthClient.Timed quickest = client.quickest(SAMPLES);
    var findings = new ArrayList<>(List.of(standing(quickest.status()), build(quickest.status().get("build"))));
    if (quickest.status().get("time") instanceof String time) {
      findings.add(clock(time, quickest));
    }
    return findings;
  }

  private Finding standing(Map<String, Object> status) {
    String words = String.valueOf(status.get("words"));
    if (!doctor.group.equals(status.get("group"))) {
      return Finding.warn(CHECK, text, words, "it is in another group: correct --ask, or --group");
    }
    return Boolean.TRUE.equals(status.get("serving"))
        ? Finding.ok(CHECK, text, words)
        : Finding.warn(CHECK, text, words, "it does not serve: tutti status, tutti why");
  }

  private Finding build(@Nullable Object its) {
    String own = Tutti.Version.number();
    if (its == null) {
      String words = "it does not say what it runs, so that is older than " + own + ", which this command is";
      return Finding.warn(BUILD, text, words, "right while a group is upgraded");
    }
    return own.equals(its)
        ? Finding.ok(BUILD, text, "runs " + its + ", as this command")
        : Finding.warn(
            BUILD,
            text,
            "runs " + its + ", this command is " + own,
            "right while a group is upgraded (docs/guides/upgrade.md); else install the same build on both hosts");
  }

  private Finding clock(String time, HealthClient.Timed asked) {
    Instant its;
    try {
      its = Instant.parse(time);
    } catch (DateTimeParseException e) {
      return Finding.fail(CLOCK, text, "what it tells is no time: " + time, null);
    }
    Duration unsure = asked.roundTrip().plus(TOLD_TO).dividedBy(2);
    Duration ahead = Duration.between(asked.sent().plus(unsure), its.plus(TOLD_TO));
    String words =
        "%d ms %s that of this host (\u00b1 %d ms)"
            .formatted(millis(ahead.abs()), ahead.isNegative() ? "behind" : "ahead of", millisUp(unsure));
    return ahead.abs().minus(unsure).compareTo(OFFSET_MAX) < 0
        ? Finding.ok(CLOCK, text, words)
        : Finding.warn(
            CLOCK,
            text,
            words,
            "set the clocks (NTP): the order of messages does not depend on them, but whether certificates are valid"
                + " does, and the times in logs");
  }

  private static long millis(Duration time) {
    return time.plusNanos(Duration.ofMillis(1).toNanos() / 2).toMillis();
  }

  private static long millisUp(Duration time) {
    return time.plusNanos(Duration.ofMillis(1).toNanos() - 1).toMillis();
  }
}
