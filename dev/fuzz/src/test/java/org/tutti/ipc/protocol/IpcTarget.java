package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// What hosts say to each other about communications of processes.
public final class IpcTarget implements FuzzTarget {
  @Override
  public void take(ByteBuffer input) throws Malformed {
    if (PairMessage.isOne(input)) {
      FuzzTarget.again(IpcTarget::pair, (message, out) -> PairMessage.write(out, message), input);
    } else if (MembershipMessage.isOne(input)) {
      FuzzTarget.again(IpcTarget::membership, (message, out) -> MembershipMessage.write(out, message), input);
    } else {
      FuzzTarget.again(IpcTarget::group, (message, out) -> IpcMessage.write(out, message), input);
    }
  }

  private static IpcMessage group(WireReader in) throws Malformed {
    return IpcMessage.read(in.rest());
  }

  private static MembershipMessage membership(WireReader in) throws Malformed {
    return MembershipMessage.read(in.rest());
  }

  private static PairMessage pair(WireReader in) throws Malformed {
    return PairMessage.read(in.rest());
  }
}
