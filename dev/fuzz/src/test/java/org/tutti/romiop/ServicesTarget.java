package org.tutti.romiop;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Set;
import java.util.function.Supplier;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.replica.Command;

/// Requests of ORBs to the replicated services for them, and the states of these. A request that is none is refused,
/// and one with wrong arguments is answered by an exception; after all that clients say, the state is given to
/// newcomers as it is.
public final class ServicesTarget implements FuzzTarget {
  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(
        IOException.class, EOFException.class, UTFDataFormatException.class, ObjectStates.OtherObjectsException.class);
  }

  @Override
  public long allocationMax(int length) {
    return (256 << 10) + 4096L * length; // answers may list what all requests before have made
  }

  @Override
  public void take(ByteBuffer input) throws IOException {
    int choice = FuzzTarget.choice(input, 4);
    Supplier<ServedObjects> objects = choice < 2 ? ObjectGroups::new : NamingService::new;
    var service = new ReplicatedObjects(objects.get());
    if (choice % 2 == 0) {
      service.restore(new ByteArrayInputStream(FuzzTarget.array(input)));
    } else {
      say(service, input);
    }
    try {
      sameAgain(service, new ReplicatedObjects(objects.get()));
    } catch (IOException e) {
      throw new AssertionError("the state cannot be given to a newcomer", e);
    }
  }

  /// Requests, before each one its length.
  private static void say(ReplicatedObjects service, ByteBuffer input) {
    while (input.remaining() > 2) {
      int length = Math.min(Short.toUnsignedInt(input.getShort()), input.remaining());
      ByteBuffer message = input.slice(input.position(), length).asReadOnlyBuffer();
      input.position(input.position() + length);
      try {
        Giop asked = ServiceRequest.read(message.slice()).giop();
        Giop reply = Giop.of(service.apply(new Command(1, 1, 0, Instant.EPOCH, message)).array());
        if (reply.type() != Giop.REPLY || reply.requestId() != asked.requestId() || !reply.isFinal()) {
          throw new AssertionError("no reply to the request");
        }
      } catch (IllegalArgumentException | Giop.BrokenGiopException _) {
        // No request.
      }
    }
  }

  private static void sameAgain(ReplicatedObjects service, ReplicatedObjects newcomer) throws IOException {
    byte[] state = state(service);
    newcomer.restore(new ByteArrayInputStream(state));
    FuzzTarget.same(ByteBuffer.wrap(state), ByteBuffer.wrap(state(newcomer)));
    if (!newcomer.digest().equals(service.digest())) {
      throw new AssertionError("equal states with different digests");
    }
  }

  private static byte[] state(ReplicatedObjects service) throws IOException {
    var out = new ByteArrayOutputStream();
    service.snapshot().writeTo(out);
    return out.toByteArray();
  }
}
