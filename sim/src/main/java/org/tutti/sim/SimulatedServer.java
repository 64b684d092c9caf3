package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import org.tutti.End;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.replica.protocol.ClientBinding;
import org.tutti.replica.protocol.ClientGroupMessage;
import org.tutti.replica.protocol.ServedGroups;
import org.tutti.wire.Malformed;

/// The groups that a [SimulatedReplica] is in with clients: what a host's threads do for [ServedGroups].
final class SimulatedServer implements ServedGroups.Host {
  private static final int GROUPS_MAX = 64;

  private record Caller(MemberId client, long channel) {}

  private final Simulation.Setting setting;
  private final ServiceGroup service;
  private final SimulatedReplica replica;
  private final ServedGroups groups;
  private final String contactGroup;
  private final TreeMap<String, SimulatedMembership> memberships = new TreeMap<>();
  private final TreeMap<Long, Caller> callers = new TreeMap<>(); // by connection

  SimulatedServer(Simulation.Setting setting, ServiceGroup service, SimulatedReplica replica) {
    this.setting = setting;
    this.service = service;
    this.replica = replica;
    String address = ServiceSettings.address(replica.node().number);
    this.groups = new ServedGroups(replica.node().self, ServiceGroup.NAME, address, GROUPS_MAX, this);
    this.contactGroup = ClientBinding.contactGroup(ServiceGroup.NAME, address);
  }

  void foundContactGroup() {
    membership(contactGroup, service.groupClients().ofContacts(replica.node().number))
        .create(GroupClients.ordered(Ordering.SEQUENCER), setting.scheduler().nowNanos());
  }

  private SimulatedMembership membership(String group, MemberConfig member) {
    var its =
        new SimulatedMembership(
            replica.node(),
            group,
            member,
            replica::tell,
            new SimulatedMembership.Events() {
              @Override
              public void viewed(View view) {
                say("in " + group + " sees " + view);
                groups.viewed(group, view, now());
              }

              @Override
              public void delivered(MemberId sender, ByteBuffer message, long position) {
                groups.delivered(group, sender, message, now());
              }

              @Override
              public void ended(End end) {
                say("is not in " + group + " any more: " + end);
                SimulatedMembership gone = memberships.remove(group);
                if (gone != null && !gone.isLeaving()) {
                  groups.ended(group);
                }
                if (group.equals(contactGroup) && replica.isHere()) {
                  service.history().violate("ContactGroupStays", replica.node().self + " is not in it: " + end);
                }
              }
            });
    memberships.put(group, its);
    return its;
  }

  private long now() {
    return replica.node().clock.local(setting.scheduler().nowNanos());
  }

  private void say(String what) {
    if (setting.trace().speaks()) {
      setting.trace().say(replica.node().self.name(), "   ** server " + what);
    }
  }

  // ---- of the replica ----------------------------------------------------------------------------------------------

  boolean has(long connection) {
    return groups.has(connection);
  }

  void send(long connection, ByteBuffer frame) {
    Caller caller = callers.get(connection);
    SimulatedClient client = caller == null ? null : service.groupClients().client(caller.client);
    if (client != null) {
      client.isSent(connection, frame.slice(Integer.BYTES, frame.remaining() - Integer.BYTES), replica);
    }
    groups.send(connection, frame);
  }

  void read(long connection, boolean on) {
    groups.read(connection, on);
  }

  void close(long connection) {
    groups.close(connection);
  }

  void away(boolean on) {
    groups.away(on);
  }

  /// The groups in which it is with a client.
  List<ServedGroups.Served> groups() {
    return groups.groups();
  }

  /// @return whether the replica was told something
  boolean work() {
    return groups.work(now());
  }

  long deadlineNanos() {
    return groups.deadlineNanos();
  }

  // ---- what the protocol asks --------------------------------------------------------------------------------------

  @Override
  public void enter(String group, Ordering ordering, boolean founds, int versionMax) {
    if (memberships.containsKey(group)) {
      replica.tell(() -> groups.ended(group)); // it is just being left; the client asks again
      return;
    }
    MemberConfig own = service.groupClients().member(replica.node().number);
    SimulatedMembership its = membership(group, own.toBuilder().groupVersionMax(versionMax).build());
    if (founds) {
      its.create(GroupClients.ordered(ordering), setting.scheduler().nowNanos());
    } else {
      its.join(false);
    }
  }

  @Override
  public void leave(String group) {
    SimulatedMembership its = memberships.get(group);
    if (its != null) {
      its.leave();
    }
  }

  @Override
  public void post(String group, ByteBuffer message) {
    SimulatedMembership its = memberships.get(group);
    if (its == null || its.isLeaving()) {
      return;
    }
    try {
      if (ClientGroupMessage.read(message.duplicate()) instanceof ClientGroupMessage.Answered(var place, var frame)) {
        MemberId client =
            groups.groups().stream()
                .filter(served -> served.name().equals(group))
                .map(ServedGroups.Served::client)
                .findFirst()
                .orElseThrow();
        service.groupClients().says(client, place.channel(), replica, frame);
      }
    } catch (Malformed impossible) {
      throw new IllegalStateException(impossible);
    }
    its.post(message);
  }

  @Override
  public long connected(MemberId client, long channel) {
    long connection = service.number();
    callers.put(connection, new Caller(client, channel));
    replica.protocol().connected(connection);
    return connection;
  }

  @Override
  public void said(long connection, ByteBuffer frame) {
    replica.protocol().said(connection, frame);
  }

  @Override
  public void disconnected(long connection) {
    replica.protocol().disconnected(connection);
  }
}
