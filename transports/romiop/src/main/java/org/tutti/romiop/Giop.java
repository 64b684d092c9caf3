package org.tutti.romiop;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.omg.IOP.IOR;

/// One message of GIOP 1.0, 1.1 or 1.2, as far as the plug-in has to know it: the fields that are rewritten
/// ([GiopHead]), and where the body of a reply begins, by which replies are compared.
///
/// ```
/// 0 "GIOP"   4 major   5 minor   6 flags: 1 little-endian, 2 more fragments follow   7 type   8 length of the rest (4)
/// ```
///
/// Two replies are equal when version, status and body are; request ids and service contexts belong to the ORB that
/// answers.
final class Giop {
  static final int REQUEST = 0;
  static final int REPLY = 1;
  static final int CANCEL_REQUEST = 2;
  static final int LOCATE_REQUEST = 3;
  static final int LOCATE_REPLY = 4;
  static final int CLOSE_CONNECTION = 5;
  static final int MESSAGE_ERROR = 6;
  static final int FRAGMENT = 7;

  static final int HEADER_BYTES = 12;

  /// Bits of the flags in the header.
  static final int LITTLE_ENDIAN = 1;

  static final int MORE_FRAGMENTS = 2;

  private static final int MAGIC = 0x47494f50;
  private static final int MINOR = 2; // of what the plug-in makes itself

  /// How a call ended.
  static final int RESULT = 0;

  static final int USER_EXCEPTION = 1;

  private static final int SYSTEM_EXCEPTION = 2;
  private static final int OPERATION_BYTES_MAX = 255;
  private static final int LOCATION_FORWARD = 3;
  private static final int LOCATION_FORWARD_PERM = 4; // of 1.2
  private static final int NEEDS_ADDRESSING_MODE = 5;
  private static final int WITH_TARGET = 3; // in 1.2: a reply after the operation has been executed
  private static final int OBJECT_UNKNOWN = 0;
  private static final int OBJECT_HERE = 1;

  private final byte[] bytes;
  private final ByteBuffer view;
  private final GiopHead head;

  private Giop(byte[] bytes) throws BrokenGiopException {
    this.bytes = bytes;
    view = view(bytes);
    require(view.getInt(8) == bytes.length - HEADER_BYTES, "a length that is not that of the message");
    require((bytes[6] & MORE_FRAGMENTS) == 0 && type() != FRAGMENT, "a fragment of a message");
    require(type() >= REQUEST && type() < FRAGMENT, "a type that does not exist");
    head = GiopHead.of(view);
    if (type() == REQUEST) {
      int flags = bytes[head.flagsAt()];
      require(flags == 0 || flags == 1 || flags == WITH_TARGET && bytes[5] == 2, "response flags that do not exist");
    }
  }

  /// Reads a message.
  ///
  /// @param bytes belong to the message from now on
  /// @throws BrokenGiopException when it is none of GIOP 1.0 to 1.2, or in fragments
  static Giop of(byte[] bytes) throws BrokenGiopException {
    require(bytes.length >= HEADER_BYTES, "no GIOP");
    checkHeader(bytes);
    return new Giop(bytes);
  }

  /// Looks at magic and version.
  static void checkHeader(byte[] header) throws BrokenGiopException {
    require(ByteBuffer.wrap(header).getInt() == MAGIC, "no GIOP");
    require(header[4] == 1 && header[5] >= 0 && header[5] <= 2, "another version than 1.0 to 1.2");
  }

