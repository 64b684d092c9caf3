package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// One application's multicasts to some members: those that it sends, and those that it gets. They are no part of its
/// state.
final class SubsetBook {
  private static final int BACKLOG_MAX = 2;

  private final Simulation.Setting setting;
  private final SimulatedNode node;
  private final String group;
  private final int ordinal;
  private final double sloth;
  private final SplittableRandom random;
  private final TreeMap<Long, Long> open = new TreeMap<>(); // number -> cost
  private long number;
  private int backlog;
  private boolean calm;

  SubsetBook(Simulation.Setting setting, SimulatedNode node, String group, int ordinal, double sloth) {
    this.setting = setting;
    this.node = node;
    this.group = group;
    this.ordinal = ordinal;
    this.sloth = sloth;
    this.random = setting.streams().open(Streams.Purpose.SUBSET, node.self.incarnation());
  }

  /// How many have no known fate.
  int open() {
    return open.size();
  }

  void send(byte[] payload, List<MemberId> destinations) {
    number++;
    open.put(number, payload.length + (long) GroupUser.MESSAGE_OVERHEAD);
    ByteBuffer message = ByteBuffer.wrap(payload);
    List<Integer> to = destinations.stream().map(setting.history()::ordinalOf).toList();
    setting
        .history()
        .add(new HistoryEvent.SubsetSubmitted(ordinal, now(), number, to, payload.length, Hash.of(message)));
    setting.tally().subsets++;
    node.request(new Request.SubsetMulticast(group, number, message, destinations), 0);
  }

  void deliver(Batch subset) {
    int sender = setting.history().ordinalOf(subset.sender());
    long at = subset.seq() - subset.count() + 1;
    for (Batch.Messages messages = subset.messages(); messages.hasNext(); at++) {
      ByteBuffer message = messages.next();
      long hash = Hash.of(message);
      setting.history().add(new HistoryEvent.SubsetDelivered(ordinal, now(), sender, at, message.remaining(), hash));
      setting.tally().subsetDeliveries++;
      note(20, hash);
    }
    say("deliver subset multicast " + subset.sender() + "/" + subset.seq() + " " + subset.count() + " messages");
    if (sloth > 0 && !calm) {
      backlog++;
      setting.scheduler().after((long) (sloth * random.nextDouble() * setting.plan().suspectNanos()), this::take);
    }
  }

  private void take() {
    if (backlog > 0) {
      backlog--;
      node.request(new Request.Consumed(group), 0);
    }
  }

  boolean takes() {
    return backlog < BACKLOG_MAX;
  }

  /// What became of one.
  ///
  /// @return how much of the window it leaves
  long decided(long which, GroupUser.SubsetOutcome fate) {
    note(21, which * 31 + fate.ordinal());
    say("subset multicast " + which + " " + fate);
    setting.history().add(new HistoryEvent.SubsetDecided(ordinal, now(), which, fate));
    Long cost = open.remove(which);
    return cost == null ? 0 : cost;
  }

  void calm() {
    calm = true;
    if (backlog > 0) {
      backlog = 0;
      node.request(new Request.Consumed(group), 0);
    }
  }

  /// Members of a view, at random, at least one.
  static List<MemberId> draw(List<MemberId> members, double share, SplittableRandom random) {
    List<MemberId> drawn = new ArrayList<>();
    for (MemberId member : members) {
      if (random.nextDouble() < share) {
        drawn.add(member);
      }
    }
    return drawn.isEmpty() ? List.of(members.get(random.nextInt(members.size()))) : drawn;
  }

  private long now() {
    return setting.scheduler().nowNanos();
  }

  private void note(int kind, long what) {
    setting.trace().note(node.number, 16 + kind, what);
  }

  private void say(String what) {
    if (setting.trace().speaks()) {
      setting.trace().say(node.self.name(), "   ** " + what);
    }
  }
}
