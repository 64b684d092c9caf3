package org.tutti.order;

import java.nio.ByteBuffer;
import java.util.List;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What members say about [SubsetMulticasts].
public sealed interface SubsetMessage {
  /// From the sender to the destinations.
  ///
  /// @param destinations their ranks, rising
  /// @param batch        the payload; its number counts the sender's subset multicasts
  record SubsetMulticast(List<Integer> destinations, Batch batch) implements SubsetMessage {
    /// Copies the list.
    public SubsetMulticast {
      destinations = List.copyOf(destinations);
    }
  }

  /// To the sender: the subset multicast should have this timestamp at least.
  ///
  /// @param number    the subset multicast's
  /// @param timestamp beyond everything that the destination has seen
  record Proposed(long number, long timestamp) implements SubsetMessage {}

  /// From the sender to the destinations: the timestamp that it has, sn(m).
  ///
  /// @param number    the subset multicast's
  /// @param timestamp the highest proposal; 0 when the sender gives the subset multicast up
  record Final(long number, long timestamp) implements SubsetMessage {}

  /// From a destination to the others and the sender: it is here, and what comes before it is known.
  ///
  /// @param rank   the sender's
  /// @param number the subset multicast's
  record Held(int rank, long number) implements SubsetMessage {}

  /// To the sender: the group has switched to another ordering before the subset multicast.
  ///
  /// @param number the subset multicast's
  record Refused(long number) implements SubsetMessage {}

  /// The bytes of [SubsetMessage].
  ///
  /// @param sender who sent the messages that are read; any member when only writing
  record Encoding(MemberId sender) implements Codec<SubsetMessage> {
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
}
