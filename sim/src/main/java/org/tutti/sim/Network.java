package org.tutti.sim;

import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The links between all pairs of nodes, each direction by itself: delay, loss, repetition, overtaking, bit flips,
/// refusal, standstill and partitions.
final class Network {
  /// What arrives where.
  interface Host {
    void arrive(int from, int to, byte[] frame);

    void ready(int at, int peer);
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

    private Link(int from, int to, SplittableRandom random) {
      this.from = from;
      this.to = to;
      this.random = random;
    }

    /// Whether a frame is taken; if not, word of room follows.
    boolean takes(int length) {
      long now = scheduler.nowNanos();
      boolean full = bytesOnTheWay > 0 && bytesOnTheWay + length > capacityBytes;
      if (now >= refusedUntilNanos && !full) {
        return true;
      }
      tally.fault(full ? FaultKind.CLOG : FaultKind.REFUSAL);
      if (!wantsReady) {
        wantsReady = true;
        if (!full) {
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
      if (cut || strikes(FaultKind.LOSS, 0.3)) {
        return;
      }
      carry(frame);
      while (strikes(FaultKind.DUPLICATION, 0.3)) {
        carry(frame.clone());
      }
    }

    private void carry(byte[] frame) {
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
      scheduler.at(arrival, () -> arrive(carried, frame.length));
    }

    private void arrive(byte[] frame, int length) {
      bytesOnTheWay -= length;
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
  }

  /// How many times the time of suspicion a frame may be held up.
  static final int DELAY_UNITS_MAX = 2;

  private static final int CAPACITY_FRAMES = 24;

  private final Scheduler scheduler;
  private final Plan plan;
  private final double[] strengths; // by kind of fault
  private final RunCounts tally;
  private final Host host;
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
    var streams = new Streams(plan.seed());
    for (int from = 0; from < plan.nodes(); from++) {
      for (int to = 0; to < plan.nodes(); to++) {
        links[from][to] = new Link(from, to, streams.open(Streams.Purpose.LINK, from * 64L + to));
      }
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
