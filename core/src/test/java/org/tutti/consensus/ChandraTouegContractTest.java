package org.tutti.consensus;

import org.tutti.effect.Effects;
import org.tutti.wire.Codec;

class ChandraTouegContractTest extends ConsensusContract<RoundMessage<Long>> {
  @Override
  protected Consensus<RoundMessage<Long>> create(
      Panel panel, Effects<RoundMessage<Long>> effects, Consensus.User<Long> user) {
    return new ChandraToueg<>(panel, effects, user);
  }

  @Override
  protected Codec<RoundMessage<Long>> codec() {
    return RoundMessage.codec(NUMBER);
  }
}
