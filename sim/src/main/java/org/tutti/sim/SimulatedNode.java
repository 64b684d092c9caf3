package org.tutti.sim;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.engine.Input;
import org.tutti.engine.NodeEngine;
import org.tutti.pack.Payloads;
import org.tutti.spi.NodeSettings;
import org.tutti.storage.StableStorage;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Refused;
import org.tutti.transport.Traits;
import org.tutti.user.Request;
import org.tutti.wire.Versions;

/// One life of one node: an engine, its clock, its inbox, its end of the network.
///
/// It does what the production host does: a turn feeds the engine with what has arrived, then with the expiry that was
/// due before, and ends with one flush. It is harder on the engine in one respect: a frame's bytes are overwritten when
/// its step is over, so that whoever keeps lent bytes is found out. It checks the invariants of all protocols after
/// each eleventh step or flush, with `-Dsim.invariants=true` after each one.
final class SimulatedNode implements FrameSender {
  /// A node's own monotonic clock: it starts anywhere and runs at its own rate.
  ///
  /// @param offsetNanos what it shows when the run starts; may be negative
  /// @param drift       how much faster than the true time it runs, as a fraction; above -1
  record Clock(long offsetNanos, double drift) {
    /// What the clock shows at a true time.
    long local(long trueNanos) {
      return offsetNanos + trueNanos + (long) (trueNanos * drift);
    }

    /// The earliest true time at which the clock shows at least a local time.
    long trueTime(long localNanos) {
      long elapsed = localNanos - offsetNanos;
      long guess = (long) (elapsed / (1 + drift));
      while (guess > 0 && local(guess - 1) >= localNanos) {
        guess--;
      }
      while (local(guess) < localNanos) {
        guess++;
      }
      return guess;
    }
  }

  /// What a node needs of the run around it.
  interface World {
    void crashed(SimulatedNode node);

    void broken(SimulatedNode node, Throwable error);

    void lostPower(SimulatedNode node);

    void refusedWrite(SimulatedNode node);

    void announced(SimulatedNode node, ViewId view);

    void outdated(SimulatedNode node);

    int numberOf(Address address);
  }

  private static final int POISON = 0x5a;
  private static final long SPIN_NANOS = 10_000; // what a turn takes at least
  private static final long LINE_PHASE_NANOS = 70_000_000;
  private static final long LINE_WAIT_NANOS = 20_000_000;
  private static final long MULTICAST_SALT = 0x6d756c7469L; // any number of its own
  // A check after each step takes half as long as the run. A prime, so that no rhythm of the protocols hides anything.
  private static final int CHECKED_OF = Boolean.getBoolean("sim.invariants") ? 1 : 11;
  private static final int FEW_MEMBERS = 20; // of more, a check takes longer, and more nodes make steps
  private static final Input EXPIRED = new Input.Expired();

  final int number;
  final MemberId self;
  final Clock clock;
  private final Scheduler scheduler;
  private final Network network;
  private final RunCounts tally;
  private final Trace trace;
  private final Plan plan;
  private final World world;
  private final Traits traits;
  private final SplittableRandom random;
  private final ArrayDeque<Input> inbox = new ArrayDeque<>();
  private @Nullable NodeEngine engine;
  private @Nullable ByteBuffer claimed;
  private int claimedTo;
  private boolean turnPlanned;
  private long expiryPlanned = Long.MAX_VALUE; // true time of the earliest expiry in the scheduler
  private long framesUntilCrash = Long.MAX_VALUE;
  private int framesAtAnnouncement = -1; // below 0: none awaited
  private boolean alive = true;
  private boolean paused;
  private Runnable resumed = () -> {};
  private boolean donor;
  private int unchecked; // steps and flushes since the invariants were looked at

  SimulatedNode(Simulation.Setting setting, World world, Network network, int number, MemberId self, Clock clock) {
    this.number = number;
    this.self = self;
    this.clock = clock;
    this.scheduler = setting.scheduler();
    this.tally = setting.tally();
    this.trace = setting.trace();
    this.plan = setting.plan();
    this.network = network;
    this.world = world;
    this.random = setting.streams().open(Streams.Purpose.NODE, self.incarnation());
    this.traits =
        new Traits(plan.frameBytesMax(), Duration.ofNanos(plan.retransmitNanos()), plan.has(FaultKind.CORRUPTION));
  }

  /// Starts the engine.
  void start(NodeSettings config, Versions versions, @Nullable StableStorage storage, Streams streams) {
    engine =
        new NodeEngine(
            self,
            config,
            versions,
            this,
            storage,
            Payloads.spoilt(),
            streams.open(Streams.Purpose.ENGINE, self.incarnation()));
    planTurn();
  }

