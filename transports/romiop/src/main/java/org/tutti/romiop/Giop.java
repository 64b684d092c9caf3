package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One message of GIOP 1.2, as far as the plug-in has to know it: the fields that are rewritten, and where the body of
/// a reply begins, by which replies are compared.
///
/// ```
/// 0 "GIOP"   4 major   5 minor   6 flags: 1 little-endian, 2 more fragments follow   7 type   8 length of the rest (4)
/// 12 request id (4)
/// request:   16 response flags (1)   17 0 (3)   20 kind of target (2)   24 key: length (4), bytes   operation   ...
/// reply:     16 status (4)   20 service contexts: count (4), { id (4)  length (4)  bytes }   body, at a multiple of 8
/// ```
///
/// Two replies are equal when status and body are; request ids and service contexts belong to the ORB that answers.
final class Giop {
  static final int REQUEST = 0;
  static final int REPLY = 1;
  static final int CANCEL_REQUEST = 2;
  static final int LOCATE_REQUEST = 3;
  static final int LOCATE_REPLY = 4;
  static final int CLOSE_CONNECTION = 5;
  static final int FRAGMENT = 7;

  static final int HEADER_BYTES = 12;

  private static final int MAGIC = 0x47494f50;
  private static final int MORE_FRAGMENTS = 2;
  private static final int FLAGS_AT = 16;
  private static final int STATUS_AT = 16;
  private static final int SYSTEM_EXCEPTION = 2;
  private static final int WITH_TARGET = 3; // a reply after the operation has been executed
  private static final int OBJECT_HERE = 1;

  private final byte[] bytes;
  private final ByteBuffer view;
  private final int body; // of a reply

