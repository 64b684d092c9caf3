package org.tutti.link;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.effect.Counters;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Refused;
import org.tutti.transport.Traits;
import org.tutti.wire.Codec;
import org.tutti.wire.Encoded;
import org.tutti.wire.Versions;

/// Two nodes' links and a medium between them that loses, repeats, delays and refuses frames. Messages are numbered, so
/// that an end knows what is missing.
final class LossyPair {
  static final long CLUSTER = 99;
  static final int FRAME_BYTES_MAX = 600;
  static final long RETRANSMIT_NANOS = 1_000_000;

  /// The number of an end's first message that others may overtake.
  static final long BULK = 1L << 32;

  /// What the medium does to a frame.
  ///
  /// @param loss        how likely it is lost
  /// @param repetition  how likely it comes once more
  /// @param refusal     how likely it is not even taken
  /// @param delayNanos  the longest way; frames overtake one another
  /// @param checksum    whether bits flip, and frames carry checksums
  record Medium(double loss, double repetition, double refusal, long delayNanos, boolean checksum) {}

  private record Flight(long at, long order, End to, byte[] frame) {}

  private final Medium medium;
  private final SplittableRandom random;
  private final PriorityQueue<Flight> flights =
      new PriorityQueue<>(
          (one, other) -> one.at != other.at ? Long.compare(one.at, other.at) : Long.compare(one.order, other.order));
  private long order;
  private long now;
  private long way; // what every frame takes, besides the medium's delay
  private boolean cut; // every frame is lost
  private long nanosPerByte; // what each line takes to carry a byte
  private long retransmitNanos = RETRANSMIT_NANOS;

  final End a;
  final End b;

  LossyPair(Medium medium, long seed) {
    this(medium, seed, Versions.OWN, Versions.OWN);
  }

  LossyPair(Medium medium, long seed, Versions ofA, Versions ofB) {
    this.medium = medium;
    this.random = new SplittableRandom(seed);
    this.a = new End(Members.A, ofA);
    this.b = new End(Members.B, ofB);
  }

  /// Time passes in which nothing arrives.
  void pass(long nanos) {
    now += nanos;
    a.links.flush(now);
    b.links.flush(now);
  }

  /// From now on every frame takes so much longer.
  void lengthen(long nanos) {
    way = nanos;
  }

  /// From now on a line carries frames one after the other, and takes so long for a byte.
  void narrow(long nanosPerByte) {
    this.nanosPerByte = nanosPerByte;
  }

  /// Links that begin from now on wait so long, as over TCP.
  void retransmitAfter(long nanos) {
    retransmitNanos = nanos;
  }

  /// From now on every frame is lost, or no longer.
  void cut(boolean cut) {
    this.cut = cut;
  }

  long nowNanos() {
    return now;
  }

  SplittableRandom random() {
    return random;
  }

  /// Lets the next thing happen.
  ///
  /// @return whether anything will
  boolean step() {
    a.links.flush(now);
    b.links.flush(now);
    long next = Math.min(a.links.deadline(), b.links.deadline());
    Flight flight = flights.peek();
    if (flight == null && next == Long.MAX_VALUE) {
      return false;
    }
    if (flight != null && flight.at <= next) {
      flights.remove();
      now = Math.max(now, flight.at);
      flight.to.links.arrived(now, ByteBuffer.wrap(flight.frame));
    } else {
      now = Math.max(now, next);
    }
    return true;
  }

  /// Runs until nobody has anything to say.
  ///
  /// @return whether that came
  boolean quiet(int stepsMax) {
    for (int i = 0; i < stepsMax; i++) {
      if (!step()) {
        return true;
      }
    }
    return false;
  }

