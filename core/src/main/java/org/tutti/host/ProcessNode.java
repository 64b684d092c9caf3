package org.tutti.host;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Names;
import org.tutti.Node;
import org.tutti.engine.EventLoop;
import org.tutti.engine.NodeEngine;
import org.tutti.membership.Founding;
import org.tutti.membership.Terms;
import org.tutti.pack.Payloads;
import org.tutti.spi.Incarnation;
import org.tutti.spi.NodeSettings;
import org.tutti.storage.StableStorage;
import org.tutti.transport.Discovery;
import org.tutti.transport.Transport;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;
import org.tutti.wire.Versions;

/// A [Node] of this process: one engine thread, which drives the transport, and any number of memberships.
final class ProcessNode implements Node {
  private static final Duration LEAVE_WAIT_MAX = Duration.ofSeconds(5);
  private static final Duration STOP_WAIT_MAX = Duration.ofSeconds(5);
  private static final Metric OLDEST =
      Metric.gauge("node.oldest.version", "The lowest version of the protocol that this node speaks.");
  private static final Metric NEWEST =
      Metric.gauge("node.newest.version", "The highest version of the protocol that this node speaks.");
  private static final Metric LIMIT =
      Metric.gauge("node.limit.version", "The highest version to which this node lets its groups rise; 255 is any.");

  private final MemberId self;
  private final EventLoop loop;
  private final NodeSettings settings;
  private final Transport transport;
  private final @Nullable StableStorage storage;
  private final @Nullable SpillDirectory spillTo;
  private final Map<String, Membership> groups = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable DiscoveryPoller> poller = new AtomicReference<>();
  private volatile boolean closed;

  private ProcessNode(
      MemberId self,
      NodeSettings settings,
      Transport transport,
      @Nullable StableStorage storage,
      RandomGenerator random) {
    this.self = self;
    this.settings = settings;
    this.transport = transport;
    this.storage = storage;
    this.spillTo = settings.spillTo() == null ? null : SpillDirectory.open(settings.spillTo());
    this.loop =
        new EventLoop(
            new NodeEngine(self, settings, Versions.OWN, transport, storage, Payloads.used(), random),
            transport,
            settings.spin(),
            this::ended);
  }

