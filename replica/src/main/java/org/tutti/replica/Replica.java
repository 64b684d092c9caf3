package org.tutti.replica;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.SendOptions;
import org.tutti.Service;
import org.tutti.StateSink;
import org.tutti.StateSource;
import org.tutti.Status;
import org.tutti.TuttiException;
import org.tutti.View;
import org.tutti.replica.protocol.ReplicaProtocol;
import org.tutti.replica.protocol.SessionTable;
import org.tutti.replica.protocol.SnapshotSchedule;
import org.tutti.replica.protocol.SnapshotStore;
import org.tutti.tls.Credentials;
import org.tutti.tls.Role;
import org.tutti.transport.Address;

/// One replica of a service, in a process of its own among others: a member of the service's group, with the service
/// and a port for clients.
///
/// ```java
/// Node node = Node.named("n1").listen("127.0.0.1:7001").contacts("127.0.0.1:7002", "127.0.0.1:7003").start();
/// Replica replica =
///     Replica.of("counter", new Counter()).clients("127.0.0.1:8001").expecting("n1", "n2", "n3").start(node);
/// replica.awaitServing(Duration.ofSeconds(10));
/// ```
///
/// The same lines on each node, at the first start and at every later one: a majority of the expected replicas found
/// the service together, and whoever comes later gets its state. Delivery is uniform: what a client is told survives
/// any crashes that leave a quorum. With [Builder#data] the service also survives the end of all replicas at once: each
/// keeps snapshots there, and what follows on them in the group's log, which is its node's
/// ([org.tutti.NodeBuilder#data]):
///
/// ```java
/// Node node = Node.named("n1").listen("127.0.0.1:7001").contacts(others).data(directory.resolve("log")).start();
/// Replica replica =
///     Replica.of("counter", new Counter()).data(directory.resolve("snapshots")).expecting(3).start(node);
/// ```
///
/// A replica whose service breaks with an [Error], or whose state cannot be read, leaves the group and closes; [#ended]
/// says why. All methods may be called from any thread.
public final class Replica implements AutoCloseable {
  /// Hears how a replica stands, for logs and probes. Called by a thread of the replica, which must not wait: no client
  /// is served meanwhile.
  public interface Watcher {
    /// The replicas that are there have changed.
    ///
    /// @param view who is there; serves clients only if it is primary
    default void viewed(View view) {}

    /// The replica begins to serve clients, or ceases to.
    ///
    /// @param serves   whether it does from now on
    /// @param position the position behind the last message that it has applied
    default void served(boolean serves, long position) {}

    /// Replicas have different states ([StateMachine#digest]), which is also logged and counted. Told at each replica
    /// that can compare; nothing is stopped.
    ///
    /// @param found which replicas, and at which position
    default void diverged(Divergence found) {}
  }

  private static final int CONNECTIONS_MAX = 10_000;
  private static final int TLS_CONNECTIONS_MAX = 2_000; // each has 50 KiB outside of the heap
  private static final Set<Role> CALLERS = Set.of(Role.CLIENT, Role.MEMBER); // whose certificates may make calls
  private static final int EVENTS_PER_RUN = 256;
  private static final String CLIENTS = "replica.clients"; // on the whiteboard
  private static final String COMMANDS = "replica.commands";

  private static final int SNAPSHOT_BYTES_MIN = 1 << 10;
  private static final Duration LAST_EVENTS_MAX = Duration.ofSeconds(5);

  private final String service;
  private final Group group;
  private final @Nullable SnapshotDirectory snapshots;
  private @Nullable SnapshotSchedule schedule; // of snapshots, with the lock
  private volatile CompletableFuture<Void> keeping = CompletableFuture.completedFuture(null); // of a given state
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition(); // the group has told something
  private final ReplicaProtocol protocol;
  private final ServicePort port;
  private final @Nullable ReplicaGroups groups; // with clients
  private final Thread events;
  private final Thread clients;
  private final Watcher watcher;
  private boolean served; // as the watcher was told
  private long divergences;
  private volatile @Nullable Throwable broken;