  private Giop(byte[] bytes) throws BrokenGiopException {
    this.bytes = bytes;
    view = ByteBuffer.wrap(bytes).order((bytes[6] & 1) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    require(view.getInt(8) == bytes.length - HEADER_BYTES, "a length that is not that of the message");
    require((bytes[6] & MORE_FRAGMENTS) == 0 && type() != FRAGMENT, "a fragment of a message");
    require(type() >= REQUEST && type() < FRAGMENT, "a type that does not exist");
    require(type() > LOCATE_REPLY || bytes.length >= HEADER_BYTES + Integer.BYTES, "no request id");
    if (type() == REQUEST) {
      int flags = bytes.length > FLAGS_AT ? bytes[FLAGS_AT] : -1;
      require(flags == 0 || flags == 1 || flags == WITH_TARGET, "response flags that do not exist");
      key();
    }
    body = type() == REPLY ? bodyOfReply() : 0;
  }

  /// Reads a message.
  ///
  /// @param bytes belong to the message from now on
  /// @throws BrokenGiopException when it is none of GIOP 1.2, or in fragments
  static Giop of(byte[] bytes) throws BrokenGiopException {
    require(bytes.length >= HEADER_BYTES && ByteBuffer.wrap(bytes).getInt() == MAGIC, "no GIOP");
    require(bytes[4] == 1 && bytes[5] == 2, "another version than 1.2");
    return new Giop(bytes);
  }

  private static void require(boolean condition, String otherwise) throws BrokenGiopException {
    if (!condition) {
      throw new BrokenGiopException(otherwise);
    }
  }

  /// A reply that says that a call ended by a failure.
  static Giop exception(RomiopFailure failure) {
    return again(exception(0, failure));
  }

  /// The same as bytes, for a call of one's own ORB.
  static byte[] exception(int requestId, RomiopFailure failure) {
    byte[] id = (failure.repositoryId() + "\0").getBytes(StandardCharsets.US_ASCII);
    int padded = (id.length + 3) & ~3;
    return header(REPLY, 3 * Integer.BYTES + Integer.BYTES + padded + 2 * Integer.BYTES)
        .putInt(requestId)
        .putInt(SYSTEM_EXCEPTION)
        .putInt(0)
        .putInt(id.length)
        .put(Arrays.copyOf(id, padded))
        .putInt(failure.minor())
        .putInt(failure.completed())
        .array();
  }

  /// A request with one argument, a `sequence<octet>`, or none.
  static Giop request(String key, String operation, byte @Nullable [] argument) {
    byte[] keyBytes = key.getBytes(StandardCharsets.ISO_8859_1);
    byte[] name = (operation + "\0").getBytes(StandardCharsets.US_ASCII);
    int nameAt = aligned(28 + keyBytes.length, Integer.BYTES);
    int contextsAt = aligned(nameAt + Integer.BYTES + name.length, Integer.BYTES);
    int argumentAt = aligned(contextsAt + Integer.BYTES, Long.BYTES);
    int end = argument == null ? contextsAt + Integer.BYTES : argumentAt + Integer.BYTES + argument.length;
    ByteBuffer whole = header(REQUEST, end - HEADER_BYTES);
    whole.put(FLAGS_AT, (byte) WITH_TARGET).putInt(24, keyBytes.length).put(28, keyBytes);
    whole.putInt(nameAt, name.length).put(nameAt + Integer.BYTES, name);
    if (argument != null) {
      whole.putInt(argumentAt, argument.length).put(argumentAt + Integer.BYTES, argument);
    }
    return again(whole.array());
  }

  private static int aligned(int at, int to) {
    return (at + to - 1) & -to;
  }

  /// The answer to the question whether the object is where it was looked for.
  static byte[] objectHere(int requestId) {
    return header(LOCATE_REPLY, 2 * Integer.BYTES).putInt(requestId).putInt(OBJECT_HERE).array();
  }

  private static ByteBuffer header(int type, int length) {
    return ByteBuffer.allocate(HEADER_BYTES + length)
        .putInt(MAGIC)
        .put((byte) 1)
        .put((byte) 2)
        .put((byte) 0)
        .put((byte) type)
        .putInt(length);
  }

  int type() {
    return bytes[7];
  }

  byte[] bytes() {
    return bytes;
  }

  int requestId() {
    return view.getInt(HEADER_BYTES);
  }

  /// Whether whoever sends this request waits for a reply.
  boolean isTwoWay() {
    return bytes[FLAGS_AT] != 0;
  }

  /// How a call ended: 0 by a result, 1 by an exception of the interface, 2 by one of the system; what is beyond leads
  /// elsewhere.
  boolean isFinal() {
    int status = view.getInt(STATUS_AT);
    return status >= 0 && status <= SYSTEM_EXCEPTION;
  }

  /// Whether a call ended by a result.
  boolean isResult() {
    return view.getInt(STATUS_AT) == 0;
  }

  /// The result of a call, if it is a `sequence<octet>`.
  byte[] octets() throws BrokenGiopException {
    require(isResult(), "an exception");
    int length = bytes.length - body >= Integer.BYTES ? view.getInt(body) : -1;
    require(length >= 0 && length <= bytes.length - body - Integer.BYTES, "no sequence of octets");
    return Arrays.copyOfRange(bytes, body + Integer.BYTES, body + Integer.BYTES + length);
  }

  /// The key of the object that a request is for.
  byte[] key() throws BrokenGiopException {
    require(bytes.length >= 28 && view.getShort(20) == 0, "a target that is no object key");
    int length = view.getInt(24);
    require(length >= 0 && length <= bytes.length - 28, "a key that is longer than the message");
    return Arrays.copyOfRange(bytes, 28, 28 + length);
  }

  /// The same message with another request id.
  Giop withRequestId(int id) {
    byte[] copy = bytes.clone();
    ByteBuffer.wrap(copy).order(view.order()).putInt(HEADER_BYTES, id);
    return again(copy);
  }

  /// The same request, which asks for a reply after it has been executed.
  Giop answered() {
    byte[] copy = bytes.clone();
    copy[FLAGS_AT] = WITH_TARGET;
    return again(copy);
  }

  private static Giop again(byte[] copy) {
    try {
      return new Giop(copy);
    } catch (BrokenGiopException e) {
      throw new IllegalStateException("a message that was read before", e);
    }
  }

  private int bodyOfReply() throws BrokenGiopException {
    require(bytes.length >= 24, "a reply without a head");
    int at = 24;
    int contexts = view.getInt(20);
    require(contexts >= 0 && contexts <= bytes.length / 8, "more service contexts than there are bytes");
    for (int i = 0; i < contexts; i++) {
      at = (at + 3) & ~3;
      require(at <= bytes.length - 8, "a service context that ends behind the message");
      int length = view.getInt(at + 4);
      require(length >= 0 && length <= bytes.length - at - 8, "a service context that is longer than the message");
      at += 8 + length;
    }
    return Math.min((at + 7) & ~7, bytes.length);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Giop that
        && type() == that.type()
        && (type() != REPLY
            || view.order() == that.view.order() && view.getInt(STATUS_AT) == that.view.getInt(STATUS_AT))
        && Arrays.equals(bytes, body, bytes.length, that.bytes, that.body, that.bytes.length);
  }

  @Override
  public int hashCode() {
    int hash = type();
    for (int i = body; i < bytes.length; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash;
  }

  /// Bytes that are no message of GIOP 1.2, or one in fragments.
  static final class BrokenGiopException extends Exception {
    private static final long serialVersionUID = 1;

    BrokenGiopException(String what) {
      super(what);
    }
  }
}
