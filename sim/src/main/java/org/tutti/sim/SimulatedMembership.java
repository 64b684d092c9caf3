package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.membership.StateChecksum;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// A life's membership of a group without state, in which everything is totally ordered: what the host's threads do.
/// What happens is told on a thread of the application's, in order; what does not fit into the window waits.
final class SimulatedMembership implements GroupUser {
  /// Gets what happens.
  interface Events {
    void viewed(View view);

    /// @param position of the message, or -1 in a branch
    void delivered(MemberId sender, ByteBuffer message, long position);

    void ended(End end);
  }

  private final SimulatedNode node;
  private final String group;
  private final MemberConfig member;
  private final Consumer<Runnable> thread;
  private final Events events;
  private final ArrayDeque<ByteBuffer> outbox = new ArrayDeque<>();
  private long outstanding; // what of the window is used
  private long consumed;
  private long inBranches;
  private boolean leaving; // nothing more is told

  SimulatedMembership(SimulatedNode node, String group, MemberConfig member, Consumer<Runnable> thread, Events events) {
    this.node = node;
    this.group = group;
    this.member = member;
    this.thread = thread;
    this.events = events;
  }

  void join(boolean observes) {
    node.request(new Request.Join(group, null, member, observes, this), 0);
  }

  /// @param now simulated time: a group that is founded anew is another one
  void create(GroupConfig config, long now) {
    long micros = TimeUnit.NANOSECONDS.toMicros(now);
    node.request(new Request.Create(group, new Terms(config, member, false), this, micros), 0);
  }

  void leave() {
    leaving = true;
    node.request(new Request.Leave(group, new End(End.Cause.LEFT, "it was asked to")), 0);
  }

  boolean isLeaving() {
    return leaving;
  }

  void post(ByteBuffer message) {
    outbox.add(message);
    flush();
  }

  private void flush() {
    while (!outbox.isEmpty()) {
      ByteBuffer message = outbox.getFirst();
      long cost = message.remaining() + (long) MESSAGE_OVERHEAD;
      if (outstanding > 0 && outstanding + cost > member.windowBytes()) {
        return;
      }
      outstanding += cost;
      node.request(new Request.Multicast(group, MessageBlock.of(Batch.Kind.TOTAL, outbox.remove())), 0);
    }
  }

  private void tell(Runnable event) {
    thread.accept(() -> {
      if (!leaving) {
        event.run();
      }
    });
  }

  // ---- what the engine tells -------------------------------------------------------------------------------------

  @Override
  public void install(View view) {
    tell(() -> events.viewed(view));
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    thread.accept(() -> {
      take(batch, position);
      consumed++;
      node.request(new Request.Consumed(group), 0);
    });
  }

  @Override
  public void deliverInBranch(Batch batch) {
    thread.accept(() -> {
      take(batch, -1);
      inBranches++;
      node.request(new Request.Consumed(group), 0);
    });
  }

  @Override
  public long consumedInBranches() {
    return inBranches;
  }

  private void take(Batch batch, long position) {
    long at = position;
    for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
      ByteBuffer lent = messages.next();
      if (!leaving) {
        events.delivered(batch.sender(), ByteBuffer.allocate(lent.remaining()).put(lent).flip(), at);
      }
      at += position < 0 ? 0 : 1;
    }
  }

  @Override
  public void deliverEarly(Batch batch) {
    throw new IllegalStateException("everything is totally ordered here, but " + batch);
  }

  @Override
  public void pass(long index, Batch batch, long position) {
    throw new IllegalStateException("everything is totally ordered here, but " + batch);
  }

  @Override
  public void decided(int messages, long position) {}

  @Override
  public void released(long cost) {
    outstanding -= cost;
    flush();
  }

  @Override
  public long consumed() {
    return consumed;
  }

  /// Its name may be used again from here on.
  @Override
  public void closed(End end) {
    thread.accept(() -> events.ended(end));
  }

  // ---- there is no state -----------------------------------------------------------------------------------------

  @Override
  public void stateRequested(long transfer, MemberId newcomer) {
    throw new IllegalStateException("a group without state");
  }

  @Override
  public void stateWanted(long transfer) {}

  @Override
  public void stateKnown(long transfer, ByteBuffer token) {}

  @Override
  public void stateCancelled(long transfer) {}

  @Override
  public void stateOffered(long transfer, MemberId donor, long index, long position) {
    throw new IllegalStateException("a group without state");
  }

  @Override
  public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {}

  @Override
  public void stateInterrupted(long transfer) {}
}
