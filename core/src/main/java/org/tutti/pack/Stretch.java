package org.tutti.pack;

import java.nio.ByteBuffer;

/// Successive messages of one member, packed as they will travel: each behind its [Prefix]. Whoever makes them may go
/// on adding to the last stretch that it has handed over until the packer seals it; so a message that waits for its
/// batch is copied once, into it, and costs the engine nothing.
public interface Stretch {
  /// What the messages are.
  ///
  /// @return one kind for all
  Batch.Kind kind();

  /// How many messages there are; until the stretch is sealed, perhaps more.
  ///
  /// @return at least 1
  int count();

  /// How long they are, with their prefixes; until the stretch is sealed, perhaps longer.
  ///
  /// @return the number of bytes
  int bytes();

  /// Ends the stretch's growth.
  ///
  /// @return all messages from position to limit, never changed from now on; the same each time
  ByteBuffer seal();

  /// A stretch of one message.
  ///
  /// @param kind    what it is
  /// @param message its bytes, copied
  /// @return the stretch, sealed
  static Stretch of(Batch.Kind kind, ByteBuffer message) {
    int length = message.remaining();
    ByteBuffer payload = ByteBuffer.allocate(Prefix.bytes(length) + length);
    Prefix.put(payload, length);
    return new Sealed(kind, payload.put(message.duplicate()).flip());
  }

  /// A stretch of one message, which cannot grow.
  ///
  /// @param kind what the message is
  /// @param seal its bytes behind their prefix
  record Sealed(Batch.Kind kind, ByteBuffer seal) implements Stretch {
    @Override
    public int count() {
      return 1;
    }

    @Override
    public int bytes() {
      return seal.remaining();
    }
  }
}
