package org.tutti.middleware;

import java.io.IOException;

/// One way to a peer, used by one thread.
public interface Call extends AutoCloseable {
  /// Hands over a batch; batches arrive in the order in which they are sent. Blocks while the peer, or the way to it,
  /// does not keep up, but not for ever: a peer that takes nothing for the middleware's timeout is given up. An
  /// interrupt ends it.
  ///
  /// @param batch the bytes; the middleware may keep the array
  /// @throws IOException when the peer cannot be reached any more, whether or not it got the batch; the call is closed
  ///                     then, and whatever the middleware throws by itself is turned into this
  void send(byte[] batch) throws IOException;

  /// Ends it; what was sent without an exception is still delivered, as far as the middleware can.
  @Override
  void close();
}
