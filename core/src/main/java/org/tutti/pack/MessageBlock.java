package org.tutti.pack;

import java.nio.ByteBuffer;

/// Successive messages of one member, packed as they will travel: each behind its [Prefix]. Whoever makes them may go
/// on adding to the last block that it has handed over until the packer seals it; so a message that waits for its
/// batch is copied once, into it, and costs the engine nothing.
public interface MessageBlock {
  /// What the messages are.
  ///
  /// @return one kind for all
  Batch.Kind kind();

  /// How many messages there are; until the block is sealed, perhaps more.
  ///
  /// @return at least 1
  int count();

  /// How long they are, with their prefixes; until the block is sealed, perhaps longer.
  ///
  /// @return the number of bytes
  int bytes();

  /// Ends the block's growth.
  ///
  /// @return all messages from position to limit, never changed from now on; the same each time
  ByteBuffer seal();

  /// Bounds the block's growth: it ends where a bound is reached, and then the packer is to be asked again. Another
  /// call puts other bounds in the place of these.
  ///
  /// @param messages how many messages, at least 1
  /// @param bytes    how many bytes, at least 1
  /// @return whether it has reached a bound already
  boolean bound(int messages, int bytes);

  /// A block of one message.
  ///
  /// @param kind    what it is
  /// @param message its bytes, copied
  /// @return the block, sealed
  static MessageBlock of(Batch.Kind kind, ByteBuffer message) {
    int length = message.remaining();
    ByteBuffer payload = ByteBuffer.allocate(Prefix.bytes(length) + length);
    Prefix.put(payload, length);
    return new Sealed(kind, 1, payload.put(message.duplicate()).flip());
  }

  /// A block that cannot grow.
  ///
  /// @param kind  what the messages are
  /// @param count how many there are
  /// @param seal  their bytes, each behind its prefix
  record Sealed(Batch.Kind kind, int count, ByteBuffer seal) implements MessageBlock {
    @Override
    public int bytes() {
      return seal.remaining();
    }

    @Override
    public boolean bound(int messages, int bytes) {
      return count >= messages || bytes() >= bytes;
    }
  }
}
