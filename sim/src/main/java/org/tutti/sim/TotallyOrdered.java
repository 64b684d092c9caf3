package org.tutti.sim;

import org.tutti.pack.Batch;

/// A user without state, whose group multicasts nothing but what is totally ordered, and that counts no room in its
/// window.
interface TotallyOrdered extends Stateless {
  @Override
  default void deliverEarly(Batch batch) {
    throw new IllegalStateException("everything is totally ordered here, but " + batch);
  }

  @Override
  default void pass(long index, Batch batch, long position) {
    throw new IllegalStateException("everything is totally ordered here, but " + batch);
  }

  @Override
  default void released(long cost) {}
}
