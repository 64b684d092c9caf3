package org.tutti.transport;

import java.nio.ByteBuffer;

/// Where a transport puts what arrives. Called on the thread that calls [Transport#poll], never concurrently; neither
/// method blocks or throws on bad input.
public interface Receiver {
  /// A frame arrived.
  ///
  /// @param frame the frame's bytes from position to limit, lent until the method returns
  void onFrame(ByteBuffer frame);

  /// A peer can be reached (again), or has room (again) after a refused claim.
  ///
  /// @param peer the peer's address, as it was given to [FrameSender#claim]
  void onReady(Address peer);

  /// Another connection to a peer is in use: frames that were claimed before may have been lost with the one before it,
  /// and need not be waited for. Told before [#onReady]. A transport without connections never calls this.
  ///
  /// @param peer the peer's address, as it was given to [FrameSender#claim]
  default void onReconnected(Address peer) {}

  /// A peer's process seems to have ended: its connection broke, and its host has refused two attempts to connect
  /// since. A transport that cannot tell never calls this. It is evidence, not proof: somebody between may refuse, too.
  ///
  /// @param peer the peer's address, as it was given to [FrameSender#claim]
  default void onGone(Address peer) {}

  /// A peer that this node tried to reach does not take it in. Told for each attempt that ends so, by transports that
  /// can tell. Evidence of what is wrong, for people; nobody may conclude anything else from it.
  ///
  /// @param refused by whom, and why
  default void onRefused(Refused refused) {}
}
