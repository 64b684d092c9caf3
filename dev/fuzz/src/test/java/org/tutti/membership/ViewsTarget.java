package org.tutti.membership;

import java.nio.ByteBuffer;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.wire.Malformed;

/// What members say about views, the first words to strangers, and the messages of a state transfer.
public final class ViewsTarget implements FuzzTarget {
  @Override
  public void take(ByteBuffer input) throws Malformed {
    switch (FuzzTarget.choice(input, 3)) {
      case 0 -> FuzzTarget.again(ViewMessage.CODEC, input);
      case 1 -> FuzzTarget.again(StateTransfer.CODEC, input);
      default -> FuzzTarget.again(Hello::read, Hello::write, input);
    }
  }
}
