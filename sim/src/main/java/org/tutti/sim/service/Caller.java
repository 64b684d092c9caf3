package org.tutti.sim.service;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A simulated client, as far as what it calls next may depend on it.
public final class Caller {
  private final int number;
  private @Nullable ByteBuffer lastReply;

  Caller(int number) {
    this.number = number;
  }

  /// Which client this is.
  ///
  /// @return 0 for the first one, up to one below the number of clients
  public int number() {
    return number;
  }

  /// What the service replied to a command of this client last: not to a query, and no refusal.
  ///
  /// @return from position to limit, another buffer each time; null before the first reply
  public @Nullable ByteBuffer lastReply() {
    return lastReply == null ? null : lastReply.duplicate();
  }

  void replied(ByteBuffer reply) {
    lastReply = reply;
  }
}
