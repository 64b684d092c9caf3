package org.tutti.corba.gate;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;

/// What comes over IIOP, before the ORB sees it: at the first message that is not of GIOP the stream ends.
public final class GiopFilterTarget implements FuzzTarget {
  private final Gate gate = Gate.open(1 << 16, 10, Duration.ofDays(1), null);
  private final GuardedSocket accepted = new GuardedSocket(gate, true);
  private final GuardedSocket dialled = new GuardedSocket(gate, false);

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of();
  }

  @Override
  public void take(ByteBuffer input) throws IOException {
    boolean isAccepted = FuzzTarget.choice(input, 2) == 0;
    byte[] bytes = FuzzTarget.array(input);
    var in = new ByteArrayInputStream(bytes);
    try (InputStream filter = new GiopFilter(in, gate, isAccepted ? accepted : dialled, isAccepted)) {
      byte[] passed = filter.readAllBytes();
      FuzzTarget.same(ByteBuffer.wrap(bytes, 0, passed.length), ByteBuffer.wrap(passed));
    }
  }
}
