package org.tutti.bench.trial;

import java.util.List;
import org.tutti.bench.member.BenchTarget.SendingThread;
import org.tutti.bench.member.TrafficSource;

/// What a process group is told to do in a trial.
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
  record Closed(int rank, int bytes, SendingThread sendingThread, long nanos) implements Task {
    @Override
    public Measure leading() {
      return Measure.P50;
    }

    @Override
    public Task lasting(long other) {
      return new Closed(rank, bytes, sendingThread, other);
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

  /// A source at the first process, whose messages are packed in a certain way.
  ///
  /// @param packing natural, hill-climb, or a fixed degree
  record Packed(String packing, TrafficSource source, long nanos) implements Task {
    @Override
    public Measure leading() {
      return Measure.RATE;
    }

    @Override
    public Task lasting(long other) {
      return new Packed(packing, source, other);
    }
  }

  /// The same with a policy that has just begun, until it has settled.
  record Settling(String packing, TrafficSource source, long nanos) implements Task {
    @Override
    public Measure leading() {
      return Measure.RATE;
    }

    @Override
    public Task lasting(long other) {
      return new Settling(packing, source, other);
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

  /// One multicasts as fast as it may while another one is as fast as it can, then ten times slower, then fast again.
  ///
  /// @param rank  who is slow
  /// @param nanos how long each of the three phases lasts
  record Slow(int rank, int bytes, long nanos) implements Task {
    static final int PHASES = 3;
    static final int TIMES_SLOWER = 10;

    @Override
    public Measure leading() {
      return Measure.RATE;
    }

    @Override
    public Task lasting(long other) {
      return new Slow(rank, bytes, other);
    }
  }
}
