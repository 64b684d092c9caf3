package org.tutti;

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
import org.jspecify.annotations.Nullable;
import org.tutti.engine.EventLoop;
import org.tutti.engine.GroupUser;
import org.tutti.engine.NodeEngine;
import org.tutti.engine.Request;
import org.tutti.engine.Terms;
import org.tutti.host.DiscoveryPoller;
import org.tutti.host.Membership;
import org.tutti.host.Watchdog;
import org.tutti.membership.Founding;
import org.tutti.pack.Payloads;
import org.tutti.storage.StableStorage;
import org.tutti.transport.Discovery;
import org.tutti.transport.Transport;

/// A process's place among the others: one engine thread, one transport, any number of groups.
///
/// ```java
/// try (var node = Node.named("n1").start();
///     var bank = node.create("bank", GroupConfig.standard())) {
///   bank.multicast("hello".getBytes(UTF_8));
///   while (true) {
///     switch (bank.receive()) { ... }
///   }
/// }
/// ```
///
/// Listeners, and whatever is attached to the futures of this API without an executor of its own, run on the engine
/// thread and must not block: whoever holds it for more than a second is named in the log. All methods may be called
/// from any thread.
public final class Node implements AutoCloseable {
  /// The most members that may be expected to found a group together: each makes the record of the first view longer.
  public static final int EXPECTED_MAX = 1000;

  private static final Duration LEAVE_WAIT_MAX = Duration.ofSeconds(5);
  private static final Duration STOP_WAIT_MAX = Duration.ofSeconds(5);
  private static final int INCARNATION_RANDOM_BITS = 10;

  private final MemberId self;
  private final EventLoop loop;
  private final NodeConfig config;
  private final boolean durable;
  private final Map<String, Membership> groups = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable DiscoveryPoller> poller = new AtomicReference<>();
  private volatile boolean closed;

  private Node(
      MemberId self, NodeConfig config, Transport transport, @Nullable StableStorage storage, RandomGenerator random) {
    this.self = self;
    this.config = config;
    this.durable = storage != null;
    this.loop =
        new EventLoop(
            new NodeEngine(self, config, transport, storage, Payloads.used(), random),
            transport,
            config.spin(),
            reason -> ended(storage, reason));
  }

  /// Begins a node that is started by plain settings.
  ///
  /// ```java
  /// Node node = Node.named("n1").listen("127.0.0.1:7001").contacts("127.0.0.1:7002").start();
  /// ```
  ///
  /// @param name the node's name, unique among the living nodes of its groups; 1 to 255 bytes without blanks
  /// @return a builder of its own
  public static NodeBuilder named(String name) {
    return new NodeBuilder(name);
  }

  /// Starts a node. It keeps the process running until it is closed.
  ///
  /// @param config    how it behaves
  /// @param transport carries its frames; belongs to the node from now on, which closes it
  /// @return the running node
  /// @throws IllegalArgumentException when name and address are too long, for a member or for the transport's frames
  public static Node start(NodeConfig config, Transport transport) {
    return start(config, transport, null);
  }

