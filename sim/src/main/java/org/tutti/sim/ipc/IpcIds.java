package org.tutti.sim.ipc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.IssuedGroup;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.SendKey;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcHost;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.IssuedGroups;
import org.tutti.ipc.protocol.Selection;
import org.tutti.sim.ipc.IpcSites.Site;

/// Groups whose ids a server gives out, in a run: processes that join them with right and wrong passwords, send, and
/// destroy them, while the server is away for some time, or for some hosts.
///
/// The server is not the replicated service, but a table that is asked by messages with a delay, whose questions and
/// answers are lost where it is away; so what is looked at is what hosts do with its answers.
final class IpcIds {
  private static final long MILLI = IpcSites.MILLI;
  private static final long ANSWER = 300 * MILLI; // after which a host is told that there is none
  private static final long DELAY_MAX = 140 * MILLI; // one way: answers overtake others, and what hosts tell each other
  private static final long LIVES_ON_MAX = 3_000 * MILLI; // five times of silence, and some questions
  private static final int GROUPS_MAX = 6;
  private static final String RIGHT = "right";

  private record Group(ByteBuffer mark, @Nullable SendKey key) {
    IssuedGroup issued(GroupId id, boolean withKey) {
      return new IssuedGroup(id, mark, key != null, withKey ? key : null);
    }
  }

  private final SplittableRandom random; // its own: other runs stay as they are
  private final IpcSites sites;
  private final long faultsEnd;
  private final long workEnd;
  private final Map<GroupId, Group> groups = new LinkedHashMap<>();
  private final Map<GroupId, @Nullable SendKey> given = new LinkedHashMap<>(); // all that there were
  private final Set<Site> cutOff = new LinkedHashSet<>();
  private final List<Actor> actors = new ArrayList<>();
  private boolean isAway;

  /// Begins with two groups.
  ///
  /// @param faultsEnd when all hosts hear each other and the server
  /// @param workEnd   when processes do nothing more
  IpcIds(SplittableRandom random, IpcSites sites, long faultsEnd, long workEnd) {
    this.random = random;
    this.sites = sites;
    this.faultsEnd = faultsEnd;
    this.workEnd = workEnd;
    create();
    create();
    for (int faults = random.nextInt(5); faults > 0; faults--) {
      sites.at(random.nextLong(faultsEnd), this::fault);
    }
    sites.at(
        faultsEnd,
        () -> {
          isAway = false;
          cutOff.clear();
        });
    sites.looks = this::look;
  }

  private void create() {
    GroupId id = GroupId.issued(given.size());
    var bytes = new byte[SendKey.BYTES];
    random.nextBytes(bytes);
    SendKey key = random.nextInt(3) == 0 ? new SendKey(bytes) : null;
    groups.put(id, new Group(ByteBuffer.wrap(bytes, 0, 8).slice().asReadOnlyBuffer(), key));
    given.put(id, key);
    if (key != null) {
      sites.checks.guarded(id);
    }
  }

  private void fault() {
    long end = sites.now() + random.nextLong(1_200 * MILLI);
    if (random.nextBoolean()) {
      sites.met("--", "no group-id server");
      isAway = true;
      sites.at(end, () -> isAway = false);
    } else {
      Site one = sites.sites.get(random.nextInt(sites.sites.size()));
      sites.met(one.name, "does not reach the group-id server");
      cutOff.add(one);
      sites.at(end, () -> cutOff.remove(one));
    }
  }

  private boolean isReached(Site from) {
    boolean alone = sites.sites.stream().allMatch(to -> to == from || sites.cuts.contains(List.of(from, to)));
    return !isAway && !cutOff.contains(from) && !alone;
  }

  private void look(IpcHost host) {
    IpcProtocol protocol = host.protocol();
    for (GroupId group : host.groups().destroyed()) {
      boolean isUsed = protocol.hasMembers(group) || protocol.hasSenders(group);
      sites.checks.knowsThatItIsDestroyed(host.self(), group, isUsed);
    }
    for (int number : protocol.processes()) {
      for (GroupId group : protocol.groups(number)) {
        if (group.isIssued()) {
          var member = new ProcessId(host.self(), number);
          sites.checks.isMember(member, group);
          sites.checks.joined(member, group); // it may be told later
        }
      }
    }
  }

  // ---- the server --------------------------------------------------------------------------------------------------

  /// The server as one life of a host asks it.
  private record Server(IpcIds ids, Site site, IpcHost life) implements IssuedGroups.Directory {
    @Override
    public void look(GroupId group, Consumer<Result<IssuedGroup>> answer) {
      ids.ask(this, () -> ids.told(group, RIGHT, false), answer);
    }

    @Override
    public void check(GroupId group, String password, Consumer<Result<IssuedGroup>> answer) {
      ids.ask(this, () -> ids.told(group, password, true), answer);
    }

    @Override
    public void destroy(GroupId group, String password, Consumer<Result<GroupId>> answer) {
      ids.ask(this, () -> ids.destroyed(group, password), answer);
    }
  }

  private <T> void ask(Server from, Supplier<Result<T>> question, Consumer<Result<T>> answer) {
    var once = new boolean[1];
    Consumer<Result<T>> deliver =
        result -> {
          if (!once[0] && from.site.host == from.life) {
            once[0] = true;
            from.site.step(_ -> answer.accept(result));
          }
        };
    sites.at(
        sites.now() + random.nextLong(DELAY_MAX),
        () -> {
          if (isReached(from.site)) {
            Result<T> result = question.get();
            sites.at(
                sites.now() + random.nextLong(DELAY_MAX),
                () -> {
                  if (isReached(from.site)) {
                    deliver.accept(result);
                  }
                });
          }
        });
    sites.at(sites.now() + ANSWER, () -> deliver.accept(new Aborted<>(Status.NO_SERVER)));
  }