  /// A message or its header, in its byte order.
  static ByteBuffer view(byte[] bytes) {
    return ByteBuffer.wrap(bytes)
        .order((bytes[6] & LITTLE_ENDIAN) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
  }

  static void require(boolean condition, String otherwise) throws BrokenGiopException {
    if (!condition) {
      throw new BrokenGiopException(otherwise);
    }
  }

  /// A reply that says that a call ended by a failure.
  static Giop exception(int minor, RomiopFailure failure) {
    return again(exception(minor, 0, failure));
  }

  /// The same as bytes, for a call of one's own ORB or connection.
  static byte[] exception(int minor, int requestId, RomiopFailure failure) {
    byte[] id = (failure.repositoryId() + "\0").getBytes(StandardCharsets.US_ASCII);
    int padded = aligned(id.length, Integer.BYTES);
    ByteBuffer whole = header(minor, REPLY, 3 * Integer.BYTES + Integer.BYTES + padded + 2 * Integer.BYTES);
    if (minor < 2) {
      whole.putInt(0).putInt(requestId).putInt(SYSTEM_EXCEPTION);
    } else {
      whole.putInt(requestId).putInt(SYSTEM_EXCEPTION).putInt(0);
    }
    return whole
        .putInt(id.length)
        .put(Arrays.copyOf(id, padded))
        .putInt(failure.minor())
        .putInt(failure.completed())
        .array();
  }

  /// A request with one argument, a `sequence<octet>`, or none.
  static Giop request(String key, String operation, byte @Nullable [] argument) {
    CdrOut arguments = new CdrOut();
    if (argument != null) {
      arguments.octets(argument);
    }
    return call(key, operation, arguments);
  }

  /// A request with any arguments, of id 0.
  static Giop call(String key, String operation, CdrOut arguments) {
    return call(key, operation, 0, arguments);
  }

  /// A request with any arguments.
  static Giop call(String key, String operation, int requestId, CdrOut arguments) {
    byte[] keyBytes = key.getBytes(StandardCharsets.ISO_8859_1);
    byte[] name = (operation + "\0").getBytes(StandardCharsets.US_ASCII);
    int nameAt = aligned(28 + keyBytes.length, Integer.BYTES);
    int contextsAt = aligned(nameAt + Integer.BYTES + name.length, Integer.BYTES);
    int bodyAt = aligned(contextsAt + Integer.BYTES, Long.BYTES);
    int end = arguments.size() == 0 ? contextsAt + Integer.BYTES : bodyAt + arguments.size();
    ByteBuffer whole = header(MINOR, REQUEST, end - HEADER_BYTES);
    whole.putInt(HEADER_BYTES, requestId).put(16, (byte) WITH_TARGET).putInt(24, keyBytes.length).put(28, keyBytes);
    whole.putInt(nameAt, name.length).put(nameAt + Integer.BYTES, name);
    if (arguments.size() > 0) {
      arguments.writeTo(whole.position(bodyAt));
    }
    return again(whole.array());
  }

  /// A reply to the request of id 0.
  ///
  /// @param status [#RESULT] or [#USER_EXCEPTION]
  /// @param body   in all versions at a multiple of 8
  static Giop reply(int minor, int status, byte[] body) {
    ByteBuffer whole = header(minor, REPLY, 3 * Integer.BYTES + body.length);
    whole.putInt(HEADER_BYTES + (minor < 2 ? 2 : 1) * Integer.BYTES, status);
    return again(whole.put(HEADER_BYTES + 3 * Integer.BYTES, body).array());
  }

  /// A reply to the request of id 0 that leads the client elsewhere: for good, in versions that can say so.
  static Giop forward(int minor, IOR to) {
    return reply(minor, minor < 2 ? LOCATION_FORWARD : LOCATION_FORWARD_PERM, new CdrOut().reference(to).bytes());
  }

  private static int aligned(int at, int to) {
    return (at + to - 1) & -to;
  }

  /// The answer to the question whether the object is where it was looked for.
  static byte[] located(int minor, int requestId, boolean here) {
    return header(minor, LOCATE_REPLY, 2 * Integer.BYTES)
        .putInt(requestId)
        .putInt(here ? OBJECT_HERE : OBJECT_UNKNOWN)
        .array();
  }

  /// The answer to a request, or to the question for an object, that names its target by a profile: once more, by the
  /// key.
  static byte[] needsKey(byte[] message) {
    boolean isRequest = message[7] == REQUEST;
    int contexts = isRequest ? Integer.BYTES : 0;
    return header(MINOR, isRequest ? REPLY : LOCATE_REPLY, 2 * Integer.BYTES + contexts + Short.BYTES)
        .putInt(view(message).getInt(HEADER_BYTES))
        .putInt(NEEDS_ADDRESSING_MODE)
        .array();
  }

  /// A message that is a header only: [#CLOSE_CONNECTION] or [#MESSAGE_ERROR].
  static byte[] bare(int minor, int type) {
    return header(minor, type, 0).array();
  }

  private static ByteBuffer header(int minor, int type, int length) {
    return ByteBuffer.allocate(HEADER_BYTES + length)
        .putInt(MAGIC)
        .put((byte) 1)
        .put((byte) minor)
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

  /// The version, 1.0 to 1.2.
  int minorVersion() {
    return bytes[5];
  }

  boolean isLittleEndian() {
    return (bytes[6] & LITTLE_ENDIAN) != 0;
  }

  int requestId() {
    return view.getInt(head.idAt());
  }

  /// Whether whoever sends this request waits for a reply.
  boolean isTwoWay() {
    return bytes[head.flagsAt()] != 0;
  }

  /// How a call ended: 0 by a result, 1 by an exception of the interface, 2 by one of the system; what is beyond leads
  /// elsewhere.
  boolean isFinal() {
    int status = view.getInt(head.flagsAt());
    return status >= 0 && status <= SYSTEM_EXCEPTION;
  }

  /// Whether a call ended by a result.
  boolean isResult() {
    return view.getInt(head.flagsAt()) == RESULT;
  }

  /// Whether a call ended by an exception of its interface.
  boolean isUserException() {
    return view.getInt(head.flagsAt()) == USER_EXCEPTION;
  }

  /// The failure of the plug-in by which a call ended.
  ///
  /// @return null when it ended in another way
  @Nullable RomiopFailure failure() {
    if (view.getInt(head.flagsAt()) != SYSTEM_EXCEPTION) {
      return null;
    }
    try {
      CdrIn in = body();
      in.string(OPERATION_BYTES_MAX); // which exception: the code says it, too
      return RomiopFailure.ofMinor(in.ulong());
    } catch (BrokenGiopException _) {
      return null;
    }
  }

  /// Arguments or results.
  CdrIn body() {
    return new CdrIn(view.duplicate().order(view.order()), head.body());
  }

  /// The operation that a request calls.
  String operation() throws BrokenGiopException {
    return new CdrIn(view.duplicate().order(view.order()), head.nameAt()).string(OPERATION_BYTES_MAX);
  }

  /// How many bytes arguments or results have.
  int bodyBytes() {
    return bytes.length - head.body();
  }

  /// The result of a call, if it is a `sequence<octet>`.
  byte[] octets() throws BrokenGiopException {
    require(isResult(), "an exception");
    int body = head.body();
    int length = bodyBytes() >= Integer.BYTES ? view.getInt(body) : -1;
    require(length >= 0 && length <= bodyBytes() - Integer.BYTES, "no sequence of octets");
    return Arrays.copyOfRange(bytes, body + Integer.BYTES, body + Integer.BYTES + length);
  }

  /// The key of the object that a request is for, as characters of one byte each.
  String key() {
    return new String(bytes, head.keyAt(), head.keyBytes(), StandardCharsets.ISO_8859_1);
  }

  /// The bytes of a service context.
  ///
  /// @return null when there is none of this id
  byte @Nullable [] context(int id) {
    for (GiopHead.Context each : head.contexts()) {
      if (each.id() == id) {
        int at = each.at() + 2 * Integer.BYTES;
        return Arrays.copyOfRange(bytes, at, at + each.bytes());
      }
    }
    return null;
  }

  /// The same message with other ids for some of its service contexts.
  ///
  /// @param ids     of those that nobody shall recognize
  /// @param instead an id that means nothing
  Giop withoutContexts(Set<Integer> ids, int instead) {
    if (head.contexts().stream().noneMatch(each -> ids.contains(each.id()))) {
      return this;
    }
    byte[] copy = bytes.clone();
    ByteBuffer changed = view(copy);
    head.contexts().stream()
        .filter(each -> ids.contains(each.id()))
        .forEach(each -> changed.putInt(each.at(), instead));
    return again(copy);
  }

  /// The same message with another request id.
  Giop withRequestId(int id) {
    byte[] copy = bytes.clone();
    view(copy).putInt(head.idAt(), id);
    return again(copy);
  }

  /// The same request with another id, which asks for a reply after it has been executed.
  Giop answered(int id) {
    byte[] copy = bytes.clone();
    view(copy).putInt(head.idAt(), id);
    copy[head.flagsAt()] = (byte) (minorVersion() == 2 ? WITH_TARGET : 1);
    return again(copy);
  }

  private static Giop again(byte[] copy) {
    try {
      return new Giop(copy);
    } catch (BrokenGiopException e) {
      throw new IllegalStateException("a message that was read before", e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Giop that
        && type() == that.type()
        && minorVersion() == that.minorVersion()
        && (type() != REPLY
            || view.order() == that.view.order()
                && view.getInt(head.flagsAt()) == that.view.getInt(that.head.flagsAt()))
        && Arrays.equals(bytes, head.body(), bytes.length, that.bytes, that.head.body(), that.bytes.length);
  }

  @Override
  public int hashCode() {
    int hash = type();
    for (int i = head.body(); i < bytes.length; i++) {
      hash = 31 * hash + bytes[i];
    }
    return hash;
  }

  /// Bytes that are no message of GIOP 1.0 to 1.2, or one in fragments.
  static final class BrokenGiopException extends Exception {
    private static final long serialVersionUID = 1;

    BrokenGiopException(String what) {
      super(what);
    }
  }
}
