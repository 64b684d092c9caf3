package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// What a group's send password comes to: the key by which hosts of members tell senders that know the password from
/// those that do not. The server gives it to those that know the control password; who knows the send password computes
/// it. It never travels with a message: a message has a code that is made with it (HMAC-SHA256, RFC 2104).
public final class SendKey {
  /// How many bytes a key has, and a code.
  public static final int BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  /// Takes a key.
  ///
  /// @param bytes [#BYTES] of them, copied
  /// @throws IllegalArgumentException when there are more or fewer
  public SendKey(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("a key has " + BYTES + " bytes, not " + bytes.length);
    }
    this.key = new SecretKeySpec(bytes, ALGORITHM);
  }

  /// Makes the code of a message.
  ///
  /// @param message from position to limit, which are not moved
  /// @return [#BYTES] bytes
  public byte[] code(ByteBuffer message) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(message.duplicate());
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /// Whether a code was made of this message with this key. It takes as long for a wrong code as for a right one.
  ///
  /// @param message from position to limit, which are not moved
  /// @param code    what came with it
  /// @return whether it was
  public boolean made(ByteBuffer message, byte[] code) {
    return MessageDigest.isEqual(code(message), code);
  }

  /// Says nothing about the key.
  @Override
  public String toString() {
    return "send key";
  }
}
