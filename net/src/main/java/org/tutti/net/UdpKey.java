package org.tutti.net;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The secret that the members of a cluster share: who has it may speak, and nobody else can read.
public final class UdpKey {
  /// How long it is.
  public static final int BYTES = 32;

  private static final String HASH = "HmacSHA256";
  private static final byte[] PURPOSE = "tutti udp 1".getBytes(StandardCharsets.US_ASCII);

  private final SecretKeySpec secret;

  private UdpKey(byte[] secret) {
    if (secret.length != BYTES) {
      throw new IllegalArgumentException("a key has " + BYTES + " bytes, not " + secret.length);
    }
    this.secret = new SecretKeySpec(secret, HASH);
  }

  /// Takes random bytes.
  ///
  /// @param secret 32 bytes from a good source
  /// @return the key
  public static UdpKey of(byte[] secret) {
    return new UdpKey(secret.clone());
  }

  /// Reads a file with 64 hexadecimal digits, as `openssl rand -hex 32` makes them.
  ///
  /// @param file that only its owner may read
  /// @return the key
  /// @throws IOException when it cannot be read, or holds something else
  public static UdpKey read(Path file) throws IOException {
    String text = Files.readString(file).strip();
    try {
      return new UdpKey(HexFormat.of().parseHex(text));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " does not hold " + 2 * BYTES + " hexadecimal digits", e);
    }
  }

  /// The key under which one life of a node seals what it sends; no other life uses it.
  SecretKeySpec of(long life) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(secret);
      mac.update(PURPOSE);
      byte[] number = new byte[Long.BYTES];
      for (int i = 0; i < number.length; i++) {
        number[i] = (byte) (life >>> Byte.SIZE * i);
      }
      return new SecretKeySpec(mac.doFinal(number), "ChaCha20");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UdpKey key && Arrays.equals(key.secret.getEncoded(), secret.getEncoded());
  }

  @Override
  public int hashCode() {
    return secret.hashCode();
  }

  @Override
  public String toString() {
    return "a key";
  }
}
