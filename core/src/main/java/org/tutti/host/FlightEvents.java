package org.tutti.host;

import java.time.Duration;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.tutti.MemberId;
import org.tutti.View;

/// What a membership tells Java's Flight Recorder: view changes, states that came or went, suspicions, full windows;
/// and what a node tells: long turns of its engine thread. Nothing is done while nothing is recorded, nor where the
/// module `jdk.jfr` is not among those of the program.
///
/// `docs/guides/logs.md` has the events; they come at the places where the lines of the log come, but for its limits.
final class FlightEvents {
  private static final boolean HERE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private final String group;
  private final String member;

  FlightEvents(String group, MemberId member) {
    this.group = group;
    this.member = member.toString();
  }

  /// Before anything is recorded the classes of events are not used: they set the recorder up, which takes the engine's
  /// thread a tenth of a second, and more on a busy machine.
  private static boolean isThere() {
    return HERE && Recorder.isThere();
  }

  void viewChange(View view, String members, String change) {
    if (isThere()) {
      ViewChange.record(this, view, members, change);
    }
  }

  /// A state has come or was given, or this has broken off.
  void stateTransfer(MemberId donor, MemberId newcomer, long bytes, Duration took, boolean complete) {
    if (isThere()) {
      StateTransfer.record(this, donor, newcomer, bytes, took, complete);
    }
  }

  void suspicion(MemberId suspect, String why, Duration silent) {
    if (isThere()) {
      Suspicion.record(this, suspect, why, silent);
    }
  }

  void windowFull(long nanos, String behind) {
    if (isThere()) {
      WindowFull.record(this, nanos, behind);
    }
  }

  /// The engine thread of a node goes on after a turn that was too long.
  static void longTurn(String node, String calling, long nanos) {
    if (isThere()) {
      LongTurn.record(node, calling, nanos);
    }
  }

  // Classes of their own, so that nothing of the Flight Recorder is looked for where it is not.
  // -------------------------

  private static final class Recorder {
    static boolean isThere() {
      return FlightRecorder.isInitialized();
    }
  }

  /// What each of them has.
  private abstract static class MembershipEvent extends Event {
    @Label("Group")
    String group = "";

    @Label("Member")
    String member = "";

    final void of(FlightEvents at) {
      group = at.group;
      member = at.member;
    }
  }

  @Name("org.tutti.ViewChange")
  @Label("View Change")
  @Description("A view was installed.")
  @Category("Tutti")
  @StackTrace(false)
  private static final class ViewChange extends MembershipEvent {
    @Label("Epoch")
    long epoch;

    @Label("Primary")
    boolean primary;

    @Label("Members")
    String members = "";

    @Label("Change")
    @Description("Who joined, and who is gone and why, as in the log")
    String change = "";

    static void record(FlightEvents at, View view, String members, String change) {
      var event = new ViewChange();
      if (event.shouldCommit()) {
        event.of(at);
        event.epoch = view.id().epoch();
        event.primary = view.primary();
        event.members = members;
        event.change = change;
        event.commit();
      }
    }
  }

  @Name("org.tutti.StateTransfer")
  @Label("State Transfer")
  @Description("The state of the group has come to this member, or was given by it, or this broke off.")
  @Category("Tutti")
  @StackTrace(false)
  private static final class StateTransfer extends MembershipEvent {
    @Label("Donor")
    String donor = "";

    @Label("Newcomer")
    @Description("Who gets the state; this member is either this one or the donor")
    String newcomer = "";

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Took")
    @Timespan(Timespan.NANOSECONDS)
    long took;

    @Label("Complete")
    @Description("Whether all of it has come; if not, the newcomer asks another member")
    boolean complete;

    static void record(
        FlightEvents at, MemberId donor, MemberId newcomer, long bytes, Duration took, boolean complete) {
      var event = new StateTransfer();
      if (event.shouldCommit()) {
        event.of(at);
        event.donor = donor.toString();
        event.newcomer = newcomer.toString();
        event.bytes = bytes;
        event.took = took.toNanos();
        event.complete = complete;
        event.commit();
      }
    }
  }

  @Name("org.tutti.Suspicion")
  @Label("Suspicion")
  @Description("Another member is suspected.")
  @Category("Tutti")
  @StackTrace(false)
  private static final class Suspicion extends MembershipEvent {
    @Label("Suspect")
    String suspect = "";

    @Label("Why")
    String why = "";

    @Label("Silent")
    @Description("For how long it was not heard here")
    @Timespan(Timespan.NANOSECONDS)
    long silent;

    static void record(FlightEvents at, MemberId suspect, String why, Duration silent) {
      var event = new Suspicion();
      if (event.shouldCommit()) {
        event.of(at);
        event.suspect = suspect.toString();
        event.why = why;
        event.silent = silent.toNanos();
        event.commit();
      }
    }
  }

  @Name("org.tutti.WindowFull")
  @Label("Window Full")
  @Description("Multicasts of this member wait or are refused; told once in ten seconds.")
  @Category("Tutti")
  @StackTrace(false)
  private static final class WindowFull extends MembershipEvent {
    @Label("Full")
    @Description("For how long there has been no room")
    @Timespan(Timespan.NANOSECONDS)
    long full;

    @Label("Behind")
    @Description("Who has not consumed or acknowledged, as in the log")
    String behind = "";

    static void record(FlightEvents at, long nanos, String behind) {
      var event = new WindowFull();
      if (event.shouldCommit()) {
        event.of(at);
        event.full = nanos;
        event.behind = behind;
        event.commit();
      }
    }
  }

  @Name("org.tutti.LongTurn")
  @Label("Long Turn")
  @Description("The engine thread, and so the whole node, was held up; told when it goes on.")
  @Category("Tutti")
  @StackTrace(false)
  private static final class LongTurn extends Event {
    @Label("Node")
    String node = "";

    @Label("Took")
    @Description("As far as looks in tenths of a second can tell")
    @Timespan(Timespan.NANOSECONDS)
    long took;

    @Label("Calling")
    @Description("Which listener it called, as in the log")
    String calling = "";

    static void record(String node, String calling, long nanos) {
      var event = new LongTurn();
      if (event.shouldCommit()) {
        event.node = node;
        event.calling = calling;
        event.took = nanos;
        event.commit();
      }
    }
  }
}
