package org.tutti.engine;

import java.util.function.Supplier;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewAgreement;

/// What a state transfer asks of its group and tells it.
///
/// @param deliveries of the group
/// @param sending    what this member multicasts
/// @param views      asked for another one, with another donor, when a transfer fails; known later than this
record TransferHost(Deliveries deliveries, MulticastSender sending, Supplier<ViewAgreement> views)
    implements StateTransfer.Host {
  @Override
  public StateTransfer.Start start() {
    return deliveries.start();
  }

  @Override
  public boolean isAhead() {
    return deliveries.isAhead();
  }

  @Override
  public boolean isSynced() {
    return deliveries.isSynced();
  }

  @Override
  public boolean allows(StateTransfer.Start start) {
    return deliveries.allows(start);
  }

  @Override
  public void started(StateTransfer.Start start) {
    deliveries.started(start);
    sending.position(true);
    sending.resend();
  }

  @Override
  public void complete() {
    deliveries.complete();
  }

  @Override
  public void failed() {
    views.get().want();
  }

  @Override
  public void stranded() {
    deliveries.stranded(views.get().view());
  }
}
