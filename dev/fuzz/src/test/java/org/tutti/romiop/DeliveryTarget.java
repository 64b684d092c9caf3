package org.tutti.romiop;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.tutti.fuzz.FuzzTarget;

/// What the process of a delegate's servants, and the group service, answer to a member that calls them.
public final class DeliveryTarget implements FuzzTarget {
  private static final Giop REQUEST = Giop.request("Counter", "get", null);

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(Giop.BrokenGiopException.class, EOFException.class);
  }

  @Override
  public void take(ByteBuffer input) throws IOException, Giop.BrokenGiopException {
    int choice = FuzzTarget.choice(input, 3);
    var in = new ByteArrayInputStream(FuzzTarget.array(input));
    byte[] message = new GiopReader(in, new Semaphore(Integer.MAX_VALUE)).next();
    if (message == null) {
      return;
    }
    Giop reply = Giop.of(message);
    Giop.require(reply.type() == Giop.REPLY && reply.isFinal(), "no reply");
    switch (choice) {
      case 0 -> ServantProcess.servants(reply);
      case 1 -> {
        Giop outcome = ServantProcess.outcome(REQUEST, reply);
        if (outcome.type() != Giop.REPLY || !outcome.isFinal() || outcome.requestId() != REQUEST.requestId()) {
          throw new AssertionError("no reply to the request");
        }
      }
      default -> GroupServiceClient.described(reply);
    }
  }
}
