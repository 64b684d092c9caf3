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
/// @param origin its sender's rank in the view when it goes from member to member; else [#DIRECT], and the link says
///               who the sender is
/// @param first  it is its sender's first batch in the view
/// @param apart  its sender's batch before took the other way, so this one may come first
/// @param batch  the batch
public record Transmission(int origin, boolean first, boolean apart, Batch batch) {
  /// The origin of what comes from its sender itself.
  public static final int DIRECT = -1;

  private static final int CHAINED = 1;
  private static final int FIRST = 2;
  private static final int APART = 4;

  /// Whether a message is a batch that its sender has not sent itself.
  ///
  /// @param bytes the message, from the position on; not changed
  /// @return whether it says so
  public static boolean isChained(ByteBuffer bytes) {
    return bytes.hasRemaining() && (bytes.get(bytes.position()) & CHAINED) != 0;
  }

  /// The bytes: `u8 flags, [count origin,] batch`.
  ///
  /// @param view     where they are read; null when only writing
  /// @param from     whom the link names; any member when only writing
  /// @param payloads gets the payloads
  public record Encoding(@Nullable View view, MemberId from, Payloads payloads) implements Codec<Transmission> {
    @Override
    public void write(Transmission message, WireWriter out) {
      boolean chained = message.origin != DIRECT;
      out.u8((chained ? CHAINED : 0) | (message.first ? FIRST : 0) | (message.apart ? APART : 0));
      if (chained) {
        out.count(message.origin);
      }
      message.batch.write(out);
    }

    @Override
    public ByteBuffer tail(Transmission message) {
      return message.batch.payload();
    }

    @Override
    public Transmission read(WireReader in) throws Malformed {
      int flags = in.u8();
      int origin = (flags & CHAINED) == 0 ? DIRECT : in.countUpTo(Short.MAX_VALUE);
      if (flags > (CHAINED | FIRST | APART) || view == null || origin >= view.size()) {
        throw new Malformed("batch");
      }
      MemberId sender = origin == DIRECT ? from : view.members().get(origin);
      return new Transmission(
          origin, (flags & FIRST) != 0, (flags & APART) != 0, Batch.copy(sender, in, payloads::copy));
    }
  }
}
