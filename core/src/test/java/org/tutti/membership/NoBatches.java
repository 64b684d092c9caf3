package org.tutti.membership;

import org.jspecify.annotations.Nullable;
import org.tutti.ViewId;
import org.tutti.order.Cut;
import org.tutti.pack.Batch;

/// The history of a view, if there is one, in which nothing was multicast.
class NoBatches implements KeptHistory {
  @Nullable ViewId of;

  @Override
  public @Nullable ViewId of() {
    return of;
  }

  @Override
  public Knowledge.@Nullable History report() {
    return null;
  }

  @Override
  public boolean allows(Knowledge.History report) {
    return true;
  }

  @Override
  public boolean fits(Cut cut) {
    return true;
  }

  @Override
  public boolean holds(Cut cut) {
    return true;
  }

  @Override
  public long missingFrom(Cut cut, int rank) {
    return 0;
  }

  @Override
  public boolean supplied(ViewId view, int rank, Batch batch) {
    return false;
  }

  @Override
  public @Nullable Batch find(ViewId view, int rank, long seq) {
    return null;
  }
}