  /// Starts a node whose groups may keep what they need in stable storage ([GroupConfig#durability()]). When the
  /// storage knows a group, creating or joining the group restarts that membership: this node stands for the member
  /// that it was, waits until a quorum of the last primary view is back, and founds nothing anew.
  ///
  /// @param config    how it behaves
  /// @param transport carries its frames; belongs to the node from now on, which closes it
  /// @param storage   this node's, of this name only; belongs to the node from now on, which closes it; or null for
  ///                  none
  /// @return the running node
  /// @throws IllegalArgumentException when name and address are too long, for a member or for the transport's frames
  public static Node start(NodeConfig config, Transport transport, @Nullable StableStorage storage) {
    var random = new SplittableRandom();
    // The clock gives the order of lives, the random bits tell apart two that start in the same microsecond.
    long incarnation = micros() << INCARNATION_RANDOM_BITS | random.nextInt(1 << INCARNATION_RANDOM_BITS);
    var node =
        new Node(new MemberId(config.name(), transport.address(), incarnation), config, transport, storage, random);
    node.loop.start();
    Watchdog.watch(config.name(), node.loop);
    return node;
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /// Who this node is.
  ///
  /// @return this life of this node
  public MemberId self() {
    return self;
  }

  /// Starts a group with this node as its first member, which decides for itself what [MemberConfig#standard()] does.
  ///
  /// @param group  the group's name
  /// @param config what is decided for the whole group
  /// @return the membership
  /// @throws IllegalArgumentException as [#create(String, GroupConfig, MemberConfig)]
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group create(String group, GroupConfig config) {
    return create(group, config, MemberConfig.standard());
  }

  /// Starts a group with this node as its first member. A group that this node's stable storage knows is restarted
  /// instead ([#start(NodeConfig, Transport, StableStorage)]): to found it anew, delete the storage.
  ///
  /// @param group  the group's name
  /// @param config what is decided for the whole group
  /// @param member what this member decides for itself; without a listener its events are taken with [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException when the group asks for durability, and this node has no stable storage, or there
  ///                                  is state transfer and no position; when there is a position without durability;
  ///                                  or when there is state transfer and the listener does not handle it
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group create(String group, GroupConfig config, MemberConfig member) {
    Terms terms = Terms.voter(config, member);
    return enter(group, terms, user -> new Request.Create(group, terms, user, micros()));
  }

  /// Becomes a member of a group that exists or will exist, and takes what was decided for it: as
  /// [#join(String, MemberConfig)] with [MemberConfig#standard()].
  ///
  /// @param group the group's name
  /// @return the membership
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group join(String group) {
    return join(group, MemberConfig.standard());
  }

  /// Becomes a member of a group that exists or will exist, and takes what was decided for it. Returns at once;
  /// [Group#joined] tells that this node is in.
  ///
  /// Where the group cannot be joined so, the membership ends with [End.Cause#REFUSED]: when the group asks for
  /// durability and this node has no stable storage, or there is state transfer and no position; when there is a
  /// position and no durability; or when there is state transfer and the listener does not handle it.
  ///
  /// @param group  the group's name
  /// @param member what this member decides for itself; without a listener its events are taken with [Group#receive()]
  /// @return the membership
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group join(String group, MemberConfig member) {
    return enter(group, member, user -> new Request.Join(group, null, member, false, user));
  }

  /// Becomes a member of a group that exists or will exist, if that is as expected. If it is not, the membership ends
  /// with [End.Cause#REFUSED], before this node has taken part in anything, and the words of the end tell both values:
  /// `ordering is SEQUENCER in group bank, SKEEN was asked for`. The rest as with [#join(String, MemberConfig)].
  ///
  /// @param group    the group's name
  /// @param expected what was decided for the whole group
  /// @param member   what this member decides for itself; without a listener its events are taken with
  ///                 [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException as [#create(String, GroupConfig, MemberConfig)]
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group join(String group, GroupConfig expected, MemberConfig member) {
    require(group, Terms.voter(expected, member));
    return enter(group, member, user -> new Request.Join(group, expected, member, false, user));
  }

  /// Becomes an observer of a group that exists or will exist: as [#observe(String, MemberConfig)] with
  /// [MemberConfig#standard()].
  ///
  /// @param group the group's name
  /// @return the membership
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group observe(String group) {
    return observe(group, MemberConfig.standard());
  }

  /// Becomes an observer of a group that exists or will exist, for as long as the membership lasts: it gets every
  /// delivery and every view, and may multicast, but counts in no quorum, orders nothing, gives no state, keeps
  /// nothing, and nobody waits for it. An observer that is further behind than the [MemberConfig#catchUpBytesMax()] of
  /// the most senior member allows is dropped and told so; when the last member that votes leaves, its membership ends.
  ///
  /// In a group with state transfer it gets the state, too; without a listener for that, the membership ends with
  /// [End.Cause#REFUSED].
  ///
  /// @param group  the group's name
  /// @param member what this member decides for itself; without a listener its events are taken with [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException when there is a position, which an observer has no use for
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group observe(String group, MemberConfig member) {
    require(group, new Terms(GroupConfig.standard(), member, true));
    return enter(group, member, user -> new Request.Join(group, null, member, true, user));
  }

  /// Becomes an observer of a group that exists or will exist, if that is as expected, which is as with
  /// [#join(String, GroupConfig, MemberConfig)]. The rest as with [#observe(String, MemberConfig)].
  ///
  /// @param group    the group's name
  /// @param expected what was decided for the whole group
  /// @param member   what this member decides for itself; without a listener its events are taken with
  ///                 [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException when there is a position, which an observer has no use for; or when there is
  ///                                  state transfer and the listener does not handle it
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group observe(String group, GroupConfig expected, MemberConfig member) {
    require(group, new Terms(expected, member, true));
    return enter(group, member, user -> new Request.Join(group, expected, member, true, user));
  }

  /// Becomes a member of a group, which the expected members found together if it does not exist, and decides for
  /// itself what [MemberConfig#standard()] does.
  ///
  /// @param group    the group's name
  /// @param expected the names of the nodes that found it, this node's among them; the same at all of them
  /// @param config   what is decided for the whole group; the same at all of them
  /// @return the membership
  /// @throws IllegalArgumentException as [#joinOrCreate(String, Set, GroupConfig, MemberConfig)]
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group joinOrCreate(String group, Set<String> expected, GroupConfig config) {
    return joinOrCreate(group, expected, config, MemberConfig.standard());
  }

  /// Becomes a member of a group, which the expected members found together if it does not exist: the same call on each
  /// of them, at the first start and at every later one. Returns at once.
  ///
  /// The group is founded when a majority of the expected members is there and none of these knows a history of it;
  /// by an agreement, so there is one founding at most, also when processes crash meanwhile. Until then the view is not
  /// primary, and no multicast is decided. With stable storage ([GroupConfig#durability()]) that holds whatever
  /// crashes; without, a member that crashes forgets that it took part: one that is started again while it is cut off
  /// from the others can found the group a second time with expected members that have not heard of the first.
  ///
  /// @param group    the group's name
  /// @param expected the names of the nodes that found it, this node's among them; the same at all of them
  /// @param config   what is decided for the whole group; the same at all of them
  /// @param member   what this member decides for itself; without a listener its events are taken with
  ///                 [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException as [#create(String, GroupConfig, MemberConfig)]; or when this node is not
  ///                                  expected
  /// @throws IllegalStateException when this node is in the group already, or closed
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

  /// Becomes a member of a group, which a number of members found together if it does not exist, and decides for itself
  /// what [MemberConfig#standard()] does.
  ///
  /// @param group    the group's name
  /// @param expected how many members have to be there to found it, 1 to [#EXPECTED_MAX]; the same at all of them
  /// @param config   what is decided for the whole group; the same at all of them
  /// @return the membership
  /// @throws IllegalArgumentException as [#joinOrCreate(String, int, GroupConfig, MemberConfig)]
  /// @throws IllegalStateException when this node is in the group already, or closed
  public Group joinOrCreate(String group, int expected, GroupConfig config) {
    return joinOrCreate(group, expected, config, MemberConfig.standard());
  }

  /// Becomes a member of a group, which a number of members found together if it does not exist: as with names
  /// ([#joinOrCreate(String, Set, GroupConfig, MemberConfig)]), where these are not known in advance. Returns at once.
  ///
  /// The group is founded when so many are there, of different names, who all expect the same number, and none of them
  /// knows a history of it. Take the number of replicas, or fewer, but more than half of all nodes that are ever
  /// started with this call: with twice as many two parts could each found the group. Who joins otherwise does not
  /// count.
  ///
  /// @param group    the group's name
  /// @param expected how many members have to be there to found it, 1 to [#EXPECTED_MAX]; the same at all of them
  /// @param config   what is decided for the whole group; the same at all of them
  /// @param member   what this member decides for itself; without a listener its events are taken with
  ///                 [Group#receive()]
  /// @return the membership
  /// @throws IllegalArgumentException as [#create(String, GroupConfig, MemberConfig)]; or when the number is out of
  ///                                  range
  /// @throws IllegalStateException when this node is in the group already, or closed
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
    if (terms.durability() != Durability.NONE && !durable) {
      throw new IllegalArgumentException("durability " + terms.durability() + " needs a node with stable storage");
    }
    String fault = terms.fault(group);
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
  }

