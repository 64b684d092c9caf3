package org.tutti.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.GroupClosedException;
import org.tutti.LoggedEvent;
import org.tutti.MemberId;
import org.tutti.Status;
import org.tutti.Status.Cause;
import org.tutti.Status.Phase;
import org.tutti.Status.Wait;
import org.tutti.View;
import org.tutti.membership.Omission;
import org.tutti.membership.ViewMessage;
import org.tutti.transport.Refused;
import org.tutti.user.Notice;
import org.tutti.user.Report;

/// What a membership says of itself: its status for any thread, and to an operator the lines of the log ([LogLine]) and
/// the events of the Flight Recorder ([FlightEvents]).
final class Reporter {
  private static final long LOG_EVERY_NANOS = 10_000_000_000L; // a standstill of an hour is 360 lines
  private static final long FULL_NANOS = 1_000_000_000; // what a sender may wait without a line about it
  private static final long HELD_NANOS = 1_000_000_000; // and what an application may be at one event

  /// To what the application comes next.
  ///
  /// @param since when it was seen first
  private record NextEvent(@Nullable Object event, long since) {}

  private final MemberId self;
  private final OperatorLog log;
  private final FlightEvents flight;
  private final StateProgress states;
  private volatile Report told;
  private volatile long position = -1;

  // Of the engine thread.
  private @Nullable Long standstillTold; // when the log was last told
  private @Nullable Long fullTold;
  private volatile NextEvent next = new NextEvent(null, 0);
  private @Nullable Long eventTold;
  private List<Refused> refused = List.of();

  Reporter(String group, MemberId self) {
    this.self = self;
    this.log = new OperatorLog(group, self);
    this.flight = new FlightEvents(group, self);
    this.states = new StateProgress(self, log, flight);
    this.told = Report.joining(group, self, List.of(), List.of());
  }

  Report status(Status.Spilled spilled) {
    Report last = status();
    return spilled.messages() == 0 ? last : last.spilling(spilled);
  }

  private Report status() {
    Report last = told;
    long next = position;
    return last.phase() == Phase.CAUGHT_UP && next >= 0 ? last.at(next) : last;
  }

  void tell(Report status) {
    if (told.phase() == Phase.CLOSED) {
      return;
    }
    set(status);
    View here = status.view();
    if (here != null) {
      log.in(here);
    }
    if (!status.refused().equals(refused)) {
      status.refused().stream().filter(one -> !refused.contains(one)).forEach(one -> log.write(refusal(one), one));
      refused = status.refused();
    }
    List<Wait> halts = status.waits().stream().filter(wait -> !wait.since().isZero()).toList();
    long now = System.nanoTime();
    if (!halts.isEmpty() && isDue(standstillTold, now)) {
      standstillTold = now;
      halt(status, halts);
    }
  }

  private static boolean isDue(@Nullable Long last, long now) {
    return last == null || now - last >= LOG_EVERY_NANOS;
  }

  private synchronized void set(Report status) {
    told = status;
    notifyAll();
  }

  /// Waits until this member serves.
  synchronized View awaitServing(long nanos) throws InterruptedException, TimeoutException {
    long begin = System.nanoTime();
    while (!told.isServing()) {
      if (told.phase() == Phase.CLOSED) {
        throw new GroupClosedException(told.group(), self, String.valueOf(told.closed()));
      }
      long remaining = nanos - (System.nanoTime() - begin);
      if (remaining <= 0) {
        throw new TimeoutException(status().toString());
      }
      TimeUnit.NANOSECONDS.timedWait(this, remaining);
    }
    return Objects.requireNonNull(told.view());
  }

  private void halt(Report status, List<Wait> halts) {
    if (halts.stream().anyMatch(wait -> wait.cause() != Cause.CONSUMPTION)) {
      log.writeAbout(members(halts), LogLine.NO_PROGRESS, status);
      return;
    }
    for (Wait wait : halts) {
      log.write(LogLine.NOT_CONSUMED, wait.members().getFirst(), wait.since(), wait.bytes());
    }
  }

  void position(long next) {
    position = next;
  }

