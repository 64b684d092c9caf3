package org.tutti.sim;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.membership.StateChecksum;
import org.tutti.pack.Batch;
import org.tutti.user.GroupUser;

/// A user without state, whom nobody asks for one; its group multicasts nothing but what is totally ordered, and it
/// counts no room in its window.
interface TotallyOrdered extends GroupUser {
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

  @Override
  default void stateRequested(long transfer, MemberId newcomer) {}

  @Override
  default void stateWanted(long transfer) {}

  @Override
  default void stateCancelled(long transfer) {}

  @Override
  default void stateOffered(long transfer, MemberId donor, long index, long position) {}

  @Override
  default void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {}

  @Override
  default void stateInterrupted(long transfer) {}
}
