package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// What hosts say to each other about communications of processes.
public final class IpcTarget implements FuzzTarget {
  @Override
  public void take(ByteBuffer input) throws Malformed {
    FuzzTarget.again(IpcTarget::read, (message, out) -> IpcMessage.write(out, message), input);
  }

  private static IpcMessage read(WireReader in) throws Malformed {
    return IpcMessage.read(in.rest());
  }
}