  /// Gets how far the states are that come and go.
  StateProgress states() {
    return states;
  }

  List<LoggedEvent> logged() {
    return log.kept();
  }

  void close(End end) {
    if (told.phase() != Phase.CLOSED) {
      boolean wanted = end.cause() == End.Cause.LEFT || end.cause() == End.Cause.NODE_CLOSED;
      log.write(wanted ? LogLine.LEFT : LogLine.ENDED, end.words());
    }
    states.close();
    set(status().ended(end));
  }

  // ---- views and members -----------------------------------------------------------------------------------------

  void notice(Notice notice) {
    switch (notice) {
      case Notice.Installed(View before, View view, List<Notice.Gone> gone) -> {
        log.in(view);
        String members = names(view);
        String change = change(before, view, gone);
        String words = change.isEmpty() ? "" : "; " + change;
        LogLine line = view.primary() ? LogLine.PRIMARY_VIEW : LogLine.MINOR_VIEW;
        log.writeAbout(changed(before, view, gone), line, members, words);
        if (before.version() > 0 && view.version() > before.version()) {
          log.write(LogLine.VERSION, view.version(), before.version());
        }
        flight.viewChange(view, members, change);
      }
      case Notice.Suspected(MemberId member, Notice.Ground ground, Duration silent) -> {
        String why = words(ground, null, silent);
        log.write(LogLine.SUSPECTED, member, why);
        flight.suspicion(member, why, silent);
      }
      case Notice.Doubted(MemberId member, Duration silent) -> log.write(LogLine.DOUBTED, member, silent);
      case Notice.Refuted(MemberId member, MemberId by) -> log.write(LogLine.REFUTED, member, by);
      case Notice.Heard(MemberId member) -> log.write(LogLine.HEARD, member);
      case Notice.VoteRefused(MemberId member) -> log.write(LogLine.VOTE_REFUSED, member);
      case Notice.Restarted(View view, int batches, var from) -> {
        String last = view == null ? "no primary view" : "last primary view " + view.id().epoch();
        String goesOn = from.isPresent() ? "deliveries go on at position " + from.getAsLong() : "the state is to come";
        log.write(LogLine.RESTARTED, last, batches, goesOn);
      }
      case Notice.Forced(MemberId by, var time, _, long position) -> log.write(LogLine.FORCED, by, time, position);
      case Notice.Said(var to, var message) -> log.write(LogLine.SAID, listed(to), words(message));
      case Notice.Told(MemberId from, var message) -> log.write(LogLine.TOLD, from, words(message));
      case Notice.Omitted(var ballot, var members, var why) ->
          log.write(LogLine.OMITTED, ballot, listed(members), words(why));
    }
  }

  private static Supplier<String> listed(List<MemberId> members) {
    return () -> members.stream().map(MemberId::name).collect(Collectors.joining(", "));
  }

  private static Supplier<String> words(ViewMessage message) {
    return message::summary;
  }

  private static String words(Omission why) {
    return switch (why) {
      case SILENT -> "which did not answer in time";
      case GONE -> "which counts as gone, or cannot be taken in";
      case ELSEWHERE -> "which is in another history, or in a later view";
    };
  }

  /// Which side it is that does not believe the other.
  private static LogLine refusal(Refused refused) {
    return refused.reason() == Refused.Reason.ITS_CERTIFICATE ? LogLine.REFUSES : LogLine.REFUSED;
  }

  void caughtUp(long at) {
    log.write(LogLine.CAUGHT_UP, at);
  }

  private static String names(View view) {
    return view.members().stream().map(MemberId::name).collect(Collectors.joining(", "));
  }

  private static Stream<MemberId> joined(View before, View view) {
    return view.members().stream().filter(member -> !before.contains(member));
  }

  private static List<MemberId> changed(View before, View view, List<Notice.Gone> gone) {
    return Stream.concat(joined(before, view), gone.stream().map(Notice.Gone::member)).toList();
  }

