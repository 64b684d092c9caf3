package org.tutti.bench;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
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
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.NodeConfig;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.bench.member.ClosedLoop;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// A group of real nodes in this process: each has its engine thread and its transport, and they talk on loopback, over
/// TCP unless told otherwise. Members are in the order of the view; the first is sequencer and coordinator.
final class LocalGroup implements AutoCloseable {
  /// Where nodes listen: the kernel chooses the port.
  static final Address ANYWHERE = new Address("127.0.0.1:0");

  private static final String GROUP = "choir";
  private static final Duration HEARTBEAT = Duration.ofMillis(100);
  private static final Duration SUSPECT = Duration.ofSeconds(10); // a busy machine is no reason for a view change
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final int WINDOW_BYTES = 1 << 20; // more only queues up when all members flood
  private static final MemberConfig WIDE = MemberConfig.builder().windowBytes(WINDOW_BYTES).build();
  private static final long POLL_NANOS = 200_000;

  private final List<Node> nodes = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();

  /// Forms a group over any transport.
  ///
  /// @param size     how many members
  /// @param ordering who decides the order first
  /// @param provider opens their transports
  LocalGroup(int size, Ordering ordering, TransportProvider provider) {
    this(size, config(ordering), WIDE, () -> provider.open(TransportSettings.at(ANYWHERE)));
  }

  /// Forms a group with any configuration.
  ///
  /// @param size    how many members
  /// @param config  of the group
  /// @param opening opens the transport of the next node
  LocalGroup(int size, GroupConfig config, Opening opening) {
    this(size, config, MemberConfig.standard(), opening);
  }

  private LocalGroup(int size, GroupConfig config, MemberConfig common, Opening opening) {
    try {
      for (int i = 0; i < size; i++) {
        List<Address> contacts = nodes.isEmpty() ? List.of() : List.of(nodes.getFirst().self().address());
        NodeConfig how = NodeConfig.lan("n" + i).withContacts(contacts).withTimes(HEARTBEAT, SUSPECT);
        Node node = Node.start(how, opening.open());
        nodes.add(node);
        var member = new Member();
        MemberConfig own = common.toBuilder().listener(member).build();
        member.group = i == 0 ? node.create(GROUP, config, own) : node.join(GROUP, config, own);
        members.add(member);
        await("a view of " + nodes.size(), () -> members.stream().allMatch(each -> each.sees(nodes.size())));
      }
    } catch (RuntimeException failure) {
      close();
      throw failure;
    }
  }

  private static GroupConfig config(Ordering ordering) {
    return GroupConfig.builder().ordering(ordering).build();
  }

  /// Opens the transport of a node.
  interface Opening {
    Transport open();
  }

  /// One member; counts what is delivered to it.
  static final class Member implements GroupListener {
    private final AtomicLong delivered = new AtomicLong();
    private @Nullable Group group;
    private volatile @Nullable String closed;
    private volatile Consumer<ByteBuffer> heard = _ -> {};
    private volatile int views;

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

    long delivered() {
      return delivered.get();
    }

    /// How many views it has installed.
    int views() {
      return views;
    }

    private boolean sees(int size) {
      View view = group().view();
      return view != null && view.primary() && view.size() == size;
    }

    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      delivered.lazySet(delivered.getPlain() + 1); // only the engine thread writes
      heard.accept(payload);
    }

    @Override
    public void install(View view) {
      views++;
    }

    @Override
    public void closed(End end) {
      closed = end.words();
    }
  }

  int size() {
    return members.size();
  }

  /// A member by its rank in the view.
  Member member(int rank) {
    return members.get(rank);
  }

  /// The member that is neither sequencer nor coordinator as long as there is another.
  Member junior() {
    return members.getLast();
  }

  List<Member> members() {
    return members;
  }

  /// Changes the ordering and waits until it is in force everywhere.
  void switchTo(Ordering ordering) throws InterruptedException {
    try {
      junior().group().switchTo(ordering).get(PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException failure) {
      throw new IllegalStateException("the group does not switch to " + ordering, failure);
    }
    await(ordering.toString(), () -> members.stream().allMatch(each -> each.group().ordering() == ordering));
  }

  /// Waits until all that some members have multicast is delivered everywhere.
  void drain(List<Group> senders) throws InterruptedException {
    for (Group sender : senders) {
      ClosedLoop.once(sender, new byte[0]); // behind all that it has multicast before
    }
    await(
        "the end of all deliveries",
        () -> {
          long first = members.getFirst().delivered();
          return members.stream().allMatch(each -> each.delivered() == first);
        });
  }

  /// The sum of what all nodes have counted under a name, whatever its tags.
  long counted(String name) throws InterruptedException {
    long sum = 0;
    for (Node node : nodes) {
      sum += Metric.sum(node.metrics(), name);
    }
    return sum;
  }

  /// How many messages even the slowest member has.
  long deliveredByAll() {
    return members.stream().mapToLong(Member::delivered).min().orElseThrow();
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
