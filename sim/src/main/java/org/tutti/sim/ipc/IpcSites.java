package org.tutti.sim.ipc;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.IpcHost;
import org.tutti.ipc.protocol.IpcMessage;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.MembershipMessage;
import org.tutti.ipc.protocol.PairMessage;
import org.tutti.ipc.protocol.PairProtocol;
import org.tutti.sim.FrameText;
import org.tutti.sim.Scheduler;
import org.tutti.sim.Trace;
import org.tutti.sim.check.Violation;
import org.tutti.sim.ipc.IpcChecks.Line;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;
import org.tutti.wire.Malformed;

/// Hosts on a network that loses, repeats, delays and cuts, also one way only. The hosts are the production code; what
/// their processes do, and what goes wrong when, is up to whoever makes them.
final class IpcSites {
  static final long MILLI = 1_000_000;
  static final long ACKNOWLEDGE = 200 * MILLI;
  static final long SILENCE = 500 * MILLI;
  private static final IpcHost.Times TIMES =
      new IpcHost.Times(100 * MILLI, SILENCE, new IpcProtocol.Times(ACKNOWLEDGE, 150 * MILLI));

  private static final int WINDOWS = 10; // that the longest message has

  private static final Traits TRAITS = new Traits(1200, Duration.ofMillis(20), false);
  private static final long REST = 9_000 * MILLI;
  private static final int STEPS_MAX = 1_000_000;

  /// What the network does by itself.
  ///
  /// @param loss        the share of frames that it loses
  /// @param duplication the share that it repeats
  /// @param delayMax    how long a frame is under way at most
  /// @param contacts    at how many hosts the others look for others, the first ones
  record Weather(double loss, double duplication, long delayMax, int contacts) {
    /// With losses, but without cuts; all hosts know the first one.
    static Weather draw(SplittableRandom random, double lossMax) {
      return new Weather(random.nextDouble(lossMax), random.nextDouble(0.1), random.nextLong(1, 8) * MILLI, 1);
    }
  }

  final SplittableRandom random;
  final Scheduler scheduler = new Scheduler();
  final Trace trace;
  final IpcChecks checks = new IpcChecks();
  final PairChecks pairChecks = new PairChecks(checks.violations());
  final List<Site> sites = new ArrayList<>();
  final Set<List<Site>> cuts = new LinkedHashSet<>(); // from, to
  final Map<String, Integer> met = new TreeMap<>();
  Consumer<IpcHost> looks = _ -> {}; // at a host, after each of its steps
  private final Map<List<MemberId>, Long> lostAt = new LinkedHashMap<>(); // who has lost whom last
  final PairProtocol.Settings pairs;
  private final Weather weather;
  private final Map<MemberId, Long> crowdedAt = new LinkedHashMap<>(); // when a queue there was half full last
  private boolean isCalm; // nothing is lost any more

  /// Hosts without processes.
  ///
  /// @param pairs of communications of two processes, equal at all
  IpcSites(
      SplittableRandom random,
      int hosts,
      Weather weather,
      PairProtocol.Settings pairs,
      @Nullable Consumer<String> lines) {
    this.random = random;
    this.weather = weather;
    this.pairs = pairs;
    this.trace = new Trace(scheduler, lines);
    for (int i = 0; i < hosts; i++) {
      sites.add(new Site("h" + i));
    }
    sites.forEach(Site::start);
  }

  /// Settings for communications of two processes with which everything is short, so that there are many parts, and
  /// buffers with room for some messages only.
  static PairProtocol.Settings drawPairs(SplittableRandom random) {
    int part = random.nextInt(64, 1000);
    int window = part * random.nextInt(1, 9);
    int longest = Math.max(600, random.nextInt(window, WINDOWS * window + 1));
    return new PairProtocol.Settings(part, window, (long) longest * random.nextInt(3, 10), longest);
  }

  // ---- time --------------------------------------------------------------------------------------------------------

  long now() {
    return scheduler.nowNanos();
  }

  void at(long time, Runnable action) {
    scheduler.at(time, action);
  }

  void after(long nanosMax, Runnable action) {
    scheduler.after(random.nextLong(nanosMax), action);
  }

  /// Runs until nothing more is to come, or something does not hold.
  ///
  /// @return what did not hold
  List<Violation> toRest() {
    while (checks.violations().isEmpty() && scheduler.advance(REST)) {
      if (scheduler.steps() > STEPS_MAX) {
        checks.endless("it does not come to rest in " + STEPS_MAX + " steps");
      }
    }
    if (checks.violations().isEmpty()) {
      checks.rests();
    }
    return List.copyOf(checks.violations());
  }

  // ---- the network -------------------------------------------------------------------------------------------------

  /// Cuts the network between some hosts and the others.
  void sever(Set<Site> some) {
    for (Site one : some) {
      for (Site other : sites) {
        if (!some.contains(other)) {
          cuts.add(List.of(one, other));
          cuts.add(List.of(other, one));
        }
      }
    }
  }

  /// Nothing is cut or lost any more.
  void heal() {
    cuts.clear();
    isCalm = true;
  }

  private void transmit(Site from, Address to, ByteBuffer frame) {
    if (trace.speaks()) {
      FrameText.read(frame.duplicate().clear(), (whole, _, bytes) -> say(from.name, to.toString(), whole, bytes));
    }
    for (Site site : sites) {
      if (site.address.equals(to) && !cuts.contains(List.of(from, site))) {
        for (int copies = random.nextDouble() < weather.duplication ? 2 : 1; copies > 0; copies--) {
          if (isCalm || random.nextDouble() >= weather.loss) {
            ByteBuffer copy = ByteBuffer.allocate(frame.capacity()).put(frame.duplicate().clear()).flip();
            after(weather.delayMax, () -> site.arrived(copy));
          }
        }
      }
    }
  }

