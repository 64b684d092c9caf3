package org.tutti.blocks;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// One kind of block in [Blocks]: all blocks of that kind, by their names. As [org.tutti.replica.StateMachine] is, with
/// calls that are taken apart already.
interface Block {
  /// A picture of the state.
  interface Picture {
    void writeTo(DataOutputStream out) throws IOException;
  }

  /// Executes a command.
  ///
  /// @param session the client's
  /// @param name    of the block
  /// @param action  what to do, a number of the kind's own
  /// @param in      the rest of the command; lent
  ByteBuffer apply(long session, String name, int action, ByteBuffer in);

  /// Answers a question, or returns null when there is no answer yet.
  @Nullable ByteBuffer query(String name, int action, ByteBuffer in);

  /// A client is gone.
  default void sessionEnded(long session) {}

  Picture picture();

  /// A number that follows from the state ([org.tutti.replica.StateMachine#digest]): of all that the picture writes,
  /// unless a kind has a quicker one.
  default long digest() {
    return Digest.of(picture()::writeTo);
  }

  void restore(DataInputStream in) throws IOException;
}
