package org.tutti.replica;

import java.nio.ByteBuffer;
import org.tutti.replica.protocol.ClientProtocol;
import org.tutti.replica.protocol.QuietConnection;

/// What a client's frames go over, to one replica after the other: a connection, or a group. With the client's lock.
interface Carrier extends ClientProtocol.Line {
  /// What happens to a connection, for the protocol.
  sealed interface Happening {
    record Connected() implements Happening {}

    record Received(ByteBuffer frame) implements Happening {}

    record Disconnected(String why) implements Happening {}

    /// Tells whose first connection it is.
    default void tell(ClientProtocol of) {
      switch (this) {
        case Connected() -> of.connected();
        case Received(ByteBuffer frame) -> of.received(frame);
        case Disconnected(String why) -> of.disconnected(why);
      }
    }

    /// Tells whose connection beside the first one it is.
    default void tell(QuietConnection of) {
      switch (this) {
        case Connected() -> of.connected();
        case Received(ByteBuffer frame) -> of.received(frame);
        case Disconnected _ -> of.disconnected();
      }
    }
  }

  /// Writes what was sent.
  void write();

  /// How many bytes were sent and not written.
  default long waiting() {
    return 0; // it writes at once
  }
}
