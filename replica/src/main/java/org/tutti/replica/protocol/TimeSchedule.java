package org.tutti.replica.protocol;

/// When a replica says which sessions it has heard (`TOUCH`), and the most senior one what time it is (`TICK`), at
/// which sessions end. All times are steady ones, in nanoseconds.
///
/// The time is told in each new view, too, as who joins a service that was idle would else take the time of the last
/// message for the present one.
final class TimeSchedule {
  private static final int TOUCHES_PER_LIFE = 4;
  private static final int TICKS_PER_LIFE = 10;
  private static final int LATE_PER_LIFE = 4; // how much later it may be said what time it is

  private long touchAt;
  private long tickAt;
  private boolean untold; // what time it is, in this view

  TimeSchedule(long now) {
    touchAt = now;
    tickAt = now;
  }

  /// Others may have to set their clocks: the most senior replica tells them soon, and ends no session by it.
  void tellSoon(long now, boolean isSenior) {
    untold = isSenior;
    touchAt = now;
  }

  /// Clients may have had nobody for long: no session ends before they have had a life to come back.
  void awaitClients(long now, long life) {
    tickAt = now + life;
  }

  /// Whether a `TOUCH` is due now; the next one is some time later.
  boolean takeTouch(long now, long life) {
    boolean due = now - touchAt >= 0;
    touchAt = due ? now + life / TOUCHES_PER_LIFE : touchAt;
    return due;
  }

  /// Whether the time is to be told whether sessions were heard or not.
  boolean isUntold() {
    return untold;
  }

  /// A `TOUCH` was multicast.
  void told() {
    untold = false;
  }

  /// A `TOUCH` had no room.
  ///
  /// @param at when it is tried again
  void retry(long at) {
    touchAt = at;
  }

  /// Whether a `TICK` is due now; the next one is some time later.
  boolean takeTick(long now, long life, boolean isSenior) {
    if (now - tickAt > life / LATE_PER_LIFE) {
      awaitClients(now, life); // this replica stood still, perhaps with all others, and has heard no client meanwhile
      tellSoon(now, isSenior);
      return false;
    }
    boolean due = now - tickAt >= 0;
    tickAt = due ? now + life / TICKS_PER_LIFE : tickAt;
    return due && isSenior;
  }

  /// When something is due.
  long dueNanos() {
    return touchAt - tickAt < 0 ? touchAt : tickAt;
  }
}
