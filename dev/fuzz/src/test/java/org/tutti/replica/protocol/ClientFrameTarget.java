package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.wire.Malformed;

/// What clients and replicas of a service say to each other, and members that call each other.
public final class ClientFrameTarget implements FuzzTarget {
  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(Frame.MalformedException.class, Malformed.class);
  }

  @Override
  public void take(ByteBuffer input) throws Frame.MalformedException, Malformed {
    if (FuzzTarget.choice(input, 2) == 0) {
      ByteBuffer first = Frame.decode(input.slice()).encode();
      FuzzTarget.same(first, Frame.decode(first.duplicate().position(Integer.BYTES)).encode());
    } else {
      ByteBuffer first = GroupCallMessage.read(input.slice()).encode();
      FuzzTarget.same(first, GroupCallMessage.read(first.duplicate()).encode());
    }
  }
}
