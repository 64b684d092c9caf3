package org.tutti.net.udp;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The secret that the members of a cluster share: who has it may speak, and nobody else can read. [UdpKeys] has
/// those that are in force.
public final class UdpKey {
  /// How long it is.
  public static final int BYTES = 32;

  private static final String HASH = "HmacSHA256";
  private static final byte[] PURPOSE = "tutti udp 1".getBytes(StandardCharsets.US_ASCII);

  private static final byte[] NAMING = "tutti udp key".getBytes(StandardCharsets.US_ASCII); // no life has this length

  private final SecretKeySpec secret;
  private final byte id;

  private UdpKey(byte[] secret) {
    if (secret.length != BYTES) {
      throw new IllegalArgumentException("a key has " + BYTES + " bytes, not " + secret.length);
    }
    this.secret = new SecretKeySpec(secret, HASH);
    this.id = hash(NAMING)[0];
  }

  /// Takes random bytes.
  ///
  /// @param secret 32 bytes from a good source
  /// @return the key
  public static UdpKey of(byte[] secret) {
    return new UdpKey(secret.clone());
  }

  /// Reads 64 hexadecimal digits.
  static UdpKey parse(String digits) {
    return new UdpKey(HexFormat.of().parseHex(digits));
  }

  /// Tells keys apart on the wire, mostly, and says nothing else of the secret.
  byte id() {
    return id;
  }

  /// The key under which one life of a node seals what it sends; no other life uses it.
  SecretKeySpec of(long life) {
    byte[] number = new byte[Long.BYTES];
    for (int i = 0; i < number.length; i++) {
      number[i] = (byte) (life >>> Byte.SIZE * i);
    }
    return new SecretKeySpec(hash(PURPOSE, number), "ChaCha20");
  }

  private byte[] hash(byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(secret);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
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
