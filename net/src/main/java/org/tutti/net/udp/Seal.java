package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Counts;

/// Encrypts and authenticates datagrams with the first of the [UdpKeys], and opens what was sealed with any of them:
/// ChaCha20-Poly1305 (RFC 8439).
///
/// ```
///  0  u16  "Ts"
///  2  u8   version (2)
///  3  u8   says which key, but for rare coincidences
///  4  i64  life of the sender
/// 12  i64  how many it has sealed before
/// 20       a whole datagram, encrypted
///          16 bytes that nobody can make who does not have the key; they cover the first 20 bytes, too
/// ```
///
/// A life has a key of its own, derived from the one in force, and counts its datagrams. It goes on counting when the
/// key is another one, also when that was in force before, so no key is used twice with one number, and no number twice
/// in a life. What was seen before is refused, under each key, as are numbers that are too old to tell.
final class Seal {
  static final int HEADER_BYTES = 20;

  /// How much longer a sealed datagram is.
  static final int BYTES = HEADER_BYTES + 16;

  static final byte VERSION = 2;

  private static final String ALGORITHM = "ChaCha20-Poly1305";
  private static final short MAGIC = 'T' << 8 | 's';
  private static final int NONCE_BYTES = 12;

  /// Who speaks, known by a datagram that could be opened.
  private static final class Speaker {
    private static final int WINDOW = 4096; // two sockets are read in turn, up to 512 datagrams each

    private final long[] seen = new long[WINDOW / Long.SIZE];
    private long next; // one more than the highest number seen
    private @Nullable UdpKey last; // what it sealed with last, and what that comes to for its life
    private @Nullable SecretKeySpec derived;

    boolean isNew(long number) {
      return number >= next || number >= next - WINDOW && (seen[word(number)] & 1L << number) == 0;
    }

    void see(long number) {
      if (number - next >= WINDOW) {
        Arrays.fill(seen, 0);
        next = number + 1;
      }
      for (; next <= number; next++) {
        seen[word(next)] &= ~(1L << next);
      }
      seen[word(number)] |= 1L << number;
    }

    SecretKeySpec derive(UdpKey key, long life) {
      SecretKeySpec known = derived;
      return known != null && key == last ? known : key.of(life);
    }

    /// Remembers a key that opened something, and only such: the next datagram is sealed with the same, mostly.
    void used(UdpKey key, SecretKeySpec itsOwn) {
      last = key;
      derived = itsOwn;
    }

    private static int word(long number) {
      return (int) (number / Long.SIZE) & WINDOW / Long.SIZE - 1;
    }
  }

  private final UdpKeys keys;
  private final long life;
  private final Counts<UdpCount> counters;
  private final Cipher cipher;
  private final ByteBuffer out;
  private final byte[] nonce = new byte[NONCE_BYTES];
  private final Map<Long, Speaker> speakers;
  private List<UdpKey> inForce;
  private SecretKeySpec own;
  private long failures; // of the keys' file, as counted last
  private long sealed; // with all keys together

  Seal(UdpKeys keys, long life, int datagramBytes, int speakersMax, Counts<UdpCount> counters) {
    this.keys = keys;
    this.life = life;
    this.counters = counters;
    this.inForce = keys.current();
    this.own = inForce.getFirst().of(life);
    this.failures = keys.failures();
    this.out = ByteBuffer.allocateDirect(datagramBytes + BYTES);
    this.speakers =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Speaker> eldest) {
            return size() > speakersMax;
          }
        };
    try {
      this.cipher = Cipher.getInstance(ALGORITHM);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /// Takes the keys as they are now. What is sealed with one that has gone is refused from here on.
  void follow(long nowNanos) {
    keys.follow(nowNanos);
    long failed = keys.failures();
    counters.add(UdpCount.KEYS_UNUSABLE, failed - failures);
    failures = failed;
    List<UdpKey> now = keys.current();
    if (now != inForce) {
      inForce = now;
      own = now.getFirst().of(life);
      counters.add(UdpCount.KEYS_CHANGED);
    }
  }

  private void begin(int mode, SecretKeySpec with, long number, ByteBuffer sealedDatagram, int at)
      throws GeneralSecurityException {
    for (int i = 0; i < Long.BYTES; i++) {
      nonce[i] = (byte) (number >>> Byte.SIZE * i);
    }
    cipher.init(mode, with, new IvParameterSpec(nonce));
    cipher.updateAAD(sealedDatagram.duplicate().position(at).limit(at + HEADER_BYTES));
  }

  /// Seals a datagram.
  ///
  /// @return what is to be sent, lent until the next call
  ByteBuffer close(ByteBuffer datagram) {
    out.clear();
    out.putShort(MAGIC).put(VERSION).put(inForce.getFirst().id()).putLong(life).putLong(sealed);
    try {
      begin(Cipher.ENCRYPT_MODE, own, sealed++, out, 0);
      cipher.doFinal(datagram, out);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // key, number and room are right
    }
    return out.flip();
  }

  /// Whether a datagram claims to be sealed, by whatever version.
  static boolean is(ByteBuffer in, int at) {
    return in.getShort(at) == MAGIC;
  }

  /// Whose life a sealed datagram claims to be of; 0 when it is too short to say.
  static long from(ByteBuffer in) {
    return in.remaining() < HEADER_BYTES ? 0 : in.getLong(in.position() + 4);
  }

  /// Opens a datagram.
  ///
  /// @param in   what came
  /// @param into gets the datagram
  /// @return why it is refused, or null
  @Nullable UdpCount open(ByteBuffer in, ByteBuffer into) {
    int at = in.position();
    if (in.remaining() < BYTES || in.getShort(at) != MAGIC) {
      return UdpCount.DROP_UNSEALED;
    }
    if (in.get(at + 2) != VERSION) {
      return UdpCount.DROP_OTHER_VERSION;
    }
    long from = in.getLong(at + 4);
    long number = in.getLong(at + 12);
    Speaker known = speakers.get(from);
    if (number < 0 || known != null && !known.isNew(number)) {
      return UdpCount.DROP_REPLAYED;
    }
    UdpCount refused = UdpCount.DROP_UNKNOWN_KEY;
    for (int i = 0; i < inForce.size(); i++) {
      UdpKey key = inForce.get(i);
      if (key.id() == in.get(at + 3)) {
        SecretKeySpec derived = known == null ? key.of(from) : known.derive(key, from);
        if (!open(in, at, into, derived, number)) {
          refused = UdpCount.DROP_FORGED;
          continue;
        }
        Speaker speaker = known == null ? new Speaker() : known;
        speaker.see(number);
        speaker.used(key, derived);
        if (known == null) {
          speakers.put(from, speaker);
        }
        if (i > 0) {
          counters.add(UdpCount.OPENED_WITH_OTHER_KEY);
        }
        return null;
      }
    }
    return refused;
  }

  private boolean open(ByteBuffer in, int at, ByteBuffer into, SecretKeySpec with, long number) {
    try {
      begin(Cipher.DECRYPT_MODE, with, number, in, at);
      cipher.doFinal(in.position(at + HEADER_BYTES), into.clear());
    } catch (AEADBadTagException _) {
      return false;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    into.flip();
    return true;
  }
}
