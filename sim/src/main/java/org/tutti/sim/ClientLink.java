package org.tutti.sim;

import java.nio.ByteBuffer;

/// How a [SimulatedClient] reaches replicas: by connections, or by groups that it is in with them.
interface ClientLink {
  /// Begins to connect; the client is told what comes of it.
  ///
  /// @return the connection's number, above 0
  long connect(SimulatedClient client, String address);

  /// Says a frame, with its length; nothing when the connection is over.
  void toReplica(long connection, ByteBuffer frame);

  void closedByClient(long connection);

  /// To be called after each run of inputs.
  default void flush() {}

  /// How long it may take until a connection is there.
  default long formingNanos() {
    return 0;
  }

  /// Whether the client's process is at work.
  default boolean isHere() {
    return true;
  }
}