  /// One node.
  final class End implements FrameSender, Links.Receiver {
    final MemberId self;
    final Versions versions;
    final List<Refused> refused = new ArrayList<>();
    final Set<Integer> spoken = new TreeSet<>(); // versions of packets that it has sent
    final Counters counters = new Counters();
    final Set<MemberId> needed = new TreeSet<>(List.of(Members.A, Members.B));
    Links links;
    final List<Long> received = new ArrayList<>();
    final List<MemberId> heardFirst = new ArrayList<>();
    long beat = 1;
    long heardBeat;
    int frameBytes = FRAME_BYTES_MAX; // that it had better send
    int longest; // of the frames that it has sent
    private long numberNext;
    private long bulkNext = BULK;
    private @Nullable ByteBuffer claimed;
    private long busyUntil; // its line, with what was sent

    private End(MemberId self, Versions versions) {
      this.self = self;
      this.versions = versions;
      this.links = newLinks();
    }

    private Links newLinks() {
      return new Links(new Packet.Speaker(self, CLUSTER, versions), this, counters, this);
    }

    private End other() {
      return this == a ? b : a;
    }

    /// Sends a numbered message.
    void send(int size) {
      ByteBuffer head = ByteBuffer.allocate(Long.BYTES).putLong(numberNext++).flip();
      ByteBuffer tail = size == 0 ? Codec.NOTHING : ByteBuffer.allocate(size);
      links.send(other().self, new Encoded(head, tail));
    }

    /// Sends a numbered message that others may overtake.
    void sendBulk(int size) {
      sendBulk(size, self);
    }

    /// Passes on one of a sender.
    void sendBulk(int size, MemberId sender) {
      ByteBuffer head = ByteBuffer.allocate(Long.BYTES).putLong(bulkNext++).flip();
      links.send(other().self, new Encoded(head, ByteBuffer.allocate(size), sender, false));
    }

    long sentBulk() {
      return bulkNext;
    }

    long sent() {
      return numberNext;
    }

    void forget() {
      links.close(other().self);
    }

    /// Says who it is, as members do now and then.
    void call() {
      links.datagram(other().self.address(), new Encoded(ByteBuffer.allocate(Long.BYTES), Codec.NOTHING));
    }

    /// Does not even know which streams it has closed.
    void loseMemory() {
      links = newLinks();
    }

    @Override
    public @Nullable ByteBuffer claim(Address to, int length) {
      if (length > FRAME_BYTES_MAX) {
        throw new IllegalArgumentException("a frame of " + length + " bytes");
      }
      longest = Math.max(longest, length);
      boolean refused = random.nextDouble() < medium.refusal;
      claimed = refused ? null : ByteBuffer.allocate(length);
      return claimed;
    }

    @Override
    public void commit() {
      byte[] frame = Objects.requireNonNull(claimed).array();
      spoken.add((int) frame[0]);
      if (!cut && random.nextDouble() >= medium.loss) {
        fly(frame);
      }
      while (random.nextDouble() < medium.repetition) {
        fly(frame);
      }
    }

    private void fly(byte[] frame) {
      byte[] carried = frame.clone();
      if (medium.checksum && random.nextInt(5) == 0) {
        carried[random.nextInt(carried.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      }
      long delay = medium.delayNanos == 0 ? 0 : random.nextLong(medium.delayNanos);
      busyUntil = Math.max(busyUntil, now) + frame.length * nanosPerByte;
      flights.add(new Flight(busyUntil + way + delay, order++, other(), carried));
    }

    @Override
    public int frameBytes(Address to) {
      return frameBytes;
    }

    @Override
    public Traits traits() {
      return new Traits(FRAME_BYTES_MAX, Duration.ofNanos(retransmitNanos), medium.checksum);
    }

    @Override
    public void message(MemberId from, ByteBuffer message) {
      received.add(message.getLong());
    }

    @Override
    public void datagram(MemberId from, ByteBuffer message) {
      if (message.hasRemaining()) { // else it is a sign of life
        received.add(-1 - message.getLong());
      }
    }

    @Override
    public void refused(Refused why) {
      refused.add(why);
    }

    @Override
    public Set<MemberId> needed() {
      return needed;
    }

    @Override
    public long beat() {
      return beat;
    }

    @Override
    public void heard(MemberId peer, long its, boolean first) {
      heardBeat = its;
      if (first) {
        heardFirst.add(peer);
      }
    }
  }
}
