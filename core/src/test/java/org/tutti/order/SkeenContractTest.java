package org.tutti.order;

import org.tutti.effect.Effects;
import org.tutti.wire.Codec;

class SkeenContractTest extends TotalOrderContract<Skeen.Message> {
  @Override
  protected TotalOrder<Skeen.Message> create(
      TotalOrder.Context context, Effects<Skeen.Message> effects, TotalOrder.Places places) {
    return new Skeen(context, effects, places);
  }

  @Override
  protected Codec<Skeen.Message> codec() {
    return Skeen.CODEC;
  }
}
