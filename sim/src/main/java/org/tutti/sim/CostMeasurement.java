package org.tutti.sim;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.user.Request;

/// A group in which nothing goes wrong, to see what multicasts cost: the production engine with its links on the
/// simulated network, where every frame travels equally long and every member handles at once what has arrived.
///
/// Time is simulated, so what is counted here is the same everywhere.
public final class CostMeasurement {
  /// How long every frame travels.
  public static final Duration DELAY = Duration.ofNanos(100_000);

  /// After which silence a member is suspected.
  public static final Duration SUSPECT_AFTER = Duration.ofSeconds(1);

  private static final long MILLI = 1_000_000;
  private static final long HEARTBEAT_NANOS = 100 * MILLI;
  private static final long SUSPECT_NANOS = SUSPECT_AFTER.toNanos();
  private static final long START_NANOS = SUSPECT_NANOS / 4;
  private static final long OUTAGE_UNITS = 12; // longer than anything that ends a fault's consequences
  private static final long RETRANSMIT_NANOS = 20 * MILLI;
  private static final long REST_NANOS = 40 * MILLI; // within it the links send acknowledgements that they put off
  private static final long PATIENCE_NANOS = 1000 * HEARTBEAT_NANOS;
  private static final int CLOCK_BYTE = 1 << 7; // a number from here on needs two bytes on the wire
  private static final int FRAME_BYTES_MAX = 1 << 16; // as over TCP

  private final int members;
  private final Scheduler scheduler = new Scheduler();
  private final History history;
  private final SimulatedCluster cluster;
  private final Meter meter;
  private final Network network;
  private final List<SimulatedApplication> byRank;
  private final Change founding;

  /// How the group came to a view.
  ///
  /// @param nanos   simulated time until the last member was in it
  /// @param views   how many views were installed meanwhile, at all members together
  /// @param traffic what was sent until then
  public record Change(long nanos, long views, Traffic traffic) {}

  /// What some multicasts cost.
  ///
  /// @param steps         the longest chain of batches and messages of the ordering that a member had taken in when it
  ///                      delivered, at the last member: the communication steps of the cost model if delivery is
  ///                      [org.tutti.Guarantee#AGREED], where it waits for nothing else
  /// @param deliverySteps the same with messages of progress, for which uniform delivery waits
  /// @param nanos         simulated time until the last member had delivered all
  /// @param copies        how many batches the sender has sent, to whomever
  /// @param traffic       what was sent until the group was at rest again
  public record Cost(int steps, int deliverySteps, long nanos, long copies, Traffic traffic) {}

  /// A closed loop around a change of the ordering.
  ///
  /// @param gapNanos  the longest time between two deliveries, one after the other, at the sender
  /// @param tripNanos the mean of the times that a multicast takes before and after the change, at its sender
  public record Gap(long gapNanos, long tripNanos) {
    /// The gap measured in multicasts.
    ///
    /// @return how many of them it is long
    public double trips() {
      return (double) gapNanos / tripNanos;
    }
  }

  /// Forms a group.
  ///
  /// @param members how many
  /// @param config  the group's configuration
  public CostMeasurement(int members, GroupConfig config) {
    this(members, config, MemberConfig.standard());
  }

  /// Forms a group.
  ///
  /// @param members how many
  /// @param config  the group's configuration
  /// @param member  what each of them decides for itself
  public CostMeasurement(int members, GroupConfig config, MemberConfig member) {
    this(members, 0, config, member);
  }

  /// Forms a group that others are going to join.
  ///
  /// @param members   how many found it
  /// @param newcomers how many there are for [#join]
  /// @param config    the group's configuration
  public CostMeasurement(int members, int newcomers, GroupConfig config) {
    this(members, newcomers, config, MemberConfig.standard());
  }

  private CostMeasurement(int members, int newcomers, GroupConfig config, MemberConfig member) {
    Plan plan = plan(members + newcomers, config, member);
    this.members = members;
    var tally = new RunCounts();
    this.history = new History(config);
    var trace = new Trace(scheduler, null);
    var setting = new Simulation.Setting(plan, new Streams(plan.seed()), scheduler, tally, trace, history);
    this.cluster = new SimulatedCluster(setting, _ -> {}, CostMeasurement::broken);
    this.meter = new Meter(plan.nodes());
    this.network = new Network(scheduler, plan, tally, cluster);
    network.observe(meter);
    cluster.begin(network, START_NANOS, members);
    this.founding = until(cluster.lives(), members);
    rest();
    this.byRank = byRank();
    rest();
  }

