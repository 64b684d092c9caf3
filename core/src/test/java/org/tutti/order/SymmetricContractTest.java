package org.tutti.order;

import org.tutti.effect.Effects;
import org.tutti.wire.Codec;

class SymmetricContractTest extends TotalOrderContract<Symmetric.Message> {
  @Override
  protected TotalOrder<Symmetric.Message> create(
      TotalOrder.Context context, Effects<Symmetric.Message> effects, TotalOrder.Places places) {
    return new Symmetric(context, effects, places);
  }

  @Override
  protected Codec<Symmetric.Message> codec() {
    return Symmetric.CODEC;
  }
}
