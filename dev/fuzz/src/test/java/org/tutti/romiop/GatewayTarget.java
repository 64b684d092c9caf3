package org.tutti.romiop;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.tutti.fuzz.FuzzTarget;

/// What a client sends to the gateway of a group of CORBA objects: messages, whole or in fragments, and what the
/// gateway reads of each.
public final class GatewayTarget implements FuzzTarget {
  private static final int ID = 7;

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(Giop.BrokenGiopException.class, EOFException.class);
  }

  @Override
  public void take(ByteBuffer input) throws IOException, Giop.BrokenGiopException {
    var budget = new Semaphore(Integer.MAX_VALUE);
    var reader = new GiopReader(new ByteArrayInputStream(FuzzTarget.array(input)), budget);
    try {
      for (byte[] message = reader.next(); message != null; message = reader.next()) {
        if (!GiopHead.hasOtherTarget(Giop.view(message))) {
          look(Giop.of(message));
        }
      }
    } finally {
      reader.release();
    }
    if (budget.availablePermits() != Integer.MAX_VALUE) {
      throw new AssertionError("not all of the budget was given back");
    }
  }

  private static void look(Giop message) throws Giop.BrokenGiopException {
    switch (message.type()) {
      case Giop.REQUEST -> {
        message.key();
        FtRequest.of(message);
        FtGroupVersion.of(message);
        if (message.withRequestId(ID).requestId() != ID) {
          throw new AssertionError("another request id was not written");
        }
      }
      case Giop.LOCATE_REQUEST -> message.key();
      case Giop.CANCEL_REQUEST -> message.requestId();
      case Giop.REPLY -> message.failure();
      default -> message.isFinal();
    }
  }
}
