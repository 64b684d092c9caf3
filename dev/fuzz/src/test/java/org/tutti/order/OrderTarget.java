package org.tutti.order;

import java.nio.ByteBuffer;
import java.util.List;
import org.tutti.MemberId;
import org.tutti.domain.Frontier;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.transport.Address;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;

/// The messages of all orderings, of stability, of reads, and of groups in domains.
public final class OrderTarget implements FuzzTarget {
  private static final List<Codec<?>> CODECS =
      List.of(
          FixedSequencer.CODEC,
          Skeen.CODEC,
          ConsensusOrder.CODEC,
          Symmetric.CODEC,
          Stability.CODEC,
          ReadIndex.CODEC,
          new SubsetMessage.Encoding(new MemberId("n", new Address("h:1"), 1)),
          Frontier.CODEC);

  @Override
  public void take(ByteBuffer input) throws Malformed {
    FuzzTarget.again(CODECS.get(FuzzTarget.choice(input, CODECS.size())), input);
  }
}
