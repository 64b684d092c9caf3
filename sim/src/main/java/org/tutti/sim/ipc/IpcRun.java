package org.tutti.sim.ipc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
import org.tutti.ipc.GroupId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcHost;
import org.tutti.ipc.protocol.IpcMessage.Key;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.ipc.protocol.Selection;
import org.tutti.sim.check.Violation;
import org.tutti.sim.ipc.IpcChecks.Line;
import org.tutti.sim.ipc.IpcChecks.Membership;
import org.tutti.sim.ipc.IpcSites.Site;
import org.tutti.sim.ipc.IpcSites.Weather;

/// A run of group interprocess communication: processes at two to four hosts join, send, receive and reply as it comes
/// to their minds, while hosts crash and the network is cut. In every second run there is a server, too, that gives out
/// ids of groups ([IpcIds]). One seed is one run.
///
/// ```
///   0 s         4 s           5 s                  6.5 s          8 s        9 s
///   | faults    | all hear    | some communications | all are      | nothing  |
///   |           | each other  | go on and take      | over         | is said  |
///   |           |             | what comes          |              |          |
/// ```
public final class IpcRun {
  private static final long MILLI = IpcSites.MILLI;
  private static final long FAULTS_END = 4_000 * MILLI;
  private static final long ALL_HEAR = FAULTS_END + IpcSites.SILENCE + 200 * MILLI;
  private static final long WORK_END = 5_000 * MILLI;
  private static final long LAST_END = 6_500 * MILLI;
  private static final long QUIET = 8_000 * MILLI;
  private static final long REST = 8_900 * MILLI;
  private static final long LAST_PAUSE = 50 * MILLI;
  private static final int BURST = 300; // sends at once: more than may be without an answer
  private static final List<GroupId> GROUPS = List.of(GroupId.wellKnown(1), GroupId.named("printers"));

  /// What came of a run.
  ///
  /// @param seed       the run
  /// @param plan       what was drawn, in words
  /// @param steps      how many things happened
  /// @param hash       equal for equal runs
  /// @param met        how often what happened
  /// @param violations what did not hold
  public record Outcome(
      long seed, String plan, long steps, long hash, Map<String, Integer> met, List<Violation> violations) {
    /// Copies.
    public Outcome {
      met = new TreeMap<>(met);
      violations = List.copyOf(violations);
    }
  }

  private final long seed;
  private final SplittableRandom random;
  private final IpcSites sites;
  private final List<Actor> actors = new ArrayList<>();
  private final Map<Membership, Joined> joined = new LinkedHashMap<>(); // who was told it
  private final @Nullable IpcIds ids; // in every second run
  private final PairTalkers talkers;
  private final String plan;
  private long saidBefore; // messages until all was over

