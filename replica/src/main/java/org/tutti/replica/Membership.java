package org.tutti.replica;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Suspicion;
import org.tutti.View;

/// A membership whose events a virtual thread takes, and into which another one multicasts, so that whoever posts does
/// not wait for the window.
final class Membership {
  /// Gets what happens, in order; may wait, which holds up those that multicast.
  interface Events {
    void viewed(View view);

    void delivered(MemberId sender, ByteBuffer payload);

    void ended(String why);
  }

  /// Replies and commands of a session are numbered, frames of a channel too: nothing needs what waiting for a quorum
  /// of these two or few would promise.
  static GroupConfig ordered(Ordering ordering) {
    return GroupConfig.builder().guarantee(Guarantee.AGREED).ordering(ordering).build();
  }

  /// Who is silent for one member only stays.
  static final MemberConfig MEMBER = MemberConfig.standard().toBuilder().suspicion(Suspicion.REFUTABLE).build();

  /// In a contact group, which so has the lowest version of the protocol that its server speaks: who comes in an older
  /// build has it, too.
  static final MemberConfig OF_CONTACTS = MEMBER.toBuilder().groupVersionMax(1).build();

  private static final long OUTGOING_BYTES_MAX = 64L << 20;
  private static final long LAST_WORDS_SECONDS = 1;
  private static final ByteBuffer END = ByteBuffer.allocate(0);

  private final Group group;
  private final Events events;
  private final BlockingQueue<ByteBuffer> outgoing = new LinkedBlockingQueue<>(); // END: leave
  private final AtomicLong bytes = new AtomicLong(); // of these

  private Membership(Group group, Events events) {
    this.group = group;
    this.events = events;
  }

  /// Begins to take the events of a group.
  static Membership over(Group group, Events events) {
    var membership = new Membership(group, events);
    Thread.ofVirtual().name("receives-" + group.name()).start(membership::receive);
    Thread.ofVirtual().name("sends-" + group.name()).start(membership::send);
    return membership;
  }

  /// Multicasts, totally ordered, when there is room. Who lets too much wait leaves the group.
  void post(ByteBuffer message) {
    if (bytes.addAndGet(message.remaining()) > OUTGOING_BYTES_MAX) {
      group.leave();
    } else {
      outgoing.add(message);
    }
  }

  /// Leaves, after what was posted, if that can be sent soon.
  void leave() {
    outgoing.add(END);
    CompletableFuture.delayedExecutor(LAST_WORDS_SECONDS, TimeUnit.SECONDS).execute(group::leave);
  }

  private void send() {
    try {
      for (ByteBuffer next = outgoing.take(); next != END; next = outgoing.take()) {
        bytes.addAndGet(-next.remaining());
        group.post(next);
      }
      group.leave();
    } catch (InterruptedException | GroupClosedException _) {
      // The membership has ended.
    }
  }

  private void receive() {
    String why = "the node has stopped";
    try {
      Event event = group.receive();
      while (!(event instanceof Event.Closed(var end))) {
        switch (event) {
          case Event.Delivery delivery -> events.delivered(delivery.sender(), delivery.payload());
          case Event.ViewChange(View view) -> events.viewed(view);
          case Event.LocalCall call ->
              call.fail(new UnsupportedOperationException("a group of clients and servers answers no local calls"));
          default -> {}
        }
        event = group.receive();
      }
      why = end.words();
    } catch (InterruptedException | RuntimeException stopped) {
      why = String.valueOf(stopped);
    } finally {
      group.leave();
      outgoing.add(END);
      events.ended(why);
    }
  }

  /// The group as it is now.
  ///
  /// @return null when this member is not in it with a view
  @Nullable ClientGroup details(ClientGroup.Kind kind, MemberId client) {
    View view = group.view();
    GroupConfig config = group.config();
    Ordering ordering = group.ordering();
    if (view == null || config == null) {
      return null;
    }
    List<MemberId> members = view.members();
    MemberId manager = members.stream().filter(member -> !member.equals(client)).findFirst().orElse(null);
    long position = group.status().position().orElse(-1);
    return new ClientGroup(
        group.name(),
        kind,
        client,
        members,
        manager,
        ordering == null ? config.ordering() : ordering,
        config.guarantee(),
        position);
  }
}
