package org.tutti.wire;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.fixture.RawPackets;
import org.tutti.transport.Address;

/// Throws frames at nodes in every state that a group passes through, and watches what becomes of each.
///
/// It works in rounds. A round plays the [ScriptedGroup]'s play up to a random moment, takes one of the nodes for a
/// victim, throws frames at it, and lets the group go on. All frames come from what was said up to then: whole,
/// changed, or made anew around a changed message so that the victim's link takes it for the next one of a member.
/// Everything follows from the seed and the number of the round.
final class FrameFuzz {
  /// What is thrown in one round.
  enum Aim {
    /// Frames of nodes that nobody knows, of other clusters, and rubbish: the group must not suffer.
    STRANGER(600, 600),
    /// Frames of members that the network damaged (they carry checksums), repeated or brought to the wrong place.
    DAMAGE(400, 400),
    /// The same damage, under a checksum that is right, or without one.
    FORGERY(400, 400),
    /// Packets that the link takes, with damaged messages inside.
    MESSAGE(64, 64),
    /// Packets that the link takes, with well-formed messages that are not true.
    LIE(48, 48),
    /// What the members say to each other, damaged or made untrue on its way.
    RELAY(250, 14);

    final int times; // throws, or ticks
    final int framesUsual;

    Aim(int times, int framesUsual) {
      this.times = times;
      this.framesUsual = framesUsual;
    }
  }

  /// Something that must not happen.
  ///
  /// @param what   says it; equal for what is likely the same bug
  /// @param detail with which seed, round and frame, and where
  record Finding(String what, String detail) {}

  private static final int AFTERMATH_TICKS = 400;
  private static final int RECOVERY_TICKS = 30_000;
  private static final long ALLOCATION_BASE = 512 << 10; // answers, retransmissions, deliveries of what waited
  private static final long ALLOCATION_FACTOR = 64;
  private static final int KNOWN_BIT = 50; // of incarnations that no member has
  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final long seed;
  private final Aim[] aims;
  private final Corpus plain = new Corpus(false);
  private final Corpus rich = new Corpus(true);
  private final FuzzCounts tally = new FuzzCounts();
  private final List<Finding> findings = new ArrayList<>();

  FrameFuzz(long seed, Set<Aim> aims) {
    this.seed = seed;
    this.aims = aims.toArray(Aim[]::new);
  }

  /// What was said in a play.
  Corpus corpus(boolean ofRich) {
    return ofRich ? rich : plain;
  }

  FuzzCounts tally() {
    return tally;
  }

  List<Finding> findings() {
    return findings;
  }

  /// Throws about so many frames, as many of one aim as of another.
  void run(long count) {
    for (long round = 0; tally.thrown() < count; round++) {
      round(round);
    }
  }

  /// Throws the frames of one round.
  void round(long number) {
    var random = new SplittableRandom(seed * 1_000_003 + number);
    new Round(number, random, aim(random)).play();
  }

  private Aim aim(SplittableRandom random) {
    double at = random.nextDouble() * Arrays.stream(aims).mapToDouble(aim -> 1.0 / aim.framesUsual).sum();
    for (Aim aim : aims) {
      at -= 1.0 / aim.framesUsual;
      if (at < 0) {
        return aim;
      }
    }
    return aims[0];
  }

  private final class Round implements ScriptedGroup.Listener {
    private final long number;
    private final SplittableRandom random;
    private final Aim aim;
    private final boolean checksum;
    private final Map<MemberId, Map<MemberId, RawPackets.Place>> heard = new TreeMap<>(); // by receiver, then sender
    private final Corpus corpus;
    private final ScriptedGroup stage;
    private final long moment;
    private final ValueMutation lies;
    private ScriptedGroup.Participant victim;
    private List<Metric> before = List.of();
    private boolean relaying;
    private boolean relayed;
    private long allocatedBefore;
    private String kind = "";
    private byte[] frame = new byte[0];

    Round(long number, SplittableRandom random, Aim aim) {
      this.number = number;
      this.random = random;
      this.aim = aim;
      this.checksum = aim == Aim.DAMAGE || random.nextInt(3) == 0;
      boolean more = number % 2 == 1;
      this.corpus = corpus(more);
      this.stage = new ScriptedGroup(checksum, more, this);
      this.moment = random.nextLong(corpus.firstWords(), corpus.ticks());
      this.lies = new ValueMutation(random, corpus.members, corpus.views, more);
      this.victim = stage.participant(random.nextInt(ScriptedGroup.NODES));
    }

    void play() {
      for (long tick = 0; tick < moment; tick++) {
        stage.tick();
      }
      victim = stage.participant(victim.number);
      before = victim.engine.counters().metrics();
      List<Metric> start = before;
      ScriptedGroup.Participant first = victim;
      try {
        relaying = aim == Aim.RELAY;
        for (int i = 0; i < aim.times; i++) {
          if (relaying) {
            stage.tick();
          } else {
            shoot();
          }
        }
        relaying = false;
        kind = "aftermath";
        aftermath();
      } catch (Throwable thrown) { // whatever it is, it would have stopped the node
        find(describe(thrown), thrown);
      }
      tally.add(start, first.engine.counters().metrics());
    }

