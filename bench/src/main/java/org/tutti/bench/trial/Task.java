package org.tutti.bench.trial;

import java.util.List;
import org.tutti.bench.member.Contestant.Seat;

/// What a team is told to do in a trial.
sealed interface Task {
  /// The measure by which one sees whether it runs as fast as it will.
  Measure leading();

  /// How long the processes are busy with it.
  long nanos();

  /// The same for another time.
  Task lasting(long other);

  /// Some multicast as fast as they may.
  ///
  /// @param senders their ranks
  record Flood(List<Integer> senders, int bytes, long nanos) implements Task {
    public Flood {
      senders = List.copyOf(senders);
    }

    @Override
    public Measure leading() {
      return Measure.RATE;
    }

    @Override
    public Task lasting(long other) {
      return new Flood(senders, bytes, other);
    }
  }

  /// One multicasts one message after the other.
  record Closed(int rank, int bytes, Seat seat, long nanos) implements Task {
    @Override
    public Measure leading() {
      return Measure.P50;
    }

    @Override
    public Task lasting(long other) {
      return new Closed(rank, bytes, seat, other);
    }
  }

  /// One multicasts at a fixed rate.
  record Open(int rank, int bytes, int perSecond, long nanos) implements Task {
    @Override
    public Measure leading() {
      return Measure.P50;
    }

    @Override
    public Task lasting(long other) {
      return new Open(rank, bytes, perSecond, other);
    }
  }

  /// One multicasts as fast as it may, and meanwhile the live heaps are measured.
  record Memory(int bytes, long nanos) implements Task {
    @Override
    public Measure leading() {
      return Measure.HEAP;
    }

    @Override
    public Task lasting(long other) {
      return new Memory(bytes, other);
    }
  }
}