  private Replica(Builder settings, Node node) throws IOException {
    this.service = settings.service;
    this.watcher = settings.watcher;
    this.groups = settings.clientGroups ? new ReplicaGroups(node, service, lock) : null;
    this.port =
        new ServicePort(
            new Address(settings.clients),
            settings.security(),
            lock,
            with -> {
              String address = settings.advertised == null ? with.address().text() : settings.advertised;
              return new ReplicaProtocol(
                  settings.service,
                  node.self().name(),
                  address,
                  settings.limits(),
                  settings.replication,
                  settings.machine,
                  new Outside(),
                  groups == null ? with : groups.beside(with, address),
                  new SystemClock());
            });
    this.protocol = port.protocol();
    protocol.compareStates(settings.compareEvery.toNanos(), this::diverged);
    this.events = Thread.ofPlatform().name("replica-" + service + "-" + node.self().name()).unstarted(this::serve);
    this.clients =
        Thread.ofPlatform().name("clients-" + service + "-" + node.self().name()).unstarted(this::serveClients);
    SnapshotDirectory opened = null;
    try {
      opened = settings.data == null ? null : SnapshotDirectory.open(settings.data);
      this.snapshots = opened;
      if (opened != null) {
        recover(opened, settings.snapshotEvery);
      }
      this.group = settings.enter(node, protocol.positionNext());
      if (groups != null) {
        groups.begin(group);
      }
    } catch (IOException | RuntimeException e) {
      port.close();
      port.run(); // as it is closed it only lets go of what it has
      if (opened != null) {
        opened.close();
      }
      throw e;
    }
  }

  private void recover(SnapshotDirectory directory, long every) throws IOException {
    var store = new SnapshotStore(directory, service);
    var keeper = new Keeper(store, every);
    schedule = keeper.schedule;
    SnapshotStore.Intact found = protocol.recover(store, keeper.schedule);
    if (found != null && !found.damaged().isEmpty()) {
      log("a snapshot in " + directory + " is damaged; going on from the one before it, " + found.damaged(), null);
    }
  }

  private void log(String words, @Nullable Throwable why) {
    System.getLogger("org.tutti.replica").log(System.Logger.Level.WARNING, service + ": " + words, why);
  }

  /// Begins a replica of a service.
  ///
  /// @param service the service's name: that of the group, which clients have to say too
  /// @param machine the service, which no other replica has; belongs to the replica from now on
  /// @return a builder of its own
  public static Builder of(String service, StateMachine machine) {
    return new Builder(service, machine);
  }

  /// Where clients reach this replica.
  ///
  /// @return host and port, as [Builder#clients] with the port that was chosen
  public String clients() {
    return port.address().text();
  }

  /// Waits until this replica serves: it is in a primary view and has the state.
  ///
  /// @param wait the longest wait
  /// @throws InterruptedException when interrupted while waiting
  /// @throws TimeoutException     when it does not serve in that time; the message says who is waited for, and why
  public void awaitServing(Duration wait) throws InterruptedException, TimeoutException {
    long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(wait);
    group.awaitServing(wait);
    lock.lockInterruptibly();
    try {
      awaitService(end);
    } finally {
      lock.unlock();
    }
  }

  /// The group serves, and the service follows it.
  private void awaitService(long end) throws InterruptedException, TimeoutException {
    while (!protocol.isOpen()) {
      Throwable why = broken;
      if (why != null) {
        throw new IllegalStateException("the replica of \"" + service + "\" has ended", why);
      }
      if (news.awaitNanos(end - System.nanoTime()) <= 0) {
        throw new TimeoutException(
            "service \"" + service + "\" takes its time: it is at position " + protocol.positionNext());
      }
    }
  }

  /// Whether this replica passes commands on, executes them and answers queries.
  ///
  /// @return whether it is caught up in a primary view, and the replicas have agreed on the limits of their clients
  public boolean isServing() {
    return broken == null && read(protocol::isOpen);
  }

