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
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.replica.protocol.ClientBinding;
import org.tutti.replica.protocol.ReplicaProtocol;
import org.tutti.replica.protocol.ServedGroups;

/// The groups that a replica is in with clients: what [ServedGroups] decides is done with the replica's lock.
final class ReplicaGroups implements ServedGroups.Host {
  private static final int GROUPS_MAX = 1024;
  private static final long LOOK_SECONDS = 11; // a little more than a server waits for a client

  private final Node node;
  private final String service;
  private final ReentrantLock lock; // of all below
  private final Map<String, Membership> memberships = new HashMap<>();
  private @Nullable ServicePort port;
  private @Nullable ServedGroups protocol;
  private @Nullable String contactGroup;
  private boolean looking; // later
  private volatile boolean closed;

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
    contactGroup = ClientBinding.contactGroup(service, address);
    ServedGroups groups = new ServedGroups(node.self(), service, address, GROUPS_MAX, this);
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

  /// Founds the contact group and begins to be invited.
  ///
  /// @param servers the service's group, which is left when that cannot be
  void begin(Group servers) {
    try {
      port().besides(() -> groups().work(System.nanoTime()));
      open(
          node.create(
              Objects.requireNonNull(contactGroup), Membership.ordered(Ordering.SEQUENCER), Membership.OF_CONTACTS));
    } catch (RuntimeException e) {
      servers.leave();
      throw e;
    }
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
      locked(() -> groups().viewed(group, view, System.nanoTime()));
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
      });
      if (group.equals(contactGroup) && !closed) {
        System.getLogger("org.tutti.replica")
            .log(
                System.Logger.Level.WARNING,
                () -> "no client can form a group with this replica: " + group + ": " + why);
      }
    }
  }

  /// Has the port do what is due, as long as anything may be.
  private void lookLater() {
    if (!looking && !closed) {
      looking = true;
      CompletableFuture.delayedExecutor(LOOK_SECONDS, TimeUnit.SECONDS).execute(() -> port().later(this::look));
    }
  }

  private void look() {
    looking = false;
    if (groups().deadlineNanos() < Long.MAX_VALUE) {
      lookLater();
    }
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
  public void enter(String group, Ordering ordering, boolean founds, int versionMax) {
    try {
      MemberConfig member = Membership.MEMBER.toBuilder().groupVersionMax(versionMax).build();
      open(founds ? node.create(group, Membership.ordered(ordering), member) : node.join(group, member));
      lookLater();
    } catch (IllegalStateException _) {
      port().later(() -> groups().ended(group)); // it is just being left, or the node is closed; the client asks again
    }
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
}
