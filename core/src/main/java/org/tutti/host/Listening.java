package org.tutti.host;

import org.tutti.Event;
import org.tutti.GroupListener;
import org.tutti.Service;
import org.tutti.pack.Batch;

/// Calls a listener on the engine thread: no queue, no copy, no allocation per message.
final class Listening implements Application {
  private final GroupListener listener;
  private final LocalCalls calls;
  private long consumedNext;
  private long consumedInBranches;

  Listening(GroupListener listener, LocalCalls calls) {
    this.listener = listener;
    this.calls = calls;
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    if (batch.kind().isWeak()) {
      deliverEarly(batch);
    } else if (batch.kind() != Batch.Kind.PROPAGATED) { // which listeners take no part in
      Batch.Messages messages = batch.messages();
      for (long at = position; messages.hasNext(); at++) {
        listener.deliver(batch.sender(), Service.TOTAL, at, messages.next());
      }
    }
    pass(index, batch);
  }

  @Override
  public void deliverInBranch(Batch batch) {
    if (batch.kind() != Batch.Kind.PROPAGATED) {
      deliverEarly(batch);
    }
    consumedInBranches++;
  }

  @Override
  public void deliverEarly(Batch batch) {
    Batch.Messages messages = batch.messages();
    while (messages.hasNext()) {
      listener.deliver(batch.sender(), batch.kind().service(), -1, messages.next());
    }
  }

  @Override
  public void deliverAside(Batch aside) {
    deliverEarly(aside);
  }

  @Override
  public boolean takesAsides() {
    return true;
  }

  /// No report: the flush that ends this run of inputs looks.
  @Override
  public void pass(long index, Batch batch) {
    consumedNext = index + 1;
  }

  @Override
  public void offer(Event.StateOffer offer, long index) {
    consumedNext = index;
    listener.offerState(offer);
  }

  @Override
  public void tell(Event event) {
    switch (event) {
      case Event.ViewChange change -> listener.install(change.view());
      case Event.CaughtUp caughtUp -> listener.caughtUp(caughtUp.position());
      case Event.StateRequest request -> listener.requestState(request);
      case Event.LocalCall call -> {
        if (calls.take(call)) {
          listener.localCall(call);
        }
      }
      case Event.Closed closed -> listener.closed(closed.end());
      case Event.Delivery _, Event.StateOffer _ -> throw new IllegalArgumentException("has a method of its own");
    }
  }

  @Override
  public long consumedNext() {
    return consumedNext;
  }

  @Override
  public long consumedInBranches() {
    return consumedInBranches;
  }
}
