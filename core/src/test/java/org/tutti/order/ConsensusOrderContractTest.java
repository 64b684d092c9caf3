package org.tutti.order;

import java.util.List;
import org.tutti.consensus.RoundMessage;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;

class ConsensusOrderContractTest extends TotalOrderContract<RoundMessage<List<ConsensusOrder.LaneEnd>>> {
  @Override
  protected TotalOrder<RoundMessage<List<ConsensusOrder.LaneEnd>>> create(
      OrderingContext context, Effects<RoundMessage<List<ConsensusOrder.LaneEnd>>> effects, TotalOrder.Places places) {
    return new ConsensusOrder(context, effects, places);
  }

  @Override
  protected Codec<RoundMessage<List<ConsensusOrder.LaneEnd>>> codec() {
    return ConsensusOrder.CODEC;
  }
}
