package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Refused;
import org.tutti.transport.Refused.Reason;

/// Tells who sends datagrams that cannot be read here why: before there is anything that could be said in a datagram of
/// the protocol, as keys or versions differ.
///
/// ```
///  0  u16  "Tr"
///  2  u8   version (2)
///  3  u8   why: 1 a key is needed, 2 another key is needed, 3 no key is known here, 4 another version of datagrams is
///          spoken, 5 another version of sealed ones
///  4  i64  life of the sender, as the refused datagram has it: only who has seen that can invent a refusal
/// 12  u8   which version is spoken here, of sealed datagrams if it was sealed
/// ```
///
/// These bytes are the same in all versions to come: a refusal is what is understood when nothing else is.
///
/// It is far shorter than the shortest datagram that is refused, and not more than ten leave in a second: nobody can
/// have a third one flooded by it. It is believed only of an address to which this node has spoken and that it does not
/// know yet, and is a hint for people even then. Nobody answers to it.
final class UdpRefusals {
  static final int BYTES = 13;

  private static final short MAGIC = 'T' << 8 | 'r';
  private static final byte VERSION = 2;
  private static final int ANSWERED_MIN = 48; // what is shorter is of nobody
  private static final int ANSWERS_MAX = 10;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int KEY_NEEDED = 1;
  private static final int KEY_OTHER = 2;
  private static final int KEY_UNKNOWN = 3;
  private static final int VERSION_OTHER = 4;
  private static final int SEAL_OTHER = 5;

  private final Counts<UdpCount> counters;
  private final ByteBuffer out = ByteBuffer.allocateDirect(BYTES);
  private long since = System.nanoTime();
  private int answers;

  UdpRefusals(Counts<UdpCount> counters) {
    this.counters = counters;
  }

  /// Whether a datagram is a refusal.
  static boolean is(ByteBuffer in) {
    int at = in.position();
    return in.remaining() == BYTES && in.getShort(at) == MAGIC && in.get(at + 2) == VERSION;
  }

  /// Makes the answer to a datagram that was refused.
  ///
  /// @param in     the datagram as it came, wherever its position is by now
  /// @param at     where it begins
  /// @param length how long it is
  /// @param why    it was refused
  /// @return what is to be sent, lent until the next call; null for nothing
  @Nullable ByteBuffer answer(ByteBuffer in, int at, int length, UdpCount why, long now) {
    if (length < ANSWERED_MIN) {
      return null;
    }
    boolean sealed = Seal.is(in, at);
    int code =
        switch (why) {
          case DROP_UNSEALED -> DatagramHeader.is(in, at) ? KEY_NEEDED : 0;
          case DROP_UNKNOWN_KEY, DROP_FORGED -> KEY_OTHER;
          case DROP_FOREIGN_PROTOCOL -> sealed ? KEY_UNKNOWN : 0;
          case DROP_OTHER_VERSION -> sealed ? SEAL_OTHER : VERSION_OTHER;
          default -> 0;
        };
    if (code == 0) {
      return null;
    }
    if (now - since >= PAUSE_NANOS) {
      since = now;
      answers = 0;
    }
    if (answers >= ANSWERS_MAX) {
      return null;
    }
    answers++;
    counters.add(UdpCount.REFUSALS_SENT);
    long life = sealed ? in.getLong(at + 4) : in.getLong(at + 12);
    byte spoken = sealed ? Seal.VERSION : DatagramHeader.VERSION;
    return out.clear().putShort(MAGIC).put(VERSION).put((byte) code).putLong(life).put(spoken).flip();
  }

  /// What a refusal says.
  ///
  /// @param in   the refusal
  /// @param by   of whom it came, as this node calls it
  /// @param life this node's, as its datagrams to that address have it
  /// @return null when it does not answer anything that was said there
  @Nullable Refused read(ByteBuffer in, Address by, long life) {
    int at = in.position();
    if (in.getLong(at + 4) != life) {
      return null;
    }
    return switch (in.get(at + 3)) {
      case KEY_NEEDED -> new Refused(by, Reason.OTHER_KEY, "it accepts only encrypted datagrams, this node has no key");
      case KEY_OTHER -> new Refused(by, Reason.OTHER_KEY, "it does not have the key with which this node encrypts");
      case KEY_UNKNOWN -> new Refused(by, Reason.OTHER_KEY, "it has no key, and this node encrypts");
      case VERSION_OTHER -> otherVersion(by, in.get(at + 12), "datagrams", DatagramHeader.VERSION);
      case SEAL_OTHER -> otherVersion(by, in.get(at + 12), "sealed datagrams", Seal.VERSION);
      default -> null;
    };
  }

  private static Refused otherVersion(Address by, byte its, String of, byte own) {
    String words = "it speaks version " + (its & 0xff) + " of " + of + ", this node version " + own;
    return new Refused(by, Reason.OTHER_VERSION, words);
  }
}