  boolean isAlive() {
    return alive;
  }

  boolean isPaused() {
    return paused;
  }

  NodeEngine engine() {
    if (engine == null) {
      throw new IllegalStateException("not started");
    }
    return engine;
  }

  /// The membership of a group has ended. Where that is because the build is too old for the group, an operator starts
  /// the node again with another one.
  void ended(End end) {
    if (end.cause() == End.Cause.OTHER_VERSION) {
      world.outdated(this);
    }
  }

  /// Lets an application's request come in after a while.
  void request(Request request, long afterNanos) {
    scheduler.after(afterNanos, () -> offer(new Input.Requested(request)));
  }

  /// Something comes in.
  void offer(Input input) {
    if (alive) {
      inbox.add(input);
      planTurn();
    } else if (input instanceof Input.Requested) {
      inbox.add(input); // for the case that it wakes up again
    }
  }

  private void planTurn() {
    if (!turnPlanned && !paused) {
      turnPlanned = true;
      long delay = plan.turnNanosMax() == 0 ? 0 : random.nextLong(plan.turnNanosMax());
      scheduler.after(delay, this::turn);
    }
  }

  private void turn() {
    turnPlanned = false;
    if (!alive || paused) {
      return;
    }
    long now = clock.local(scheduler.nowNanos());
    try {
      boolean due = engine().deadlineNanos() <= now;
      for (int left = inbox.size(); left > 0; left--) {
        step(now, inbox.remove());
      }
      if (due) {
        step(now, EXPIRED);
      }
      engine().flush(now);
      check();
      planExpiry(engine().deadlineNanos(), now);
    } catch (SimulatedDisk.PowerFailure failure) {
      world.lostPower(this);
      return;
    } catch (Throwable error) {
      if (error == SimulatedDisk.FULL) {
        world.refusedWrite(this);
      } else {
        world.broken(this, error);
      }
      return;
    }
    if (framesUntilCrash <= 0) {
      world.crashed(this);
    }
  }

  private void step(long now, Input input) {
    note(input);
    engine().step(now, input);
    check();
    if (input instanceof Input.Arrived arrived) {
      Arrays.fill(arrived.frame().array(), (byte) POISON);
    }
  }

  private void check() {
    int many = Math.max(1, plan.nodes() / FEW_MEMBERS);
    if (++unchecked >= CHECKED_OF * many * many) {
      unchecked = 0;
      engine().check();
    }
  }

  private void note(Input input) {
    switch (input) {
      case Input.Arrived(ByteBuffer frame) -> {
        trace.note(number, 1, frame);
        if (trace.speaks()) {
          trace.say(self.name(), "<- " + FrameText.describe(frame));
        }
      }
      case Input.Ready(Address peer) -> {
        trace.note(number, 2, world.numberOf(peer));
        if (trace.speaks()) {
          trace.say(self.name(), "room for frames to " + peer);
        }
      }
      case Input.Reconnected(Address peer) -> {
        trace.note(number, 9, world.numberOf(peer));
        if (trace.speaks()) {
          trace.say(self.name(), "another connection to " + peer);
        }
      }
      case Input.Gone(Address peer) -> {
        trace.note(number, 7, world.numberOf(peer));
        if (trace.speaks()) {
          trace.say(self.name(), "connections to " + peer + " are refused");
        }
      }
      case Input.Rejected(Refused refused) -> {
        trace.note(number, 8, world.numberOf(refused.by()));
        if (trace.speaks()) {
          trace.say(self.name(), "refused by " + refused);
        }
      }
      case Input.Expired _ -> {
        trace.note(number, 3, 0);
        if (trace.speaks()) {
          trace.say(self.name(), "timer");
        }
      }
      case Input.Requested(Request request) -> {
        String words = FrameText.describe(request);
        trace.note(number, 4, 0);
        trace.note(words);
        if (trace.speaks()) {
          trace.say(self.name(), words);
        }
      }
    }
  }

  private void planExpiry(long deadline, long now) {
    if (deadline == Long.MAX_VALUE) {
      return;
    }
    if (deadline <= now) {
      // Due already: a turn follows, at least a little later, as in the host's loop.
      scheduler.after(Math.max(SPIN_NANOS, plan.turnNanosMax() / 2), this::expire);
      return;
    }
    long at = clock.trueTime(deadline);
    if (at < expiryPlanned) {
      expiryPlanned = at;
      scheduler.at(at, this::expire);
    }
  }

  private void expire() {
    if (scheduler.nowNanos() >= expiryPlanned) {
      expiryPlanned = Long.MAX_VALUE;
    }
    if (!alive || paused) {
      return;
    }
    long now = clock.local(scheduler.nowNanos());
    long deadline = engine().deadlineNanos();
    if (deadline <= now) {
      planTurn();
    } else {
      planExpiry(deadline, now);
    }
  }