    /// Strangers and damage must not keep the group from playing to the end; members who lie may.
    private void aftermath() {
      boolean unharmed = aim == Aim.STRANGER || aim == Aim.DAMAGE;
      for (int left = unharmed ? RECOVERY_TICKS : AFTERMATH_TICKS; !stage.isOver() && left > 0; left--) {
        stage.tick();
      }
      if (unharmed && !stage.isOver()) {
        find("the group was stopped", null);
      }
    }

    // ---- what becomes of a frame -------------------------------------------------------------------------------

    private void shoot() {
      frame = next();
      byte[] thrown = frame.clone();
      long allocated = THREADS.getCurrentThreadAllocatedBytes();
      stage.shoot(victim.number, thrown);
      account(THREADS.getCurrentThreadAllocatedBytes() - allocated);
    }

    private void account(long allocated) {
      List<Metric> after = victim.engine.counters().metrics();
      boolean counted = !after.equals(before);
      boolean dropped = counted && after.stream().anyMatch(one -> FuzzCounts.isDrop(one) && !before.contains(one));
      before = after;
      tally.add(aim, kind, dropped, counted, allocated);
      if (allocated > ALLOCATION_BASE + ALLOCATION_FACTOR * frame.length) {
        find("much memory for a small frame", null);
      }
      if (mustBeDropped() && !dropped) {
        find("taken although " + kind, null);
      }
    }

    private boolean mustBeDropped() {
      return switch (kind) {
        case "other cluster", "rubbish", "no identity", "wrong destination", "sent back" -> true;
        case "bits", "bytes", "shorter", "longer", "counts", "splice" -> aim == Aim.DAMAGE;
        default -> false;
      };
    }

    @Override
    public byte[] arriving(ScriptedGroup.Participant from, ScriptedGroup.Participant to, byte[] seen) {
      hear(from.self, to.self, seen);
      relayed = relaying && RawPackets.kind(seen) == RawPackets.DATA && random.nextInt(6) == 0;
      if (!relayed) {
        return seen;
      }
      victim = to;
      before = to.engine.counters().metrics();
      frame = relayed(seen);
      allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
      return frame.clone();
    }

    @Override
    public void arrived(ScriptedGroup.Participant to) {
      if (relayed) {
        account(THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore);
      }
    }

    /// Remembers what the link expects next.
    private void hear(MemberId from, MemberId to, byte[] seen) {
      if (RawPackets.kind(seen) == RawPackets.DATA) {
        RawPackets.Place place = RawPackets.place(seen);
        heard
            .computeIfAbsent(to, key -> new TreeMap<>())
            .merge(from, place, (known, now) -> now.compareTo(known) > 0 ? now : known);
      }
    }

    // ---- frames ------------------------------------------------------------------------------------------------

    private byte[] next() {
      return switch (aim) {
        case STRANGER -> byStranger();
        case DAMAGE -> damaged();
        case FORGERY -> forged();
        case MESSAGE -> inPacket(changed(message()));
        case LIE -> inPacket(untrue(message()));
        case RELAY -> throw new IllegalStateException("nothing is thrown");
      };
    }

    private byte[] byStranger() {
      var address = new Address("far:" + random.nextInt(50));
      var stranger = new MemberId("x" + random.nextInt(50), address, 1L << KNOWN_BIT | random.nextLong(1L << 40));
      long destination = victim.self.incarnation();
      byte[] real = real();
      ByteBuffer fields = ByteBuffer.wrap(real);
      switch (random.nextInt(5)) {
        case 0 -> {
          kind = "rubbish";
          byte[] rubbish = new byte[random.nextInt(200)];
          random.nextBytes(rubbish);
          return rubbish;
        }
        case 1 -> {
          kind = "other cluster";
          fields.putLong(RawPackets.CLUSTER_AT, random.nextLong());
          return RawPackets.sealed(real);
        }
        case 2 -> {
          kind = "no identity";
          fields.putLong(RawPackets.SOURCE_AT, stranger.incarnation()).putLong(RawPackets.DESTINATION_AT, destination);
          return RawPackets.anonymous(real);
        }
        case 3 -> {
          kind = "call";
          return RawPackets.datagram(stranger, random.nextBoolean() ? 0 : destination, mutated(message()));
        }
        default -> {
          kind = "first packet";
          return RawPackets.data(
              stranger, destination, true, new RawPackets.Place(1 + random.nextInt(5), 0), mutated(message()));
        }
      }
    }

