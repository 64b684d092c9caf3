package org.tutti.dissemination;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.tutti.Dissemination;
import org.tutti.MemberId;
import org.tutti.View;

/// Notices when this node's line is what a star waits for, and when a star would do again; and keeps batches back that
/// would only wait for the line, whatever way they are to go.
///
/// The line is the bottleneck when packets to *every* other member wait for it: they take longer than the fastest ones
/// did lately, by [#QUEUEING_NANOS], and several are on the way to each; or the transport says so. One slow member
/// alone is not that: in a chain it would hold up the others. What all members acknowledge in such a time is what the
/// line carries. A star would do again when nothing waits and it would fill half of that.
///
/// A full line is a reason for chains also when all members multicast, although chains of all then carry as many bytes
/// over each line as stars do: the chains make a ring, in which each line has one sender and one receiver. With stars
/// several lines meet at each receiver, so that queues form there as well, and a member whose window is full of what
/// goes to the busiest receiver sends nothing to the others.
///
/// Where the network's multicast reaches others, a star sends one copy, and the sender's line is none that a chain
/// could spare. But several senders' multicasts meet at each receiver as stars do, and there they get lost: so a chain
/// may be chosen while others multicast more than half as much as this member.
///
/// The delay of packets as a sign that a queue has formed, against the least delay of the last seconds: Brakmo and
/// Peterson, "TCP Vegas", IEEE JSAC 13(8), 1995.
public final class BottleneckDetector implements Disseminator.Choice {
  static final long INTERVAL_NANOS = 50_000_000;
  static final long QUEUEING_NANOS = 10_000_000;

  private static final long ROOM_BYTES_MIN = 64 << 10; // as long as nothing is known
  private static final double ROOM_KEPT = 0.9; // of the room for an interval, in the next one
  private static final int STAR_PARTS = 2; // of what the line carries a star may take one
  private static final int MEETING_PARTS = 2; // of what this member multicasts; others meet it with more than one
  private static final double PAST = 0.9; // of a sum, kept in the next interval

  /// What is known of the lines to other nodes.
  public interface Lines {
    /// How long packets to a peer wait for the line.
    ///
    /// @param now  the time
    /// @param peer the peer
    /// @return nanoseconds, 0 when few are on the way or nothing is known
    long queueingNanos(long now, MemberId peer);

    /// Whether a multicast of the network reaches a peer.
    ///
    /// @param peer the peer
    /// @return whether packets for it leave once, with those for others
    boolean isMulticast(MemberId peer);

    /// How much the peer has acknowledged, ever.
    ///
    /// @param peer the peer
    /// @return bytes; less than before when the link was forgotten meanwhile
    long acknowledgedBytes(MemberId peer);

    /// How much waits for the line to a peer, or is on the way to it.
    ///
    /// @param peer the peer
    /// @return bytes
    long queuedBytes(MemberId peer);

    /// How much of this member's batches waits for the line to a peer.
    ///
    /// @param peer the peer
    /// @return bytes, none of which is on the way
    long waitingBytes(MemberId peer);
  }

  private final Dissemination wanted;
  private final MemberId self;
  private final Supplier<View> view;
  private final LongSupplier clock;
  private final Lines lines;
  private boolean chains;
  private long since = Long.MIN_VALUE;
  private long sent; // bytes of this member's batches since then
  private long came; // and of others'
  private double own; // sums of these, to which what was long ago adds little
  private double others;
  private long acknowledged; // by all, at that time
  private long room = ROOM_BYTES_MIN; // of a line, for what waits for it
  private double capacity; // of the line in bytes a nanosecond; 0 as long as it was never full

  /// Begins with a star, if it may choose.
  ///
  /// @param wanted which way batches are to go
  /// @param self   this member
  /// @param view   the view installed
  /// @param clock  the time of the step, in nanoseconds
  /// @param lines  to the other members
  public BottleneckDetector(Dissemination wanted, MemberId self, Supplier<View> view, LongSupplier clock, Lines lines) {
    this.wanted = wanted;
    this.self = self;
    this.view = view;
    this.clock = clock;
    this.lines = lines;
  }

  @Override
  public Transmission.Way way(int bytes) {
    lookAgain();
    sent += bytes;
    return way();
  }

  @Override
  public void came(int bytes) {
    came += bytes;
  }

  private Transmission.Way way() {
    return switch (wanted) {
      case STAR -> Transmission.Way.STAR;
      case CHAIN -> Transmission.Way.CHAIN;
      case RELAY -> Transmission.Way.RELAY;
      case AUTO -> chains ? Transmission.Way.CHAIN : Transmission.Way.STAR;
    };
  }

  /// A batch has to wait while more is queued than lines have carried in an interval. Of a star, for every other
  /// member: else a window full of batches would be on its way as a star, for seconds, before the line is known to be
  /// full. Of a chain or for the relay, for that member, of this member's own batches, which share the line with what
  /// it passes on: what waits for a line has its place in the order already, if this member decides that, and batches
  /// of others with later places would have to wait until all of it is everywhere.
  @Override
  public boolean isReady(MemberId next) {
    lookAgain();
    MemberId relay = view.get().members().getFirst();
    long queued =
        switch (way()) {
          case STAR -> leastQueued();
          case CHAIN -> lines.waitingBytes(next);
          case RELAY -> relay.equals(self) ? leastQueued() : lines.waitingBytes(relay);
        };
    return queued <= room;
  }

  private long leastQueued() {
    long least = Long.MAX_VALUE;
    for (MemberId member : view.get().members()) {
      if (!member.equals(self)) {
        least = Math.min(least, lines.queuedBytes(member));
      }
    }
    return least;
  }

  private void lookAgain() {
    long now = clock.getAsLong();
    if (since == Long.MIN_VALUE || now - since >= INTERVAL_NANOS) {
      look(now);
    }
  }

  private void look(long now) {
    View current = view.get();
    long total = 0;
    long waits = Long.MAX_VALUE; // the least of all members
    long most = 0;
    boolean multicasts = false;
    for (MemberId member : current.members()) {
      if (!member.equals(self)) {
        total += lines.acknowledgedBytes(member);
        long queueing = lines.queueingNanos(now, member);
        waits = Math.min(waits, queueing);
        most = Math.max(most, queueing);
        multicasts |= lines.isMulticast(member);
      }
    }
    own = own * PAST + sent;
    others = others * PAST + came;
    boolean spared = multicasts && others * MEETING_PARTS <= own;
    boolean full = !spared && (chains ? most : waits) >= QUEUEING_NANOS;
    double passed = Math.max(INTERVAL_NANOS, (double) now - since);
    double rate = Math.max(0, total - acknowledged) / passed;
    long carried = (long) (rate * INTERVAL_NANOS / (current.size() - 1)); // by each line
    room = Math.max(ROOM_BYTES_MIN, Math.max(carried, (long) (room * ROOM_KEPT)));
    if (full) {
      capacity = passed < 2 * INTERVAL_NANOS ? rate : capacity; // else it may have been idle
      chains = true;
    } else if (chains) {
      double star = rate + sent / passed * (current.size() - 2);
      chains = !spared && star * STAR_PARTS > capacity;
    }
    since = now;
    sent = 0;
    came = 0;
    acknowledged = total;
  }
}
