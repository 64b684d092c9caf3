package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Suspicion;
import org.tutti.replica.protocol.ClientBinding;
import org.tutti.replica.protocol.ServedGroups;
import org.tutti.sim.check.Violation;

/// The clients of the [ServiceGroup] that are members of groups with its replicas: each on a node of its own, at one of
/// the last places, where no replica is. They go through all that happens to nodes.
///
/// Checkers of its own: `TrueChannels`, what a client is told over a channel is what one server has said there, from
/// the first frame on, in order, and nothing is missing; `GroupsDeleted`, no server stays in a group without its
/// client; `ContactGroupStays`, a server is in its contact group as long as it is at work.
final class GroupClients {
  static GroupConfig ordered(Ordering ordering) {
    return GroupConfig.builder().guarantee(Guarantee.AGREED).ordering(ordering).build();
  }

  /// What a server has said over a channel to a client.
  record Channel(MemberId client, long number, MemberId server) implements Comparable<Channel> {
    @Override
    public int compareTo(Channel other) {
      int byClient = client.compareTo(other.client);
      int byNumber = byClient != 0 ? byClient : Long.compare(number, other.number);
      return byNumber != 0 ? byNumber : server.compareTo(other.server);
    }
  }

  private final Simulation.Setting setting;
  private final ServiceGroup service;
  private final @Nullable GroupClientLink[]
      groupClients; // the newest life at each place, from the first of these places on
  private final int first;
  private final TreeMap<MemberId, GroupClientLink> byMember = new TreeMap<>();
  private final TreeMap<Channel, List<ByteBuffer>> said = new TreeMap<>();
  private long formed;
  private long answered;

  GroupClients(Simulation.Setting setting, ServiceGroup service) {
    this.setting = setting;
    this.service = service;
    this.groupClients = new GroupClientLink[service.settings().groupClients()];
    this.first = setting.plan().nodes() - groupClients.length;
  }

  boolean isAt(int place) {
    return place >= first;
  }

  /// What a member decides for itself in groups of clients and servers.
  MemberConfig member(int place) {
    return service.settings().member(place).toBuilder().suspicion(Suspicion.REFUTABLE).build();
  }

  /// What one decides in a contact group: it has the lowest version of the protocol that its server speaks.
  MemberConfig ofContacts(int place) {
    return member(place).toBuilder().groupVersionMax(1).build();
  }

  /// A node has begun a life.
  void started(SimulatedNode node) {
    GroupClientLink before = groupClients[node.number - first];
    if (before != null) {
      before.end();
    }
    var link = new GroupClientLink(setting, node, service);
    groupClients[node.number - first] = link;
    byMember.put(node.self, link);
    link.begin(service.begun(node.number, node.number - first, link));
  }

  /// A replica has begun a life: it is invited from now on.
  void served(SimulatedReplica replica) {
    if (groupClients.length > 0) {
      replica.serveGroups();
    }
  }

  /// Clients, and those of now here whose process is at work.
  List<SimulatedClient> with(List<SimulatedClient> clients) {
    List<SimulatedClient> all = new ArrayList<>(clients);
    for (GroupClientLink groupClient : groupClients) {
      if (groupClient != null && groupClient.client().isHere()) {
        all.add(groupClient.client());
      }
    }
    return all;
  }

  @Nullable SimulatedClient client(MemberId member) {
    GroupClientLink link = byMember.get(member);
    return link == null ? null : link.client();
  }

  /// A group that its client has left, or whose client has gone, is left by its servers.
  void checkAtRest(List<SimulatedReplica> living, List<Violation> found) {
    for (SimulatedReplica replica : living) {
      for (ServedGroups.Served group : replica.groups()) {
        GroupClientLink link = byMember.get(group.client());
        if (link == null || !link.isIn(group.name())) {
          found.add(new Violation("GroupsDeleted", replica.node().self + " is in " + group + ", its client is not"));
        }
      }
    }
  }

  // ---- what is said over channels ----------------------------------------------------------------------------------

  void says(MemberId client, long channel, SimulatedReplica server, ByteBuffer frame) {
    var its = new Channel(client, channel, server.node().self);
    said.computeIfAbsent(its, _ -> new ArrayList<>()).add(frame.duplicate());
    service.sent(server, frame);
  }

  /// A client is told the next frame of a channel.
  void hears(MemberId client, long channel, int number, ByteBuffer frame) {
    boolean isTrue =
        said.entrySet().stream()
            .filter(each -> each.getKey().client.equals(client) && each.getKey().number == channel)
            .map(Map.Entry::getValue)
            .anyMatch(all -> all.size() > number && all.get(number).equals(frame));
    if (!isTrue) {
      service
          .history()
          .violate("TrueChannels", client + " is told over channel " + channel + " what nobody said as " + number);
    }
  }

  void forms(ClientBinding binding, long before) {
    formed += binding.formed() - before;
  }

  /// How many groups were formed.
  long formed() {
    return formed;
  }

  void answers() {
    answered++;
  }

  /// How many calls of clients in groups have a reply.
  long answered() {
    return answered;
  }
}
