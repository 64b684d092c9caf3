package org.tutti.order;

import org.tutti.effect.Effects;
import org.tutti.wire.Codec;

class FixedSequencerContractTest extends TotalOrderContract<FixedSequencer.Message> {
  @Override
  protected TotalOrder<FixedSequencer.Message> create(
      TotalOrder.Context context, Effects<FixedSequencer.Message> effects, TotalOrder.Places places) {
    return new FixedSequencer(context, effects, places);
  }

  @Override
  protected Codec<FixedSequencer.Message> codec() {
    return FixedSequencer.CODEC;
  }
}
