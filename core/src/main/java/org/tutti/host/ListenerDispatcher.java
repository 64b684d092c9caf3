package org.tutti.host;

import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupListener;
import org.tutti.Service;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.pack.Batch;

/// Calls a listener on the engine thread: no queue, no copy, no allocation per message.
final class ListenerDispatcher implements EventDispatcher {
  private final String group;
  private final GroupListener listener;
  private final Inbox inbox;
  private final Predicate<Event> taken;
  private final String deliver;
  private final Activity.Delivered delivered = new Activity.Delivered();
  private long consumed;
  private long consumedInBranches;

  /// Makes the listener's side.
  ///
  /// @param inbox is told what the engine thread calls
  /// @param taken called before an event is told that is neither a delivery nor state; tells whether it still counts
  ListenerDispatcher(String group, GroupListener listener, Inbox inbox, Predicate<Event> taken) {
    this.group = group;
    this.listener = listener;
    this.inbox = inbox;
    this.taken = taken;
    this.deliver = called("deliver");
  }

  private String called(String method) {
    return "GroupListener." + method + " of group \"" + group + "\"";
  }

  @Override
  public void deliver(Batch batch, long position) {
    if (batch.kind().isWeak()) {
      deliverEarly(batch);
    } else if (batch.kind() != Batch.Kind.PROPAGATED) { // which comes as an event of its own
      inbox.calling(deliver);
      Batch.Messages messages = batch.messages();
      long bytes = 0;
      for (long at = position; messages.hasNext(); at++) {
        ByteBuffer message = messages.next();
        bytes += message.remaining();
        listener.deliver(batch.sender(), Service.TOTAL, at, message);
      }
      delivered.add(batch.count(), bytes);
      inbox.calling(null);
    }
    pass(batch);
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
    inbox.calling(deliver);
    Batch.Messages messages = batch.messages();
    long bytes = 0;
    while (messages.hasNext()) {
      ByteBuffer message = messages.next();
      bytes += message.remaining();
      listener.deliver(batch.sender(), batch.kind().service(), -1, message);
    }
    delivered.add(batch.count(), bytes);
    inbox.calling(null);
  }

  @Override
  public void deliverSubset(Batch subset) {
    deliverEarly(subset);
  }

  @Override
  public boolean takesSubsets() {
    return true;
  }

  /// No report: the flush that ends this run of inputs looks.
  @Override
  public void pass(Batch batch) {
    consumed++;
  }

  @Override
  public void offer(Event.StateOffer offer) {
    call("offerState", () -> listener.offerState(offer));
  }

  @Override
  public void tell(Event event) {
    if (taken.test(event)) {
      switch (event) {
        case Event.ViewChange(var view) -> call("install", () -> listener.install(view));
        case Event.CaughtUp(long position) -> call("caughtUp", () -> listener.caughtUp(position));
        case Event.StateRequest request -> call("requestState", () -> listener.requestState(request));
        case Event.Propagated(var view, var messages) -> call("propagated", () -> listener.propagated(view, messages));
        case Event.LocalCall call -> call("localCall", () -> listener.localCall(call));
        case Event.Closed(End end) -> call("closed", () -> listener.closed(end));
        case Event.Delivery _, Event.StateOffer _ -> throw new IllegalArgumentException("has a method of its own");
      }
    }
  }

  private void call(String method, Runnable listens) {
    inbox.calling(called(method));
    listens.run();
    inbox.calling(null);
  }

  @Override
  public Activity.Delivered delivered() {
    return delivered;
  }

  @Override
  public long consumed() {
    return consumed;
  }

  @Override
  public long consumedInBranches() {
    return consumedInBranches;
  }
}
