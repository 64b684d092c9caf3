package org.tutti.sim;

import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The links between all pairs of nodes, each direction by itself: delay, loss, repetition, overtaking, bit flips,
/// refusal, standstill and partitions. In some runs the transports have connections ([Plan#connected]), which are
/// replaced when a sender asks for it, as over TCP.
final class Network {
  /// What arrives where.
  interface Host {
    void arrive(int from, int to, byte[] frame);

    void ready(int at, int peer);

    void reconnected(int at, int peer);
  }

  /// Sees every frame, for those who count; must not change it.
  interface Observer {
    void sent(int from, int to, byte[] frame);

    void arrived(int to, byte[] frame);

    default void cut(boolean @Nullable [][] cut) {}
  }

  /// One direction between two nodes.
  final class Link {
    final int from;
    final int to;
    private final SplittableRandom random;
    private boolean cut;
    private boolean wantsReady; // a claim was refused and nobody was told of room since
    private long refusedUntilNanos;
    private long cloggedUntilNanos;
    private long lastArrivalNanos;
    private long busyUntilNanos; // the line, with what was sent
    private long bytesOnTheWay;
    private long sent; // frames
    private final SplittableRandom connections;
    private @Nullable Stall stall; // of the connection in use
    private boolean dialling;
    private long dialFromNanos;
    private long dialUntilNanos;

    private Link(int from, int to, SplittableRandom random) {
      this.from = from;
      this.to = to;
      this.random = random;
      this.connections = streams.open(Streams.Purpose.CONNECTION, 1 + from * 64L + to);
    }

    /// Whether a frame is taken; if not, word of room follows.
    boolean takes(int length) {
      long now = scheduler.nowNanos();
      boolean full = bytesOnTheWay > 0 && bytesOnTheWay + length > capacityBytes;
      boolean waits = stall != null && !stall.takes(length);
      if (now >= refusedUntilNanos && !full && !waits) {
        return true;
      }
      if (!waits) {
        tally.fault(full ? FaultKind.CLOG : FaultKind.REFUSAL);
      }
      if (!wantsReady) {
        wantsReady = true;
        if (!full && !waits) {
          scheduler.at(refusedUntilNanos, this::tellReady);
        }
      }
      return false;
    }

    private void tellReady() {
      if (wantsReady) {
        wantsReady = false;
        host.ready(from, to);
      }
    }

    void send(byte[] frame) {
      if (observer != null) {
        observer.sent(from, to, frame);
      }
      long number = sent++;
      if (isConnected() && (cut || stall != null)) {
        stalled().keep(number, frame);
        return;
      }
      if (cut || strikes(FaultKind.LOSS, 0.3)) {
        return;
      }
      carry(number, frame);
      while (strikes(FaultKind.DUPLICATION, 0.3)) {
        carry(number, frame.clone());
      }
    }

    private void carry(long number, byte[] frame) {
      byte[] carried = strikes(FaultKind.CORRUPTION, 0.1) ? damaged(frame) : frame;
      busyUntilNanos = Math.max(busyUntilNanos, scheduler.nowNanos()) + frame.length * plan.lineNanosPerByte();
      long arrival = busyUntilNanos + plan.delayNanosMin();
      arrival += random.nextLong(plan.delayNanosMax() - plan.delayNanosMin() + 1);
      if (strikes(FaultKind.DELAY, 0.05)) {
        arrival += random.nextLong(DELAY_UNITS_MAX * plan.suspectNanos());
      }
      arrival = Math.max(arrival, cloggedUntilNanos);
      if (!strikes(FaultKind.REORDERING, 0.5)) {
        arrival = Math.max(arrival, lastArrivalNanos);
        lastArrivalNanos = arrival;
      }
      bytesOnTheWay += frame.length;
      scheduler.at(arrival, () -> arrive(number, carried, frame.length));
    }

    private void arrive(long number, byte[] frame, int length) {
      bytesOnTheWay -= length;
      if (cut && isConnected()) {
        stalled().keep(number, frame);
      }
      if (!cut) {
        if (observer != null) {
          observer.arrived(to, frame);
        }
        host.arrive(from, to, frame);
      }
      if (wantsReady && bytesOnTheWay == 0 && scheduler.nowNanos() >= refusedUntilNanos) {
        tellReady();
      }
    }