  /// Starts the engine thread, which keeps the process running until the node is closed.
  ///
  /// @throws IllegalArgumentException when name and address are too long, for a member or for the transport's frames
  static ProcessNode start(NodeSettings settings, Transport transport, @Nullable StableStorage storage) {
    var self = new MemberId(settings.name(), transport.address(), Incarnation.next());
    var node = new ProcessNode(self, settings, transport, storage, new SplittableRandom());
    node.loop.start();
    Watchdog.watch(settings.name(), node.loop);
    if (settings.discovery() != null) {
      node.discover(settings.discovery());
    }
    return node;
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  @Override
  public MemberId self() {
    return self;
  }

  @Override
  public Group create(String group, GroupConfig config, MemberConfig member) {
    Terms terms = Terms.voter(config, member);
    return enter(group, terms, user -> new Request.Create(group, terms, user, micros()));
  }

  @Override
  public Group join(String group, MemberConfig member) {
    requireVote();
    return enter(group, member, user -> new Request.Join(group, null, member, false, user));
  }

  @Override
  public Group join(String group, GroupConfig expected, MemberConfig member) {
    require(group, Terms.voter(expected, member));
    return enter(group, member, user -> new Request.Join(group, expected, member, false, user));
  }

  @Override
  public Group observe(String group, MemberConfig member) {
    require(group, new Terms(GroupConfig.standard(), member, true));
    return enter(group, member, user -> new Request.Join(group, null, member, true, user));
  }

  @Override
  public Group observe(String group, GroupConfig expected, MemberConfig member) {
    require(group, new Terms(expected, member, true));
    return enter(group, member, user -> new Request.Join(group, expected, member, true, user));
  }

  @Override
  public Group joinOrCreate(String group, Set<String> expected, GroupConfig config, MemberConfig member) {
    if (!expected.contains(self.name()) || expected.size() > EXPECTED_MAX) {
      throw new IllegalArgumentException(
          "the expected members are 1 to " + EXPECTED_MAX + " with " + self.name() + " among them, not " + expected);
    }
    for (String name : expected) {
      new MemberId(name, self.address(), 1); // throws when no node can have this name
    }
    return found(group, new Founding(expected), Terms.voter(config, member));
  }

  @Override
  public Group joinOrCreate(String group, int expected, GroupConfig config, MemberConfig member) {
    if (expected < 1 || expected > EXPECTED_MAX) {
      throw new IllegalArgumentException("1 to " + EXPECTED_MAX + " members are expected, not " + expected);
    }
    return found(group, Founding.of(expected), Terms.voter(config, member));
  }

  private Group found(String group, Founding founding, Terms terms) {
    return enter(group, terms, user -> new Request.Found(group, terms, user, micros(), founding));
  }

  private Group enter(String group, Terms terms, Function<GroupUser, Request> request) {
    require(group, terms);
    return enter(group, terms.member(), request);
  }

  private void require(String group, Terms terms) {
    if (terms.durability() != Durability.NONE && storage == null) {
      throw new IllegalArgumentException("durability " + terms.durability() + " needs a node with stable storage");
    }
    String fault = terms.fault(group);
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
    if (!terms.observer()) {
      requireVote();
    }
  }

  /// The others would refuse it, too; by that it would learn it later.
  private void requireVote() {
    String objection = transport.votingObjection();
    if (objection != null) {
      throw new IllegalArgumentException(objection);
    }
  }

  private Group enter(String group, MemberConfig member, Function<GroupUser, Request> request) {
    Names.require("a group's", group, Names.fault(group));
    refuseIfClosed();
    if (member.spillBytesMax() > 0 && spillTo == null) {
      throw new IllegalArgumentException("spillBytesMax needs a node with a directory: NodeBuilder.spillTo");
    }
    var membership = new Membership(group, self, member, loop.inbox(), ended -> groups.remove(group, ended), spillTo);
    if (groups.putIfAbsent(group, membership) != null) {
      throw new IllegalStateException("already a member of group \"" + group + "\"");
    }
    boolean taken = false;
    try {
      taken = loop.inbox().ask(request.apply(membership));
    } finally {
      if (!taken) {
        groups.remove(group, membership);
      }
    }
    if (!taken) {
      refuseIfClosed();
      throw new IllegalStateException("node " + self + " is closed");
    }
    return membership;
  }

  private void refuseIfClosed() {
    Throwable failure = loop.failure();
    if (failure != null) {
      throw new IllegalStateException("node " + self + " stopped: " + failure, failure);
    }
    if (closed) {
      throw new IllegalStateException("node " + self + " is closed");
    }
  }

  @Override
  public void discover(Discovery discovery) {
    refuseIfClosed();
    var asking = new DiscoveryPoller(settings.name(), settings.contacts(), discovery, loop.inbox());
    if (!poller.compareAndSet(null, asking)) {
      throw new IllegalStateException("node " + self + " has a discovery already");
    }
    asking.start();
    if (closed) {
      asking.stop();
    }
  }

  @Override
  public void suspect(MemberId member) {
    refuseIfClosed();
    loop.inbox().ask(new Request.Suspect(member));
  }

  @Override
  public List<Metric> metrics() throws InterruptedException {
    Stream<Metric> all = Stream.concat(loop.metrics().stream(), versions());
    return (storage == null ? all : Stream.concat(all, storage.metrics().stream())).sorted(Metric.ORDER).toList();
  }

  /// Who upgrades many nodes sees which of them hold a group back.
  private Stream<Metric> versions() {
    return Stream.of(
        OLDEST.with(Versions.OWN.oldest()), NEWEST.with(Versions.OWN.newest()), LIMIT.with(settings.groupVersionMax()));
  }

  @Override
  public boolean isTurning(Duration within) {
    if (within.isZero() || within.isNegative()) {
      throw new IllegalArgumentException("a turn takes some time, not " + within);
    }
    return loop.failure() == null && loop.isTurning(within);
  }

  @Override
  public @Nullable Throwable failure() {
    return loop.failure();
  }

  @Override
  public void close() {
    if (loop.inbox().isOwner()) {
      throw new IllegalStateException("close would block the engine thread; call it from another thread");
    }
    closed = true;
    try {
      leaveAll();
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
    loop.stop();
    try {
      loop.join(STOP_WAIT_MAX.toMillis());
      DiscoveryPoller asking = poller.get();
      if (asking != null) {
        asking.join(STOP_WAIT_MAX.toMillis()); // others may have to be told
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }

  private void leaveAll() throws InterruptedException {
    CompletableFuture<?>[] leaving =
        groups.values().stream().map(Membership::leave).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(leaving).get(LEAVE_WAIT_MAX.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      // Without a primary view there may be nobody to say goodbye to.
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private void ended(String reason) {
    try {
      endAll(reason);
    } finally {
      if (storage != null) {
        storage.close();
      }
    }
  }

  /// On the engine thread, when nothing more will happen. Every group is told even when a listener throws.
  private void endAll(String reason) {
    closed = true;
    DiscoveryPoller asking = poller.get();
    if (asking != null) {
      asking.stop();
    }
    End.Cause cause = loop.failure() == null ? End.Cause.NODE_CLOSED : End.Cause.NODE_FAILED;
    tellAll(List.copyOf(groups.values()).iterator(), new End(cause, reason));
  }

  private static void tellAll(Iterator<Membership> left, End end) {
    if (left.hasNext()) {
      try {
        left.next().closed(end);
      } finally {
        tellAll(left, end);
      }
    }
  }

  @Override
  public String toString() {
    return "node " + self;
  }
}