  private static Plan plan(int members, GroupConfig config, MemberConfig member) {
    return new Plan(
        1,
        members,
        config,
        member,
        HEARTBEAT_NANOS,
        SUSPECT_NANOS,
        FRAME_BYTES_MAX,
        RETRANSMIT_NANOS,
        0,
        DELAY.toNanos(),
        DELAY.toNanos(),
        0,
        0,
        0,
        0,
        0,
        true,
        false,
        false,
        false,
        false,
        false,
        false,
        new EnumMap<>(FaultKind.class));
  }

  private static void broken(SimulatedNode node, Throwable error) {
    throw new IllegalStateException(node.self.name() + " stopped", error);
  }

  private List<SimulatedApplication> byRank() {
    View view = Objects.requireNonNull(cluster.latestPrimary());
    return view.members().stream().map(this::application).toList();
  }

  private SimulatedApplication application(MemberId member) {
    return cluster.lives().stream().filter(life -> life.node.self.equals(member)).findFirst().orElseThrow();
  }

  /// How the group was formed: its members were started within a quarter of the suspicion time, in any order.
  ///
  /// @return from the start of the first one until all were in one view
  public Change founding() {
    return founding;
  }

  /// Lets those join who have not been there, started within a quarter of the suspicion time. A measurement does this
  /// once, as its last.
  ///
  /// @return from the start of the first one until all are in one view
  public Change join() {
    cluster.beginRest(members, START_NANOS);
    return until(cluster.lives(), cluster.places());
  }

  /// Crashes a member, and waits until the others are in a view without it. A measurement does this once, as its last.
  ///
  /// @param rank the member's rank in the view
  /// @return from the crash until the last of them is in the view; the suspicion time is [#SUSPECT_AFTER]
  public Change crash(int rank) {
    List<SimulatedApplication> others = new ArrayList<>(byRank);
    others.remove(rank).node.pause(); // who never goes on has crashed
    return until(others, others.size());
  }

  /// Waits until some of the group are in one primary view of so many.
  private Change until(Collection<SimulatedApplication> who, int size) {
    meter.reset();
    long start = scheduler.nowNanos();
    int from = history.events().size();
    boolean there = false;
    while (!there) {
      if (scheduler.nowNanos() > start + PATIENCE_NANOS) {
        throw new IllegalStateException("no view of " + size + ": " + Convergence.obstacle(cluster));
      }
      advance(scheduler.nowNanos() + DELAY.toNanos());
      View first = who.iterator().next().view();
      there =
          first != null
              && first.primary()
              && first.size() == size
              && who.size() == size
              && who.stream().allMatch(life -> first.equals(life.view()));
    }
    long views = history.events().stream().skip(from).filter(HistoryEvent.Installed.class::isInstance).count();
    return new Change(scheduler.nowNanos() - start, views, meter.traffic());
  }

  /// Lets one member multicast and waits until the group is at rest again.
  ///
  /// @param rank     the member's rank in the view; 0 is the most senior one, which sequences and coordinates
  /// @param messages how many messages, all at once
  /// @param bytes    how long each is
  /// @return what it cost
  public Cost multicast(int rank, int messages, int bytes) {
    meter.reset();
    long start = scheduler.nowNanos();
    long[] position = new long[byRank.size()];
    long until = byRank.getFirst().summary().position() + messages;
    for (int i = 0; i < messages; i++) {
      if (!byRank.get(rank).multicast(new byte[bytes], Service.TOTAL)) {
        throw new IllegalArgumentException(messages + " messages of " + bytes + " bytes do not fit into the window");
      }
    }
    int steps = 0;
    int deliverySteps = 0;
    long nanos = 0;
    long end = start + PATIENCE_NANOS;
    boolean all = false;
    while (!all) {
      happen(end);
      all = true;
      for (int i = 0; i < position.length; i++) {
        SimulatedApplication life = byRank.get(i);
        if (position[i] < until && life.summary().position() >= until) {
          steps = Math.max(steps, meter.orderingChain(life.node.number));
          deliverySteps = Math.max(deliverySteps, meter.deliveryChain(life.node.number));
          nanos = scheduler.nowNanos() - start;
        }
        position[i] = life.summary().position();
        all &= position[i] >= until;
      }
    }
    rest();
    return new Cost(steps, deliverySteps, nanos, meter.batchesOf(byRank.get(rank).node.number), meter.traffic());
  }