    private boolean strikes(FaultKind kind, double probabilityMax) {
      double probability = calm ? 0 : strengths[kind.ordinal()] * probabilityMax;
      boolean strikes = probability > 0 && random.nextDouble() < probability;
      if (strikes) {
        tally.fault(kind);
      }
      return strikes;
    }

    private byte[] damaged(byte[] frame) {
      byte[] copy = frame.clone();
      if (copy.length == 0) {
        return copy; // nothing is left of it, after it was damaged on its way into a connection that stood still
      }
      if (random.nextInt(8) == 0) {
        return java.util.Arrays.copyOf(copy, random.nextInt(copy.length));
      }
      for (int flips = random.nextInt(1, 4); flips > 0; flips--) {
        copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
      }
      return copy;
    }

    void cut(boolean isCut) {
      cut = isCut && !calm;
    }

    void refuseFor(long nanos) {
      refusedUntilNanos = scheduler.nowNanos() + nanos;
    }

    void clogFor(long nanos) {
      cloggedUntilNanos = scheduler.nowNanos() + nanos;
    }

    // ---- connections ---------------------------------------------------------------------------------------------

    private boolean isConnected() {
      return plan.connected() && from != to;
    }

    private Stall stalled() {
      if (stall == null) {
        stall = new Stall();
      }
      return stall;
    }

    /// The sender asks for another connection, beside the one there is until it is complete.
    void renew() {
      if (isConnected() && !dialling && scheduler.nowNanos() >= dialFromNanos) {
        dialling = true;
        dialFromNanos = scheduler.nowNanos() + units(RENEWAL_UNITS);
        dialUntilNanos = scheduler.nowNanos() + units(DIAL_UNITS_MAX);
        dial();
      }
    }

    /// A connection needs both directions, and is there a round trip after both work. An attempt is given up after some
    /// time, unless nothing is left of the old connection.
    private void dial() {
      boolean needed = stall != null && stall.lost;
      if (scheduler.nowNanos() >= dialUntilNanos && !needed) {
        dialling = false;
      } else if (cut || back().cut) {
        scheduler.after(units(DIAL_UNITS), this::dial);
      } else {
        scheduler.after(delay() + delay(), this::connected);
      }
    }

    private long delay() {
      return plan.delayNanosMin() + connections.nextLong(plan.delayNanosMax() - plan.delayNanosMin() + 1);
    }

    /// Both sides use the connection that was completed last.
    private void connected() {
      if (cut || back().cut) {
        dial();
        return;
      }
      dialling = false;
      replaced();
      back().replaced();
    }

    private void replaced() {
      Stall old = stall;
      if (old != null) {
        stall = null;
        old.over = connections.nextBoolean(); // one that the other side had opened is read from beside the new one
        host.reconnected(from, to);
        tellReady();
      }
    }

    /// A process at one of its ends is gone, and its connections with it.
    private void end() {
      Stall old = stall;
      if (old != null) {
        old.over = true;
        stall = null;
        if (cut) {
          stalled().lose();
        }
      }
    }

    private Link back() {
      return links[to][from];
    }

    /// A connection whose way was cut. It repeats what it sends in vain after a time that doubles, so that after the
    /// cut it stays mute for as long again as the cut has lasted, if it comes to the worst; then all arrives that was
    /// written meanwhile. When it has waited for too long it is given up.
    private final class Stall {
      private final TreeMap<Long, byte[]> kept = new TreeMap<>(); // by number
      private long keptBytes;
      private long pauseNanos;
      private boolean lost; // nothing is taken until there is another connection
      private boolean over;

      Stall() {
        pauseNanos = units(connections.nextDouble(RETRANSMIT_UNITS_MIN, RETRANSMIT_UNITS_MAX));
        scheduler.after(pauseNanos, this::repeat);
        scheduler.after(units(SILENCE_UNITS_MAX), this::lose);
      }

      boolean takes(int length) {
        return !lost && (keptBytes == 0 || keptBytes + length <= KEPT_BYTES_MAX);
      }

      void keep(long number, byte[] frame) {
        if (!lost) {
          keptBytes += kept.put(number, frame) == null ? frame.length : 0;
        }
      }

      private void repeat() {
        if (over || lost) {
          return;
        }
        if (cut) {
          pauseNanos *= 2;
          scheduler.after(pauseNanos, this::repeat);
          return;
        }
        over = true;
        if (stall == this) {
          stall = null;
          tellReady();
        }
        kept.forEach(Link.this::carry);
      }

