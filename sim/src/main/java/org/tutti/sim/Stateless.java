package org.tutti.sim;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.engine.GroupUser;
import org.tutti.membership.StateChecksum;

/// The user of a group without state transfer: nobody asks it for a state, and none comes.
interface Stateless extends GroupUser {
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
