package org.tutti.order;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The bytes of [SubsetMessage].
///
/// @param sender who sent the messages that are read; any member when only writing
public record SubsetCodec(MemberId sender) implements Codec<SubsetMessage> {
  private static final int SUBSET = 1;
  private static final int PROPOSED = 2;
  private static final int FINAL = 3;
  private static final int HELD = 4;
  private static final int REFUSED = 5;

  @Override
  public void write(SubsetMessage message, WireWriter out) {
    switch (message) {
      case SubsetMessage.SubsetMulticast(var destinations, Batch batch) -> {
        out.u8(SUBSET);
        SubsetPlace.writeRanks(destinations, out);
        batch.write(out);
      }
      case SubsetMessage.Proposed(long number, long timestamp) -> write(PROPOSED, number, timestamp, out);
      case SubsetMessage.Final(long number, long timestamp) -> write(FINAL, number, timestamp, out);
      case SubsetMessage.Held(int rank, long number) -> write(HELD, rank, number, out);
      case SubsetMessage.Refused(long number) -> {
        out.u8(REFUSED);
        out.count(number);
      }
    }
  }

  private static void write(int kind, long first, long second, WireWriter out) {
    out.u8(kind);
    out.count(first);
    out.count(second);
  }

  @Override
  public ByteBuffer tail(SubsetMessage message) {
    return message instanceof SubsetMessage.SubsetMulticast(_, Batch batch) ? batch.payload() : NOTHING;
  }

  @Override
  public SubsetMessage read(WireReader in) throws Malformed {
    return switch (in.u8()) {
      case SUBSET -> new SubsetMessage.SubsetMulticast(SubsetPlace.readRanks(in), Batch.copy(sender, in));
      case PROPOSED -> new SubsetMessage.Proposed(in.count(), in.count());
      case FINAL -> new SubsetMessage.Final(in.count(), in.count());
      case HELD -> new SubsetMessage.Held(in.countUpTo(Integer.MAX_VALUE), in.count());
      case REFUSED -> new SubsetMessage.Refused(in.count());
      default -> throw new Malformed("subset multicast");
    };
  }
}
