package org.tutti.net.udp;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A line of limited rate with a queue before it that loses what it has no room for, in memory and in no time: senders
/// with a [Flight] each, which always have something to say, and perhaps one TCP, share it.
///
/// What leaves at once is one packet to the queue, as a train of datagrams is to its own host's, and lost as a whole;
/// unless the queue is a switch's, to which it comes in single packets. Processes get the processor late, by up to a
/// time that is drawn anew each time.
final class LineModel {
  static final long MILLI = 1_000_000;

  private static final int DATAGRAM = 1472;
  private static final int HEADERS = 42;
  private static final int ECHO_EVERY = 16;
  private static final long ECHO_AFTER = 10 * MILLI;
  private static final int GRANT = 2 << 20;
  private static final int BURST_BYTES = 64 << 10;

  private record Event(long at, long number, Runnable what) {}

  private final SplittableRandom random;
  private final double bytesPerNano;
  private final long queueBytes;
  private final long delayNanos;
  private final double loss;
  private final long lateNanos;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private final List<Sender> senders = new ArrayList<>();
  private @Nullable Tcp tcp;
  private boolean switched;
  private long now;
  private long number;
  private long busyUntil;

  /// @param mbit       the line's rate
  /// @param queueNanos how long what waits may take, besides a burst of 64 KiB, as `tbf` has it
  /// @param delayNanos one way
  /// @param loss       the share of datagrams that is lost in any case
  /// @param lateNanos  how late processes are at most
  LineModel(int mbit, long queueNanos, long delayNanos, double loss, long lateNanos, long seed) {
    this.bytesPerNano = mbit / 8e3;
    this.queueBytes = (long) (queueNanos * bytesPerNano) + BURST_BYTES;
    this.delayNanos = delayNanos;
    this.loss = loss;
    this.lateNanos = lateNanos;
    this.random = new SplittableRandom(seed);
  }

  LineModel senders(int count) {
    for (int i = 0; i < count; i++) {
      senders.add(new Sender());
    }
    return this;
  }

  LineModel tcp() {
    tcp = new Tcp();
    return this;
  }

  /// The queue is a switch's.
  LineModel switched() {
    switched = true;
    return this;
  }

  private void at(long time, Runnable what) {
    events.add(new Event(Math.max(time, now), number++, what));
  }

  /// When a process that is to run now does.
  private long late() {
    return now + (lateNanos == 0 ? 0 : random.nextLong(lateNanos));
  }

  /// Lets time pass.
  LineModel run(long forNanos) {
    long end = now + forNanos;
    while (!events.isEmpty() && events.peek().at <= end) {
      Event next = events.remove();
      now = next.at;
      next.what.run();
    }
    now = end;
    return this;
  }

  /// Forgets what has come so far.
  LineModel reset() {
    senders.forEach(Sender::reset);
    if (tcp != null) {
      tcp.arrived = 0;
    }
    return this;
  }

  /// What the senders have brought over in a time, with headers, over what the line carries.
  double share(long nanos) {
    return senders.stream().mapToLong(sender -> sender.arrived).sum() * (DATAGRAM + HEADERS) / (nanos * bytesPerNano);
  }

  /// What one of them has.
  double share(int sender, long nanos) {
    return senders.get(sender).arrived * (DATAGRAM + HEADERS) / (nanos * bytesPerNano);
  }

  /// What TCP has brought over.
  double tcpShare(long nanos) {
    return tcp == null ? 0 : tcp.arrived * (DATAGRAM + HEADERS) / (nanos * bytesPerNano);
  }

  /// The share of what the senders sent that was lost.
  double lost() {
    long sent = senders.stream().mapToLong(sender -> sender.sent).sum();
    long gone = senders.stream().mapToLong(sender -> sender.gone).sum();
    return (double) gone / sent;
  }

  /// Offers packets to the queue, all or nothing.
  ///
  /// @return when the last one has left, or -1
  private long offer(int packets) {
    long bytes = (long) packets * (DATAGRAM + HEADERS);
    long waiting = (long) (Math.max(0, busyUntil - now) * bytesPerNano);
    if (waiting + bytes > queueBytes) {
      return -1;
    }
    busyUntil = Math.max(busyUntil, now) + (long) (bytes / bytesPerNano);
    return busyUntil;
  }

  /// One end of a flight, and the other one.
  private final class Sender {
    private final Congestion congestion = new Congestion(4 << 20);
    private final Flight flight = new Flight(0, congestion);
    private boolean scheduled;
    private long runAt;
    private long sent;
    private long gone;

    private long heardAt; // one process after the other: nothing overtakes

    // The receiver.
    private long readAt;
    private long arrived;
    private int count;
    private long highest;
    private long highestAt;
    private int owed;
    private long echoAt = Long.MAX_VALUE;

    Sender() {
      flight.echoed(0, 0, 0, 0, GRANT);
      wake(0);
      at(0, this::probe);
    }

