package org.tutti.bench.member;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;

/// A thread that generates messages, as those of the paper on adaptive packing: it gives bursts to the group, and
/// sleeps after each. Without sleeping it is continuous. Or it gives one message after the other at a fixed rate.
///
/// @param bytes      lengths of messages; with several, the length changes four times within a run or more often
/// @param burst      how many messages come without a pause
/// @param sleepNanos how long it sleeps after a burst
/// @param perSecond  the rate, or 0 for no fixed one
public record TrafficSource(List<Integer> bytes, int burst, long sleepNanos, int perSecond) {
  private static final int TIMES_EACH = 2; // each length comes so often
  private static final int TIMED_OF_CONTINUOUS = 61; // one in so many messages is timed: no divisor of any degree
  private static final int TIMED_OF_OTHERS = 7;
  private static final long SECOND = 1_000_000_000L;
  private static final String COMMA = ",";
  private static final String SLASH = "/";

  /// Copies the lengths.
  public TrafficSource {
    bytes = List.copyOf(bytes);
  }

  /// What a run gave.
  ///
  /// @param sent  how many messages
  /// @param start when it began
  /// @param times from the call until the message was back at its sender, in nanoseconds, of some messages; at a fixed
  ///              rate from when they were due
  record Run(long sent, long start, Histogram times) {}

  /// Without pauses.
  ///
  /// @param bytes lengths of messages
  /// @return a continuous source
  public static TrafficSource continuous(Integer... bytes) {
    return new TrafficSource(List.of(bytes), 1, 0, 0);
  }

  /// Whether nothing but the group slows it down.
  private boolean isContinuous() {
    return sleepNanos == 0 && perSecond == 0;
  }

  /// One word.
  ///
  /// @return what [#of] reads
  public String word() {
    String lengths = bytes.stream().map(String::valueOf).collect(Collectors.joining(COMMA));
    return String.join(SLASH, lengths, String.valueOf(burst), String.valueOf(sleepNanos), String.valueOf(perSecond));
  }

  /// Reads one.
  ///
  /// @param word what [#word] wrote
  /// @return the same source
  public static TrafficSource of(String word) {
    String[] parts = word.split(SLASH);
    List<Integer> lengths = Arrays.stream(parts[0].split(COMMA)).map(Integer::valueOf).toList();
    return new TrafficSource(lengths, Integer.parseInt(parts[1]), Long.parseLong(parts[2]), Integer.parseInt(parts[3]));
  }

  /// Runs for a time.
  ///
  /// @param group    where to
  /// @param forNanos how long
  /// @return what it gave, once the last message that is timed is back
  /// @throws InterruptedException when interrupted
  Run run(Group group, long forNanos) throws InterruptedException {
    var all = new Sending(group, isContinuous() ? TIMED_OF_CONTINUOUS : TIMED_OF_OTHERS);
    List<byte[]> payloads = bytes.stream().map(byte[]::new).toList();
    long start = System.nanoTime();
    long now = start;
    while (now - start < forNanos) {
      long phase = (now - start) * TIMES_EACH * bytes.size() / forNanos;
      byte[] payload = payloads.get((int) (phase % payloads.size()));
      if (perSecond > 0) {
        long due = start + (long) (all.sent * ((double) SECOND / perSecond));
        sleepUntil(due);
        all.send(payload, due);
      } else {
        for (int i = 0; i < burst; i++) {
          all.send(payload, System.nanoTime());
        }
        if (sleepNanos > 0) {
          sleepUntil(System.nanoTime() + sleepNanos);
        }
      }
      now = System.nanoTime();
    }
    return all.end(start);
  }

  private static void sleepUntil(long moment) {
    for (long wait = moment - System.nanoTime(); wait > 0; wait = moment - System.nanoTime()) {
      LockSupport.parkNanos(wait);
    }
  }

  private static final class Sending {
    private final Group group;
    private final int timedOneIn;
    private final Histogram times = Times.empty(); // of the engine thread, until the last future is complete
    private @Nullable CompletableFuture<?> last; // futures complete in order
    private long sent;

    Sending(Group group, int timedOneIn) {
      this.group = group;
      this.timedOneIn = timedOneIn;
    }

    void send(byte[] payload, long since) throws InterruptedException {
      if (sent % timedOneIn == 0) {
        last = group.multicast(payload).thenRun(() -> Times.record(times, System.nanoTime() - since));
      } else {
        group.post(ByteBuffer.wrap(payload));
      }
      sent++;
    }

    Run end(long start) {
      if (last != null) {
        last.join();
      }
      return new Run(sent, start, times);
    }
  }
}