  /// How far this replica has executed the history.
  ///
  /// @return the position behind the last message that it has applied
  public long positionNext() {
    return read(protocol::positionNext);
  }

  /// How the group stands at this replica.
  ///
  /// @return as [Group#status]
  public Status status() {
    return group.status();
  }

  /// The service's group, for what is not of clients: its ordering can be switched, its whiteboard used, where replicas
  /// show their load as `replica.clients` (-1: it does not serve) and `replica.commands` (in the last second).
  ///
  /// @return the group; its events are the replica's
  public Group group() {
    return group;
  }

  /// The groups that clients have with this replica now ([Builder#clientGroups]).
  ///
  /// @return none when it allows none
  public List<ClientGroup> groupDetails() {
    return read(() -> groups == null ? List.of() : groups.details());
  }

  /// Why the replica has ended.
  ///
  /// @return what its service, or its group, threw; null as long as it is at work
  public @Nullable Throwable ended() {
    return broken;
  }

  /// What this replica counts, besides what its node does.
  ///
  /// @return commands, queries, sessions, and connections that ended, by reason
  public List<Metric> metrics() {
    return read(() -> {
      List<Metric> metrics = new ArrayList<>(port.metrics());
      metrics.addAll(groups == null ? List.of() : groups.metrics());
      metrics.add(
          Metric.counter("replica.commands.executed", "Commands were executed here.").with(protocol.executed()));
      metrics.add(
          Metric.counter("replica.commands.repeated", "A command came again that had been executed.")
              .with(protocol.repeated()));
      metrics.add(
          Metric.counter("replica.changes.outdated", "An outcome of a primary came too late and changed nothing.")
              .with(protocol.outdated()));
      metrics.add(
          Metric.counter("replica.states.different", "A comparison has shown that replicas have different states.")
              .with(divergences));
      metrics.add(Metric.counter("replica.queries.answered", "Queries were answered here.").with(protocol.queries()));
      metrics.add(
          Metric.counter("replica.snapshots.written", "Snapshots were written to the disk.")
              .with(schedule == null ? 0 : schedule.written()));
      metrics.add(
          Metric.counter("replica.snapshots.failed", "A snapshot could not be written; the log says why.")
              .with(schedule == null ? 0 : schedule.failed()));
      metrics.add(Metric.gauge("replica.sessions.open", "Clients have sessions, anywhere.").with(protocol.sessions()));
      metrics.add(
          Metric.counter("replica.sessions.refused", "A session was used without its secret, or never opened.")
              .with(protocol.foreignSessions()));
      metrics.add(
          Metric.counter("replica.clients.moved", "Clients were sent to replicas that have less to do.")
              .with(protocol.moved()));
      metrics.add(
          Metric.counter("replica.clients.redirected", "A client wanted the request manager, which is another replica.")
              .with(protocol.misdirected()));
      metrics.add(
          Metric.counter("replica.bundles.sent", "A client got the replies of several replicas in one message.")
              .with(protocol.bundles()));
      metrics.add(
          Metric.counter("replica.replies.dropped", "A reply for another replica, or a message of one, was dropped.")
              .with(protocol.droppedReplies()));
      metrics.add(Metric.gauge("replica.connections.open", "Clients are connected here.").with(protocol.connections()));
      return metrics;
    });
  }

  private <T> T read(Supplier<T> what) {
    lock.lock();
    try {
      return what.get();
    } finally {
      lock.unlock();
    }
  }

  /// A bug ends the replica, not only its port.
  private void serveClients() {
    try {
      port.run();
    } catch (RuntimeException | Error why) {
      end(why);
    }
  }

  // ---- the thread of events --------------------------------------------------------------------------------------

  private void serve() {
    try {
      Event event = group.receive();
      while (!(event instanceof Event.Closed(var end))) {
        if (event instanceof Event.StateOffer offer) {
          restore(offer.source());
          event = group.receive();
        } else {
          event = run(event);
        }
      }
      ended(end);
    } catch (InterruptedException | IOException | RuntimeException | Error why) {
      end(why);
    }
  }

