package org.tutti.host;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;

/// How far the states are that come to a member and that it gives to others, for its log and the Flight Recorder: told
/// when they begin, every [#EVERY_NANOS] while they last, also while nothing moves, and at their end.
///
/// Any thread may use it: an application writes its state by one of its own.
final class StateProgress {
  static final long EVERY_NANOS = 10_000_000_000L;

  /// A state that is under way.
  private static final class Moving {
    private final MemberId peer; // at its other end
    private final long since = System.nanoTime();
    private long told = since;
    private long bytes;

    Moving(MemberId peer) {
      this.peer = peer;
    }

    Duration time() {
      return Duration.ofNanos(System.nanoTime() - since);
    }
  }

  private final MemberId self;
  private final OperatorLog log;
  private final FlightEvents flight;
  private final Map<Long, Moving> coming = new TreeMap<>(); // by transfer
  private final Map<Long, Moving> going = new TreeMap<>();

  StateProgress(MemberId self, OperatorLog log, FlightEvents flight) {
    this.self = self;
    this.log = log;
    this.flight = flight;
  }

  // ---- from a donor ----------------------------------------------------------------------------------------------

  synchronized void comes(long transfer, MemberId donor, long position) {
    coming.put(transfer, new Moving(donor));
    log.write(LogLine.STATE_COMES, position, donor);
  }

  synchronized void came(long transfer, int bytes, boolean last) {
    Moving state = moved(coming, transfer, bytes, last);
    if (state != null && last) {
      log.write(LogLine.STATE_HERE, state.peer, state.bytes, state.time());
      flight.stateTransfer(state.peer, self, state.bytes, state.time(), true);
    }
  }

  synchronized void brokeOff(long transfer) {
    Moving state = coming.remove(transfer);
    if (state != null) {
      log.write(LogLine.STATE_INTERRUPTED, state.peer, state.bytes);
      flight.stateTransfer(state.peer, self, state.bytes, state.time(), false);
    }
  }

  // ---- to a newcomer ---------------------------------------------------------------------------------------------

  synchronized void goes(long transfer, MemberId newcomer) {
    going.put(transfer, new Moving(newcomer));
    log.write(LogLine.STATE_GIVEN, newcomer);
  }

  synchronized void gave(long transfer, int bytes, boolean last) {
    Moving state = moved(going, transfer, bytes, last);
    if (state != null && last) {
      log.write(LogLine.STATE_GIVEN_WHOLE, state.peer, state.bytes, state.time());
      flight.stateTransfer(self, state.peer, state.bytes, state.time(), true);
    }
  }

  /// Nothing more is given; does nothing for a state that was given to its end.
  synchronized void gaveUp(long transfer, String why) {
    Moving state = going.remove(transfer);
    if (state != null) {
      log.write(LogLine.STATE_GIVEN_UP, state.peer, state.bytes, why);
      flight.stateTransfer(self, state.peer, state.bytes, state.time(), false);
    }
  }

  // ---- both ------------------------------------------------------------------------------------------------------

  private static @Nullable Moving moved(Map<Long, Moving> states, long transfer, int bytes, boolean last) {
    Moving state = last ? states.remove(transfer) : states.get(transfer);
    if (state != null) {
      state.bytes += bytes;
    }
    return state;
  }

  /// Tells how far they are, of each that it was not told lately; to be called now and then.
  synchronized void look(long now) {
    tell(now, coming.values(), LogLine.STATE_GROWS);
    tell(now, going.values(), LogLine.STATE_GOES);
  }

  private void tell(long now, Collection<Moving> states, LogLine line) {
    for (Moving state : states) {
      if (now - state.told >= EVERY_NANOS) {
        state.told = now;
        log.write(line, state.bytes, state.peer, Duration.ofNanos(now - state.since));
      }
    }
  }

  /// The membership has ended, and its log has said so.
  synchronized void close() {
    coming.clear();
    going.clear();
  }
}
