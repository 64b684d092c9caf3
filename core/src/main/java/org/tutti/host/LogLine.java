package org.tutti.host;

import java.lang.System.Logger.Level;

/// The lines that a membership logs, each for something on which an operator may act, or, at `DEBUG`, to follow what it
/// does; `docs/guides/logs.md` has all of them, with what to do.
enum LogLine {
  // ---- views -----------------------------------------------------------------------------------------------------
  PRIMARY_VIEW(Level.INFO, "primary view of %s%s"),
  MINOR_VIEW(Level.WARNING, "view without the right to go on, of %s%s"),
  VERSION(Level.INFO, "the group speaks version %d of the protocol from this view on, before it %d"),
  SUSPECTED(Level.WARNING, "%s is suspected: %s"),
  DOUBTED(Level.WARNING, "%s was not heard here for %s; the others are asked before it is suspected"),
  REFUTED(Level.INFO, "%s is not suspected: %s has heard it"),
  HEARD(Level.INFO, "%s is heard again"),
  ENDED(Level.WARNING, "the membership has ended: %s"),
  LEFT(Level.INFO, "this member has left: %s"),
  SAID(Level.DEBUG, "to %s: %s"),
  TOLD(Level.DEBUG, "from %s: %s"),
  OMITTED(Level.DEBUG, "the attempt %s goes on without %s, %s"),

  // ---- entering --------------------------------------------------------------------------------------------------
  REFUSED(Level.WARNING, "this node is refused by %s"),
  REFUSES(Level.WARNING, "this node refuses %s"),
  VOTE_REFUSED(Level.WARNING, "%s is not taken in as a voter: its certificate is only for observers"),
  RESTARTED(Level.INFO, "goes on from stable storage: %s, %d batches, %s"),
  FORCED(Level.WARNING, "an operator forced %s to be primary without a quorum at %s, from position %d on"),
  CAUGHT_UP(Level.INFO, "caught up at position %d"),
  STATE_COMES(Level.INFO, "gets the state as of position %d from %s"),
  STATE_GROWS(Level.INFO, "has got %d bytes of the state from %s in %s"),
  STATE_HERE(Level.INFO, "has got the state from %s: %d bytes in %s"),
  STATE_INTERRUPTED(Level.WARNING, "the state from %s broke off after %d bytes; another member is asked"),
  STATE_GIVEN(Level.INFO, "gives the state to %s"),
  STATE_GOES(Level.INFO, "has given %d bytes of the state to %s in %s"),
  STATE_GIVEN_WHOLE(Level.INFO, "has given the state to %s: %d bytes in %s"),
  STATE_GIVEN_UP(Level.WARNING, "gives the state to %s no longer, after %d bytes: %s"),

  // ---- standing still --------------------------------------------------------------------------------------------
  NO_PROGRESS(Level.WARNING, "no progress: %s"),
  NOT_CONSUMED(
      Level.WARNING, "the application of %s has taken nothing for %s, which takes up %d bytes of this member's window"),
  WINDOW_FULL(Level.WARNING, "the window has been full for %s, so multicasts wait or are refused: %s"),
  EVENT_HELD(
      Level.WARNING,
      "the application has been at an event, or has not asked for the next one, for %s; %d more wait for it"),
  EVENT_TAKEN(Level.INFO, "the application takes events again, after %s"),
  SPILLS(Level.WARNING, "the application does not keep up; what it does not take is spilled, at most %d bytes in %s"),
  SPILL_FULL(
      Level.WARNING,
      "no more is spilled: %d messages that the application has not taken take up %d bytes, and senders wait for it"),
  SPILL_FAILS(
      Level.WARNING,
      "cannot spill what the application does not take, so senders wait for it; tried again in 10 seconds: %s"),
  SPILL_TAKEN(Level.INFO, "the application has taken all that was spilled, %d messages in %s");

  private final Level level;
  private final String format;

  LogLine(Level level, String format) {
    this.level = level;
    this.format = format;
  }

  Level level() {
    return level;
  }

  /// The line without what stands before it, with `%s` for text and `%d` for numbers.
  String format() {
    return format;
  }
}