  private IpcRun(long seed, @Nullable Consumer<String> lines) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    int hosts = random.nextInt(2, 5);
    int contacts = random.nextBoolean() ? 1 : hosts;
    Weather drawn = Weather.draw(random, 0.2);
    double loss = random.nextInt(3) == 0 ? 0 : drawn.loss();
    var weather = new Weather(loss, drawn.duplication(), drawn.delayMax(), contacts);
    this.sites = new IpcSites(random, hosts, weather, IpcSites.drawPairs(new SplittableRandom(seed)), lines);
    this.talkers = new PairTalkers(sites, random.split(), WORK_END, LAST_END);
    // With random numbers of its own, so that the other runs stay as they are.
    var ofIds = new SplittableRandom(~seed);
    this.ids = ofIds.nextBoolean() ? new IpcIds(ofIds, sites, FAULTS_END, WORK_END) : null;
    for (Site site : sites.sites) {
      site.atStart =
          host -> {
            populate(site, host);
            talkers.populate(site, host);
          };
      site.step(site.atStart);
    }
    int faults = random.nextInt(8);
    for (int i = 0; i < faults; i++) {
      sites.at(random.nextLong(FAULTS_END), this::fault);
    }
    this.plan =
        String.format(
            "%d hosts, %d known to all, loss %.2f, duplication %.2f, delay to %d ms, %d faults%s; of two: parts of %d"
                + " bytes, windows of %d, buffers of %d, messages to %d",
            hosts,
            contacts,
            loss,
            drawn.duplication(),
            drawn.delayMax() / MILLI,
            faults,
            ids == null ? "" : ", ids by a server",
            sites.pairs.partBytes(),
            sites.pairs.windowBytes(),
            sites.pairs.bufferBytes(),
            sites.pairs.bytesMax());
  }

  /// Runs a seed.
  ///
  /// @param seed the run
  /// @return what came of it
  public static Outcome run(long seed) {
    return new IpcRun(seed, null).run();
  }

  /// Runs a seed and tells what happens.
  ///
  /// @param seed  the run
  /// @param lines gets simulated time, host or process, and what it did or was told
  /// @return what came of it
  public static Outcome run(long seed, Consumer<String> lines) {
    return new IpcRun(seed, lines).run();
  }

  private Outcome run() {
    sites.at(
        FAULTS_END,
        () -> {
          sites.met("--", "all faults end");
          sites.heal();
        });
    sites.at(WORK_END + IpcSites.ACKNOWLEDGE + 1, this::lastReplies); // all sends have returned
    sites.at(LAST_END, this::endAll);
    sites.at(QUIET, () -> saidBefore = messages());
    sites.at(REST, () -> sites.checks.nothingIsOpen(messages() - saidBefore));
    List<Violation> violations = sites.toRest();
    return new Outcome(seed, plan, sites.scheduler.steps(), sites.trace.value(), sites.met, violations);
  }

  private long messages() {
    return sites.sites.stream().mapToLong(site -> site.host == null ? 0 : site.host.messages()).sum();
  }

  private void populate(Site site, IpcHost host) {
    if (ids != null) {
      ids.begin(site, host);
    }
    for (int i = random.nextInt(1, 4); i > 0; i--) {
      begin(site, host);
    }
  }

  private void begin(Site site, IpcHost host) {
    var actor = new Actor(site, host, host.protocol().open());
    actors.add(actor);
    actor.begin();
  }

  // ---- faults ------------------------------------------------------------------------------------------------------

  private void fault() {
    Site one = sites.sites.get(random.nextInt(sites.sites.size()));
    long duration = random.nextLong(1_500 * MILLI);
    switch (random.nextInt(3)) {
      case 0 -> {
        one.crash();
        sites.at(sites.now() + duration, one::start);
      }
      case 1 -> oneWay(one, duration);
      default -> {
        sites.met(one.name, "partition");
        sites.sever(Set.of(one));
        sites.at(sites.now() + duration, sites.cuts::clear);
      }
    }
  }

  /// Mostly as long as one side may lose the other and be back before the other does; meanwhile programs end.
  private void oneWay(Site one, long duration) {
    List<Site> all = sites.sites;
    Site other = all.get((all.indexOf(one) + random.nextInt(1, all.size())) % all.size());
    long length = random.nextInt(4) == 0 ? duration : random.nextLong(IpcSites.SILENCE, 2 * IpcSites.SILENCE);
    sites.met(one.name, "one-way cut");
    sites.cuts.add(List.of(other, one));
    sites.at(sites.now() + length, () -> sites.cuts.remove(List.of(other, one)));
    if (random.nextBoolean()) {
      sites.at(sites.now() + random.nextLong(length), () -> restartProgram(one));
    }
  }

  /// All processes of a host end, and another begins.
  private void restartProgram(Site site) {
    if (site.host != null) {
      sites.met(site.name, "program restarts");
      site.step(living -> {
        for (int number : List.copyOf(living.protocol().processes())) {
          sites.pairChecks.ended(new ProcessId(living.self(), number), sites.now());
          living.protocol().end(number);
        }
        begin(site, living);
        talkers.populate(site, living);
      });
    }
  }

  // ---- the end -----------------------------------------------------------------------------------------------------

  private void lastReplies() {
    sites.met("--", "the work ends");
    actors.stream().filter(Actor::lives).forEach(Actor::last);
  }

  private void endAll() {
    sites.met("--", "all communications end");
    for (Actor actor : actors) {
      if (actor.lives()) {
        actor.communications().forEach(key -> sites.checks.isOpenAfterAWhile(actor.line(key)));
      }
    }
    for (Actor actor : actors) {
      if (actor.lives()) {
        actor.endAll();
      }
    }
    if (ids != null) {
      ids.endAll();
    }
  }

  /// A join that was told.
  ///
  /// @param member  who joined
  /// @param began   when
  /// @param hearing the hosts that heard its host, and were heard, then
  private record Joined(Actor member, long began, Set<MemberId> hearing) {}

  /// A process that does what comes to its mind.
  private final class Actor {
    private final Site site;
    private final IpcHost life;
    private final ProcessId id;
    private final boolean isDeaf; // it receives nothing
    private final Map<GroupId, Long> sessions = new LinkedHashMap<>();

    Actor(Site site, IpcHost life, int number) {
      this.site = site;
      this.life = life;
      this.id = new ProcessId(life.self(), number);
      this.isDeaf = random.nextInt(6) == 0;
    }

    void begin() {
      for (GroupId group : GROUPS) {
        if (random.nextInt(4) > 0) {
          join(group);
        }
      }
      sites.after(20 * MILLI, this::act);
      if (!isDeaf) {
        sites.after(20 * MILLI, this::receive);
      }
    }

    boolean lives() {
      return site.host == life && life.protocol().processes().contains(id.number());
    }

    private boolean isOver() {
      return sites.now() >= WORK_END || !lives();
    }

    Line line(Key key) {
      return new Line(id, key.group(), key.session());
    }

    List<Key> communications() {
      return life.protocol().communications().stream().filter(key -> key.process() == id.number()).toList();
    }

    private void act() {
      if (isOver()) {
        return;
      }
      GroupId group = GROUPS.get(random.nextInt(GROUPS.size()));
      site.step(host -> {
        switch (random.nextInt(20)) {
          case 0, 1, 2, 3, 4, 5, 6 -> send(group);
          case 7 -> {
            for (int i = random.nextInt(200) == 0 ? BURST : 1; i > 0; i--) {
              send(group);
              site.look(host); // what the next one supersedes may be gone when the step ends
            }
          }
          case 8, 9 -> want(group, random.nextInt(5));
          case 10 -> join(group);
          case 11 -> {
            if (random.nextInt(8) == 0) {
              leave(group);
            }
          }
          case 12 -> {
            if (random.nextInt(8) == 0) {
              host.protocol().end(id.number());
              IpcRun.this.begin(site, host);
            }
          }
          default -> take(group, random.nextLong(200 * MILLI), _ -> {});
        }
      });
      sites.after(60 * MILLI, this::act);
    }

    private void join(GroupId group) {
      long began = sites.now();
      long limit = began + IpcSites.ACKNOWLEDGE;
      Set<MemberId> hearing = new LinkedHashSet<>();
      for (Site other : sites.sites) {
        if (other.host != null && !sites.areApart(id.host(), other.host.self(), began + 1)) {
          hearing.add(other.host.self());
        }
      }
      life.groups()
          .join(
              id.number(),
              group,
              "",
              sites.waiting(
                  id,
                  "join",
                  limit,
                  result -> {
                    if (result instanceof Done) {
                      boolean inTime = sites.now() < limit;
                      sites.checks.joinTold(id, group, inTime || began < ALL_HEAR);
                      joined.remove(new Membership(id, group));
                      if (inTime && isMember(group)) {
                        joined.put(new Membership(id, group), new Joined(this, began, hearing));
                      }
                    }
                  }));
      if (isMember(group)) {
        sites.checks.joined(id, group);
      }
    }

    boolean isMember(GroupId group) {
      return lives() && life.protocol().groups(id.number()).contains(group);
    }

    private void leave(GroupId group) {
      if (life.protocol().leave(id.number(), group) instanceof Done) {
        sites.checks.left(id, group);
        joined.remove(new Membership(id, group));
      }
    }

    private void send(GroupId group) {
      int replies = random.nextInt(4);
      var payload = ByteBuffer.allocate(random.nextInt(5) == 0 ? 3000 : 10);
      long began = sites.now();
      List<Joined> before = joined.values().stream().filter(one -> one.member.isMember(group)).toList();
      life.protocol()
          .send(
              id.number(),
              group,
              0,
              payload,
              replies,
              sites.waiting(
                  id,
                  "send",
                  sites.now() + IpcSites.ACKNOWLEDGE,
                  result -> {
                    if (result instanceof Done<Sent>(Sent sent)) {
                      var line = new Line(id, group, sent.session());
                      sites.checks.began(line, replies);
                      sessions.put(group, sent.session());
                      // The queues of this host are looked at after this step.
                      sites.at(sites.now(), () -> sites.checks.counted(line, sent.count()));
                      if (sites.now() < began + IpcSites.ACKNOWLEDGE) {
                        Set<ProcessId> expected = expected(group, before, began);
                        sites.at(sites.now(), () -> sites.checks.sent(line, expected));
                      }
                    }
                  }));
    }

    /// Who of those that had joined before a send has no reason to miss its message.
    private Set<ProcessId> expected(GroupId group, List<Joined> before, long sentAt) {
      Set<ProcessId> all = new LinkedHashSet<>();
      for (Joined one : before) {
        ProcessId member = one.member.id;
        if (one == joined.get(new Membership(member, group))
            && one.member.isMember(group)
            && one.hearing.contains(id.host())
            && !sites.areApart(id.host(), member.host(), one.began)
            && !sites.wasCrowded(member.host(), sentAt)) {
          all.add(member);
        }
      }
      return all;
    }

    private int want(GroupId group, int replies) {
      long session = sessions.getOrDefault(group, 0L);
      if (life.protocol().totreply(id.number(), group, session, replies) instanceof Done<Integer>(Integer now)) {
        sites.checks.wanted(new Line(id, group, session), now);
        return now;
      }
      return 0;
    }

    private void take(GroupId group, long timeout, Consumer<Result<TakenReply>> then) {
      long session = sessions.getOrDefault(group, 0L);
      life.protocol()
          .getreply(
              id.number(),
              group,
              session,
              timeout,
              sites.<TakenReply>waiting(
                  id,
                  "getreply",
                  sites.now() + timeout,
                  result -> {
                    if (result instanceof Done<TakenReply>(TakenReply(ProcessId member, ByteBuffer payload))) {
                      String text = StandardCharsets.UTF_8.decode(payload.duplicate()).toString();
                      sites.checks.took(new Line(id, group, session), member, text);
                    }
                    then.accept(result);
                  }));
    }

    private void receive() {
      if (isOver()) {
        return;
      }
      long timeout = random.nextLong(100 * MILLI);
      var any = new Selection(random.nextBoolean() ? null : GROUPS.getFirst(), null);
      site.step(host ->
          host.protocol()
              .receive(
                  id.number(),
                  any,
                  timeout,
                  sites.waiting(
                      id,
                      "receive",
                      sites.now() + timeout,
                      result -> {
                        if (result instanceof Done<Received>(Received message)) {
                          var line = new Line(message.sender(), message.group(), message.session());
                          sites.checks.received(line, id);
                          if (random.nextInt(5) > 0) {
                            sites.after(30 * MILLI, () -> reply(message.id(), line));
                          }
                        }
                      })));
      sites.at(sites.now() + timeout + random.nextLong(20 * MILLI), this::receive);
    }

    private void reply(long message, Line line) {
      if (site.host != life) {
        return;
      }
      ByteBuffer payload = ByteBuffer.wrap(line.text(id).getBytes(StandardCharsets.UTF_8));
      sites.checks.replied(line, id);
      site.step(host ->
          host.protocol()
              .reply(
                  id.number(),
                  message,
                  payload,
                  sites.waiting(
                      id, "reply", Long.MAX_VALUE, result -> sites.checks.goesOn(line, id, result instanceof Done))));
    }

    // ---- the end ---------------------------------------------------------------------------------------------------

    /// Some communications end, the others take what comes.
    void last() {
      boolean ends = random.nextInt(4) == 0;
      site.step(host -> {
        if (ends) {
          host.protocol().end(id.number());
        }
      });
      if (!ends) {
        communications().forEach(key -> last(key.group(), random.nextBoolean() ? 0 : random.nextInt(1, 5)));
      }
    }

    private void last(GroupId group, int replies) {
      site.step(_ -> want(group, replies));
      if (replies > 0) {
        takeAll(group);
      }
    }

    private void takeAll(GroupId group) {
      if (lives() && sites.now() < LAST_END) {
        site.step(_ ->
            take(
                group,
                LAST_PAUSE,
                result -> {
                  if (!(result instanceof Aborted<TakenReply>(var status)) || status != Status.NO_COMM) {
                    sites.at(sites.now() + LAST_PAUSE / 10, () -> takeAll(group));
                  }
                }));
      }
    }

    void endAll() {
      site.step(host -> {
        if (random.nextInt(4) == 0) {
          host.protocol().end(id.number());
        } else {
          communications().forEach(key -> host.protocol().totreply(id.number(), key.group(), key.session(), 0));
        }
      });
    }
  }
}
