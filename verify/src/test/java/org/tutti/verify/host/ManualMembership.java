package org.tutti.verify.host;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.engine.Request;
import org.tutti.host.Membership;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.transport.Address;
import org.tutti.wire.WireWriter;

/// A membership of group `bank` without an engine: the test plays the engine thread.
final class ManualMembership {
  static final int WINDOW = 64 << 10;
  static final MemberId SELF = new MemberId("n1", new Address("here:1"), 1);
  static final MemberId OTHER = new MemberId("n2", new Address("here:2"), 2);

  final AtomicInteger wakeups = new AtomicInteger();
  final Inbox inbox = new Inbox(wakeups::incrementAndGet);
  final List<Membership> ended = new ArrayList<>();
  final Membership group;

  ManualMembership() {
    this(true);
  }

  ManualMembership(boolean stateful) {
    this(GroupConfig.builder().stateTransfer(stateful).build());
  }

  ManualMembership(GroupConfig config) {
    MemberConfig member = MemberConfig.builder().windowBytes(WINDOW).build();
    group = new Membership("bank", SELF, member, inbox, ended::add);
    group.configured(config);
  }

  /// What was asked of the engine since the last call.
  List<Request> asked() {
    var all = new ArrayList<Request>();
    inbox.drain(all::add, Integer.MAX_VALUE);
    return all;
  }

  <R extends Request> List<R> asked(Class<R> type) {
    return asked().stream().filter(type::isInstance).map(type::cast).toList();
  }

  /// What was multicast since the last call, block after block, taken as the engine does.
  List<byte[]> multicasts() {
    var messages = new ArrayList<byte[]>();
    for (Request.Multicast request : asked(Request.Multicast.class)) {
      ByteBuffer packed = request.block().seal();
      var batch = new Batch(SELF, 0, request.block().kind(), 0, CausalPast.NONE, request.block().count(), packed);
      for (Batch.Messages each = batch.messages(); each.hasNext(); ) {
        messages.add(bytes(each.next().duplicate()));
      }
    }
    return messages;
  }

  static Batch batch(long seq, byte[]... messages) {
    return batch(Batch.Kind.TOTAL, seq, messages);
  }

  static Batch batch(Batch.Kind kind, long seq, byte[]... messages) {
    var out = new WireWriter();
    for (byte[] message : messages) {
      out.bytes(ByteBuffer.wrap(message));
    }
    return new Batch(OTHER, seq, kind, 0, CausalPast.NONE, messages.length, out.copy());
  }

  static byte[] bytes(ByteBuffer buffer) {
    byte[] all = new byte[buffer.remaining()];
    buffer.get(all);
    return all;
  }

  /// Returns when a thread waits for something, which no test can shorten or prolong.
  static void untilBlocked(Thread thread) {
    while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
      if (!thread.isAlive()) {
        throw new AssertionError(thread + " has ended instead of waiting");
      }
      Thread.onSpinWait();
    }
  }
}