  /// Lets time pass without multicasts.
  ///
  /// @param time how much
  /// @return what was sent meanwhile
  public Traffic idle(Duration time) {
    meter.reset();
    advance(scheduler.nowNanos() + time.toNanos());
    return meter.traffic();
  }

  /// Has a member multicast one message after the other while another member changes the ordering.
  ///
  /// @param sender   the rank of the member that multicasts
  /// @param switcher the rank of the member that asks for the change
  /// @param to       the new ordering
  /// @param after    how long after a multicast the change is asked for
  /// @return the longest time without a delivery
  public Gap switchTo(int sender, int switcher, Ordering to, Duration after) {
    long before = trip(sender);
    SimulatedApplication member = byRank.get(sender);
    long position = member.summary().position();
    long delivered = scheduler.nowNanos();
    long gap = 0;
    scheduler.after(before * 2 + after.toNanos(), () -> byRank.get(switcher).switchTo(to));
    member.multicast(new byte[1], Service.TOTAL);
    long end = scheduler.nowNanos() + REST_NANOS;
    while (scheduler.advance(end)) {
      if (member.summary().position() > position) {
        position = member.summary().position();
        gap = Math.max(gap, scheduler.nowNanos() - delivered);
        delivered = scheduler.nowNanos();
        member.multicast(new byte[1], Service.TOTAL);
      }
    }
    rest();
    return new Gap(gap, (before + trip(sender)) / 2);
  }

  /// Disturbs the group while its senior member multicasts, and waits until all are in one view again.
  ///
  /// @param what the disturbance
  /// @return how many views were installed by anyone, those of a part of the group included
  public int disturb(Disturbance what) {
    var nodes = byRank.stream().map(life -> life.node).toArray(SimulatedNode[]::new);
    var suspectAfter = Duration.ofNanos(SUSPECT_NANOS);
    int from = history.events().size();
    for (int time = 0; time < what.times(); time++) {
      long begin = scheduler.nowNanos();
      what.set(network, nodes, true);
      work(begin + what.length(suspectAfter).toNanos());
      what.set(network, nodes, false);
      work(begin + what.period(suspectAfter).toNanos());
    }
    rest();
    idle(suspectAfter.multipliedBy(10));
    rest();
    return (int)
        history.events().stream()
            .skip(from)
            .filter(HistoryEvent.Installed.class::isInstance)
            .map(installed -> ((HistoryEvent.Installed) installed).view().id())
            .distinct()
            .count();
  }

  /// Lets a fault begin while all multicast, and last.
  ///
  /// @param what the fault
  /// @return the longest time for which a member that it does not touch delivered nothing after all of it had begun, in
  ///     times of suspicion
  public double outage(Outage what) {
    var nodes = byRank.stream().map(life -> life.node).toArray(SimulatedNode[]::new);
    long begin = scheduler.nowNanos();
    long[] position = new long[nodes.length];
    long[] deliveredAt = new long[nodes.length];
    Arrays.fill(deliveredAt, what.isTwofold() ? begin + SUSPECT_NANOS / 2 : begin);
    what.begin(network, nodes);
    scheduler.after(SUSPECT_NANOS / 2, () -> what.goOn(network, nodes));
    long longest = 0;
    while (scheduler.nowNanos() < begin + OUTAGE_UNITS * SUSPECT_NANOS) {
      byRank.forEach(life -> life.multicast(new byte[1], Service.TOTAL));
      advance(scheduler.nowNanos() + HEARTBEAT_NANOS / 10);
      for (int rank = 0; rank < nodes.length; rank++) {
        long now = byRank.get(rank).summary().position();
        if (what.spares(rank)) {
          longest = Math.max(longest, scheduler.nowNanos() - deliveredAt[rank]);
        }
        if (now > position[rank]) {
          position[rank] = now;
          deliveredAt[rank] = Math.max(deliveredAt[rank], scheduler.nowNanos());
        }
      }
    }
    return (double) longest / SUSPECT_NANOS;
  }

