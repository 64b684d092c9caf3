package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.Dissemination;
import org.tutti.End;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Policy;
import org.tutti.replica.protocol.ClientBinding;
import org.tutti.replica.protocol.Frame;

/// How one life of a client that is a member reaches replicas: what a host's threads do for a [ClientBinding].
final class GroupClientLink implements ClientLink, ClientBinding.Host {
  private final Simulation.Setting setting;
  private final SimulatedNode node;
  private final ServiceGroup service;
  private final SplittableRandom random;
  private final ClientBinding binding;
  private final boolean throughSequencer; // in an inclusive group, to the manager
  private final TreeMap<String, SimulatedMembership> memberships = new TreeMap<>();
  private final ArrayDeque<Runnable> told = new ArrayDeque<>();
  private final TreeMap<Long, Integer> heard = new TreeMap<>(); // frames, by channel
  private final TreeMap<Long, Opened> open = new TreeMap<>(); // channels
  private @Nullable String group; // the last one with servers that was begun
  private @Nullable View view; // of that
  private boolean welcomed; // in that
  private @Nullable SimulatedClient client;
  private boolean waking;

  /// A channel.
  ///
  /// @param place of its server
  /// @param alone whether there was no other one when it began
  private record Opened(String place, boolean alone) {}

  GroupClientLink(Simulation.Setting setting, SimulatedNode node, ServiceGroup service) {
    this.setting = setting;
    this.node = node;
    this.service = service;
    this.random = setting.streams().open(Streams.Purpose.REPLICA, node.self.incarnation());
    ServiceSettings.Client settings = service.settings().groupClient(node.number);
    ClientGroup.Kind kind = Objects.requireNonNull(settings.kind());
    Policy policy = settings.policy();
    this.throughSequencer =
        kind == ClientGroup.Kind.INCLUSIVE
            && policy != null
            && policy.dissemination() == Policy.Dissemination.MANAGER
            && policy.ordering() == Ordering.SEQUENCER;
    this.binding = new ClientBinding(node.self, ServiceGroup.NAME, random.nextLong(), kind, policy, this);
  }

  void begin(SimulatedClient its) {
    client = its;
  }

  MemberId self() {
    return node.self;
  }

  SimulatedClient client() {
    return Objects.requireNonNull(client);
  }

  /// Its process has ended, and another one has its place.
  void end() {
    told.clear();
    memberships.clear();
    client().end(false);
  }

  /// Whether it is in a group with servers.
  boolean isIn(String group) {
    return isHere() && binding.groups().contains(group);
  }

  // ---- what the client wants ---------------------------------------------------------------------------------------

  @Override
  public boolean isHere() {
    return node.isAlive() && !node.isPaused();
  }

  @Override
  public long connect(SimulatedClient its, String address) {
    long before = binding.formed();
    long channel = binding.connect(address);
    service.groupClients().forms(binding, before);
    heard.put(channel, 0);
    open.put(channel, new Opened(address, open.isEmpty()));
    return channel;
  }

  @Override
  public void toReplica(long channel, ByteBuffer frame) {
    binding.send(channel, frame.slice(Integer.BYTES, frame.remaining() - Integer.BYTES));
  }

  @Override
  public void closedByClient(long channel) {
    open.remove(channel);
    binding.disconnect(channel);
  }

  @Override
  public long formingNanos() {
    return 2 * setting.plan().suspectNanos();
  }

  @Override
  public void flush() {
    binding.listed(client().replicas());
    binding.flush(setting.scheduler().nowNanos());
  }

  // ---- its thread --------------------------------------------------------------------------------------------------

  private void tell(Runnable event) {
    told.add(event);
    wake();
  }

  private void wake() {
    if (!waking) {
      waking = true;
      setting.scheduler().after(random.nextLong(Math.max(1, setting.plan().turnNanosMax())), this::turn);
    }
  }

  private void turn() {
    waking = false;
    if (!node.isAlive()) {
      return; // what it was told waits for the case that it wakes up again
    }
    if (node.isPaused()) {
      waking = true;
      setting.scheduler().after(setting.plan().heartbeatNanos() / 4, this::turn);
      return;
    }
    try {
      for (int most = 1 + random.nextInt(16); most > 0 && !told.isEmpty(); most--) {
        told.remove().run();
      }
      flush();
    } catch (RuntimeException | Error broken) {
      service.broken(node, broken);
      return;
    }
    if (!told.isEmpty()) {
      wake();
    }
  }

  private SimulatedMembership membership(String group, MemberConfig member) {
    var its =
        new SimulatedMembership(
            node,
            group,
            member,
            this::tell,
            new SimulatedMembership.Events() {
              @Override
              public void viewed(View view) {
                say("in " + group + " sees " + view);
                seen(group, view);
                binding.viewed(group, view);
              }

              @Override
              public void delivered(MemberId sender, ByteBuffer message, long position) {
                binding.delivered(group, sender, message);
              }

              @Override
              public void ended(End end) {
                say("is not in " + group + " any more: " + end);
                SimulatedMembership gone = memberships.remove(group);
                if (gone != null) {
                  binding.ended(group, "it is over", setting.scheduler().nowNanos());
                }
              }
            });
    memberships.put(group, its);
    return its;
  }

  private void say(String what) {
    if (setting.trace().speaks()) {
      setting.trace().say(node.self.name(), "   ** groupClient " + what);
    }
  }

  // ---- what the binding asks ---------------------------------------------------------------------------------------

  @Override
  public void observe(String group) {
    membership(group, service.groupClients().ofContacts(node.number)).join(true);
  }

  @Override
  public void join(String group, Dissemination dissemination) {
    say("joins " + group);
    this.group = group;
    view = null;
    welcomed = false;
    MemberConfig drawn = service.groupClients().member(node.number);
    boolean isSaid = dissemination != Dissemination.AUTO;
    MemberConfig its = isSaid ? drawn.toBuilder().dissemination(dissemination).build() : drawn;
    membership(group, its).join(true);
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
    if (its != null && !its.isLeaving()) {
      its.post(message);
    }
  }

  @Override
  public void connected(long channel) {
    client().connected(channel);
  }

  @Override
  public void received(long channel, ByteBuffer frame) {
    int number = heard.merge(channel, 1, Integer::sum) - 1;
    service.groupClients().hears(node.self, channel, number, frame.duplicate());
    if (number == 0) {
      begins(channel, frame.duplicate());
    }
    client().received(channel, frame);
  }

  @Override
  public void disconnected(long channel, String why) {
    say("has no channel " + channel + " any more: " + why);
    open.remove(channel);
    client().disconnected(channel);
  }

  // ---- who orders --------------------------------------------------------------------------------------------------

  private void seen(String in, View installed) {
    view = in.equals(group) ? installed : view;
  }

  /// Whoever welcomes the client first in a group through whose sequencer it asks the manager is that sequencer.
  private void begins(long channel, ByteBuffer frame) {
    try {
      if (!(Frame.decode(frame) instanceof Frame.Welcome)) {
        return;
      }
    } catch (Frame.MalformedException impossible) {
      throw new IllegalStateException(impossible);
    }
    Opened its = open.get(channel);
    View known = view;
    if (throughSequencer && !welcomed && its != null && its.alone && known != null) {
      MemberId first = known.members().getFirst();
      if (!ServiceGroup.address(first).equals(its.place)) {
        String words = node.self + " is welcomed by " + its.place + " in " + group + ", which " + first + " orders";
        service.history().violate("ManagerOrders", words);
      }
    }
    welcomed = true;
  }
}