  /// Takes an event and those that are behind it already, with one flush at the end.
  ///
  /// @return the event that follows
  private Event run(Event first) throws InterruptedException {
    lock.lock();
    try {
      Event event = first;
      for (int left = EVENTS_PER_RUN; left > 0 && event != null; left--) {
        if (!take(event)) {
          return event;
        }
        watch(event);
        event = group.receive(Duration.ZERO);
      }
      if (event != null) {
        return event;
      }
    } finally {
      port.finish();
      news.signalAll();
      lock.unlock();
    }
    return group.receive();
  }

  private void watch(Event event) {
    if (event instanceof Event.ViewChange(View view)) {
      watcher.viewed(view);
    }
    watchService();
  }

  private void watchService() {
    if (served != protocol.isOpen()) {
      served = protocol.isOpen();
      watcher.served(served, protocol.positionNext());
    }
  }

  private void diverged(Divergence found) {
    divergences++;
    log(found.toString(), null);
    watcher.diverged(found);
  }

  /// Takes an event that has nothing to wait for.
  private boolean take(Event event) {
    switch (event) {
      case Event.Delivery(MemberId sender, Service service, long position, ByteBuffer payload) -> {
        if (service == Service.TOTAL) {
          protocol.delivered(sender.name(), position, payload);
        } else {
          protocol.heard(sender, payload);
        }
      }
      case Event.ViewChange(View view) -> protocol.viewed(view);
      case Event.CaughtUp(long position) -> protocol.caughtUp(position);
      case Event.StateRequest request -> give(request.sink());
      case Event.LocalCall call -> call.fail(new UnsupportedOperationException("a replica answers clients only"));
      case Event.Propagated _ -> {}
      case Event.StateOffer _, Event.Closed _ -> {
        return false;
      }
    }
    return true;
  }

  /// A newcomer gets the state as it is now, while commands go on.
  private void give(StateSink sink) {
    StateMachine.Snapshot picture = protocol.snapshot();
    Thread.ofVirtual()
        .name("state-" + service)
        .start(() -> {
          try (sink) {
            var out = new BufferedOutputStream(sink, 64 << 10);
            picture.writeTo(out);
            out.flush();
            sink.complete();
          } catch (IOException _) {
            // The newcomer has gone; if it is still there it asks another one.
          } catch (RuntimeException | Error why) {
            end(why);
          }
        });
  }

  /// Replaces the service's state. Clients go to other replicas meanwhile: what they ask cannot be answered. The lock
  /// is not held while the state comes, which takes as long as it takes: whoever connects has to be turned away at
  /// once. When the replica that gives it has gone, half of it is here, and clients stay away until another one gives
  /// its own.
  private void restore(StateSource from) throws IOException, InterruptedException {
    away(true);
    var given = new GivenState(from);
    try (var in = new BufferedInputStream(given, 64 << 10)) {
      protocol.restore(in, true);
      in.transferTo(OutputStream.nullOutputStream()); // what the service has not read; half a state is none
      keepRestored();
      from.complete(); // others rely on this replica from now on
    } catch (IOException | RuntimeException why) {
      if (!given.broken) {
        throw why;
      }
      return;
    }
    away(false);
  }

  private void keepRestored() throws IOException, InterruptedException {
    CompletableFuture<Void> kept = read(protocol::keepRestored);
    keeping = kept;
    try {
      if (broken != null) {
        kept.cancel(false); // whoever has ended the replica may not have seen this one
      }
      kept.get();
    } catch (ExecutionException why) {
      throw new IOException("no snapshot of the state that another replica gave was written", why.getCause());
    }
  }

  private void away(boolean on) {
    lock.lock();
    try {
      if (on) {
        protocol.stopServing();
        watchService();
      }
      port.away(on);
      if (groups != null) {
        groups.away(on);
      }
    } finally {
      lock.unlock();
    }
  }

