package org.tutti.replica;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.replica.protocol.ClientBinding;
import org.tutti.replica.protocol.ReplicaProtocol;
import org.tutti.replica.protocol.ServedGroups;

/// The groups that a replica is in with clients: what [ServedGroups] decides is done with the replica's lock.
final class ReplicaGroups implements ServedGroups.Host {
  private static final int GROUPS_MAX = 1024;
  private static final long CONTACTS_AGAIN_SECONDS = 1;
  private static final long FOUND_NANOS = 3_000_000_000L; // who is there has answered by then
  private static final long FOUND_LOOK_SECONDS = 4;
  private static final long LOOK_SECONDS = 11; // a little more than a server waits for a client

  private final Node node;
  private final String service;
  private final ReentrantLock lock; // of all below
  private final Map<String, Membership> memberships = new HashMap<>();
  private @Nullable ServicePort port;
  private @Nullable ServedGroups protocol;
  private boolean closed;
  private boolean founds; // the contact group, when its membership there has ended

  ReplicaGroups(Node node, String service, ReentrantLock lock) {
    this.node = node;
    this.service = service;
    this.lock = lock;
  }

  /// Makes the protocol.
  ///
  /// @param with    the port of the replica's other clients
  /// @param address where the replica says that clients reach it
  /// @return for the replica: both kinds of clients
  ReplicaProtocol.Clients beside(ServicePort with, String address) {
    port = with;
    ServedGroups groups = new ServedGroups(node.self(), service, address, GROUPS_MAX, FOUND_NANOS, this);
    protocol = groups;
    return new ReplicaProtocol.Clients() {
      @Override
      public void send(long connection, ByteBuffer frame) {
        if (groups.has(connection)) {
          groups.send(connection, frame);
        } else {
          with.send(connection, frame);
        }
      }

      @Override
      public void read(long connection, boolean on) {
        groups.read(connection, on);
        with.read(connection, on);
      }

      @Override
      public void close(long connection, ReplicaProtocol.Fault fault) {
        groups.close(connection);
        with.close(connection, fault);
      }
    };
  }

  /// Begins to be invited.
  void begin(Group contactGroup) {
    port().besides(() -> groups().work(System.nanoTime(), node.self().name().equals(port().protocol().manager())));
    open(contactGroup);
  }

  private ServicePort port() {
    return Objects.requireNonNull(port);
  }

  private ServedGroups groups() {
    return Objects.requireNonNull(protocol);
  }

  private void open(Group group) {
    String name = group.name();
    lock.lock();
    try {
      memberships.put(name, Membership.over(group, new Told(name)));
    } finally {
      lock.unlock();
    }
  }

  private final class Told implements Membership.Events {
    private final String group;

    Told(String group) {
      this.group = group;
    }

    @Override
    public void viewed(View view) {
      locked(() -> groups().viewed(group, view));
    }

    @Override
    public void delivered(MemberId sender, ByteBuffer payload) {
      locked(() -> groups().delivered(group, sender, payload, System.nanoTime()));
    }

    @Override
    public void ended(String why) {
      locked(() -> {
        groups().ended(group);
        memberships.remove(group);
        if (group.equals(contactGroup()) && !closed) {
          later(
              CONTACTS_AGAIN_SECONDS,
              ReplicaGroups.this::enterContactGroup); // another founding of it has won, or it has left nobody
        }
      });
    }
  }

  private void enterContactGroup() {
    try {
      if (!closed && !memberships.containsKey(contactGroup())) {
        open(
            founds
                ? node.create(contactGroup(), Membership.CONTACTS, Membership.OF_CONTACTS)
                : node.join(contactGroup(), Membership.OF_CONTACTS));
        founds = false;
      }
    } catch (IllegalStateException _) {
      closed = true; // the node is closed
    }
  }

  private void later(long seconds, Runnable what) {
    CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(() -> port().later(what));
  }

  private void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
      port().finish();
    } finally {
      lock.unlock();
    }
  }

  /// With the lock.
  void away(boolean on) {
    groups().away(on);
  }

  /// Leaves all groups.
  void close() {
    lock.lock();
    try {
      closed = true;
      groups().away(true);
      memberships.values().forEach(Membership::leave);
    } finally {
      lock.unlock();
    }
  }

  /// With the lock.
  List<Metric> metrics() {
    ServedGroups its = groups();
    return List.of(
        Metric.gauge("replica.clients.groups", "Clients have groups with this replica.").with(its.groups().size()),
        Metric.counter("replica.groups.joined", "Groups with clients were entered.").with(its.joined()),
        Metric.counter("replica.groups.refused", "A client wanted a group, and there were too many.")
            .with(its.refused()),
        Metric.counter("replica.messages.dropped", "A message in a group with a client was dropped.")
            .with(its.dropped()));
  }

  /// With the lock.
  List<ClientGroup> details() {
    return groups().groups().stream()
        .map(group -> {
          Membership membership = memberships.get(group.name());
          return membership == null ? null : membership.details(group.kind(), group.client());
        })
        .filter(Objects::nonNull)
        .toList();
  }

  // ---- what the protocol asks, with the lock -----------------------------------------------------------------------

  @Override
  public void enter(String group, boolean founds, int versionMax) {
    try {
      MemberConfig member = Membership.MEMBER.toBuilder().groupVersionMax(versionMax).build();
      open(founds ? node.create(group, Membership.OF_CLIENT, member) : node.join(group, member));
      later(LOOK_SECONDS, () -> {});
    } catch (IllegalStateException _) {
      port().later(() -> groups().ended(group)); // it is just being left, or the node is closed; the client asks again
    }
  }

  @Override
  public void found(String group) {
    founds = true;
    Membership alone = memberships.get(group);
    if (alone != null) {
      alone.leave(); // and is told that it has ended
    }
    later(FOUND_LOOK_SECONDS, () -> {});
  }

  @Override
  public void leave(String group) {
    Membership membership = memberships.remove(group);
    if (membership != null) {
      membership.leave();
    }
  }

  @Override
  public void post(String group, ByteBuffer message) {
    Membership membership = memberships.get(group);
    if (membership != null) {
      membership.post(message);
    }
  }

  @Override
  public long connected(MemberId client, long channel) {
    long connection = port().number();
    port().protocol().connected(connection);
    return connection;
  }

  @Override
  public void said(long connection, ByteBuffer frame) {
    port().protocol().said(connection, frame);
  }

  @Override
  public void disconnected(long connection) {
    port().protocol().disconnected(connection);
  }

  /// The contact group's name.
  String contactGroup() {
    return ClientBinding.contactGroup(service);
  }
}
