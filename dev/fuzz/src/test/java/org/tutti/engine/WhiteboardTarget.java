package org.tutti.engine;

import java.nio.ByteBuffer;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.wire.Malformed;

/// What members show on the whiteboard.
public final class WhiteboardTarget implements FuzzTarget {
  @Override
  public void take(ByteBuffer input) throws Malformed {
    FuzzTarget.again(BoardExchange.CODEC, input);
  }
}
