package org.tutti.ipc.ids;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.spec.InvalidKeySpecException;
import java.text.Normalizer;
import java.util.Arrays;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.tutti.ipc.GroupIds;

/// How a password comes to a key: PBKDF2 with HMAC-SHA512 (RFC 8018), a salt of its own, and so many iterations that
/// whoever guesses passwords takes long for each. Only clients do it, as it takes a tenth of a second and more.
///
/// The password is taken in Unicode's form C, so that it does not matter how a keyboard composes a letter.
///
/// @param iterations how often it is hashed; goes with the group, so that later groups may have more
/// @param salt       [#SALT_BYTES] random bytes
record Lock(int iterations, byte[] salt) {
  static final int SALT_BYTES = 16;
  static final int KEY_BYTES = 32;
  static final int ITERATIONS_MAX = 10_000_000; // a few seconds: who asks a server is not kept busy for hours by it

  Lock {
    if (iterations < 1 || iterations > ITERATIONS_MAX || salt.length != SALT_BYTES) {
      throw new IllegalArgumentException("no lock: " + iterations + " iterations, " + salt.length + " bytes of salt");
    }
  }

  static Lock draw(int iterations, SecureRandom random) {
    var salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    return new Lock(iterations, salt);
  }

  byte[] key(String password) {
    char[] characters = Normalizer.normalize(GroupIds.requirePassword(password), Normalizer.Form.NFC).toCharArray();
    var settings = new PBEKeySpec(characters, salt, iterations, KEY_BYTES * Byte.SIZE);
    try {
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512").generateSecret(settings).getEncoded();
    } catch (InvalidKeySpecException e) {
      throw new IllegalArgumentException("a password that cannot be hashed", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has PBKDF2", e);
    } finally {
      settings.clearPassword();
      Arrays.fill(characters, ' ');
    }
  }

  /// What the server keeps instead of a control password's key: who reads it cannot say the key.
  static byte[] verifier(byte[] key) {
    return hash("verifier", key);
  }

  /// The key by which messages are marked; the server keeps it itself.
  static byte[] sendKey(byte[] key) {
    return hash("send", key);
  }

  private static byte[] hash(String purpose, byte[] key) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(purpose.getBytes(UTF_8));
      return sha.digest(key);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
