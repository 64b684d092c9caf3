package org.tutti.consensus;

import org.tutti.effect.Effects;
import org.tutti.wire.Codec;

class ChandraTouegContractTest extends ConsensusContract<ChandraToueg.Message<Long>> {
  @Override
  protected Consensus<ChandraToueg.Message<Long>> create(
      Consensus.Panel panel, Effects<ChandraToueg.Message<Long>> effects, Consensus.User<Long> user) {
    return new ChandraToueg<>(panel, effects, user);
  }

  @Override
  protected Codec<ChandraToueg.Message<Long>> codec() {
    return ChandraToueg.Message.codec(NUMBER);
  }
}
