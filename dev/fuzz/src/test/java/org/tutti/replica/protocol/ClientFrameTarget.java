package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.wire.Malformed;

/// What clients and replicas of a service say to each other, by connections and in groups, and members that call each
/// other.
public final class ClientFrameTarget implements FuzzTarget {
  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(Frame.MalformedException.class, Malformed.class);
  }

  @Override
  public void take(ByteBuffer input) throws Frame.MalformedException, Malformed {
    switch (FuzzTarget.choice(input, 3)) {
      case 0 -> {
        ByteBuffer first = Frame.decode(input.slice()).encode();
        FuzzTarget.same(first, Frame.decode(first.duplicate().position(Integer.BYTES)).encode());
      }
      case 1 -> {
        ByteBuffer first = GroupCallMessage.read(input.slice()).encode();
        FuzzTarget.same(first, GroupCallMessage.read(first.duplicate()).encode());
      }
      default -> {
        ByteBuffer first = ClientGroupMessage.read(input.slice()).encode();
        FuzzTarget.same(first, ClientGroupMessage.read(first.duplicate()).encode());
      }
    }
  }
}
