package org.tutti.corba.gate;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/// The beginning of a request of GIOP 1.2, before its arguments.
///
/// ```
/// request id (4)   response flags (1)  0 (3)   kind of target (2)   key: length (4), bytes
/// operation: length (4), bytes   service contexts: count (4), { id (4)  length (4)  bytes }   at multiples of 4
/// ```
final class RequestHead {
  /// How much of a request is looked at; its head is shorter, or it is none of a peer's.
  static final int BYTES_MAX = 512;

  private static final int KEY_TARGET = 0;
  private static final int CONTEXTS_MAX = 16;
  private static final int INVOCATION_POLICIES = 7;

  private RequestHead() {}

  /// Whether the ORB survives it: with flags that do not exist its only thread for requests ends by an exception, and
  /// policies may tell that thread to wait for a time far away. Targets of other kinds than a key are for groups.
  ///
  /// @param body the first bytes behind the header, in the message's byte order
  static boolean isBearable(ByteBuffer body) {
    try {
      body.getInt();
      int flags = body.get();
      boolean known = flags == 0 || flags == 1 || flags == 3;
      body.position(body.position() + 3);
      if (!known || body.getShort() != KEY_TARGET) {
        return false;
      }
      skip(body); // the key
      skip(body); // the operation
      align(body);
      int contexts = body.getInt();
      for (int i = 0; i < contexts && i < CONTEXTS_MAX; i++) {
        align(body);
        if (body.getInt() == INVOCATION_POLICIES) {
          return false;
        }
        skip(body);
      }
      return contexts >= 0 && contexts <= CONTEXTS_MAX;
    } catch (BufferUnderflowException | IllegalArgumentException _) {
      return false; // a length that leads out of it
    }
  }

  private static void skip(ByteBuffer body) {
    align(body);
    int length = body.getInt();
    if (length < 0 || length > body.remaining()) {
      throw new BufferUnderflowException();
    }
    body.position(body.position() + length);
  }

  private static void align(ByteBuffer body) {
    body.position((body.position() + 3) & ~3);
  }
}
