package org.tutti.net;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Encrypts and authenticates datagrams with a [UdpKey]: ChaCha20-Poly1305 (RFC 8439).
///
/// ```
///  0  u16  "Ts"
///  2  u8   version (1)
///  3  u8   0
///  4  i64  life of the sender
/// 12  i64  how many it has sealed before
/// 20       a whole datagram, encrypted
///          16 bytes that nobody can make who does not have the key; they cover the first 20 bytes, too
/// ```
///
/// A life has a key of its own and counts its datagrams, so no key is used twice with one number. What was seen before
/// is refused, as are numbers that are too old to tell.
final class Seal {
  static final int HEADER_BYTES = 20;

  /// How much longer a sealed datagram is.
  static final int BYTES = HEADER_BYTES + 16;

  private static final String ALGORITHM = "ChaCha20-Poly1305";
  private static final short MAGIC = 'T' << 8 | 's';
  private static final byte VERSION = 1;
  private static final int NONCE_BYTES = 12;

  /// Who speaks, known by a datagram that could be opened.
  private static final class Speaker {
    private static final int WINDOW = 4096; // two sockets are read in turn, up to 512 datagrams each

    final SecretKeySpec key;
    private final long[] seen = new long[WINDOW / Long.SIZE];
    private long next; // one more than the highest number seen

    Speaker(SecretKeySpec key) {
      this.key = key;
    }

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

    private static int word(long number) {
      return (int) (number / Long.SIZE) & WINDOW / Long.SIZE - 1;
    }
  }

  private final UdpKey key;
  private final long life;
  private final SecretKeySpec own;
  private final Cipher cipher;
  private final ByteBuffer out;
  private final byte[] nonce = new byte[NONCE_BYTES];
  private final Map<Long, Speaker> speakers;
  private long sealed;

  Seal(UdpKey key, long life, int datagramBytes, int speakersMax) {
    this.key = key;
    this.life = life;
    this.own = key.of(life);
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

  private void begin(int mode, SecretKeySpec with, long number, ByteBuffer sealedDatagram)
      throws GeneralSecurityException {
    for (int i = 0; i < Long.BYTES; i++) {
      nonce[i] = (byte) (number >>> Byte.SIZE * i);
    }
    cipher.init(mode, with, new IvParameterSpec(nonce));
    cipher.updateAAD(sealedDatagram.duplicate().position(0).limit(HEADER_BYTES));
  }

  /// Seals a datagram.
  ///
  /// @return what is to be sent, lent until the next call
  ByteBuffer close(ByteBuffer datagram) {
    out.clear();
    out.putShort(MAGIC).put(VERSION).put((byte) 0).putLong(life).putLong(sealed);
    try {
      begin(Cipher.ENCRYPT_MODE, own, sealed++, out);
      cipher.doFinal(datagram, out);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // key, number and room are right
    }
    return out.flip();
  }

  /// Opens a datagram.
  ///
  /// @param in   what came
  /// @param into gets the datagram
  /// @return why it is refused, or null
  @Nullable UdpCount open(ByteBuffer in, ByteBuffer into) {
    if (in.remaining() < BYTES || in.getShort(0) != MAGIC || in.get(2) != VERSION) {
      return UdpCount.DROP_UNSEALED;
    }
    long from = in.getLong(4);
    long number = in.getLong(12);
    Speaker known = speakers.get(from);
    if (number < 0 || known != null && !known.isNew(number)) {
      return UdpCount.DROP_REPLAYED;
    }
    Speaker speaker = known == null ? new Speaker(key.of(from)) : known;
    try {
      begin(Cipher.DECRYPT_MODE, speaker.key, number, in);
      cipher.doFinal(in.position(HEADER_BYTES), into.clear());
    } catch (AEADBadTagException _) {
      return UdpCount.DROP_FORGED;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    into.flip();
    speaker.see(number);
    if (known == null) {
      speakers.put(from, speaker);
    }
    return null;
  }
}
