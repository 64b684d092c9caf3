package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.Dissemination;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.View;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.sim.check.MultiGroupHistory;
import org.tutti.user.Report;
import org.tutti.user.Request;

/// Three more groups, each without every third node, so that they overlap in a circle: all in one domain with the
/// group of the [SimulatedCluster], each with an ordering of its own. Members multicast now and then, and often answer
/// in another group what they have just delivered. A member that is out of one of its groups goes on in the
/// others all the more, and when it comes in again, others often multicast there at once.
final class Overlap {
  /// The domain's name.
  static final String DOMAIN = "opera";

  private static final int GROUPS = 3;
  private static final int MULTICASTS_MAX = 120;
  private static final int WHILE_OUT_MAX = 400; // multicasts
  private static final int WHILE_OUT_PER_SUSPECT = 25; // so some are on their way when a member comes in again

  private final Simulation.Setting setting;
  private final SplittableRandom random;
  private final MultiGroupHistory crossing = new MultiGroupHistory();
  private final GroupConfig[] configs = new GroupConfig[GROUPS];
  private final boolean[] founded = new boolean[GROUPS];
  private final List<Part> parts = new ArrayList<>();
  private int left = MULTICASTS_MAX;
  private int whileOut = WHILE_OUT_MAX;

  Overlap(Simulation.Setting setting) {
    this.setting = setting;
    this.random = setting.streams().open(Streams.Purpose.OVERLAP, 0);
    for (int group = 0; group < GROUPS; group++) {
      configs[group] =
          GroupConfig.builder()
              .guarantee(setting.plan().config().guarantee())
              .ordering(Plan.draw(random))
              .domain(DOMAIN)
              .build();
    }
  }

  MultiGroupHistory crossing() {
    return crossing;
  }

  void begin() {
    long mean = setting.plan().safetyNanos() / MULTICASTS_MAX;
    Scheduler scheduler = setting.scheduler();
    scheduler.repeat(
        random,
        mean,
        () -> scheduler.nowNanos() < setting.plan().safetyNanos() && !parts.isEmpty(),
        () -> parts.get(random.nextInt(parts.size())).multicast());
  }

  /// A node has begun a life.
  void started(SimulatedNode node) {
    int life = crossing.life();
    for (int group = 0; group < GROUPS; group++) {
      if (node.number % GROUPS != group) {
        var part = new Part(node, life, group);
        parts.add(part);
        String name = "part-" + group;
        boolean creates = !founded[group];
        founded[group] = true;
        Dissemination way = Settings.dissemination(setting.plan(), node.number);
        Terms on = Terms.voter(configs[group], MemberConfig.builder().dissemination(way).build());
        Request join = new Request.Join(name, null, on.member(), on.observer(), part);
        node.request(creates ? new Request.Create(name, on, part, 0) : join, 0);
      }
    }
  }

  /// A life's membership of one of the groups.
  private final class Part implements TotallyOrdered {
    private final SimulatedNode node;
    private final int life;
    private final int group;
    private boolean primary;
    private boolean in; // its deliveries are in time
    private boolean closed;
    private long consumed;

    Part(SimulatedNode node, int life, int group) {
      this.node = node;
      this.life = life;
      this.group = group;
    }

    void multicast() {
      if (left > 0 && mayMulticast()) {
        left--;
        send();
      }
    }

    private boolean mayMulticast() {
      return primary && !closed && node.isAlive();
    }

    private void send() {
      ByteBuffer payload = ByteBuffer.allocate(Integer.BYTES).putInt(0, crossing.send(life, group));
      node.request(new Request.Multicast("part-" + group, MessageBlock.of(Batch.Kind.TOTAL, payload)), 0);
    }

    @Override
    public void deliver(long index, Batch batch, long position) {
      Batch.Messages messages = batch.messages();
      while (messages.hasNext()) {
        ByteBuffer message = messages.next();
        int number = message.getInt(message.position());
        setting.trace().note(node.number, 32, number);
        if (setting.trace().speaks()) {
          setting
              .trace()
              .say(node.self.name(), "   ** part " + group + " delivers " + number + " stamp " + batch.stamp());
        }
        crossing.add(new MultiGroupHistory.Step.Delivered(life, number));
        if (random.nextInt(3) == 0) {
          answer();
        }
      }
      consumed++;
    }

    private void answer() {
      for (Part other : parts) {
        if (other.life == life && other.group != group && random.nextBoolean()) {
          other.multicast();
        }
      }
    }

    private void enters() {
      crossing.add(new MultiGroupHistory.Step.Entered(life, group));
      in = true;
      for (Part other : parts) {
        if (other.life != life && other.group == group && random.nextBoolean()) {
          other.multicast();
        }
      }
    }

    /// Multicasts in the other groups until it is in again.
    private void isOut() {
      in = false;
      long pause = setting.plan().suspectNanos() / WHILE_OUT_PER_SUSPECT;
      setting.scheduler().after(pause, this::goOnElsewhere);
    }

    private void goOnElsewhere() {
      boolean over = setting.scheduler().nowNanos() >= setting.plan().safetyNanos();
      if (over || in || closed || !node.isAlive() || whileOut <= 0) {
        return;
      }
      for (Part other : parts) {
        if (other.life == life && other.in && other.mayMulticast()) {
          whileOut--;
          other.send();
        }
      }
      isOut();
    }

    @Override
    public void begin(long index, long position) {
      enters();
    }

    @Override
    public void install(View view) {
      if (view.primary() && !primary) {
        enters();
      } else if (!view.primary() && primary) {
        crossing.add(new MultiGroupHistory.Step.CutOff(life, group));
        isOut();
      }
      primary = view.primary();
      if (setting.trace().speaks()) {
        setting.trace().say(node.self.name(), "   ** part " + group + " installs " + view);
      }
    }

    @Override
    public void status(Report now) {
      if (now.view() != null && !now.view().primary()) {
        crossing.add(new MultiGroupHistory.Step.Apart(life, group));
      }
    }

    @Override
    public void decided(int messages, long position) {}

    @Override
    public long consumed() {
      return consumed;
    }

    @Override
    public void closed(End ended) {
      closed = true;
      node.ended(ended);
      crossing.add(new MultiGroupHistory.Step.CutOff(life, group));
    }
  }
}