  /// The membership has ended. Of an end in order, as when the node was closed, nobody needs to be warned.
  private void ended(End end) {
    String words = "the membership has ended: " + end.words();
    boolean inOrder = end.cause() == End.Cause.LEFT || end.cause() == End.Cause.NODE_CLOSED;
    if (broken == null && !inOrder) {
      log(words, null);
    }
    stop(new IllegalStateException(words));
  }

  private void end(Throwable why) {
    if (broken == null && !(why instanceof InterruptedException)) {
      log(String.valueOf(why), why);
    }
    stop(why);
  }

  private void stop(Throwable why) {
    if (broken == null) {
      broken = why;
    }
    keeping.cancel(false);
    port.close();
    group.leave();
    release();
    lock.lock();
    try {
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Leaves the group and closes the port: clients go to other replicas. Waits 10 s at most; then the service is not
  /// called any more, unless it is busy or has been for so long.
  @Override
  public void close() {
    if (broken == null) {
      broken = new IllegalStateException("the replica was closed");
    }
    keeping.cancel(false);
    port.close();
    group.close();
    try {
      if (Thread.currentThread() != events) {
        events.join(LAST_EVENTS_MAX);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    events.interrupt(); // a service that takes longer, or waits for something
    release();
  }

  /// A snapshot that is being written is given up, and clients' groups are left.
  private void release() {
    if (groups != null) {
      groups.close();
    }
    try {
      if (snapshots != null) {
        snapshots.close();
      }
    } catch (IOException _) {
      // It is closed as far as this process is concerned.
    }
  }

  // ---- what the protocol asks ------------------------------------------------------------------------------------

  private final class Outside implements ReplicaProtocol.Group {
    @Override
    public boolean post(ByteBuffer message) {
      try {
        return group.tryPost(message);
      } catch (TuttiException _) {
        return true; // the membership has ended, and so does the replica: nobody waits
      }
    }

    @Override
    public boolean reply(ByteBuffer message) {
      try {
        return group.tryPost(message, SendOptions.unordered());
      } catch (TuttiException _) {
        return true;
      }
    }

    @Override
    public void show(long clients, long commands) {
      try {
        group.whiteboard().put(CLIENTS, clients);
        group.whiteboard().put(COMMANDS, commands);
      } catch (IllegalStateException _) {
        // The service's owner has taken all names; then clients stay where they are.
      }
    }

    @Override
    public Ordering ordering() {
      Ordering its = group.ordering();
      return its == null ? Ordering.SEQUENCER : its;
    }

    @Override
    public long clients(MemberId member) {
      return group.whiteboard().get(member, CLIENTS).orElse(-1);
    }

    @Override
    public boolean isAway(MemberId member) {
      return group.whiteboard().get(member, CLIENTS).orElse(0) < 0;
    }

    @Override
    public long commands(MemberId member) {
      return group.whiteboard().get(member, COMMANDS).orElse(0);
    }

    @Override
    public void confirm() {
      group
          .confirmPosition()
          .whenComplete((position, failure) -> {
            if (failure == null) {
              port.later(() -> protocol.confirmed(position));
            }
          });
    }
  }

  private final class Keeper implements SnapshotSchedule.Disk {
    private final SnapshotStore store;
    private final SnapshotSchedule schedule;

    Keeper(SnapshotStore store, long every) {
      this.store = store;
      this.schedule = new SnapshotSchedule(this, every);
    }

    @Override
    public void write(long position, StateMachine.Snapshot picture) {
      Thread.ofPlatform()
          .daemon()
          .name("snapshot-" + service)
          .start(() -> {
            try {
              long bytes = store.write(position, picture);
              port.later(() -> schedule.kept(position, bytes));
            } catch (IOException why) {
              if (broken == null) {
                log("no snapshot of position " + position + " was written", why);
              }
              port.later(() -> schedule.notKept(why));
            } catch (RuntimeException | Error why) {
              end(why);
            }
          });
    }

    @Override
    public void persisted(long position) {
      group.persisted(position);
    }
  }

  private static final class SystemClock implements ReplicaProtocol.Clock {
    @Override
    public long nanos() {
      return System.nanoTime();
    }

    @Override
    public long wallMillis() {
      return System.currentTimeMillis();
    }
  }

  /// Collects the settings of a replica. Not thread-safe.
  public static final class Builder {
    private final String service;
    private final StateMachine machine;
    private String clients = "127.0.0.1:0";
    private @Nullable String advertised;
    private boolean insecure;
    private @Nullable Path tls;
    private @Nullable Credentials credentials;
    private boolean asks = true;
    private int connectionsMax;
    private Set<String> expected = Set.of();
    private int expectedCount;
    private boolean creates;
    private Ordering ordering = Ordering.SEQUENCER;
    private Replication replication;
    private Duration session = Duration.ofMinutes(1);
    private int sessionsMax = 10_000;
    private int commandsMax = 256;
    private int replyBytesMax = 4 << 20;
    private MemberConfig member = MemberConfig.standard();
    private Watcher watcher = new Watcher() {};
    private @Nullable Path data;
    private Durability durability = Durability.EACH; // with data
    private long snapshotEvery = 64 << 20;
    private Duration compareEvery = Duration.ofMinutes(1);
    private boolean clientGroups;

    private Builder(String service, StateMachine machine) {
      this.service = service;
      this.machine = machine;
      this.replication = machine instanceof PassiveStateMachine ? Replication.PASSIVE : Replication.ACTIVE;
    }

    /// Says where clients reach this replica.
    ///
    /// @param address host and port, such as `127.0.0.1:8001`; with port 0 a free one is taken, which is the default
    /// @return this builder
    public Builder clients(String address) {
      clients = address;
      return this;
    }

    /// Says which address clients are told, where something between passes their connections on.
    ///
    /// @param address a literal host and port
    /// @return this builder
    public Builder advertise(String address) {
      advertised = address;
      return this;
    }

    /// Encrypts the connections of clients by TLS 1.3, and serves only clients that show a certificate of the same
    /// authority and cluster. Give clients certificates for the role [Role#CLIENT], or for another cluster than the
    /// members', and so another directory than the node's: whoever has a certificate of the members' cluster that names
    /// no role can become a member.
    ///
    /// @param directory with `cert.pem`, `key.pem` and `ca.pem`; files that change are taken into use
    /// @return this builder
    public Builder tls(Path directory) {
      tls = directory;
      credentials = null;
      return this;
    }

    /// As [#tls(Path)], with credentials that others may use, too:
    /// `Credentials.load(directory, Set.of(Role.CLIENT, Role.MEMBER))`.
    ///
    /// @param shared the own certificate, and whom to believe
    /// @return this builder
    public Builder tls(Credentials shared) {
      credentials = shared;
      return this;
    }

    /// Serves clients that show no certificate, too, when there is TLS: they are encrypted and know that they speak to
    /// a replica, but anybody who reaches the port can make any call.
    ///
    /// @return this builder
    public Builder withoutClientCertificates() {
      asks = false;
      return this;
    }

    /// Bounds how many clients are connected to this replica at once. When there are so many, one that has said nothing
    /// yet yields to a new one; if there is none, the new one is refused and goes to another replica.
    ///
    /// @param value at least 1; by default 10,000, with TLS 2,000, of which each takes 50 KiB outside of the heap
    /// @return this builder
    public Builder connectionsMax(int value) {
      if (value < 1) {
        throw new IllegalArgumentException("at least one client, not " + value);
      }
      connectionsMax = value;
      return this;
    }

    /// Allows clients to be served on another interface than loopback without TLS. They are not encrypted, and whoever
    /// reaches the port can make any call.
    ///
    /// @return this builder
    public Builder insecure() {
      insecure = true;
      return this;
    }

    /// Says who founds the service together, if it does not exist: [Node#joinOrCreate(String, Set, GroupConfig)].
    ///
    /// @param names of the nodes, this one's among them; the same at all replicas
    /// @return this builder
    public Builder expecting(String... names) {
      expected = Set.of(names);
      return this;
    }

    /// Says how many replicas found the service together, if it does not exist.
    ///
    /// @param replicas more than half of all that are ever started so
    /// @return this builder
    public Builder expecting(int replicas) {
      expectedCount = replicas;
      return this;
    }

    /// Founds the service alone. Where neither this nor [#expecting] is said, the replica joins a service that others
    /// have founded.
    ///
    /// @return this builder
    public Builder founding() {
      creates = true;
      return this;
    }

    /// Chooses how the group decides the order of commands; for the founder.
    ///
    /// @param value by default [Ordering#SEQUENCER]
    /// @return this builder
    public Builder ordering(Ordering value) {
      ordering = value;
      return this;
    }

    /// Chooses who executes commands: the same at all replicas of a service.
    ///
    /// @param value by default [Replication#PASSIVE] for a [PassiveStateMachine], else [Replication#ACTIVE]
    /// @return this builder
    public Builder replication(Replication value) {
      replication = value;
      return this;
    }

    /// Chooses how long a client's session lives after the client was heard last; whoever founds the service decides.
    /// Within that time a command that is sent again is not executed again, whatever happens.
    ///
    /// @param life at least a second; by default a minute
    /// @return this builder
    public Builder session(Duration life) {
      session = life;
      return this;
    }

    /// Bounds what sessions take; whoever founds the service decides.
    ///
    /// @param sessions   how many there may be, by default 10,000
    /// @param commands   how many commands of one may be without a reply that the client has got, by default 256
    /// @param replyBytes how many bytes of replies are kept for one until the client has got them, by default 4 MiB;
    ///                   one reply more is executed below that
    /// @return this builder
    public Builder sessionsMax(int sessions, int commands, int replyBytes) {
      sessionsMax = sessions;
      commandsMax = commands;
      replyBytesMax = replyBytes;
      return this;
    }

    /// Chooses what this member decides for itself in the group; without a listener or a position.
    ///
    /// @param value by default [MemberConfig#standard()]
    /// @return this builder
    public Builder member(MemberConfig value) {
      member = value;
      return this;
    }

    private ServicePort.Security security() throws IOException {
      Credentials own = credentials == null && tls != null ? Credentials.load(tls, CALLERS) : credentials;
      int usual = own == null ? CONNECTIONS_MAX : TLS_CONNECTIONS_MAX;
      return new ServicePort.Security(insecure, own, asks, connectionsMax == 0 ? usual : connectionsMax);
    }

    /// Says who hears how the replica stands.
    ///
    /// @param value called by a thread of the replica
    /// @return this builder
    public Builder watch(Watcher value) {
      watcher = value;
      return this;
    }

    /// Keeps the service on disk: it survives the end of all replicas at once. Snapshots are written to this directory;
    /// the node, which has to have a directory of its own ([org.tutti.NodeBuilder#data]), keeps the commands behind
    /// them. All replicas of a service do so, or none.
    ///
    /// @param directory of this replica only; made when it is not there
    /// @return this builder
    public Builder data(Path directory) {
      data = directory;
      return this;
    }

    /// Chooses what the service survives, with [#data]; for the founder.
    ///
    /// @param value by default [Durability#EACH]: also the loss of power of all machines; with [Durability#VIEWS] that
    ///              may cost the last commands, and a replica that is ahead of its log then refuses to start
    /// @return this builder
    public Builder durability(Durability value) {
      durability = value;
      return this;
    }

    /// Chooses how often snapshots are written, with [#data]. One is written when the log has grown by so much since
    /// the last one, and by as much as that one is long. What a replica reads at its start, and keeps on its disk,
    /// grows with it: two snapshots and the log from the older one on.
    ///
    /// @param logBytes 1 KiB or more; by default 64 MiB
    /// @return this builder
    public Builder snapshotEvery(long logBytes) {
      snapshotEvery = logBytes;
      return this;
    }

    /// Chooses how often the states of all replicas are compared, if the service gives digests
    /// ([StateMachine#digest]). The most senior replica decides.
    ///
    /// @param time a second or more; by default a minute
    /// @return this builder
    public Builder compareEvery(Duration time) {
      compareEvery = time;
      return this;
    }

    /// Allows clients to be members of groups with this replica ([Client.Builder#group]); to be said at all replicas of
    /// a service. It founds one more group, which clients observe to invite it, named by the service and the address
    /// for clients: `counter.clients@10.0.0.7:8001`. So that address has to be another one at each replica.
    ///
    /// @return this builder
    public Builder clientGroups() {
      clientGroups = true;
      return this;
    }

    private SessionTable.Limits limits() {
      return new SessionTable.Limits(session.toMillis(), sessionsMax, commandsMax, replyBytesMax);
    }

    /// Starts the replica: reads its newest snapshot, if it has one, and enters the group ([Replica#awaitServing]).
    ///
    /// @param node the node whose member it is; may have other groups and replicas, too, and is closed by whoever
    ///             started it
    /// @return the running replica
    /// @throws UncheckedIOException     when clients cannot be served at the address, or certificates cannot be used;
    ///                                  when the directory is in use, or has snapshots and none of them is intact
    /// @throws IllegalArgumentException when settings do not go together, or are out of range; when the replica has a
    ///                                  directory, and its node has none
    /// @throws IllegalStateException    when the node is in such a group already, or closed
    public Replica start(Node node) {
      check();
      try {
        var replica = new Replica(this, node);
        replica.clients.start();
        replica.events.start();
        return replica;
      } catch (IOException e) {
        throw new UncheckedIOException(e.getMessage(), e);
      }
    }

    private void check() {
      if (member.listener() != null) {
        throw new IllegalArgumentException("the events of a replica's group are the replica's: no listener");
      }
      if (session.compareTo(Duration.ofSeconds(1)) < 0) {
        throw new IllegalArgumentException("a session lives a second at least, not " + session);
      }
      if (compareEvery.compareTo(Duration.ofSeconds(1)) < 0) {
        throw new IllegalArgumentException("states are compared every second at most, not every " + compareEvery);
      }
      int ways = (expected.isEmpty() ? 0 : 1) + (expectedCount == 0 ? 0 : 1) + (creates ? 1 : 0);
      if (ways > 1) {
        throw new IllegalArgumentException("a service is founded alone, by names or by a number, not by two of these");
      }
      if (snapshotEvery < SNAPSHOT_BYTES_MIN) {
        throw new IllegalArgumentException(
            "snapshots are written every " + SNAPSHOT_BYTES_MIN + " bytes of log at most, not every " + snapshotEvery);
      }
      if (data != null && durability == Durability.NONE) {
        throw new IllegalArgumentException("a replica with a directory has a durability, not NONE");
      }
      if (replication == Replication.PASSIVE && !(machine instanceof PassiveStateMachine)) {
        throw new IllegalArgumentException(
            "passive replication needs a PassiveStateMachine, which " + machine.getClass().getName() + " is not");
      }
      limits();
    }

    /// Enters the group, behind what the replica has kept.
    private Group enter(Node node, long position) {
      GroupConfig config =
          GroupConfig.builder()
              .stateTransfer(true)
              .ordering(ordering)
              .durability(data == null ? Durability.NONE : durability)
              .build();
      MemberConfig own = data == null ? member : member.toBuilder().position(position).build();
      if (creates) {
        return node.create(service, config, own);
      } else if (expectedCount > 0) {
        return node.joinOrCreate(service, expectedCount, config, own);
      } else if (!expected.isEmpty()) {
        return node.joinOrCreate(service, expected, config, own);
      }
      return node.join(service, own);
    }
  }
}
