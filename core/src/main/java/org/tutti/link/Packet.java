package org.tutti.link;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.wire.Malformed;
import org.tutti.wire.Versions;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The outermost bytes of a frame: version, cluster, the two lives that it travels between, and how long the one that
/// speaks has lived, in its own heartbeats: so of two packets of one life anybody can tell which was said later.
///
/// ```
///  0  u8   version (5)
///  1  u8   kind
///  2  u8   flags: 1 identity follows, 2 checksum valid; others are of later versions
///  3  i64  cluster
/// 11  i64  source incarnation
/// 19  i64  destination incarnation, 0 when not known
/// 27  i32  CRC-32C of the frame with this field zero, or 0
/// 31  i64  the source's heartbeat when the frame was given to the transport, from 1
/// 39  [text name, text address of the source, u8 u8 the oldest and the newest version that it understands]
///     DATA:  count stream, count sequence number, count distance to the oldest not acknowledged; as ACK; chunks
///     ACK:   count stream, count next expected number, count window, 1 to 16 i64: bits of what came beyond;
///            on DATA 1 only
///     RESET: count stream, count next: the packets below it were taken
///     DATAGRAM: one message
///     REFUSAL: text, name of the cluster of who refuses; the header has the cluster of who is refused. Empty when the
///            version is the reason: the identity says which ones are understood
/// ```
///
/// **The same in all versions**, from 5 on, so that nodes of any two can tell each other why they do not understand
/// each other: all of the header up to 39, the identity, that it is flag 1 and the checksum flag 2, and kinds 4 and 5,
/// with the body of 5. So has QUIC its invariants (RFC 8999).
///
/// @param version     in which the rest is written
/// @param kind        what follows the header
/// @param cluster     hash of the cluster's name
/// @param source      the sending life
/// @param destination the receiving life, or 0
/// @param beat        how many heartbeats the sending life had lasted
/// @param identity    who the source is, or null when it believes that the receiver knows
/// @param versions    what the source understands; null without an identity
/// @param body        what follows, lent
record Packet(
    int version,
    int kind,
    long cluster,
    long source,
    long destination,
    long beat,
    @Nullable MemberId identity,
    @Nullable Versions versions,
    ByteBuffer body) {
  static final int DATA = 1;
  static final int ACK = 2;
  static final int RESET = 3;
  static final int DATAGRAM = 4;
  static final int REFUSAL = 5;

  /// The length of a header that does not introduce its source.
  static final int HEADER_BYTES = 39;

  /// The most bytes between the header and the chunks of DATA: four counts, two that a window of packets bounds, the
  /// bits of the acknowledgement.
  static final int DATA_BYTES_MAX = 4 * 9 + 2 * 2 + Long.BYTES;

  /// The most words of bits in an ACK: a bit for each packet of a window. What came beyond the bits would be
  /// acknowledged late, and so make round trips look long.
  static final int ACK_WORDS_MAX = InStream.WINDOW_PACKETS / Long.SIZE;

  /// The last heartbeat: what a count can say. With one in a microsecond a life comes to it after two thousand years.
  static final long BEAT_MAX = (1L << 56) - 1;

  private static final int RANGED = 5; // the first version whose identities have a range
  private static final int IDENTITY = 1;
  private static final int CHECKSUM = 2;
  private static final int CHECKSUM_AT = 27;
  private static final int BEAT_AT = CHECKSUM_AT + Integer.BYTES;

  /// Who speaks.
  ///
  /// @param self     the node
  /// @param cluster  hash of its cluster's name
  /// @param versions what it understands
  record Speaker(MemberId self, long cluster, Versions versions) {
    /// The same, to nodes of another cluster.
    Speaker in(long other) {
      return new Speaker(self, other, versions);
    }
  }

  /// Begins a packet; its last fields are written when it is [sealed][#seal].
  static WireWriter begin(int version, int kind, Speaker by, long destination, boolean identity, boolean sum) {
    MemberId self = by.self;
    var out = new WireWriter();
    out.u8(version);
    out.u8(kind);
    out.u8((identity ? IDENTITY : 0) | (sum ? CHECKSUM : 0));
    out.fixed(by.cluster);
    out.fixed(self.incarnation());
    out.fixed(destination);
    for (int at = CHECKSUM_AT; at < HEADER_BYTES; at++) {
      out.u8(0);
    }
    if (identity) {
      out.text(self.name());
      out.text(self.address().text());
      out.u8(by.versions.oldest());
      out.u8(by.versions.newest());
    }
    return out;
  }

  /// How many words of bits an ACK has room for, behind its counts.
  static int ackWords(int room) {
    return Math.clamp((room - (DATA_BYTES_MAX - Long.BYTES)) / Long.BYTES, 1, ACK_WORDS_MAX);
  }

  /// Puts what is known last into a finished frame: when it is said, and the checksum.
  static void seal(ByteBuffer frame, int start, int end, long beat, boolean sum) {
    frame.putLong(start + BEAT_AT, beat);
    if (sum) {
      frame.putInt(start + CHECKSUM_AT, sum(frame, start, end));
    }
  }

  /// Writes a packet that belongs to no link, if the transport has room for it, and tells whether it has.
  static boolean write(WireWriter packet, Address to, FrameSender sender, long beat) {
    ByteBuffer frame = sender.claim(to, packet.length());
    if (frame == null) {
      return false;
    }
    int start = frame.position();
    packet.copyTo(frame);
    seal(frame, start, frame.position(), beat, sender.traits().checksum());
    sender.commit();
    return true;
  }

  private static int sum(ByteBuffer frame, int start, int end) {
    var crc = new CRC32C();
    crc.update(frame.slice(start, CHECKSUM_AT));
    int after = start + CHECKSUM_AT + Integer.BYTES;
    crc.update(frame.slice(after, end - after));
    return (int) crc.getValue();
  }

  /// Reads a frame's header, of whatever version.
  ///
  /// @param own what the reader understands: only of these versions is known what may be in a header
  static Packet read(ByteBuffer frame, boolean sum, Versions own) throws Malformed {
    int start = frame.position();
    var in = new WireReader(frame);
    int version = in.u8();
    int kind = in.u8();
    int flags = in.u8();
    boolean known = kind >= DATA && kind <= REFUSAL && flags <= (IDENTITY | CHECKSUM);
    if (version == 0 || own.has(version) && !known) {
      throw new Malformed("header");
    }
    long cluster = in.fixed();
    long source = in.fixed();
    long destination = in.fixed();
    in.bytesSkipped(Integer.BYTES);
    if (sum && ((flags & CHECKSUM) == 0 || frame.getInt(start + CHECKSUM_AT) != sum(frame, start, frame.limit()))) {
      throw new Malformed("checksum");
    }
    long beat = in.fixed();
    if (source <= 0) {
      throw new Malformed("source");
    }
    if (beat <= 0 || beat > BEAT_MAX) {
      throw new Malformed("heartbeat");
    }
    MemberId identity = (flags & IDENTITY) == 0 ? null : in.member(source);
    Versions versions = identity == null ? null : versions(version, in);
    return new Packet(version, kind, cluster, source, destination, beat, identity, versions, in.rest());
  }

  private static Versions versions(int version, WireReader in) throws Malformed {
    int oldest = version < RANGED ? version : in.u8();
    int newest = version < RANGED ? version : in.u8();
    if (oldest > version || newest < version || !Versions.isRange(oldest, newest)) {
      throw new Malformed("versions");
    }
    return new Versions(oldest, newest);
  }
}
