package org.tutti.order;

import java.util.List;
import org.tutti.consensus.ChandraToueg;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;

class ConsensusOrderContractTest extends TotalOrderContract<ChandraToueg.Message<List<ConsensusOrder.LaneEnd>>> {
  @Override
  protected TotalOrder<ChandraToueg.Message<List<ConsensusOrder.LaneEnd>>> create(
      TotalOrder.Context context,
      Effects<ChandraToueg.Message<List<ConsensusOrder.LaneEnd>>> effects,
      TotalOrder.Places places) {
    return new ConsensusOrder(context, effects, places);
  }

  @Override
  protected Codec<ChandraToueg.Message<List<ConsensusOrder.LaneEnd>>> codec() {
    return ConsensusOrder.CODEC;
  }
}