  /// Leaves the most junior of three out of the view although it lives, crashes the most senior one, and lets the two
  /// that are left reach each other again.
  ///
  /// @return their views some time later, each with the number of messages that were delivered since
  public List<String> loseSenior() {
    var nodes = byRank.stream().map(life -> life.node).toArray(SimulatedNode[]::new);
    int junior = nodes.length - 1;
    for (int other = 0; other < junior; other++) {
      network.link(nodes[junior].number, nodes[other].number).cut(true);
      network.link(nodes[other].number, nodes[junior].number).cut(true);
    }
    work(scheduler.nowNanos() + OUTAGE_UNITS * SUSPECT_NANOS);
    nodes[0].pause(); // who never goes on has crashed
    network.heal();
    advance(scheduler.nowNanos() + OUTAGE_UNITS * SUSPECT_NANOS);
    long[] before = byRank.stream().mapToLong(life -> life.summary().position()).toArray();
    byRank.get(junior).multicast(new byte[1], Service.TOTAL);
    advance(scheduler.nowNanos() + OUTAGE_UNITS * SUSPECT_NANOS);
    List<String> told = new ArrayList<>();
    for (int rank = 1; rank < before.length; rank++) {
      SimulatedApplication life = byRank.get(rank);
      View view = Objects.requireNonNull(life.view());
      List<String> names = view.members().stream().map(MemberId::name).toList();
      long delivered = life.summary().position() - before[rank];
      told.add((view.primary() ? "primary " : "non-primary ") + names + " +" + delivered);
    }
    return told;
  }

  private void work(long untilNanos) {
    while (scheduler.nowNanos() < untilNanos) {
      byRank.getFirst().multicast(new byte[1], Service.TOTAL);
      advance(scheduler.nowNanos() + HEARTBEAT_NANOS / 4);
    }
  }

  /// What the group sends beside other groups with the same members, all of them working: a member after the other
  /// multicasts in the group, while the next one does in each other group. A measurement does this once.
  ///
  /// @param others     the configurations of the other groups
  /// @param multicasts how many in each group
  /// @param bytes      how long each message is
  /// @return messages of this group alone, frames with any of them, and their bytes without the frames' headers
  public Traffic beside(List<GroupConfig> others, int multicasts, int bytes) {
    var only = new GroupMeter(byRank.size());
    network.observe(only);
    for (int i = 0; i < CLOCK_BYTE; i++) {
      multicast(0, 1, bytes); // shows the meter which group it is, and brings the clocks past a change of their length
    }
    List<List<Neighbour>> groups = new ArrayList<>();
    for (GroupConfig other : others) {
      groups.add(neighbours("other-" + groups.size(), other));
    }
    only.reset();
    for (int i = 0; i < multicasts; i++) {
      int sender = i % byRank.size();
      int next = (i + 1) % byRank.size();
      byRank.get(sender).multicast(new byte[bytes], Service.TOTAL);
      groups.forEach(group -> group.get(next).multicast(bytes));
      advance(scheduler.nowNanos() + DELAY.toNanos() * 5 / 2); // the next one comes in the middle of this one
    }
    rest();
    for (List<Neighbour> group : groups) {
      if (group.stream().anyMatch(member -> member.delivered() != multicasts)) {
        throw new IllegalStateException("other groups have not delivered everything");
      }
    }
    return only.traffic();
  }

  private List<Neighbour> neighbours(String name, GroupConfig config) {
    List<Neighbour> group = new ArrayList<>();
    for (SimulatedApplication life : byRank) {
      var member = new Neighbour(life.node, name);
      group.add(member);
      member.begin(group.size() == 1, config);
      while (!group.stream().allMatch(each -> each.sees(group.size()))) {
        happen(scheduler.nowNanos() + PATIENCE_NANOS);
      }
    }
    rest();
    return group;
  }

  /// How long a multicast takes at its sender.
  private long trip(int sender) {
    SimulatedApplication member = byRank.get(sender);
    long position = member.summary().position();
    long start = scheduler.nowNanos();
    member.multicast(new byte[1], Service.TOTAL);
    while (member.summary().position() == position) {
      happen(start + PATIENCE_NANOS);
    }
    long trip = scheduler.nowNanos() - start;
    rest();
    return trip;
  }

