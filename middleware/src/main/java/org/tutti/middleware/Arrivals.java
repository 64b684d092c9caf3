package org.tutti.middleware;

/// Where a middleware puts what peers send.
@FunctionalInterface
public interface Arrivals {
  /// Takes a batch; called by any thread of the middleware, for each peer in the order in which it was sent. When the
  /// node does not keep up this blocks for some seconds at most, so that the source has to wait.
  ///
  /// @param batch what arrived, not to be changed any more
  /// @return false when it was dropped: the node does not keep up or ends, or it is not what a peer sends; counted
  boolean take(byte[] batch);

  /// Tells that nothing more will arrive, because something that the middleware depends on has ended that should not
  /// have. Whoever goes on would be deaf, and look alive to itself: the node stops with the next poll, and says why.
  ///
  /// @param why what happened
  default void fail(Throwable why) {}
}
