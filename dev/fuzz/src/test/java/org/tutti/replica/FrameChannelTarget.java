package org.tutti.replica;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FedChannel;
import org.tutti.fuzz.FuzzTarget;

/// How a stream of bytes falls into frames at a replica's port, however they are cut into parts.
public final class FrameChannelTarget implements FuzzTarget {
  private static final int BYTES_MAX = 100_000;

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(FrameChannel.BadLengthException.class, EOFException.class);
  }

  @Override
  public void take(ByteBuffer input) throws IOException {
    int most = input.remaining();
    var taken =
        new Object() {
          int bytes;
        };
    var channel = new FrameChannel(new FedChannel(input), null);
    while (true) {
      channel.read(
          () -> BYTES_MAX,
          frame -> {
            taken.bytes += Integer.BYTES + frame.remaining();
            return true;
          });
      if (taken.bytes > most) {
        throw new AssertionError(taken.bytes + " bytes of frames in " + most);
      }
    }
  }
}
