package org.tutti.order;

import java.nio.ByteBuffer;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The bytes of [AsideMessage].
///
/// @param sender who sent the messages that are read; any member when only writing
public record AsideCodec(MemberId sender) implements Codec<AsideMessage> {
  private static final int ASIDE = 1;
  private static final int PROPOSED = 2;
  private static final int FINAL = 3;
  private static final int HELD = 4;
  private static final int REFUSED = 5;

  @Override
  public void write(AsideMessage message, WireWriter out) {
    switch (message) {
      case AsideMessage.Aside(var destinations, Batch batch) -> {
        out.u8(ASIDE);
        AsidePlace.writeRanks(destinations, out);
        batch.write(out);
      }
      case AsideMessage.Proposed(long number, long timestamp) -> write(PROPOSED, number, timestamp, out);
      case AsideMessage.Final(long number, long timestamp) -> write(FINAL, number, timestamp, out);
      case AsideMessage.Held(int rank, long number) -> write(HELD, rank, number, out);
      case AsideMessage.Refused(long number) -> {
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
  public ByteBuffer tail(AsideMessage message) {
    return message instanceof AsideMessage.Aside(_, Batch batch) ? batch.payload() : NOTHING;
  }

  @Override
  public AsideMessage read(WireReader in) throws Malformed {
    return switch (in.u8()) {
      case ASIDE -> new AsideMessage.Aside(AsidePlace.readRanks(in), Batch.copy(sender, in));
      case PROPOSED -> new AsideMessage.Proposed(in.count(), in.count());
      case FINAL -> new AsideMessage.Final(in.count(), in.count());
      case HELD -> new AsideMessage.Held(in.countUpTo(Integer.MAX_VALUE), in.count());
      case REFUSED -> new AsideMessage.Refused(in.count());
      default -> throw new Malformed("aside");
    };
  }
}