  /// Says who is told that it goes on.
  void atResumption(Runnable action) {
    resumed = action;
  }

  /// Stands still from now on.
  void pause() {
    paused = true;
  }

  /// Goes on.
  void resume() {
    if (paused) {
      paused = false;
      resumed.run();
      planTurn();
    }
  }

  /// Crashes after so many frames more.
  void crashAfterFrames(long frames) {
    framesUntilCrash = frames;
    framesAtAnnouncement = -1;
  }

  /// Crashes so many frames after it begins to announce a view that was agreed.
  void crashAtAnnouncement(int frames) {
    framesAtAnnouncement = frames;
  }

  /// Crashes after so many frames more, for giving state.
  void crashAsDonor(long frames) {
    framesUntilCrash = frames;
    donor = true;
  }

  boolean isDonor() {
    return donor;
  }

  /// Whether a crash is planned.
  boolean doomed() {
    return framesUntilCrash != Long.MAX_VALUE || framesAtAnnouncement >= 0;
  }

  /// Is gone. Whether it ever wakes up again nobody can tell but [#thaw].
  void crash() {
    alive = false;
    inbox.removeIf(input -> !(input instanceof Input.Requested));
  }

  /// Comes back as if it had only stood still.
  void thaw() {
    alive = true;
    paused = false;
    resumed.run();
    crashAfterFrames(Long.MAX_VALUE);
    planTurn();
  }

  @Override
  public @Nullable ByteBuffer claim(Address to, int length) {
    if (length < 1 || length > traits.frameBytesMax()) {
      throw new IllegalArgumentException("a frame of " + length + " bytes was claimed");
    }
    claimedTo = world.numberOf(to);
    if (claimedTo < 0 || !network.link(number, claimedTo).takes(length)) {
      trace.note(number, 5, claimedTo);
      if (trace.speaks()) {
        trace.say(self.name(), "-> " + to + " refused");
      }
      claimed = null;
      return null;
    }
    claimed = ByteBuffer.allocate(length);
    return claimed;
  }

  @Override
  public void commit() {
    ByteBuffer frame = claimed;
    if (frame == null || frame.hasRemaining()) {
      throw new IllegalStateException("commit of " + frame);
    }
    claimed = null;
    frame.flip();
    trace.note(number, 6, frame);
    FrameText.announcements(frame, this::announced);
    tally.frames++;
    if (trace.speaks()) {
      trace.say(self.name(), "-> n" + claimedTo + " " + FrameText.describe(frame));
    }
    if (framesUntilCrash == Long.MAX_VALUE || framesUntilCrash-- > 0) {
      network.link(number, claimedTo).send(frame.array());
    }
  }

  private void announced(ViewId view) {
    world.announced(this, view);
    if (framesAtAnnouncement >= 0) {
      framesUntilCrash = framesAtAnnouncement;
      framesAtAnnouncement = -1;
    }
  }

  @Override
  public void renew(Address to) {
    int peer = world.numberOf(to);
    if (peer >= 0) {
      network.link(number, peer).renew();
    }
  }

  /// In some runs a node's line is full now and then, whatever goes over it, so that members change between the ways of
  /// dissemination in the middle of their multicasts.
  @Override
  public long waitNanos(Address to) {
    return plan.mixed() && (phase(number * 31L) & 1) == 0 ? LINE_WAIT_NANOS : 0;
  }

  /// Bits of chance that are others after some time.
  private long phase(long of) {
    return Streams.mix(plan.seed() ^ Streams.mix(of + scheduler.nowNanos() / LINE_PHASE_NANOS));
  }

  /// In some of those runs multicasts of the network reach everybody, so that full lines alone make no chain.
  @Override
  public boolean isMulticast(Address to) {
    return plan.mixed() && (Streams.mix(plan.seed() ^ MULTICAST_SALT) & 3) == 0;
  }

  /// Where frames are lost, now long and now short, as over UDP, another length for each peer.
  @Override
  public int frameBytes(Address to) {
    int most = traits.frameBytesMax();
    if (!plan.has(FaultKind.LOSS)) {
      return most;
    }
    int shorter = (int) phase(number * 31L + world.numberOf(to) * 17L) & 3;
    return Math.max(Traits.FRAME_BYTES_MIN, most >> shorter);
  }

  /// By its certificate, as a transport with TLS knows it of whom it has a connection to.
  @Override
  public boolean mayVote(Address peer) {
    int place = world.numberOf(peer);
    return place < 0 || plan.mayVote(place);
  }

  @Override
  public Traits traits() {
    return traits;
  }
}