  private String change(View before, View view, List<Notice.Gone> gone) {
    List<String> parts = new ArrayList<>();
    List<String> joined = joined(before, view).map(MemberId::name).toList();
    if (!joined.isEmpty()) {
      parts.add("joined: " + String.join(", ", joined));
    }
    if (!gone.isEmpty()) {
      parts.add(
          gone.stream()
              .map(one -> one.member() + " (" + words(one.ground(), one.by(), one.time()) + ")")
              .collect(Collectors.joining(", ", "gone: ", "")));
    }
    return String.join("; ", parts);
  }

  private String words(Notice.Ground ground, @Nullable MemberId by, Duration time) {
    return switch (ground) {
      case SILENCE -> "not heard here for " + OperatorLog.seconds(time);
      case CONNECTION_REFUSED -> "its host refuses connections";
      case APPLICATION -> "the application says so";
      case LEFT -> "it left";
      case BEHIND -> "it left, as its application was " + OperatorLog.seconds(time) + " behind";
      case LATER_LIFE -> "a later life of it is here";
      case REPORTED -> by + " does not hear it";
      case DECIDED -> decided(by);
    };
  }

  private String decided(@Nullable MemberId by) {
    if (self.equals(by)) { // without having suspected it
      return "it does not hear this member, or has gone on without it";
    }
    return by == null ? "others decided so" : "decided by " + by;
  }

  // ---- slow ones -------------------------------------------------------------------------------------------------

  /// How far states are, and whether something is slow that no status tells of, or none yet.
  ///
  /// @param fullNanos for how long nothing that was to be multicast has got into the window; 0 when there is room
  /// @param behind    who has not moved
  /// @param next      the event to which the application comes next; null for none
  /// @param more      how many events wait
  void look(long fullNanos, List<Wait> behind, @Nullable Object next, int more) {
    long now = System.nanoTime();
    states.look(now);
    if (fullNanos < FULL_NANOS) {
      fullTold = null;
    } else if (isDue(fullTold, now)) {
      fullTold = now;
      String who = slow(behind);
      log.writeAbout(members(behind), LogLine.WINDOW_FULL, Duration.ofNanos(fullNanos), who);
      flight.windowFull(fullNanos, who);
    }
    lookAtEvent(now, next, more);
  }

  private void lookAtEvent(long now, @Nullable Object event, int more) {
    long held = now - next.since;
    if (event == null || event != next.event) {
      if (eventTold != null) {
        log.write(LogLine.EVENT_TAKEN, Duration.ofNanos(held));
      }
      next = new NextEvent(event, now);
      eventTold = null;
    } else if (held >= HELD_NANOS && isDue(eventTold, now)) {
      eventTold = now;
      log.write(LogLine.EVENT_HELD, Duration.ofNanos(held), more);
    }
  }

  /// For how long the application has been at an event, as far as the last look at it knows. Any thread may ask.
  ///
  /// @param event to which it comes next; null for none
  Duration eventHeld(@Nullable Object event) {
    NextEvent seen = next;
    return event == null || event != seen.event ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - seen.since);
  }

  // ---- what is spilled; by any thread ----------------------------------------------------------------------------

  void spills(Spill to) {
    log.write(LogLine.SPILLS, to.bytesMax(), to.files());
  }

  void spillIsFull(Spill full) {
    log.write(LogLine.SPILL_FULL, full.messages(), full.bytes());
  }

  void spillFails(String why) {
    log.write(LogLine.SPILL_FAILS, why);
  }

  void spillIsTaken(long messages, Duration time) {
    log.write(LogLine.SPILL_TAKEN, messages, time);
  }

  private static List<MemberId> members(List<Wait> waits) {
    return waits.stream().flatMap(wait -> wait.members().stream()).distinct().toList();
  }

  private String slow(List<Wait> behind) {
    if (behind.isEmpty()) {
      return "nobody is behind, " + status();
    }
    return behind.stream()
        .map(wait -> {
          String what = wait.cause() == Cause.CONSUMPTION ? " has not consumed " : " has not acknowledged ";
          String time = OperatorLog.seconds(wait.since());
          return wait.members().getFirst() + what + wait.bytes() + " bytes for " + time;
        })
        .collect(Collectors.joining(", "));
  }
}
