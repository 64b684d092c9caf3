package org.tutti.dissemination;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// A batch on its way.
///
/// @param way    how it travels
/// @param origin its sender's rank in the view
/// @param first  it is its sender's first batch in the view
/// @param apart  its sender's batch before took another way, so this one may come first
/// @param batch  the batch
public record Transmission(Way way, int origin, boolean first, boolean apart, Batch batch) {
  /// How a batch reaches all others.
  public enum Way {
    /// From its sender to each of them; the link says who the sender is.
    STAR,
    /// From its sender to one, from this to the next, and so on.
    CHAIN,
    /// From its sender to the most senior member, and from this to all others.
    RELAY
  }

  private static final int CHAINED = 1;
  private static final int FIRST = 2;
  private static final int APART = 4;
  private static final int RELAYED = 8;
  private static final int INDIRECT = CHAINED | RELAYED;
  private static final int ALL = INDIRECT | FIRST | APART;

  /// Whether a message is a batch that another member than its sender may bring.
  ///
  /// @param bytes the message, from the position on; not changed
  /// @return whether it says so
  public static boolean isIndirect(ByteBuffer bytes) {
    return bytes.hasRemaining() && (bytes.get(bytes.position()) & INDIRECT) != 0;
  }

  /// The bytes: `u8 flags, [count origin,] batch`. The origin is there unless the batch comes from its sender.
  ///
  /// @param view     where they are read; null when only writing
  /// @param from     whom the link names; any member when only writing
  /// @param payloads gets the payloads
  public record Encoding(@Nullable View view, MemberId from, Payloads payloads) implements Codec<Transmission> {
    @Override
    public void write(Transmission message, WireWriter out) {
      int way =
          switch (message.way) {
            case STAR -> 0;
            case CHAIN -> CHAINED;
            case RELAY -> RELAYED;
          };
      out.u8(way | (message.first ? FIRST : 0) | (message.apart ? APART : 0));
      if (way != 0) {
        out.count(message.origin);
      }
      message.batch.write(out);
    }

    @Override
    public ByteBuffer tail(Transmission message) {
      return message.batch.payload();
    }

    @Override
    public MemberId sender(Transmission message) {
      return message.batch.sender();
    }

    @Override
    public Transmission read(WireReader in) throws Malformed {
      int flags = in.u8();
      if (flags > ALL || (flags & INDIRECT) == INDIRECT || view == null) {
        throw new Malformed("batch");
      }
      Way way = (flags & RELAYED) != 0 ? Way.RELAY : (flags & CHAINED) != 0 ? Way.CHAIN : Way.STAR;
      int origin = way == Way.STAR ? view.rankOf(from) : in.countUpTo(Short.MAX_VALUE);
      if (origin < 0 || origin >= view.size()) {
        throw new Malformed("batch of a stranger");
      }
      MemberId sender = view.members().get(origin);
      return new Transmission(
          way, origin, (flags & FIRST) != 0, (flags & APART) != 0, Batch.copy(sender, in, payloads::copy));
    }
  }
}