      private void lose() {
        if (!over) {
          lost = true;
          kept.clear();
          if (stall == this && !dialling) {
            dialling = true;
            dial();
          }
        }
      }
    }
  }

  /// How many times the time of suspicion a frame may be held up.
  static final int DELAY_UNITS_MAX = 2;

  private static final int CAPACITY_FRAMES = 24;

  // Of connections, as TCP and the preset for a local network have them, in times of suspicion (1 s there).
  private static final double RETRANSMIT_UNITS_MIN = 0.05;
  private static final double RETRANSMIT_UNITS_MAX = 0.25;
  private static final double RENEWAL_UNITS = 1; // not again and again
  private static final double DIAL_UNITS_MAX = 2;
  private static final double DIAL_UNITS = 0.05; // sooner than the kernel, which repeats an attempt after a second
  private static final double SILENCE_UNITS_MAX = 10;
  private static final int KEPT_BYTES_MAX = 5 << 16; // in the buffer of a connection

  private final Scheduler scheduler;
  private final Plan plan;
  private final double[] strengths; // by kind of fault
  private final RunCounts tally;
  private final Host host;
  private final Streams streams;
  private final Link[][] links;
  private final long capacityBytes;
  private @Nullable Observer observer;
  private boolean calm;
  private int cuts; // counts them, so that what mends an old one does not mend a newer one

  Network(Scheduler scheduler, Plan plan, RunCounts tally, Host host) {
    this.scheduler = scheduler;
    this.plan = plan;
    this.strengths = Stream.of(FaultKind.values()).mapToDouble(plan::strength).toArray();
    this.tally = tally;
    this.host = host;
    boolean narrow = plan.has(FaultKind.CLOG);
    this.capacityBytes = narrow ? (long) CAPACITY_FRAMES * plan.frameBytesMax() : Long.MAX_VALUE;
    this.links = new Link[plan.nodes()][plan.nodes()];
    this.streams = new Streams(plan.seed());
    for (int from = 0; from < plan.nodes(); from++) {
      for (int to = 0; to < plan.nodes(); to++) {
        links[from][to] = new Link(from, to, streams.open(Streams.Purpose.LINK, from * 64L + to));
      }
    }
  }

  private long units(double times) {
    return (long) (plan.suspectNanos() * times);
  }

  /// The process of a node is gone.
  void ended(int number) {
    for (int other = 0; other < links.length; other++) {
      links[number][other].end();
      links[other][number].end();
    }
  }

  /// Shows every frame from now on to somebody.
  void observe(Observer by) {
    observer = by;
  }

  Link link(int from, int to) {
    return links[from][to];
  }

  /// Cuts the links for which a matrix says so and mends all others; null mends everything.
  void partition(boolean @Nullable [][] cut) {
    cuts++;
    if (observer != null) {
      observer.cut(calm ? null : cut);
    }
    for (Link[] row : links) {
      for (Link link : row) {
        link.cut(cut != null && cut[link.from][link.to]);
      }
    }
  }

  /// Mends what is cut link by link, both directions of one at once, in any order, unless another cut comes before.
  void mendOneByOne(SplittableRandom random, long withinNanos) {
    int number = ++cuts;
    for (int a = 0; a < links.length; a++) {
      for (int b = 0; b < a; b++) {
        Link there = links[a][b];
        Link back = links[b][a];
        if (there.cut || back.cut) {
          scheduler.after(
              random.nextLong(withinNanos + 1),
              () -> {
                if (number == cuts) {
                  there.cut(false);
                  back.cut(false);
                  showCuts();
                }
              });
        }
      }
    }
  }

  private void showCuts() {
    if (observer != null) {
      var cut = new boolean[links.length][links.length];
      boolean some = false;
      for (Link[] row : links) {
        for (Link link : row) {
          cut[link.from][link.to] = link.cut;
          some |= link.cut;
        }
      }
      observer.cut(some ? cut : null);
    }
  }

  /// Ends all faults for good. What is on the way arrives.
  void heal() {
    calm = true;
    partition(null);
    for (Link[] row : links) {
      for (Link link : row) {
        link.refusedUntilNanos = 0;
        link.cloggedUntilNanos = 0;
        link.tellReady();
      }
    }
  }
}
