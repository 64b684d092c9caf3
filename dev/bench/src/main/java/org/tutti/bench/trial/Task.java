package org.tutti.bench.trial;

import java.util.List;
import java.util.stream.IntStream;
import org.tutti.bench.member.BenchTarget.Operation;
import org.tutti.bench.member.BenchTarget.SendingThread;
import org.tutti.bench.member.TrafficSource;

/// What a process group is told to do in a trial.
sealed interface Task {
  /// The measure by which one sees whether it runs as fast as it will.
  default Measure leading() {
    return switch (this) {
      case Closed _, Open _ -> Measure.P50;
      case Calls it -> it.isOfOne() ? Measure.P50 : Measure.CALLS;
      case Memory _ -> Measure.HEAP;
      case Flood _, Cast _, Packed _, Settling _, Slow _ -> Measure.RATE;
    };
  }

  /// How long the processes are busy with it.
  long nanos();

  /// The same for another time.
  default Task lasting(long other) {
    return switch (this) {
      case Flood it -> new Flood(it.senders, it.bytes, other);
      case Cast it -> new Cast(it.rank, it.bytes, other);
      case Closed it -> new Closed(it.rank, it.bytes, it.sendingThread, other);
      case Calls it -> new Calls(it.callers, it.perClient, it.operation, it.bytes, it.sendingThread, other);
      case Open it -> new Open(it.rank, it.bytes, it.perSecond, other);
      case Packed it -> new Packed(it.packing, it.source, other);
      case Settling it -> new Settling(it.packing, it.source, other);
      case Memory it -> new Memory(it.bytes, other);
      case Slow it -> new Slow(it.rank, it.bytes, other);
    };
  }

  /// Some multicast as fast as they may.
  ///
  /// @param senders their ranks
  record Flood(List<Integer> senders, int bytes, long nanos) implements Task {
    public Flood {
      senders = List.copyOf(senders);
    }
  }

  /// One sends as fast as it may, by what may lose messages.
  record Cast(int rank, int bytes, long nanos) implements Task {}

  /// One multicasts one message after the other.
  record Closed(int rank, int bytes, SendingThread sendingThread, long nanos) implements Task {}

  /// Callers that have one call open each, side by side.
  ///
  /// @param callers   how many there are, by rank
  /// @param perClient how many of them have a client of a service in common
  record Calls(
      List<Integer> callers, int perClient, Operation operation, int bytes, SendingThread sendingThread, long nanos)
      implements Task {
    public Calls {
      callers = List.copyOf(callers);
    }

    /// Where there are any.
    List<Integer> ranks() {
      return IntStream.range(0, callers.size()).filter(rank -> callers.get(rank) > 0).boxed().toList();
    }

    boolean isOfOne() {
      return callers.stream().mapToInt(Integer::intValue).sum() == 1;
    }
  }

  /// One multicasts at a fixed rate.
  record Open(int rank, int bytes, int perSecond, long nanos) implements Task {}

  /// A source at the first process, whose messages are packed in a certain way.
  ///
  /// @param packing natural, hill-climb, or a fixed degree
  record Packed(String packing, TrafficSource source, long nanos) implements Task {}

  /// The same with a policy that has just begun, until it has settled.
  record Settling(String packing, TrafficSource source, long nanos) implements Task {}

  /// One multicasts as fast as it may, and meanwhile the live heaps are measured.
  record Memory(int bytes, long nanos) implements Task {}

  /// One multicasts as fast as it may while another one is as fast as it can, then ten times slower, then fast again.
  ///
  /// @param rank  who is slow
  /// @param nanos how long each of the three phases lasts
  record Slow(int rank, int bytes, long nanos) implements Task {
    static final int PHASES = 3;
    static final int TIMES_SLOWER = 10;
  }
}
