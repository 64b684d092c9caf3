package org.tutti.link;

import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.transport.FrameSender;
import org.tutti.wire.Versions;
import org.tutti.wire.WireWriter;

/// The way of packets to one life of one node: their headers, the transport's room, and when this node last showed
/// that it lives.
final class Path {
  /// Every network takes IP packets of 576 bytes (RFC 1122, section 3.3.3). On a path that has become narrow a longer
  /// one gets lost, and for a second or more nobody knows.
  private static final int PASSES_ANYWHERE_BYTES = 500;

  private final Packet.Speaker self;
  private MemberId peer;
  private final FrameSender sender;
  private final LongSupplier beat;
  private final Counters counters;
  private final long retransmitNanos;
  private int version; // the highest that both have, as far as is known
  private boolean introduced; // the peer has said itself who it is
  private @Nullable Versions spoken; // what it has said with that
  private boolean knowsUs; // the peer has addressed us by our incarnation, so it needs no introduction
  private long lastSign = Long.MIN_VALUE;
  private long blockedUntil = Long.MIN_VALUE;

  Path(Packet.Speaker self, MemberId peer, FrameSender sender, LongSupplier beat, Counters counters) {
    this.self = self;
    this.peer = peer;
    this.version = self.versions().oldest(); // those who know nobody of the peer's build understand this most likely
    this.sender = sender;
    this.beat = beat;
    this.counters = counters;
    this.retransmitNanos = sender.traits().retransmitAfter().toNanos();
  }

  /// The peer says who it is: that counts more than what others said of it, but not more than what it said before.
  ///
  /// @param versions what it understands, some of which this node does
  /// @return whether it does not contradict itself
  boolean introduced(MemberId identity, Versions versions) {
    if (!introduced) {
      introduced = true;
      if (!peer.equals(identity)) {
        peer = identity;
        ready(); // it was the wrong address that had no room
      }
    }
    boolean consistent = peer.equals(identity);
    if (consistent) {
      spoken = versions;
      speak(versions);
    }
    return consistent;
  }

  /// From now on packets are of the highest version that the peer understands, too.
  void speak(Versions its) {
    version = self.versions().common(its);
  }

  /// What the peer understands, as it says; null as long as it has not. A refusal in its name does not count.
  @Nullable Versions versions() {
    return spoken;
  }

  MemberId peer() {
    return peer;
  }

  Counters counters() {
    return counters;
  }

  long retransmitNanos() {
    return retransmitNanos;
  }

  int frameBytesMax() {
    return sender.traits().frameBytesMax();
  }

  /// How long a frame had better be now.
  int frameBytes() {
    return sender.frameBytes(peer.address());
  }

  void known() {
    knowsUs = true;
  }

  void ready() {
    blockedUntil = Long.MIN_VALUE;
  }

  boolean isBlocked(long now) {
    return now < blockedUntil;
  }

  long blockedUntil() {
    return blockedUntil;
  }

  /// Whether packets with the same content for several peers leave this host once.
  boolean isMulticast() {
    return sender.isMulticast(peer.address());
  }

  /// How long a packet would wait for the line; below 0 when the transport does not know.
  long waitNanos() {
    return sender.waitNanos(peer.address());
  }

  /// When a packet was last sent that is short enough to pass any path.
  long lastSignNanos() {
    return lastSign;
  }

  /// How long the header of a packet is; it never grows, as a peer that knows us goes on knowing us.
  int headerBytes() {
    return knowsUs ? Packet.HEADER_BYTES : begin(Packet.DATA).length();
  }

  WireWriter begin(int kind) {
    return Packet.begin(version, kind, self, peer.incarnation(), !knowsUs, sender.traits().checksum());
  }

  /// Sends a packet that is written already, if there is room.
  void put(long now, WireWriter packet) {
    ByteBuffer frame = claim(now, packet.length());
    if (frame != null) {
      int start = frame.position();
      packet.copyTo(frame);
      commit(now, frame, start);
    }
  }

  @Nullable ByteBuffer claim(long now, int length) {
    ByteBuffer frame = sender.claim(peer.address(), length);
    if (frame == null) {
      counters.count(Count.CLAIMS_REFUSED);
      blockedUntil = now + retransmitNanos / 4;
    }
    return frame;
  }

  /// Hands over a packet with messages. Bulk that goes to several peers may leave with one frame to all.
  void commit(long now, ByteBuffer frame, int start, Chunk last) {
    finish(now, frame, start);
    if (last.message().isBulk() && last.message().common()) {
      sender.commit(last.message(), last.from());
    } else {
      sender.commit();
    }
  }

  void commit(long now, ByteBuffer frame, int start) {
    finish(now, frame, start);
    sender.commit();
  }

  private void finish(long now, ByteBuffer frame, int start) {
    int length = frame.position() - start;
    Packet.seal(frame, start, frame.position(), beat.getAsLong(), sender.traits().checksum());
    if (length <= PASSES_ANYWHERE_BYTES) {
      lastSign = now;
    }
  }
}