  /// Lets the next thing happen while something is awaited.
  private void happen(long endNanos) {
    if (!scheduler.advance(endNanos)) {
      throw new IllegalStateException("not at rest: " + Convergence.obstacle(cluster));
    }
  }

  /// Waits until nothing is under way.
  private void rest() {
    long end = scheduler.nowNanos() + PATIENCE_NANOS;
    do {
      if (scheduler.nowNanos() > end) {
        throw new IllegalStateException("not at rest: " + Convergence.obstacle(cluster));
      }
      advance(scheduler.nowNanos() + REST_NANOS);
    } while (Convergence.obstacle(cluster) != null);
  }

  private void advance(long untilNanos) {
    while (scheduler.advance(untilNanos)) {
      // All happens in the scheduler's entries.
    }
  }

  /// Counts frames and the messages in them by protocol, and how long the chains are in which messages cause each
  /// other.
  ///
  /// A message stands one step behind the longest chain whose end its sender had taken in. There are two kinds of
  /// chains: those of batches and the ordering's messages only, and those in which progress counts too.
  private static final class Meter implements Network.Observer, FrameText.Reader {
    private static final int BATCH = 1; // the protocols' numbers on the wire
    private static final int ORDER = 2;
    private static final int STABILITY = 3;

    private record Chains(int ordering, int delivery) {}

    private final Map<byte[], Chains> onTheWay = new IdentityHashMap<>();
    private final int[] ordering; // by node: the longest chain it has taken in
    private final int[] delivery;
    private final long[] batches; // by node: how many it has sent
    private Traffic counted = Traffic.NONE;
    private Traffic inFrame = Traffic.NONE;

    Meter(int nodes) {
      this.ordering = new int[nodes];
      this.delivery = new int[nodes];
      this.batches = new long[nodes];
    }

    @Override
    public void sent(int from, int to, byte[] frame) {
      inFrame = new Traffic(0, 0, 0, 0, 0, 0, 1, frame.length);
      FrameText.read(ByteBuffer.wrap(frame), this);
      boolean orders = inFrame.protocol() > 0;
      boolean informs = orders || inFrame.progress() > 0;
      onTheWay.put(frame, new Chains(orders ? ordering[from] + 1 : 0, informs ? delivery[from] + 1 : 0));
      batches[from] += inFrame.batches();
      counted = counted.plus(inFrame);
    }

    @Override
    public void arrived(int to, byte[] frame) {
      Chains chains = onTheWay.remove(frame);
      if (chains != null) {
        ordering[to] = Math.max(ordering[to], chains.ordering());
        delivery[to] = Math.max(delivery[to], chains.delivery());
      }
    }

    @Override
    public void chunk(boolean whole, boolean first, ByteBuffer bytes) {
      if (first) {
        count(
            switch (bytes.get(bytes.position())) {
              case BATCH -> new Traffic(1, 0, 0, 0, 0, 0, 0, 0);
              case ORDER -> new Traffic(0, 1, 0, 0, 0, 0, 0, 0);
              case STABILITY -> new Traffic(0, 0, 1, 0, 0, 0, 0, 0);
              default -> new Traffic(0, 0, 0, 0, 0, 1, 0, 0);
            });
      }
    }

    @Override
    public void acknowledgement() {
      count(new Traffic(0, 0, 0, 1, 0, 0, 0, 0));
    }

    @Override
    public void datagram() {
      count(new Traffic(0, 0, 0, 0, 1, 0, 0, 0));
    }

    private void count(Traffic one) {
      inFrame = inFrame.plus(one);
    }

    /// Begins to count and to measure chains anew.
    void reset() {
      Arrays.fill(ordering, 0);
      Arrays.fill(delivery, 0);
      Arrays.fill(batches, 0);
      onTheWay.clear();
      counted = Traffic.NONE;
    }

    /// What was sent since the last reset.
    Traffic traffic() {
      return counted;
    }

    /// How many batches a node has sent since then.
    long batchesOf(int node) {
      return batches[node];
    }

