package org.tutti.engine;

import java.util.function.Supplier;
import org.tutti.View;

/// What a [Domain] asks one of its groups.
final class InDomain implements Domain.Side {
  private final Supplier<View> view;
  private final LastHistory history;
  private final Deliveries deliveries;
  private final MulticastSender sending;

  InDomain(Supplier<View> view, LastHistory history, Deliveries deliveries, MulticastSender sending) {
    this.view = view;
    this.history = history;
    this.deliveries = deliveries;
    this.sending = sending;
  }

  /// Nothing new comes in a view that is not primary; what comes late, or before the state is here, is not waited for.
  @Override
  public long bound() {
    PrimaryHistory current = history.current();
    boolean goesOn = current != null && deliveries.isSynced() && current.view().id().equals(view.get().id());
    return goesOn ? current.bound() : Long.MAX_VALUE;
  }

  @Override
  public boolean isInTime() {
    return deliveries.isSynced();
  }

  @Override
  public void ask(long stamp) {
    PrimaryHistory current = history.current();
    if (current != null && history.isActive()) {
      current.ask(stamp);
    }
  }

  @Override
  public boolean isSending() {
    return view.get().primary() && sending.isUnderWay();
  }
}
