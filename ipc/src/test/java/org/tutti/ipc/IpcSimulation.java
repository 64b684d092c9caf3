package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;

/// Hosts with processes that send, receive and reply at random, on a network that loses, repeats, delays and cuts, also
/// one way only, and hosts that crash and come back. One seed is one run. What is checked stands at [#violated].
final class IpcSimulation {
  static final long MILLI = 1_000_000;
  static final long ACKNOWLEDGE = 200 * MILLI;
  private static final IpcHost.Times TIMES =
      new IpcHost.Times(100 * MILLI, 500 * MILLI, new IpcProtocol.Times(ACKNOWLEDGE, 150 * MILLI));
  private static final Traits TRAITS = new Traits(1200, Duration.ofMillis(20), false);
  private static final long FAULTS_END = 4_000 * MILLI;
  private static final long WORK_END = 5_000 * MILLI;
  private static final long REST = 9_000 * MILLI;
  private static final int STEPS_MAX = 1_000_000;
  private static final List<GroupId> GROUPS = List.of(GroupId.wellKnown(1), GroupId.named("printers"));

  private record Event(long at, long number, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  /// One communication, among all of the run.
  record Line(ProcessId sender, GroupId group, long session) {
    String text(ProcessId member) {
      return sender
          + "#"
          + sender.host().incarnation()
          + "/"
          + group
          + "/"
          + session
          + "/"
          + member
          + "#"
          + member.host().incarnation();
    }
  }

  private record Wait(long number, Site site, String what, long limit) {}

  final SplittableRandom random;
  private final boolean invariants;
  private final boolean busy; // processes begin by themselves, and do what comes to their minds
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  final List<Site> sites = new ArrayList<>();
  final Set<List<Site>> cuts = new LinkedHashSet<>(); // from, to
  private double loss;
  private final double duplication;
  final long delayMax;
  long now;
  private long eventNext;
  private int steps;

  // What is known of the run.
  final Map<Line, Set<ProcessId>> reached = new LinkedHashMap<>();
  private final Map<List<Object>, Long> latest = new LinkedHashMap<>(); // member, sender, group -> session in its queue
  private final Map<Line, Integer> wanted = new LinkedHashMap<>();
  private final Map<Line, Integer> takenCount = new LinkedHashMap<>();
  private final Set<String> replies = new LinkedHashSet<>();
  private final Set<String> taken = new LinkedHashSet<>();
  private final Set<Wait> waits = new LinkedHashSet<>();
  private final Map<String, Integer> met = new TreeMap<>();
  private long hash = 1;
  private @Nullable String violated;

  private IpcSimulation(long seed, boolean invariants) {
    this.random = new SplittableRandom(seed);
    this.invariants = invariants;
    this.busy = true;
    this.loss = random.nextInt(3) == 0 ? 0 : random.nextDouble(0.2);
    this.duplication = random.nextDouble(0.1);
    this.delayMax = random.nextLong(1, 8) * MILLI;
    int hosts = random.nextInt(2, 5);
    for (int i = 0; i < hosts; i++) {
      sites.add(new Site("h" + i));
    }
    sites.forEach(Site::start);
    for (int i = random.nextInt(8); i > 0; i--) {
      at(random.nextLong(FAULTS_END), this::fault);
    }
  }

  /// Hosts without processes on a network that loses and repeats, but is not cut; [#toRest] does what [#at] was told.
  IpcSimulation(SplittableRandom random, int hosts) {
    this.random = random;
    this.invariants = true;
    this.busy = false;
    this.loss = random.nextDouble(0.1);
    this.duplication = random.nextDouble(0.1);
    this.delayMax = random.nextLong(1, 8) * MILLI;
    for (int i = 0; i < hosts; i++) {
      sites.add(new Site("h" + i));
    }
    sites.forEach(Site::start);
  }

  /// Runs a seed. By reflection, too, with planted bugs; then without invariants, so that the checkers find them.
  ///
  /// @return what was violated, or null
  static @Nullable String violated(long seed, boolean invariants) {
    return new IpcSimulation(seed, invariants).run().violated;
  }

  /// Runs a seed.
  ///
  /// @param met where what happened is counted
  /// @return the hash of the run
  static long hash(long seed, Map<String, Integer> met) {
    IpcSimulation run = new IpcSimulation(seed, true).run();
    run.met.forEach((what, count) -> met.merge(what, count, Integer::sum));
    return run.hash;
  }

  private IpcSimulation run() {
    at(FAULTS_END, this::heal);
    at(WORK_END, this::endAll);
    toRest();
    return this;
  }

  /// Runs until nothing more is to come.
  ///
  /// @return what was violated, or null
  @Nullable String toRest() {
    while (violated == null && advance()) {
      steps++;
      if (steps > STEPS_MAX) {
        violate("it does not come to rest");
      }
    }
    for (Wait wait : waits) {
      violate(wait.what + " of " + wait.site.name + " waits for ever");
    }
    return violated;
  }

  private boolean advance() {
    long next = events.isEmpty() ? Long.MAX_VALUE : events.peek().at;
    Site due = null;
    for (Site site : sites) {
      if (site.host != null && site.host.deadline() < next) {
        next = site.host.deadline();
        due = site;
      }
    }
    if (next >= REST) {
      return false;
    }
    now = Math.max(now, next);
    if (due != null) {
      due.step(_ -> {});
    } else {
      events.poll().action.run();
    }
    return true;
  }

  void at(long time, Runnable action) {
    events.add(new Event(time, eventNext++, action));
  }

  void after(long nanosMax, Runnable action) {
    at(now + random.nextLong(nanosMax), action);
  }

  // ---- faults ------------------------------------------------------------------------------------------------------

  private void fault() {
    Site one = sites.get(random.nextInt(sites.size()));
    long duration = random.nextLong(1_500 * MILLI);
    switch (random.nextInt(3)) {
      case 0 -> {
        one.crash();
        met("crash");
        at(now + duration, one::start);
      }
      case 1 -> {
        // Mostly as long as one side may lose the other and be back before the other does; meanwhile programs end.
        Site other = sites.get((sites.indexOf(one) + random.nextInt(1, sites.size())) % sites.size());
        long length = random.nextInt(4) == 0 ? duration : random.nextLong(500, 1000) * MILLI;
        cuts.add(List.of(other, one));
        met("one-way cut");
        at(now + length, () -> cuts.remove(List.of(other, one)));
        if (random.nextBoolean()) {
          at(now + random.nextLong(length), one::restartProgram);
        }
      }
      default -> {
        sever(Set.of(one));
        met("partition");
        at(now + duration, cuts::clear);
      }
    }
  }

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

  private void heal() {
    cuts.clear();
    loss = 0;
  }

  private void endAll() {
    for (Site site : sites) {
      if (site.host == null) {
        continue;
      }
      site.step(host -> {
        for (IpcProtocol.Process process : List.copyOf(host.protocol().processes().values())) {
          if (random.nextInt(4) == 0) {
            host.protocol().end(process.number);
          } else {
            for (IpcProtocol.Communication one : List.copyOf(process.own.values())) {
              host.protocol().totreply(process.number, one.key.group(), one.key.session(), 0);
            }
          }
        }
      });
    }
  }

  private void transmit(Site from, Address to, ByteBuffer frame) {
    for (Site site : sites) {
      if (site.address.equals(to) && !cuts.contains(List.of(from, site))) {
        for (int copies = random.nextDouble() < duplication ? 2 : 1; copies > 0; copies--) {
          if (random.nextDouble() >= loss) {
            ByteBuffer copy = ByteBuffer.allocate(frame.capacity()).put(frame.duplicate().clear()).flip();
            after(delayMax, () -> site.arrived(copy));
          }
        }
      }
    }
  }

  // ---- what is checked ---------------------------------------------------------------------------------------------

  private void violate(String how) {
    if (violated == null) {
      violated = "at " + now + " ns: " + how;
    }
  }

  void require(boolean condition, String how) {
    if (!condition) {
      violate(how);
    }
  }

  private void met(String what) {
    met.merge(what, 1, Integer::sum);
    hash = (hash * 31 + what.hashCode()) * 31 + now;
  }

  <T> Consumer<Result<T>> waiting(Site site, String what, long nanosMax, Consumer<T> then) {
    long limit = nanosMax == Long.MAX_VALUE ? nanosMax : now + nanosMax;
    var wait = new Wait(eventNext++, site, what, limit);
    var once = new boolean[1];
    waits.add(wait);
    return result -> {
      require(!once[0], what + " ends twice");
      once[0] = true;
      waits.remove(wait);
      require(now <= limit, what + " took longer than it may");
      switch (result) {
        case Done<T>(T value) -> {
          met(what);
          then.accept(value);
        }
        case Aborted<T>(Status status) -> met(what + " " + status);
      }
    };
  }

  /// What is in queues, after each step.
  private void look(IpcHost host) {
    for (IpcProtocol.Process process : host.protocol().processes().values()) {
      var member = new ProcessId(host.self(), process.number);
      for (IpcProtocol.Delivery delivery : process.queue.values()) {
        var line =
            new Line(
                new ProcessId(delivery.host, delivery.key.process()), delivery.key.group(), delivery.key.session());
        if (reached.computeIfAbsent(line, key -> new LinkedHashSet<>()).add(member)) {
          latest.merge(List.of(member, line.sender, line.group), line.session, Math::max);
        }
      }
    }
  }

  /// A host, through its lives.
  final class Site implements FrameSender {
    final String name;
    final Address address;
    @Nullable IpcHost host;
    private long lives;
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
        host = new IpcHost(self, "sim", this, List.of(sites.getFirst().address), TIMES);
        for (int i = busy ? random.nextInt(1, 4) : 0; i > 0; i--) {
          step(started -> new Actor(this, started, started.protocol().open()).begin());
        }
      }
    }