    /// The longest chain of batches and the ordering's messages that a node has taken in.
    int orderingChain(int node) {
      return ordering[node];
    }

    /// The same with progress.
    int deliveryChain(int node) {
      return delivery[node];
    }
  }

  /// Counts what one group sends where nodes are in several: its messages, and the frames that carry any of them.
  ///
  /// The group is the one whose message comes first, so it has to be alone then.
  private static final class GroupMeter implements Network.Observer, FrameText.Reader {
    private static final int GROUP_AT = 1; // in a message, behind its channel
    private static final int BATCH = 1; // the protocols' numbers on the wire
    private static final int ORDER = 2;
    private static final int STABILITY = 3;

    private final boolean[][] ours; // by sender and receiver, whether the message under way between them is the group's
    private boolean[] receivers = {};
    private int receiver;
    private boolean known;
    private long group;
    private Traffic inFrame = Traffic.NONE;
    private Traffic counted = Traffic.NONE;

    GroupMeter(int nodes) {
      this.ours = new boolean[nodes][nodes];
    }

    @Override
    public void sent(int from, int to, byte[] frame) {
      receivers = ours[from];
      receiver = to;
      inFrame = Traffic.NONE;
      FrameText.read(ByteBuffer.wrap(frame), this);
      if (inFrame.bytes() > 0) {
        counted = counted.plus(inFrame).plus(new Traffic(0, 0, 0, 0, 0, 0, 1, 0));
      }
    }

    @Override
    public void arrived(int to, byte[] frame) {}

    @Override
    public void chunk(boolean whole, boolean first, ByteBuffer bytes) {
      if (first) {
        long its = bytes.getLong(bytes.position() + GROUP_AT);
        if (!known) {
          known = true;
          group = its;
        }
        receivers[receiver] = its == group;
      }
      if (receivers[receiver]) {
        long length = bytes.remaining();
        inFrame =
            inFrame.plus(
                switch (first ? bytes.get(bytes.position()) : 0) {
                  case 0 -> new Traffic(0, 0, 0, 0, 0, 0, 0, length);
                  case BATCH -> new Traffic(1, 0, 0, 0, 0, 0, 0, length);
                  case ORDER -> new Traffic(0, 1, 0, 0, 0, 0, 0, length);
                  case STABILITY -> new Traffic(0, 0, 1, 0, 0, 0, 0, length);
                  default -> new Traffic(0, 0, 0, 0, 0, 1, 0, length);
                });
      }
    }

    @Override
    public void acknowledgement() {}

    @Override
    public void datagram() {}

    void reset() {
      counted = Traffic.NONE;
    }

    /// What the group sent since the last reset; bytes are those of its messages, without the frames' headers.
    Traffic traffic() {
      return counted;
    }
  }

  /// A node's membership of a further group, beside that of its [SimulatedApplication].
  private static final class Neighbour implements TotallyOrdered {
    private final SimulatedNode node;
    private final String group;
    private @Nullable View view;
    private long consumed;
    private long delivered;

    Neighbour(SimulatedNode node, String group) {
      this.node = node;
      this.group = group;
    }

    void begin(boolean creates, GroupConfig config) {
      Terms terms = Terms.voter(config, MemberConfig.standard());
      Request join = new Request.Join(group, null, terms.member(), terms.observer(), this);
      node.request(creates ? new Request.Create(group, terms, this, 0) : join, 0);
    }

    void multicast(int bytes) {
      node.request(new Request.Multicast(group, MessageBlock.of(Batch.Kind.TOTAL, ByteBuffer.allocate(bytes))), 0);
    }

    /// Whether the node is in a view of so many.
    boolean sees(int members) {
      return view != null && view.primary() && view.size() == members;
    }

    /// How many messages were delivered.
    long delivered() {
      return delivered;
    }

    @Override
    public void deliver(long index, Batch batch, long position) {
      delivered += batch.count();
      consumed++;
    }

    @Override
    public void install(View installed) {
      view = installed;
    }

    @Override
    public void ordering(Ordering ordering) {}

    @Override
    public void decided(int messages, long position) {}

    @Override
    public long consumed() {
      return consumed;
    }

    @Override
    public void closed(End ended) {
      throw new IllegalStateException(node.self.name() + " in " + group + ": " + ended);
    }
  }
}