  private void say(String from, String to, boolean whole, ByteBuffer message) {
    try {
      trace.say(from, "-> " + to + " " + (whole ? read(message.duplicate()) : "a part of a message"));
    } catch (Malformed malformed) {
      trace.say(from, "-> " + to + " malformed: " + malformed.reason());
    }
  }

  private static Object read(ByteBuffer message) throws Malformed {
    if (PairMessage.isOne(message)) {
      return PairMessage.read(message);
    }
    return MembershipMessage.isOne(message) ? MembershipMessage.read(message) : IpcMessage.read(message);
  }

  /// Whether two hosts are not both there and hearing each other, or one has lost the other since then.
  boolean areApart(MemberId one, MemberId other, long since) {
    return !hears(one, other)
        || !hears(other, one)
        || lostAt.getOrDefault(List.of(one, other), -1L) >= since
        || lostAt.getOrDefault(List.of(other, one), -1L) >= since;
  }

  /// Whether a queue at a host may have been full since then.
  boolean wasCrowded(MemberId host, long since) {
    return crowdedAt.getOrDefault(host, -1L) >= since;
  }

  private boolean hears(MemberId one, MemberId other) {
    return one.equals(other)
        || sites.stream()
            .anyMatch(site -> site.host != null && site.host.self().equals(one) && site.host.needed().contains(other));
  }

  long delayMax() {
    return weather.delayMax;
  }

  // ---- what is told ------------------------------------------------------------------------------------------------

  void met(String who, String what) {
    met.merge(what, 1, Integer::sum);
    trace.note(who);
    trace.note(what);
    trace.note(0, 0, now());
    if (trace.speaks()) {
      trace.say(who, what);
    }
  }

  /// Who is told the outcome of a call, once and in time.
  ///
  /// @param limit until when, or [Long#MAX_VALUE]
  <T> Consumer<Result<T>> waiting(ProcessId caller, String what, long limit, Consumer<Result<T>> then) {
    IpcChecks.Wait wait = checks.begins(caller.host(), what, limit);
    return result -> {
      checks.ends(wait, now());
      met(
          caller.toString(),
          switch (result) {
            case Done<T> _ -> what;
            case Aborted<T>(var status) -> what + " " + status;
          });
      then.accept(result);
    };
  }

  /// A host, through its lives.
  final class Site implements FrameSender {
    final String name;
    final Address address;
    @Nullable IpcHost host;
    Consumer<IpcHost> atStart = _ -> {};
    private long lives;
    private long wakeAt = Long.MAX_VALUE;
    private long seen; // the largest number of a message that was looked at
    private Set<MemberId> heard = Set.of();
    private @Nullable ByteBuffer claimed;
    private @Nullable Address claimedFor;

    Site(String name) {
      this.name = name;
      this.address = new Address(name);
    }

    @Override
    public ByteBuffer claim(Address to, int length) {
      claimed = ByteBuffer.allocate(length);
      claimedFor = to;
      return claimed;
    }

    @Override
    public void commit() {
      transmit(this, claimedFor, claimed);
    }

    @Override
    public Traits traits() {
      return TRAITS;
    }

    void start() {
      if (host == null) {
        lives++;
        var self = new MemberId(name, address, lives * 1000 + sites.indexOf(this) + 1);
        List<Address> contacts = sites.stream().limit(weather.contacts).map(site -> site.address).toList();
        host = new IpcHost(self, "sim", this, contacts, TIMES, pairs);
        wakeAt = Long.MAX_VALUE;
        seen = 0;
        heard = Set.of();
        step(atStart);
      }
    }

    void crash() {
      if (host != null) {
        met(name, "crash");
        checks.crashed(host.self());
        pairChecks.crashed(host.self());
        host = null;
      }
    }

    void arrived(ByteBuffer frame) {
      if (host != null) {
        step(living -> living.arrived(frame));
      }
    }

    void step(Consumer<IpcHost> action) {
      IpcHost living = host;
      try {
        living.begin(now());
        action.accept(living);
        living.turn();
        living.check();
      } catch (RuntimeException | StackOverflowError error) {
        checks.broke(living.self(), error);
        return;
      }
      look(living);
      for (MemberId one : heard) {
        if (!living.needed().contains(one)) {
          lostAt.put(List.of(living.self(), one), now());
        }
      }
      heard = Set.copyOf(living.needed());
      long deadline = Math.max(now(), living.deadline());
      if (deadline < wakeAt) {
        wakeAt = deadline;
        at(deadline, () -> wake(living, deadline));
      }
    }

    /// What has come into queues, after each step.
    void look(IpcHost living) {
      looks.accept(living);
      long last = seen;
      for (IpcProtocol.Queued queued : living.protocol().queued(seen)) {
        var key = queued.key();
        var line = new Line(new ProcessId(queued.host(), key.process()), key.group(), key.session());
        checks.queued(line, new ProcessId(living.self(), queued.member()));
        last = Math.max(last, queued.id());
      }
      seen = last;
      IpcProtocol.Sizes sizes = living.protocol().sizes();
      if (sizes.queue() >= IpcProtocol.QUEUE_MAX / 2) {
        crowdedAt.put(living.self(), now());
      }
      checks.keeps(living.self(), sizes);
      pairChecks.keeps(living.self(), living.protocol().pairs().sizes(), pairs);
    }

    private void wake(IpcHost life, long deadline) {
      if (host == life && wakeAt == deadline) {
        wakeAt = Long.MAX_VALUE;
        step(_ -> {});
      }
    }
  }
}
