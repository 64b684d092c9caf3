package org.tutti.dissemination;

import java.nio.ByteBuffer;
import java.util.List;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// Batches on their way, and the messages in them.
public final class BatchTarget implements FuzzTarget {
  private static final MemberId ONE = new MemberId("a", new Address("h:1"), 1);
  private static final MemberId OTHER = new MemberId("b", new Address("h:2"), 2);
  private static final View VIEW = new View(new ViewId(1, 1), List.of(ONE, OTHER), 2, true, List.of());

  private final Transmission.Encoding encoding = new Transmission.Encoding(VIEW, OTHER, Payloads.used());

  @Override
  public void take(ByteBuffer input) throws Malformed {
    FuzzTarget.again(encoding, input.duplicate());
    Batch batch = encoding.readAll(new WireReader(input)).batch();
    if (batch.kind() == Batch.Kind.SWITCH) {
      batch.ordering();
      return;
    }
    int messages = 0;
    for (Batch.Messages left = batch.messages(); left.hasNext(); messages++) {
      left.next();
    }
    if (messages != batch.count() || batch.without(messages).payload().hasRemaining()) {
      throw new AssertionError(messages + " messages in " + batch);
    }
  }
}
