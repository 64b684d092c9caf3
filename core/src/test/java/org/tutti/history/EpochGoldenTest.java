package org.tutti.history;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.Members;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.effect.RecordingEffects;
import org.tutti.fixture.Golden;
import org.tutti.order.Clock;
import org.tutti.order.FixedSequencer;
import org.tutti.order.Log;
import org.tutti.order.Run;
import org.tutti.order.Symmetric;
import org.tutti.order.TotalOrder;
import org.tutti.wire.Codec;

/// The bytes in front of an ordering's messages.
class EpochGoldenTest {
  private static final View VIEW = Members.primary(1, Members.A, Members.B);

  /// Keeps the codec that an ordering gets.
  private static final class Ports implements OrderingEpochs.PortFactory {
    private Codec<?> last;

    @Override
    public <M> Effects<M> open(String scope, Codec<M> codec, Effects.Inward<M> inward) {
      last = codec;
      return new RecordingEffects<>();
    }
  }

  @SuppressWarnings("unchecked") // the codec of the ordering that the epochs begin with
  private static <M> Codec<M> codecOf(Ordering ordering) {
    var ports = new Ports();
    var context = new TotalOrder.Context(0, VIEW, 0, ranks -> true, new Clock(), _ -> false, Duration.ofMillis(10));
    var log = new Log(VIEW, 0, 0, ordering, _ -> {});
    new OrderingEpochs(context, ordering, log, ports, new Counters(), null);
    return (Codec<M>) ports.last;
  }

  @Test
  void epochs() {
    Codec<FixedSequencer.Message> sequencer = codecOf(Ordering.SEQUENCER);
    Codec<Symmetric.Message> symmetric = codecOf(Ordering.SYMMETRIC);
    new Golden("core", "epoch", "channel 2, `OrderingEpochs`: how often the group has switched, then the message")
        .example(
            "first epoch, of a sequencer",
            new FixedSequencer.Message.Ordered(9, List.of(new Run(0, 1, 2))),
            Golden.Format.of(sequencer))
        .example("first epoch, symmetric", new Symmetric.Message.Alive(7, 8), Golden.Format.of(symmetric))
        .check();
  }
}
