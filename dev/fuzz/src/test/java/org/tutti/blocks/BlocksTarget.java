package org.tutti.blocks;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.replica.Command;

/// Commands and questions of clients to the building blocks, and the state of these. A command may fail with any
/// exception, which its client is told; but after all that clients say, the state is given to newcomers as it is.
public final class BlocksTarget implements FuzzTarget {
  private static final int SESSIONS = 4;

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(IOException.class, EOFException.class, UTFDataFormatException.class);
  }

  @Override
  public void take(ByteBuffer input) throws IOException {
    var blocks = new Blocks();
    if (FuzzTarget.choice(input, 2) == 0) {
      blocks.restore(new ByteArrayInputStream(FuzzTarget.array(input)));
    } else {
      say(blocks, input);
    }
    try {
      sameAgain(blocks);
    } catch (IOException e) {
      throw new AssertionError("the state cannot be given to a newcomer", e);
    }
    for (int session = 0; session < SESSIONS; session++) {
      blocks.sessionEnded(session, 0, Instant.EPOCH);
    }
  }

  /// Messages, before each one its length and, with questions among them, the session in a byte.
  private static void say(Blocks blocks, ByteBuffer input) {
    while (input.remaining() > 2) {
      int session = Byte.toUnsignedInt(input.get());
      int length = Math.min(Byte.toUnsignedInt(input.get()), input.remaining());
      ByteBuffer message = input.slice(input.position(), length).asReadOnlyBuffer();
      input.position(input.position() + length);
      try {
        if (session < SESSIONS) {
          blocks.apply(new Command(session, 1, 0, Instant.EPOCH, message));
        } else {
          blocks.query(message);
        }
      } catch (RuntimeException _) {
        // A failure of this message.
      }
    }
  }

  private static void sameAgain(Blocks blocks) throws IOException {
    byte[] state = state(blocks);
    var newcomer = new Blocks();
    newcomer.restore(new ByteArrayInputStream(state));
    FuzzTarget.same(ByteBuffer.wrap(state), ByteBuffer.wrap(state(newcomer)));
    if (!newcomer.digest().equals(blocks.digest())) {
      throw new AssertionError("equal states with different digests");
    }
  }

  private static byte[] state(Blocks blocks) throws IOException {
    var out = new ByteArrayOutputStream();
    blocks.snapshot().writeTo(out);
    return out.toByteArray();
  }
}
