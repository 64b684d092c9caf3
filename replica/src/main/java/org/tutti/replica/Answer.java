package org.tutti.replica;

import java.nio.ByteBuffer;

/// What one replica answered to a command: the service's reply, or its refusal in words. A client that collects several
/// ([Policy.Collection#ALL], [Policy.Collection#MAJORITY]) gets them in the outcome of [Client#collect].
///
/// Two are equal when their bytes are, and the place at which the command was executed.
///
/// @param failed   whether the service threw an exception
/// @param payload  the reply; of a failure, the service's words in UTF-8. Each call gives another read-only buffer over
///                 the same bytes
/// @param position the place among all commands at which it was executed: the same at all replicas
public record Answer(boolean failed, ByteBuffer payload, long position) {
  /// Takes the bytes as they are; they must not change.
  public Answer {
    payload = payload.slice().asReadOnlyBuffer();
  }

  /// The bytes.
  ///
  /// @return read-only, another buffer each time
  @Override
  public ByteBuffer payload() {
    return payload.duplicate();
  }
}
