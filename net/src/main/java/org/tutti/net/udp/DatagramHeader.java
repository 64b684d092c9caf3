package org.tutti.net.udp;

import java.nio.ByteBuffer;

/// The first bytes of every datagram of [UdpTransport].
///
/// ```
///  0  u16  "Tu"
///  2  u8   version (2)
///  3  u8   kind; 128 is added when the sender wants to hear soon what has arrived
///  4  i64  life of the receiver, as the sender knows it; 0 for HELLO
/// 12  i64  life of the sender, as the receiver knows it: random numbers, see [UdpLoop.LocalIncarnations]
/// 20  i64  DATA: its number; PROBE: the highest number so far, or 0; MULTICAST, REPAIR: the multicast's
///          number; NAK: the first one that is missing; ECHO: how long the PROBE was that it answers, or 0;
///          ASK: how long it is, if it is longer than a packet, or 0; HEARD: the same of the ASK that it answers
/// 28  i64  the highest number that the sender has read of the receiver; REPAIR, NAK: life of who sent the multicasts
/// 36  i32  how many DATA and pieces it has read of the receiver; MULTICAST: as how many it counts, 0 for one
/// 40  i32  for how many microseconds it has had the highest one
/// 44  i32  how many bytes it grants: so many may be on the way to it
/// 48       DATA: frames, each after its u16 length
///          MULTICAST, REPAIR: see [MulticastDatagram]
///          NAK: u64, bit i: the multicast i + 1 after the first one is missing, too
///          PROBE with a number: i64 the last multicast with a share for the receiver, u64, bit i: the multicast
///          i + 1 before it had one, too; nothing where there was none
///          PROBE without: padding
/// ```
///
/// ```
///   a                                        b
///   | -- HELLO(0, a) ----------------------> |  keeps nothing
///   | <-------------------- WELCOME(a, b) -- |
///   | -- ECHO(b, a) -----------------------> |  only who gets what is sent to its address knows b
///   | -- DATA(b, a, 1, frames) ------------> |
///   | <------------ ECHO(a, b, highest 1) -- |  or on DATA in the other direction
/// ```
final class DatagramHeader {
  static final int BYTES = 48;

  /// The longest datagram without frames and padding.
  static final int CONTROL_BYTES = BYTES + 2 * Long.BYTES;

  static final int HELLO = 1;
  static final int WELCOME = 2;
  static final int DATA = 3;
  static final int ECHO = 4;
  static final int PROBE = 5;
  static final int BYE = 6;

  /// To a multicast group: frames for several peers.
  static final int MULTICAST = 7;

  /// To a multicast group: who hears this?
  static final int ASK = 8;

  /// The answer to it, as a datagram to who asked.
  static final int HEARD = 9;

  /// To a multicast group: who has these multicasts?
  static final int NAK = 10;

  /// To a multicast group: a multicast, again, perhaps by another one than its sender.
  static final int REPAIR = 11;

  static final int SOON = 128;

  static final byte VERSION = 2;

  private static final short MAGIC = 'T' << 8 | 'u';

  // What was read last.
  int kind;
  boolean soon;
  long to;
  long from;
  long number;
  long highest;
  int count;
  int heldMicros;
  int grant;
  long before; // of a share: which multicasts before this one had one for the same peer
  boolean repeated; // its frames were taken from a repair
  int datagrams; // in how many it came, those not counted that were lost and said again

  /// Why a datagram is not one of ours.
  enum Fault {
    FOREIGN,
    OTHER_VERSION,
    NONE
  }

  /// Reads from the beginning of a datagram, whose position is then behind the header.
  Fault read(ByteBuffer in) {
    if (in.remaining() < BYTES || in.getShort() != MAGIC) {
      return Fault.FOREIGN;
    }
    if (in.get() != VERSION) {
      return Fault.OTHER_VERSION;
    }
    int mixed = in.get() & 0xff;
    kind = mixed & ~SOON;
    soon = (mixed & SOON) != 0;
    to = in.getLong();
    from = in.getLong();
    number = in.getLong();
    highest = in.getLong();
    count = in.getInt();
    heldMicros = in.getInt();
    grant = in.getInt();
    repeated = false;
    datagrams = 1;
    boolean ours = kind >= HELLO && kind <= REPAIR && from != 0 && heldMicros >= 0 && grant >= 0;
    return ours ? Fault.NONE : Fault.FOREIGN;
  }

  /// Whether a datagram claims to be one of ours, of whatever version.
  static boolean is(ByteBuffer in, int at) {
    return in.getShort(at) == MAGIC;
  }

  /// Takes over what a piece for one peer says.
  void take(UnicastPiece piece) {
    kind = DATA;
    soon = piece.soon;
    number = piece.number;
    repeated = false;
    datagrams = 1;
  }

  /// Reads the part of a multicast that is for one peer, see [MulticastDatagram].
  void readShare(ByteBuffer in) {
    to = in.getLong();
    number = in.getLong();
    highest = in.getLong();
    count = in.getInt();
    heldMicros = Math.max(0, in.getInt());
    grant = Math.max(0, in.getInt());
    before = in.getLong();
  }

  /// Writes the part that says who speaks to whom; the rest is zero.
  static void write(ByteBuffer out, int kind, long to, long from) {
    out.putShort(0, MAGIC).put(2, VERSION).put(3, (byte) kind).putLong(4, to).putLong(12, from);
    out.putLong(20, 0).putLong(28, 0).putLong(36, 0).putInt(44, 0);
  }

  /// Writes the number.
  static void number(ByteBuffer out, long number) {
    out.putLong(20, number);
  }

  /// Writes as how many a multicast counts that goes whole although it is longer than the paths.
  static void datagrams(ByteBuffer out, int count) {
    out.putInt(36, count);
  }

  /// Writes which multicast it is about.
  static void of(ByteBuffer out, long life, long number) {
    out.putLong(20, number).putLong(28, life);
  }

  /// Makes a repair of a multicast.
  static void repair(ByteBuffer multicast, long by, long of) {
    multicast.put(3, (byte) REPAIR).putLong(12, by).putLong(28, of);
  }

  /// Writes what has arrived.
  static void echo(ByteBuffer out, long highest, int count, long heldMicros, int grant) {
    out.putLong(28, highest).putInt(36, count);
    out.putInt(40, (int) Math.min(heldMicros, Integer.MAX_VALUE)).putInt(44, grant);
  }
}
