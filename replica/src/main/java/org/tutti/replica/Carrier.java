package org.tutti.replica;

import java.nio.ByteBuffer;
import org.tutti.replica.protocol.ClientProtocol;

/// What a client's frames go over, to one replica after the other: a connection, or a group. With the client's lock.
interface Carrier extends ClientProtocol.Line {
  /// What happens to a connection, for the protocol.
  sealed interface Happening {
    record Connected() implements Happening {}

    record Received(ByteBuffer frame) implements Happening {}

    record Disconnected(String why) implements Happening {}
  }

  /// Writes what was sent.
  void write();

  /// How many bytes were sent and not written.
  default long waiting() {
    return 0; // it writes at once
  }
}
