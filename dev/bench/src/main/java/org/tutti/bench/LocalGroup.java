package org.tutti.bench;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.transport.Address;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// A group of real nodes in this process: each has its engine thread and its transport, and they talk on loopback.
/// Members are in the order of the view; the first is sequencer and coordinator.
final class LocalGroup implements AutoCloseable {
  /// Where nodes listen: the kernel chooses the port.
  static final Address ANYWHERE = new Address("127.0.0.1:0");

  private static final String GROUP = "choir";
  private static final Duration HEARTBEAT = Duration.ofMillis(100);
  private static final Duration SUSPECT = Duration.ofSeconds(10); // a busy machine is no reason for a view change
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long POLL_NANOS = 200_000;

  private final List<Node> nodes = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();

  /// Forms a group.
  ///
  /// @param size     how many members
  /// @param ordering who decides the order first
  /// @param provider opens their transports
  LocalGroup(int size, Ordering ordering, TransportProvider provider) {
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    try {
      for (int i = 0; i < size; i++) {
        List<Address> contacts = nodes.isEmpty() ? List.of() : List.of(nodes.getFirst().self().address());
        NodeBuilder how = Node.named("n" + i).contacts(contacts).times(HEARTBEAT, SUSPECT);
        Node node = how.transport(provider.open(TransportSettings.at(ANYWHERE))).start();
        nodes.add(node);
        var member = new Member();
        MemberConfig own = MemberConfig.builder().listener(member).build();
        member.group = i == 0 ? node.create(GROUP, config, own) : node.join(GROUP, config, own);
        members.add(member);
        await("a view of " + nodes.size(), () -> members.stream().allMatch(each -> each.sees(nodes.size())));
      }
    } catch (RuntimeException failure) {
      close();
      throw failure;
    }
  }

  /// One member.
  static final class Member implements GroupListener {
    private @Nullable Group group;
    private volatile @Nullable String closed;
    private volatile Consumer<ByteBuffer> heard = _ -> {};

    /// What to do after each delivery, on the engine thread.
    void whenDelivered(Runnable action) {
      heard = _ -> action.run();
    }

    /// What to do with each message, on the engine thread.
    void whenHeard(Consumer<ByteBuffer> action) {
      heard = action;
    }

    Group group() {
      if (group == null) {
        throw new IllegalStateException("not in the group yet");
      }
      return group;
    }

    private boolean sees(int size) {
      View view = group().view();
      return view != null && view.primary() && view.size() == size;
    }

    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      heard.accept(payload);
    }

    @Override
    public void closed(End end) {
      closed = end.words();
    }
  }

  /// A member by its rank in the view.
  Member member(int rank) {
    return members.get(rank);
  }

  List<Member> members() {
    return members;
  }

  /// Changes the ordering and waits until it is in force everywhere.
  void switchTo(Ordering ordering) throws InterruptedException {
    try {
      members.getLast().group().switchTo(ordering).get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException failure) {
      throw new IllegalStateException("the group does not switch to " + ordering, failure);
    }
    await(ordering.toString(), () -> members.stream().allMatch(each -> each.group().ordering() == ordering));
  }

  private void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.getAsBoolean()) {
      for (Member member : members) {
        if (member.closed != null) {
          throw new IllegalStateException("a member was closed: " + member.closed);
        }
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException("waited in vain for " + what);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  @Override
  public void close() {
    nodes.reversed().forEach(Node::close);
  }
}
