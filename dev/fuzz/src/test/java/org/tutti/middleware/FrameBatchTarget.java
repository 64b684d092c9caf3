package org.tutti.middleware;

import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.transport.Counts;

/// What one call of a middleware carries; what is wrong is dropped with a count.
public final class FrameBatchTarget implements FuzzTarget {
  private static final byte[] SELF = {'h', ':', '1'};
  private static final int FRAME_BYTES_MAX = 1000;

  private final Counts<MiddlewareCount> counts = new Counts<>(MiddlewareCount.class);

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of();
  }

  @Override
  public void take(ByteBuffer input) {
    byte[] bytes = FuzzTarget.array(input);
    FrameBatch batch = FrameBatch.check(bytes, SELF, FRAME_BYTES_MAX, counts);
    FrameBatch.Stranger stranger = FrameBatch.stranger(bytes, SELF);
    if (batch != null && stranger != null) {
      throw new AssertionError("of this version and of another one");
    }
    if (stranger != null) {
      stranger.refusal();
    }
  }
}
