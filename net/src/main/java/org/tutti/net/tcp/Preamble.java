package org.tutti.net.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.tls.Wire;
import org.tutti.transport.Address;

/// The first bytes in each direction of a connection: who speaks, and to whom.
///
/// ```
/// connector                       acceptor
///    |-- from=A, to=B ------------->|   refused unless B is its own address
///    |<------------ from=B, to=A ---|   refused unless B is whom A wanted
///    |<========== frames ==========>|
///
/// magic "Tutt" (4)  version (1)  length of from (1)  length of to (1)  from  to
/// ```
///
/// Both addresses are checked on both sides, because the same host and port may exist in several network namespaces,
/// and because a process at a known port may be a stranger. It is no proof of identity: that is
/// TLS's task, which then comes before the preamble.
final class Preamble {
  private static final int MAGIC = 0x54757474;
  private static final byte VERSION = 1;
  private static final int HEADER_BYTES = 7;
  private static final byte TLS_FIRST = 20; // kinds of records (RFC 8446, 5.1)
  private static final byte TLS_LAST = 23;
  private static final byte TLS_MAJOR = 3;

  private final ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + 2 * Address.BYTES_MAX).limit(HEADER_BYTES);
  private int fromBytes = -1;
  private @Nullable Address from;
  private @Nullable Address to;

  /// How far the reading of a preamble is.
  enum Progress {
    MORE,
    COMPLETE,
    ENDED,
    FOREIGN,
    TLS,
    OTHER_VERSION,
    MALFORMED
  }

  /// The bytes that introduce one node to another.
  static ByteBuffer encode(Address from, Address to) {
    byte[] speaker = from.text().getBytes(StandardCharsets.UTF_8);
    byte[] listener = to.text().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEADER_BYTES + speaker.length + listener.length)
        .putInt(MAGIC)
        .put(VERSION)
        .put((byte) speaker.length)
        .put((byte) listener.length)
        .put(speaker)
        .put(listener)
        .flip();
  }

  /// Reads on, never beyond the preamble's last byte: what follows are frames.
  Progress read(Wire wire) throws IOException {
    if (wire.read(bytes) < 0) {
      return Progress.ENDED;
    }
    if (bytes.hasRemaining()) {
      return Progress.MORE;
    }
    return fromBytes < 0 ? header(wire) : addresses();
  }

  /// Which versions do not go together; after [Progress#OTHER_VERSION].
  String versions() {
    return "it speaks version " + (bytes.get(4) & 0xff) + " of the protocol, this node version " + VERSION;
  }

  /// Who speaks; after [Progress#COMPLETE].
  Address from() {
    return Objects.requireNonNull(from);
  }

  /// Who is spoken to; after [Progress#COMPLETE].
  Address to() {
    return Objects.requireNonNull(to);
  }

  private Progress header(Wire wire) throws IOException {
    if (bytes.getInt(0) != MAGIC) {
      boolean record = bytes.get(0) >= TLS_FIRST && bytes.get(0) <= TLS_LAST && bytes.get(1) == TLS_MAJOR;
      return record ? Progress.TLS : Progress.FOREIGN;
    }
    if (bytes.get(4) != VERSION) {
      return Progress.OTHER_VERSION;
    }
    fromBytes = Byte.toUnsignedInt(bytes.get(5));
    int toBytes = Byte.toUnsignedInt(bytes.get(6));
    if (fromBytes == 0 || toBytes == 0) {
      return Progress.MALFORMED;
    }
    bytes.limit(HEADER_BYTES + fromBytes + toBytes);
    return read(wire);
  }

  private Progress addresses() {
    bytes.flip().position(HEADER_BYTES);
    try {
      from = address(bytes.slice(HEADER_BYTES, fromBytes));
      to = address(bytes.slice(HEADER_BYTES + fromBytes, bytes.limit() - HEADER_BYTES - fromBytes));
      return Progress.COMPLETE;
    } catch (CharacterCodingException _) {
      return Progress.MALFORMED;
    }
  }

  private static Address address(ByteBuffer text) throws CharacterCodingException {
    // A decoder, unlike new String, reports what is not UTF-8; so the text is never longer than what arrived.
    return new Address(StandardCharsets.UTF_8.newDecoder().decode(text).toString());
  }
}
