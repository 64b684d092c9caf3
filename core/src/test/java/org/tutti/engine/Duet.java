package org.tutti.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.Node;
import org.tutti.fixture.QuietUser;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.pack.Payloads;
import org.tutti.spi.NodeSettings;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;
import org.tutti.user.Request;
import org.tutti.wire.Versions;

/// Two nodes in one group, `a` and `b`, in an own time.
final class Duet {
  static final String GROUP = "duet";

  private record Frame(Address to, byte[] bytes) {}

  private final Map<Address, NodeEngine> nodes = new HashMap<>();
  private final ArrayDeque<Frame> frames = new ArrayDeque<>();
  private final MemberConfig member = MemberConfig.standard();
  private @Nullable MemberId cut; // what it says does not arrive
  private @Nullable MemberId barred; // whose certificate is only for observers
  private long now;

  final NodeEngine a;
  final NodeEngine b;

  /// Both are in one view, and in the midst of something: `b` has multicast, then `a` has, and what `a` says does not
  /// arrive any more.
  Duet(GroupConfig group) {
    this(group, new User(), new User());
    multicast(b);
    multicast(a);
    run();
    cut();
    multicast(b);
    multicast(a);
  }

  /// Both are in one view.
  Duet(GroupConfig group, User ofA, User ofB) {
    this(group, ofA, ofB, Versions.OWN, Versions.OWN);
  }

  /// The same, with nodes that speak these versions.
  Duet(GroupConfig group, User ofA, User ofB, Versions a, Versions b) {
    this.a = node(Members.A, a);
    this.b = node(Members.B, b);
    enter(group, ofA, ofB);
  }

  /// Both are in no group yet, and the certificate of one of them is only for observers.
  Duet(MemberId barred) {
    this.barred = barred;
    this.a = node(Members.A, Versions.OWN);
    this.b = node(Members.B, Versions.OWN);
  }

  private void enter(GroupConfig group, User ofA, User ofB) {
    request(a, new Request.Create(GROUP, Terms.voter(group, member), ofA, 1));
    request(b, new Request.Join(GROUP, null, member, false, ofB));
    run();
  }

  /// From now on nothing arrives that `a` says.
  void cut() {
    cut(Members.A);
  }

  /// From now on nothing arrives that one of them says.
  void cut(MemberId member) {
    cut = member;
  }

  void heal() {
    cut = null;
  }

  private NodeEngine node(MemberId self, Versions versions) {
    NodeSettings config = Node.named(self.name()).contacts(List.of(Members.A.address())).settings();
    var random = new SplittableRandom(self.incarnation());
    var node = new NodeEngine(self, config, versions, new Ether(self), null, Payloads.used(), random);
    nodes.put(self.address(), node);
    return node;
  }

  /// Lets some seconds pass.
  void run() {
    for (int step = 0; step < 200; step++) {
      settle();
      now = Math.min(a.deadlineNanos(), b.deadlineNanos());
      for (NodeEngine node : List.of(a, b)) {
        node.step(now, new Input.Expired());
      }
    }
    settle();
  }

  private void settle() {
    do {
      a.flush(now);
      b.flush(now);
      for (Frame frame = frames.poll(); frame != null; frame = frames.poll()) {
        nodes.get(frame.to).step(now, new Input.Arrived(ByteBuffer.wrap(frame.bytes)));
      }
      a.flush(now);
      b.flush(now);
    } while (!frames.isEmpty());
    a.check();
    b.check();
  }

  void request(NodeEngine node, Request request) {
    node.step(now, new Input.Requested(request));
    settle();
  }

  void multicast(NodeEngine node) {
    request(node, new Request.Multicast(GROUP, MessageBlock.of(Batch.Kind.TOTAL, ByteBuffer.allocate(8))));
  }

  private final class Ether implements FrameSender {
    private final MemberId self;
    private @Nullable Address to;
    private @Nullable ByteBuffer claimed;

    Ether(MemberId self) {
      this.self = self;
    }

    @Override
    public ByteBuffer claim(Address target, int length) {
      to = target;
      claimed = ByteBuffer.allocate(length);
      return claimed;
    }

    @Override
    public void commit() {
      if (!self.equals(cut)) {
        frames.add(new Frame(to, claimed.array()));
      }
    }

    @Override
    public boolean mayVote(Address peer) {
      return barred == null || !peer.equals(barred.address());
    }

    @Override
    public Traits traits() {
      return new Traits(1400, Duration.ofMillis(20), false);
    }
  }

  /// Takes everything at once.
  static class User extends QuietUser {
    private long consumed;

    @Override
    public void deliver(long index, Batch batch, long position) {
      consumed++;
    }

    @Override
    public void pass(long index, Batch batch, long position) {
      consumed++;
    }

    @Override
    public long consumed() {
      return consumed;
    }
  }
}
