package org.tutti.engine;

import java.nio.ByteBuffer;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.user.Request;

/// Everything that can happen to a node.
public sealed interface Input {
  /// A frame came from the transport.
  ///
  /// @param frame lent for the step
  record Arrived(ByteBuffer frame) implements Input {}

  /// The transport has (again) room for frames to a peer.
  ///
  /// @param peer the peer's address
  record Ready(Address peer) implements Input {}

  /// The transport has another connection to a peer: what was on the way may be lost.
  ///
  /// @param peer the peer's address
  record Reconnected(Address peer) implements Input {}

  /// The transport has evidence that a process has ended.
  ///
  /// @param peer its address
  record Gone(Address peer) implements Input {}

  /// The transport was refused by a peer.
  ///
  /// @param refused by whom, and why
  record Rejected(Refused refused) implements Input {}

  /// The time [NodeEngine#deadlineNanos] has come.
  record Expired() implements Input {}

  /// The application wants something.
  ///
  /// @param request what it wants
  record Requested(Request request) implements Input {}
}
