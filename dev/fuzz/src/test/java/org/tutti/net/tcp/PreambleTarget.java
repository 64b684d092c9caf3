package org.tutti.net.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FedChannel;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.tls.Wire;

/// The first bytes of a connection, however they are cut into parts.
public final class PreambleTarget implements FuzzTarget {
  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of();
  }

  @Override
  public void take(ByteBuffer input) throws IOException {
    var preamble = new Preamble();
    switch (read(preamble, input)) {
      case COMPLETE -> {
        var again = new Preamble();
        read(again, inBytes(Preamble.encode(preamble.from(), preamble.to())));
        if (!again.from().equals(preamble.from()) || !again.to().equals(preamble.to())) {
          throw new AssertionError(preamble.from() + " to " + preamble.to() + " is not read again");
        }
      }
      case OTHER_VERSION -> preamble.versions();
      default -> {}
    }
  }

  private static Preamble.Progress read(Preamble preamble, ByteBuffer input) throws IOException {
    var wire = new Wire.Plain(new FedChannel(input), Wire.Traffic.UNCOUNTED);
    Preamble.Progress progress = preamble.read(wire);
    while (progress == Preamble.Progress.MORE) {
      progress = preamble.read(wire);
    }
    return progress;
  }

  /// The same, one byte after the other.
  private static ByteBuffer inBytes(ByteBuffer all) {
    ByteBuffer parts = ByteBuffer.allocate(2 * all.remaining());
    while (all.hasRemaining()) {
      parts.put((byte) 1).put(all.get());
    }
    return parts.flip();
  }
}