    private byte[] damaged() {
      byte[] real = real();
      ByteBuffer fields = ByteBuffer.wrap(real);
      switch (random.nextInt(8)) {
        case 0 -> {
          kind = "repeated";
          return real;
        }
        case 1 -> {
          kind = "wrong destination";
          fields.putLong(RawPackets.DESTINATION_AT, victim.self.incarnation() | 1L << KNOWN_BIT);
          return RawPackets.sealed(real);
        }
        case 2 -> {
          kind = "sent back";
          fields
              .putLong(RawPackets.DESTINATION_AT, RawPackets.source(real))
              .putLong(RawPackets.SOURCE_AT, victim.self.incarnation());
          return RawPackets.sealed(real);
        }
        default -> {
          return mutated(real, real());
        }
      }
    }

    private byte[] forged() {
      byte[] real = real();
      if (random.nextInt(8) == 0) {
        kind = "other life";
        MemberId other = corpus.members.get(random.nextInt(corpus.members.size()));
        ByteBuffer.wrap(real)
            .putLong(RawPackets.SOURCE_AT, other.incarnation())
            .putLong(RawPackets.DESTINATION_AT, victim.self.incarnation());
        return RawPackets.sealed(real);
      }
      byte[] forged = mutated(real, real());
      return random.nextInt(4) == 0 ? forged : RawPackets.sealed(forged);
    }

    /// A frame that was carried before, or is on its way to the victim.
    private byte[] real() {
      List<byte[]> next = stage.onTheWayTo(victim);
      if (!next.isEmpty() && random.nextBoolean()) {
        return next.get(random.nextInt(next.size()));
      }
      return corpus.frame(random, moment, victim.self);
    }

    private byte[] message() {
      return corpus.message(random, moment, victim.self);
    }

    private byte[] mutated(byte[] bytes, byte[] other) {
      Mutation mutation = Mutation.any(random);
      byte[] changed = mutation.apply(random, bytes.clone(), other);
      boolean real = Arrays.equals(changed, bytes) || Arrays.equals(changed, other);
      kind = real ? "repeated" : mutation.title();
      return changed;
    }

    private byte[] mutated(byte[] message) {
      Mutation mutation = Mutation.any(random);
      return random.nextInt(4) == 0 ? message : mutation.apply(random, message, message());
    }

    private byte[] changed(byte[] message) {
      byte[] changed = mutated(message, message());
      kind += " in " + ValueMutation.kindOf(message);
      return changed;
    }

    private byte[] untrue(byte[] message) {
      byte @Nullable [] lie = lies.about(message);
      boolean same = lie == null || Arrays.equals(lie, message);
      kind = (same ? "true " : "untrue ") + ValueMutation.kindOf(message);
      return lie == null ? message : lie;
    }

    private byte[] relayed(byte[] seen) {
      int[] messages = new int[1];
      RawPackets.messages(seen, message -> messages[0]++);
      if (messages[0] == 0) {
        kind = "a piece";
        return seen;
      }
      return RawPackets.changed(
          seen, random.nextInt(messages[0]), random.nextInt(4) == 0 ? this::changed : this::untrue);
    }

    /// The next packet that the victim expects of somebody it knows.
    private byte[] inPacket(byte[] message) {
      MemberId from = speaker();
      Map<MemberId, RawPackets.Place> places = heard.computeIfAbsent(victim.self, key -> new TreeMap<>());
      RawPackets.Place last = places.getOrDefault(from, new RawPackets.Place(1 << 20, -1));
      var place = new RawPackets.Place(last.stream(), last.seq() + 1);
      places.put(from, place);
      return RawPackets.data(from, victim.self.incarnation(), last.seq() < 0, place, message);
    }

    private MemberId speaker() {
      MemberId from = victim.self;
      while (from.equals(victim.self)) {
        boolean living = random.nextInt(8) != 0;
        from =
            living
                ? stage.participant(random.nextInt(ScriptedGroup.NODES)).self
                : corpus.members.get(random.nextInt(corpus.members.size()));
      }
      return from;
    }

    // ---- findings ----------------------------------------------------------------------------------------------

    private void find(String what, @Nullable Throwable cause) {
      var detail = new StringBuilder("seed ").append(seed).append(" round ").append(number).append(' ').append(aim);
      detail.append(" at ").append(victim.self).append(", tick ").append(moment).append(": ").append(kind);
      detail.append(", last frame ").append(HexFormat.of().formatHex(frame)).append("\n  ").append(stage);
      if (cause != null) {
        detail.append("\n  ").append(cause);
        Arrays.stream(cause.getStackTrace()).limit(9).forEach(element -> detail.append("\n    at ").append(element));
      }
      findings.add(new Finding(what, detail.toString()));
    }
  }

  private static String describe(Throwable thrown) {
    for (StackTraceElement element : thrown.getStackTrace()) {
      if (element.getClassName().startsWith("org.tutti.") && !element.getClassName().contains(".verify.")) {
        String name = element.getClassName().replaceFirst(".*\\.", "");
        return thrown.getClass().getSimpleName() + " at " + name + "." + element.getMethodName();
      }
    }
    return thrown.toString();
  }
}
