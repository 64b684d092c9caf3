package org.tutti.tls;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A private key as PEM text, in one of the encodings that programs write.
///
/// | first line | encoding | who writes it |
/// | --- | --- | --- |
/// | `BEGIN PRIVATE KEY` | PKCS #8 (RFC 5958) | `tutti certs`, `openssl genpkey`, cert-manager with `encoding: PKCS8` |
/// | `BEGIN RSA PRIVATE KEY` | PKCS #1 (RFC 8017, A.1.2) | cert-manager as it is, `openssl rsa -traditional` |
/// | `BEGIN EC PRIVATE KEY` | SEC 1 (RFC 5915) | cert-manager as it is for ECDSA, `openssl ec` |
///
/// The JDK reads the first one only. It is what the other two say, with the algorithm before it, so they are put into
/// it here. Encrypted keys are refused: a node that starts by itself has nobody to ask for a password.
final class KeyEncoding {
  private static final Pattern PEM =
      Pattern.compile("-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----(.*?)-----END \\1-----", Pattern.DOTALL);
  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/=\\s]+");

  private static final int INTEGER = 0x02;
  private static final int OCTETS = 0x04;
  private static final int IDENTIFIER = 0x06;
  private static final int SEQUENCE = 0x30;
  private static final int CURVE = 0xa0; // ECPrivateKey.parameters, [0]
  private static final int LENGTH_MAX = 1 << 20;
  private static final int SHORT_MAX = 0x7f;
  private static final int LONG_FORM = 0x80;

  private static final byte[] VERSION = {INTEGER, 1, 0};
  private static final byte[] RSA = HexFormat.of().parseHex("06092a864886f70d0101010500"); // rsaEncryption, NULL
  private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201"); // id-ecPublicKey

  private KeyEncoding() {}

  /// Finds the first private key of a text.
  ///
  /// @return as PKCS #8, not checked for anything else
  /// @throws IOException when there is none that can be read; the message says why and goes behind a file's name
  static byte[] pkcs8(String text) throws IOException {
    Matcher pem = PEM.matcher(text);
    if (!pem.find()) {
      throw new IOException("has no private key in PEM");
    }
    String kind = pem.group(1);
    if (kind.startsWith("ENCRYPTED") || pem.group(2).contains("ENCRYPTED")) {
      throw new IOException(
          "has a private key that is encrypted: decrypt it by `openssl pkey -in FILE -out key.pem`, and keep it from"
              + " other users");
    }
    byte[] encoded = decoded(pem.group(2));
    return switch (kind) {
      case "PRIVATE KEY" -> encoded;
      case "RSA PRIVATE KEY" -> wrapped(RSA, encoded);
      case "EC PRIVATE KEY" -> wrapped(joined(EC, curve(encoded)), encoded);
      default -> throw new IOException("has a private key in the encoding '" + kind + "', which is not read here");
    };
  }

  private static byte[] decoded(String text) throws IOException {
    try {
      if (BASE64.matcher(text).matches()) {
        return Base64.getMimeDecoder().decode(text);
      }
    } catch (IllegalArgumentException _) {
      // said below
    }
    throw new IOException("has a private key that is not in Base64");
  }

  /// Which curve a key in SEC 1 is on.
  ///
  /// @return an object identifier with its tag and length
  private static byte[] curve(byte[] encoded) throws IOException {
    try {
      ByteBuffer key = content(ByteBuffer.wrap(encoded), SEQUENCE);
      if (key != null && content(key, INTEGER) != null && content(key, OCTETS) != null) {
        ByteBuffer parameters = content(key, CURVE);
        if (parameters == null) {
          throw new IOException("has an EC private key that does not name its curve: write it in PKCS #8");
        }
        byte[] named = new byte[parameters.remaining()];
        parameters.duplicate().get(named);
        if (content(parameters, IDENTIFIER) == null || parameters.hasRemaining()) {
          throw new IOException("has an EC private key on a curve that has no name, only parameters");
        }
        return named;
      }
    } catch (BufferUnderflowException _) {
      // said below
    }
    throw new IOException("has an EC private key that cannot be read");
  }

  /// The content of the next element, after which the rest stands.
  ///
  /// @return null when there is none, or one of another kind
  /// @throws BufferUnderflowException when it is not there completely
  private static @Nullable ByteBuffer content(ByteBuffer in, int tag) {
    if (!in.hasRemaining() || (in.get(in.position()) & 0xff) != tag) {
      return null;
    }
    in.get();
    int length = in.get() & 0xff;
    if (length > SHORT_MAX) {
      int digits = length - LONG_FORM;
      length = 0;
      for (int i = 0; i < digits; i++) {
        length = length << Byte.SIZE | in.get() & 0xff;
        if (length > LENGTH_MAX) {
          throw new BufferUnderflowException();
        }
      }
    }
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer content = in.slice(in.position(), length);
    in.position(in.position() + length);
    return content;
  }

  private static byte[] wrapped(byte[] algorithm, byte[] key) {
    return element(SEQUENCE, joined(VERSION, joined(element(SEQUENCE, algorithm), element(OCTETS, key))));
  }

  private static byte[] element(int tag, byte[] content) {
    ByteBuffer element = ByteBuffer.allocate(1 + 1 + Integer.BYTES + content.length).put((byte) tag);
    if (content.length <= SHORT_MAX) {
      element.put((byte) content.length);
    } else {
      int digits = (Integer.SIZE - Integer.numberOfLeadingZeros(content.length) + Byte.SIZE - 1) / Byte.SIZE;
      element.put((byte) (LONG_FORM + digits));
      for (int i = digits; i-- > 0; ) {
        element.put((byte) (content.length >>> i * Byte.SIZE));
      }
    }
    element.put(content).flip();
    byte[] bytes = new byte[element.remaining()];
    element.get(bytes);
    return bytes;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }
}