    void crash() {
      host = null;
      waits.removeIf(wait -> wait.site == this);
    }

    /// All processes end, and others begin.
    void restartProgram() {
      if (host != null) {
        step(living -> {
          List.copyOf(living.protocol().processes().keySet()).forEach(living.protocol()::end);
          new Actor(this, living, living.protocol().open()).begin();
        });
      }
    }

    void arrived(ByteBuffer frame) {
      if (host != null) {
        step(living -> living.arrived(frame));
      }
    }

    void step(Consumer<IpcHost> action) {
      IpcHost living = host;
      living.begin(now);
      action.accept(living);
      living.turn();
      look(living);
      if (invariants) {
        living.check();
      }
    }
  }

  /// A process that does what comes to its mind.
  private final class Actor {
    private final Site site;
    private final IpcHost life;
    private final ProcessId id;
    private final Map<GroupId, Long> sessions = new LinkedHashMap<>();

    Actor(Site site, IpcHost life, int number) {
      this.site = site;
      this.life = life;
      this.id = new ProcessId(life.self(), number);
    }

    void begin() {
      for (GroupId group : GROUPS) {
        if (random.nextInt(4) > 0) {
          life.protocol().join(id.number(), group);
        }
      }
      after(20 * MILLI, this::act);
      after(20 * MILLI, this::receive);
    }

    private boolean isOver() {
      return site.host != life || now >= WORK_END || !life.protocol().processes().containsKey(id.number());
    }

    private void act() {
      if (isOver()) {
        return;
      }
      GroupId group = GROUPS.get(random.nextInt(GROUPS.size()));
      site.step(host -> {
        switch (random.nextInt(20)) {
          case 0, 1, 2, 3, 4, 5, 6, 7 -> send(group);
          case 8, 9 -> want(group, random.nextInt(5));
          case 10 -> host.protocol().join(id.number(), group);
          case 11 -> {
            if (random.nextInt(8) == 0) {
              host.protocol().leave(id.number(), group);
            }
          }
          case 12 -> {
            if (random.nextInt(8) == 0) {
              host.protocol().end(id.number());
              new Actor(site, host, host.protocol().open()).begin();
            }
          }
          default -> take(group);
        }
      });
      after(60 * MILLI, this::act);
    }

    private void send(GroupId group) {
      int replies = random.nextInt(4);
      byte[] payload = new byte[random.nextInt(5) == 0 ? 3000 : 10];
      life.protocol()
          .send(
              id.number(),
              group,
              0,
              ByteBuffer.wrap(payload),
              replies,
              waiting(
                  site,
                  "send",
                  ACKNOWLEDGE,
                  sent -> {
                    var line = new Line(id, group, sent.session());
                    // The queues of this host are looked at after this step.
                    at(
                        now,
                        () -> {
                          int got = reached.getOrDefault(line, Set.of()).size();
                          require(
                              sent.count() <= got, "a send counts " + sent.count() + " members, but reached " + got);
                        });
                    wanted.put(line, replies);
                    sessions.put(group, sent.session());
                  }));
    }

    private void want(GroupId group, int replies) {
      long session = sessions.getOrDefault(group, 0L);
      if (life.protocol().totreply(id.number(), group, session, replies) instanceof Done<Integer>(Integer now)) {
        int before = wanted.getOrDefault(new Line(id, group, session), 0);
        wanted.merge(new Line(id, group, session), now, (old, next) -> old == 0 ? next : old);
        require(before == 0 || now <= before, "a larger number of replies counts");
      }
    }

    private void take(GroupId group) {
      long session = sessions.getOrDefault(group, 0L);
      long timeout = random.nextLong(200 * MILLI);
      life.protocol()
          .getreply(
              id.number(),
              group,
              session,
              timeout,
              waiting(
                  site,
                  "getreply",
                  timeout,
                  reply -> {
                    var line = new Line(id, group, session);
                    String text = StandardCharsets.UTF_8.decode(reply.payload().duplicate()).toString();
                    require(
                        text.equals(line.text(reply.member())),
                        "a reply " + text + " in another communication " + line);
                    require(replies.contains(text), "a reply that nobody made");
                    require(taken.add(text), "a reply is taken twice");
                    int count = takenCount.merge(line, 1, Integer::sum);
                    require(count <= wanted.getOrDefault(line, 0), "more replies than wanted");
                  }));
    }

    private void receive() {
      if (isOver()) {
        return;
      }
      long timeout = random.nextLong(100 * MILLI);
      var any = new IpcProtocol.Selection(random.nextBoolean() ? null : GROUPS.getFirst(), null);
      site.step(host ->
          host.protocol()
              .receive(
                  id.number(),
                  any,
                  timeout,
                  waiting(
                      site,
                      "receive",
                      timeout,
                      message -> {
                        var line = new Line(message.sender(), message.group(), message.session());
                        long last = latest.getOrDefault(List.of(id, line.sender, line.group), 0L);
                        require(message.session() >= last, "a message is received after a later one was delivered");
                        if (random.nextInt(5) > 0) {
                          after(30 * MILLI, () -> reply(message.id(), line));
                        }
                      })));
      at(now + timeout + random.nextLong(20 * MILLI), this::receive);
    }

    private void reply(long message, Line line) {
      if (site.host != life) {
        return;
      }
      String text = line.text(id);
      replies.add(text);
      ByteBuffer payload = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      site.step(host ->
          host.protocol()
              .reply(
                  id.number(),
                  message,
                  payload,
                  waiting(
                      site,
                      "reply",
                      Long.MAX_VALUE,
                      length -> {
                        require(taken.contains(text), "a member is told that its reply was taken");
                      })));
    }
  }
}
