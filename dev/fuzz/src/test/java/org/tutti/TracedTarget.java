package org.tutti;

import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;

/// Payloads with a trace context, of whoever may call or multicast.
public final class TracedTarget implements FuzzTarget {
  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(IllegalArgumentException.class);
  }

  @Override
  public void take(ByteBuffer input) {
    TracedMessage read = TracedMessage.decode(input);
    ByteBuffer again = read.encode();
    if (!again.equals(input) || !TracedMessage.decode(again).equals(read)) {
      throw new AssertionError(read + " is written as other bytes");
    }
    TracedMessage taken = TracedMessage.of(read.traceparent(), read.tracestate(), read.message());
    if (!taken.equals(read)) {
      throw new AssertionError(read + " is not taken as it is, but as " + taken);
    }
  }
}
