package org.tutti.consensus;

import java.util.ArrayList;
import java.util.List;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What members of [ChandraToueg] say. Rounds count from 1; instances from 0.
///
/// @param <V> the values' type
public sealed interface RoundMessage<V> {
  /// To a round's coordinator: I am in your round, and this is what I bring.
  ///
  /// @param round   the round
  /// @param first   an instance; its coordinator has decided all below
  /// @param decided the decisions of this and the following instances
  /// @param since   the last round in which this member has adopted anything; the source's timestamp
  /// @param adopted the values adopted in that round, in the instances after those that are decided
  /// @param <V>     the values' type
  record Estimate<V>(long round, long first, List<V> decided, long since, List<V> adopted) implements RoundMessage<V> {
    long decidedNext() {
      return first + decided.size();
    }
  }

  /// To all: adopt these.
  ///
  /// @param round        the round
  /// @param first        the instance of the first value
  /// @param values       the values for this and the following instances
  /// @param decidedByAll every member has decided all below this instance
  /// @param <V>          the values' type
  record Propose<V>(long round, long first, List<V> values, long decidedByAll) implements RoundMessage<V> {
    long end() {
      return first + values.size();
    }
  }

  /// To a round's coordinator: I have adopted.
  ///
  /// @param round       the round
  /// @param next        the instance behind the last one whose proposal was adopted
  /// @param decidedNext the instance behind the last one that is decided here
  /// @param <V>         the values' type
  record Ack<V>(long round, long next, long decidedNext) implements RoundMessage<V> {}

  /// I am in this round and adopt nothing in an earlier one.
  ///
  /// @param round       the round
  /// @param decidedNext the instance behind the last one that is decided here
  /// @param <V>         the values' type
  record Nack<V>(long round, long decidedNext) implements RoundMessage<V> {}

  /// These are decided.
  ///
  /// @param first  the instance of the first value
  /// @param values the values of this and the following instances
  /// @param <V>    the values' type
  record Decide<V>(long first, List<V> values) implements RoundMessage<V> {}

  /// The values in a message.
  ///
  /// @return all of them
  default List<V> values() {
    return switch (this) {
      case Estimate<V> estimate -> {
        List<V> all = new ArrayList<>(estimate.decided);
        all.addAll(estimate.adopted);
        yield all;
      }
      case Propose<V> propose -> propose.values;
      case Decide<V> decide -> decide.values;
      case Ack<V> _, Nack<V> _ -> List.of();
    };
  }

  /// The bytes of messages.
  ///
  /// @param value the bytes of a value, at least one
  /// @param <V>   the values' type
  /// @return a codec
  static <V> Codec<RoundMessage<V>> codec(Codec<V> value) {
    return new Bytes<>(value);
  }

  /// The bytes of messages: a type, then the components.
  ///
  /// @param value the bytes of a value
  /// @param <V>   the values' type
  record Bytes<V>(Codec<V> value) implements Codec<RoundMessage<V>> {
    private static final long ROUND_MAX = 1L << 40;
    private static final long INSTANCE_MAX = 1L << 60;
    private static final int ESTIMATE = 1;
    private static final int PROPOSE = 2;
    private static final int ACK = 3;
    private static final int NACK = 4;
    private static final int DECIDE = 5;

    @Override
    public void write(RoundMessage<V> message, WireWriter out) {
      switch (message) {
        case Estimate<V>(long round, long first, List<V> decided, long since, List<V> adopted) -> {
          out.u8(ESTIMATE);
          out.count(round);
          out.count(first);
          write(decided, out);
          out.count(since);
          write(adopted, out);
        }
        case Propose<V>(long round, long first, List<V> values, long decidedByAll) -> {
          out.u8(PROPOSE);
          out.count(round);
          out.count(first);
          write(values, out);
          out.count(decidedByAll);
        }
        case Ack<V>(long round, long next, long decidedNext) -> {
          out.u8(ACK);
          out.count(round);
          out.count(next);
          out.count(decidedNext);
        }
        case Nack<V>(long round, long decidedNext) -> {
          out.u8(NACK);
          out.count(round);
          out.count(decidedNext);
        }
        case Decide<V>(long first, List<V> values) -> {
          out.u8(DECIDE);
          out.count(first);
          write(values, out);
        }
      }
    }

    private void write(List<V> values, WireWriter out) {
      out.count(values.size());
      values.forEach(one -> value.write(one, out));
    }

    @Override
    public RoundMessage<V> read(WireReader in) throws Malformed {
      return switch (in.u8()) {
        case ESTIMATE -> new Estimate<>(round(in), instance(in), values(in), round(in), values(in));
        case PROPOSE -> new Propose<>(round(in), instance(in), values(in), instance(in));
        case ACK -> new Ack<>(round(in), instance(in), instance(in));
        case NACK -> new Nack<>(round(in), instance(in));
        case DECIDE -> new Decide<>(instance(in), values(in));
        default -> throw new Malformed("consensus message");
      };
    }

    private List<V> values(WireReader in) throws Malformed {
      return in.list(1, value::read);
    }

    private static long round(WireReader in) throws Malformed {
      long round = atMost(ROUND_MAX, in.count());
      if (round == 0) {
        throw new Malformed("consensus number");
      }
      return round;
    }

    private static long instance(WireReader in) throws Malformed {
      return atMost(INSTANCE_MAX, in.count());
    }

    private static long atMost(long max, long number) throws Malformed {
      if (number > max) {
        throw new Malformed("consensus number");
      }
      return number;
    }
  }
}
