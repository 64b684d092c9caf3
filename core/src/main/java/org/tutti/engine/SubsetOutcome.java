package org.tutti.engine;

import org.tutti.Outcome;
import org.tutti.Outcome.Reason;

/// What became of a multicast to some members.
public enum SubsetOutcome {
  /// Every destination of the view holds it: those that go on deliver it.
  HELD(new Outcome.Delivered()),
  /// Nobody delivers it: the ordering in force does not order it.
  NOT_ORDERED(
      new Outcome.Refused(
          Reason.NOT_ORDERED,
          "not sent: multicasts to some members need a primary view that began with the ordering SKEEN and keeps it, in"
              + " a group without domain")),
  /// Nobody delivers it: a destination is not in the view.
  NOT_MEMBERS(new Outcome.Refused(Reason.NOT_MEMBERS, "not sent: a destination is not in the view")),
  /// A view change left it out, and no destination is in the new view.
  GONE(new Outcome.Unknown("no destination is left; some may have delivered it before they went")),
  /// This member was cut off while it was on its way, or all to whom it was sent were.
  UNKNOWN(
      new Outcome.Unknown(
          "it was on its way when its sender or its receivers were cut off: some destinations may have delivered it"));

  private final Outcome outcome;

  SubsetOutcome(Outcome outcome) {
    this.outcome = outcome;
  }

  /// What its sender is told.
  ///
  /// @return the outcome of the multicast
  public Outcome outcome() {
    return outcome;
  }
}