    private void reset() {
      arrived = 0;
      sent = 0;
      gone = 0;
    }

    private void wake(long time) {
      if (!scheduled || time < runAt) {
        scheduled = true;
        runAt = time;
        long when = time + (lateNanos == 0 ? 0 : random.nextLong(lateNanos));
        at(
            when,
            () -> {
              if (scheduled && runAt <= time) {
                scheduled = false;
                write();
              }
            });
      }
    }

    private void write() {
      List<Long> train = new ArrayList<>();
      boolean soon = false;
      int bytes = 0;
      while (flight.hasRoom(DATAGRAM) && flight.pauseNanos(now) <= 0) {
        soon |= flight.asks();
        train.add(flight.sent(now, DATAGRAM));
        bytes += Flight.charge(DATAGRAM);
        if (bytes >= flight.burstBytes()) {
          leave(train, soon);
          train = new ArrayList<>();
          bytes = 0;
          soon = false;
        }
      }
      leave(train, soon);
      if (flight.hasRoom(DATAGRAM)) {
        long pause = (Math.max(1, flight.pauseNanos(now)) + MILLI - 1) / MILLI * MILLI;
        wake(now + pause);
      }
    }

    private void leave(List<Long> train, boolean soon) {
      if (switched) {
        train.forEach(each -> leaveTogether(List.of(each), soon));
      } else if (!train.isEmpty()) {
        leaveTogether(train, soon);
      }
    }

    private void leaveTogether(List<Long> train, boolean soon) {
      sent += train.size();
      long left = offer(train.size());
      if (left < 0) {
        gone += train.size();
        return;
      }
      List<Long> those = new ArrayList<>();
      for (long each : train) {
        if (random.nextDouble() >= loss) {
          those.add(each);
        } else {
          gone++;
        }
      }
      if (!those.isEmpty()) {
        at(
            left + delayNanos,
            () -> {
              readAt = Math.max(readAt, late());
              at(readAt, () -> read(those, soon));
            });
      }
    }

    private void read(List<Long> those, boolean soon) {
      for (long each : those) {
        arrived++;
        count++;
        owed++;
        if (each > highest) {
          highest = each;
          highestAt = now;
        }
      }
      if (soon || owed >= ECHO_EVERY) {
        echo();
      } else if (echoAt == Long.MAX_VALUE) {
        echoAt = now + ECHO_AFTER;
        at(
            echoAt,
            () -> {
              if (echoAt <= now) {
                echo();
              }
            });
      }
    }

    private void echo() {
      owed = 0;
      echoAt = Long.MAX_VALUE;
      long top = highest;
      int total = count;
      long held = now - highestAt;
      at(
          now + delayNanos,
          () -> {
            heardAt = Math.max(heardAt, late());
            at(
                heardAt,
                () -> {
                  flight.echoed(now, top, total, held, GRANT);
                  write();
                });
          });
    }

    /// What the transport does when nothing is heard.
    private void probe() {
      long rested = flight.rested();
      long last = flight.last();
      at(
          now + 60 * MILLI + 4 * flight.roundTripNanos(),
          () -> {
            if (flight.rested() == rested && !flight.isEmpty()) {
              highest = Math.max(highest, last);
              highestAt = now;
              echo();
            }
            probe();
          });
    }
  }

  /// A TCP of the kernel: CUBIC with an acknowledgement for each packet, never late.
  private final class Tcp {
    private double window = 10;
    private double threshold = Double.MAX_VALUE;
    private double lossy;
    private long since;
    private long inFlight;
    private long recovery;
    private long next;
    private long arrived;
    private double roundTrip = MILLI;

    Tcp() {
      at(0, this::write);
    }

    private void write() {
      while (inFlight < window) {
        long mine = next++;
        long began = now;
        inFlight++;
        long left = offer(1);
        boolean lost = left < 0 || random.nextDouble() < loss;
        long back = (left < 0 ? Math.max(busyUntil, now) : left) + 2 * delayNanos;
        at(
            back,
            () -> {
              inFlight--;
              if (lost) {
                lost(mine);
              } else {
                arrived++;
                acknowledged(now - began);
              }
              write();
            });
      }
    }

    private void acknowledged(long time) {
      roundTrip += (time - roundTrip) / 8;
      if (window < threshold) {
        window++;
        return;
      }
      double later = (now - since + roundTrip) / 1e9 - Math.cbrt(lossy * 0.3 / 0.4);
      double cubic = lossy + 0.4 * later * later * later;
      window += Math.max(Math.clamp(cubic, window, 1.5 * window) - window, 0.53) / window;
    }

    private void lost(long which) {
      if (which >= recovery) {
        recovery = next;
        lossy = window < lossy ? window * 0.85 : window;
        window = Math.max(2, window * 0.7);
        threshold = window;
        since = now;
      }
    }
  }
}