  private Result<IssuedGroup> told(GroupId id, String password, boolean withKey) {
    Group group = groups.get(id);
    if (group == null) {
      return new Aborted<>(Status.GROUP_DOES_NOT_EXIST);
    }
    return password.equals(RIGHT) ? new Done<>(group.issued(id, withKey)) : new Aborted<>(Status.WRONG_PASSWORD);
  }

  private Result<GroupId> destroyed(GroupId id, String password) {
    return switch (told(id, password, false)) {
      case Done(IssuedGroup _) -> {
        groups.remove(id);
        sites.met("--", "a group is destroyed");
        sites.at(Math.max(sites.now(), faultsEnd) + LIVES_ON_MAX, () -> sites.checks.isGone(id, isAlive(id)));
        yield new Done<>(id);
      }
      case Aborted(Status status) -> new Aborted<>(status);
    };
  }

  private boolean isAlive(GroupId id) {
    return sites.sites.stream().anyMatch(site -> site.host != null && site.host.protocol().hasMembers(id));
  }

  // ---- processes ---------------------------------------------------------------------------------------------------

  /// A host begins.
  void begin(Site site, IpcHost life) {
    life.groups().ask(new Server(this, site, life));
    for (int i = random.nextInt(1, 3); i > 0; i--) {
      var actor = new Actor(site, life, life.protocol().open());
      actors.add(actor);
      sites.at(sites.now() + random.nextLong(20 * MILLI), actor::act);
    }
  }

  /// All communications end.
  void endAll() {
    actors.stream().filter(Actor::lives).forEach(Actor::endAll);
  }

  /// A process that does what comes to its mind.
  private final class Actor {
    private final Site site;
    private final IpcHost life;
    private final ProcessId id;

    Actor(Site site, IpcHost life, int number) {
      this.site = site;
      this.life = life;
      this.id = new ProcessId(life.self(), number);
    }

    boolean lives() {
      return site.host == life && life.protocol().processes().contains(id.number());
    }

    void act() {
      if (sites.now() >= workEnd || !lives()) {
        return;
      }
      List<GroupId> all = List.copyOf(given.keySet());
      GroupId group = random.nextInt(20) == 0 ? GroupId.issued(GROUPS_MAX) : all.get(random.nextInt(all.size()));
      String password = random.nextInt(4) == 0 ? "wrong" : RIGHT;
      site.step(host -> {
        IssuedGroups by = host.groups();
        switch (random.nextInt(16)) {
          case 0, 1, 2, 3, 4 -> join(by, group, password);
          case 5 ->
              by.leave(
                  id.number(),
                  group,
                  password,
                  asking(
                      "leave",
                      0,
                      done -> {
                        if (done) {
                          sites.checks.left(id, group);
                        }
                      }));
          case 6 -> {
            if (random.nextInt(3) == 0) {
              by.destroy(id.number(), group, password, asking("destroy", IpcSites.ACKNOWLEDGE, _ -> {}));
            } else if (given.size() < GROUPS_MAX && groups.size() < 2) {
              create();
            }
          }
          case 7 -> authorize(by, group);
          case 8, 9, 10, 11 -> send(by, group);
          default ->
              host.protocol()
                  .receive(
                      id.number(), new Selection(null, null), 0, sites.waiting(id, "receive", sites.now(), _ -> {}));
        }
      });
      sites.at(sites.now() + random.nextLong(80 * MILLI), this::act);
    }

    /// @param more how long it may take besides the server's answer
    /// @param then told whether it was done
    private <T> Consumer<Result<T>> asking(String what, long more, Consumer<Boolean> then) {
      return sites.waiting(id, what, sites.now() + ANSWER + more, result -> then.accept(result instanceof Done));
    }

    private void join(IssuedGroups by, GroupId group, String password) {
      if (password.equals(RIGHT)) {
        sites.checks.saidTheRightPassword(id, group);
      }
      by.join(id.number(), group, password, asking("join", IpcSites.ACKNOWLEDGE, _ -> {}));
    }

    /// With the key of the group, or with one of its own, as a host would have that does not look.
    private void authorize(IssuedGroups by, GroupId group) {
      SendKey right = given.get(group);
      if (right == null) {
        return;
      }
      boolean isRight = random.nextInt(3) > 0;
      if (isRight) {
        sites.checks.saidTheSendPassword(id, group);
      }
      var other = new byte[SendKey.BYTES];
      random.nextBytes(other);
      by.authorize(id.number(), group, isRight ? right : new SendKey(other), asking("authorize", 0, _ -> {}));
    }

    private void send(IssuedGroups by, GroupId group) {
      by.send(
          id.number(), group, 0, ByteBuffer.allocate(10), 0, asking("send to an id", IpcSites.ACKNOWLEDGE, _ -> {}));
    }

    void endAll() {
      site.step(host ->
          host.protocol().communications().stream()
              .filter(key -> key.process() == id.number())
              .forEach(key -> host.protocol().totreply(id.number(), key.group(), key.session(), 0)));
    }
  }
}
