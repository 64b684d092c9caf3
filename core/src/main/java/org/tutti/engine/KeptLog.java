package org.tutti.engine;

import org.jspecify.annotations.Nullable;
import org.tutti.ViewId;
import org.tutti.membership.KeptHistory;
import org.tutti.membership.Knowledge;
import org.tutti.order.Cut;
import org.tutti.pack.Batch;

/// One view's history, as view changes see it.
final class KeptLog implements KeptHistory {
  private @Nullable PrimaryHistory current;

  @Nullable PrimaryHistory current() {
    return current;
  }

  void set(@Nullable PrimaryHistory history) {
    current = history;
  }

  boolean isOf(ViewId view) {
    return current != null && current.view().id().equals(view);
  }

  @Override
  public @Nullable ViewId of() {
    return current == null ? null : current.view().id();
  }

  @Override
  public Knowledge.@Nullable History report() {
    PrimaryHistory history = current;
    return history == null ? null : new Knowledge.History(history.view().id(), history.tail());
  }

  @Override
  public boolean allows(Knowledge.History report) {
    return current == null || !isOf(report.view()) || current.log().allows(report.tail());
  }

  @Override
  public boolean fits(Cut cut) {
    return current != null && current.log().fits(cut, current.deliveredNext());
  }

  @Override
  public boolean holds(Cut cut) {
    return current != null && current.log().holds(cut);
  }

  @Override
  public long missingFrom(Cut cut, int rank) {
    return current == null ? 0 : current.log().missingFrom(cut, rank);
  }

  @Override
  public boolean supplied(ViewId of, int rank, Batch batch) {
    PrimaryHistory history = current;
    return history != null
        && isOf(of)
        && rank < history.view().size()
        && history.view().members().get(rank).equals(batch.sender())
        && history.supplied(rank, batch);
  }

  @Override
  public @Nullable Batch find(ViewId of, int rank, long seq) {
    PrimaryHistory history = current;
    return history != null && isOf(of) ? history.log().find(rank, seq) : null;
  }
}
