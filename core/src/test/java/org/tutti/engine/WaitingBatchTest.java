package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.Dissemination;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Packing;
import org.tutti.dissemination.Disseminator;
import org.tutti.effect.Count;
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

/// Batches of `a`, in a group of three, while the lines to others stand still: when they leave, and when it is asked
/// again whether they may. Nodes say nothing by themselves for long, so that nothing else wakes `a` up.
class WaitingBatchTest {
  private static final String GROUP = "three";
  private static final int BATCH = 40 << 10; // two of them are more than may be queued before anything is known
  private static final Duration LONG = Duration.ofSeconds(60);

  private record Frame(MemberId from, Address to, byte[] bytes) {}

  private final Map<Address, NodeEngine> nodes = new LinkedHashMap<>();
  private final ArrayDeque<Frame> frames = new ArrayDeque<>();
  private final ArrayDeque<Frame> onLines = new ArrayDeque<>();
  private final Set<Address> still = new HashSet<>(); // nothing gets to them, nor from them
  private long now;
  private long lineNanos = -1; // what the transport of `a` says of its line
  private NodeEngine a;

  @BeforeEach
  void threeAreInAGroup() {
    MemberConfig member = MemberConfig.builder().packing(Packing.fixed(1, Duration.ZERO)).build();
    assertThat(member.dissemination()).isEqualTo(Dissemination.AUTO);
    a = node(A);
    request(A, new Request.Create(GROUP, Terms.voter(GroupConfig.standard(), member), new Duet.User(), 1));
    for (MemberId other : List.of(B, C)) {
      node(other);
      request(other, new Request.Join(GROUP, null, member, false, new Duet.User()));
      for (int step = 0; step < 100; step++) {
        later(nodes.values().stream().mapToLong(NodeEngine::deadlineNanos).min().orElseThrow() - now);
      }
    }
    multicast(0);
    later(LONG.toNanos() / 10);
    assertThat(leftSince(0)).isEqualTo(1);
  }

  private NodeEngine node(MemberId self) {
    NodeSettings config =
        Node.named(self.name()).contacts(List.of(A.address())).times(LONG, LONG.multipliedBy(10)).settings();
    var random = new SplittableRandom(self.incarnation());
    var node = new NodeEngine(self, config, Versions.OWN, new Line(self), null, Payloads.used(), random);
    nodes.put(self.address(), node);
    return node;
  }

  private void request(MemberId at, Request request) {
    nodes.get(at.address()).step(now, new Input.Requested(request));
    settle();
  }

  private void multicast(int bytes) {
    request(A, new Request.Multicast(GROUP, MessageBlock.of(Batch.Kind.TOTAL, ByteBuffer.allocate(bytes))));
  }

  private void settle() {
    do {
      nodes.values().forEach(node -> node.flush(now));
      for (Frame frame = frames.poll(); frame != null; frame = frames.poll()) {
        if (still.contains(frame.to) || still.contains(frame.from.address())) {
          onLines.add(frame);
        } else {
          nodes.get(frame.to).step(now, new Input.Arrived(ByteBuffer.wrap(frame.bytes)));
        }
      }
      nodes.values().forEach(node -> node.flush(now));
    } while (!frames.isEmpty());
    nodes.values().forEach(NodeEngine::check);
  }

  /// Time passes, and what is due then happens.
  private void later(long nanos) {
    now += nanos;
    nodes.values().stream()
        .filter(node -> node.deadlineNanos() <= now)
        .forEach(node -> node.step(now, new Input.Expired()));
    settle();
  }

  private void standStill(MemberId... members) {
    List.of(members).forEach(member -> still.add(member.address()));
  }

  /// What is on the lines arrives.
  private void goOn() {
    still.clear();
    frames.addAll(onLines);
    onLines.clear();
    settle();
  }

  private long leftSince(long before) {
    return a.counters().get(Count.BATCHES_SENT) - before;
  }

  @Test
  void twoBatchesAreOnTheWayToThoseWhoStandStillAndTheThirdOneWaits() {
    long before = leftSince(0);
    standStill(B, C);
    multicast(BATCH);
    multicast(BATCH);
    assertThat(leftSince(before)).as("less than the room was queued before each").isEqualTo(2);
    multicast(BATCH);
    multicast(BATCH);
    assertThat(leftSince(before)).isEqualTo(2);
    goOn();
    assertThat(leftSince(before)).as("the lines have carried what was on them").isEqualTo(4);
  }

  @Test
  void oneWhoStandsStillHoldsNobodyUp() {
    long before = leftSince(0);
    standStill(B);
    for (int i = 0; i < 10; i++) {
      multicast(BATCH);
    }
    assertThat(leftSince(before)).isEqualTo(10);
  }

  @Test
  void whatWaitsIsAskedAboutAgainAfterAWhileAndNotAllTheTime() {
    long before = leftSince(0);
    standStill(B, C);
    multicast(BATCH);
    multicast(BATCH);
    multicast(BATCH);
    for (int times = 0; times < 3; times++) {
      assertThat(a.deadlineNanos() - now).isEqualTo(Disseminator.RETRY_NANOS);
      later(Disseminator.RETRY_NANOS);
    }
    assertThat(leftSince(before)).isEqualTo(2);
    goOn();
    assertThat(leftSince(before)).isEqualTo(3);
    later(LONG.toNanos() / 100);
    assertThat(a.deadlineNanos() - now).as("nothing waits").isGreaterThan(Disseminator.RETRY_NANOS);
  }

  @Test
  void whatWaitsLeavesAlongAChainWhenTheLineIsFoundFull() {
    long before = leftSince(0);
    standStill(B, C);
    multicast(BATCH);
    multicast(BATCH);
    multicast(BATCH);
    lineNanos = Duration.ofMillis(20).toNanos();
    later(Disseminator.RETRY_NANOS);
    assertThat(leftSince(before)).isEqualTo(3);
    assertThat(a.counters().get(Count.BATCHES_CHAINED)).isEqualTo(1);
  }

  private final class Line implements FrameSender {
    private final MemberId self;
    private @Nullable Address to;
    private @Nullable ByteBuffer claimed;

    Line(MemberId self) {
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
      frames.add(new Frame(self, to, claimed.array()));
    }

    @Override
    public long waitNanos(Address to) {
      return self.equals(A) ? lineNanos : -1;
    }

    @Override
    public Traits traits() {
      return new Traits(64 << 10, LONG, false);
    }
  }
}