  private Group enter(String group, MemberConfig member, Function<GroupUser, Request> request) {
    Names.require("a group's", group, Names.fault(group));
    refuseIfClosed();
    var membership = new Membership(group, self, member, loop.inbox(), ended -> groups.remove(group, ended));
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

  /// Asks from now on, on a thread of its own, who may be there, and looks for members of its groups where the answers
  /// say, beside the contacts of the configuration. It asks once a second, as long as the node lives: who was started
  /// first finds those who come later, and parts of a group find together after a partition. What cannot be asked now
  /// leaves the last answer in force.
  ///
  /// @param discovery is asked; belongs to the node from now on, which closes it
  /// @throws IllegalStateException when this node is closed or asks another one already
  public void discover(Discovery discovery) {
    refuseIfClosed();
    var asking = new DiscoveryPoller(config.name(), config.contacts(), discovery, loop.inbox());
    if (!poller.compareAndSet(null, asking)) {
      throw new IllegalStateException("node " + self + " has a discovery already");
    }
    asking.start();
    if (closed) {
      asking.stop();
    }
  }

  /// Treats a node as crashed without waiting for the failure detector: somebody who knows says so.
  ///
  /// @param member the node
  /// @throws IllegalStateException when this node is closed
  public void suspect(MemberId member) {
    refuseIfClosed();
    loop.inbox().ask(new Request.Suspect(member));
  }

  /// What the node and its transport tell about themselves: what was sent, repeated, dropped and why. What each number
  /// means, and what to do when it grows, is in `docs/guides/operate.md`.
  ///
  /// @return unmodifiable, in the order of [Metric#ORDER]; after the end of the node, as it was then
  /// @throws InterruptedException when interrupted while waiting for the engine thread
  public List<Metric> metrics() throws InterruptedException {
    return loop.metrics();
  }

  /// What stopped this node: a bug in it or an exception of a listener. All groups have been told.
  ///
  /// @return null unless that happened
  public @Nullable Throwable failure() {
    return loop.failure();
  }

  /// Leaves all groups, waits for that a few seconds at most, and stops. Idempotent. When interrupted it stops at once,
  /// as seen by the others in a crash.
  ///
  /// @throws IllegalStateException when called on the engine thread, which it waits for
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

  private void ended(@Nullable StableStorage storage, String reason) {
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
