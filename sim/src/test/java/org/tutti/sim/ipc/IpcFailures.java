package org.tutti.sim.ipc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcHost;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.ipc.protocol.PairProtocol;
import org.tutti.ipc.protocol.Selection;
import org.tutti.sim.check.Violation;
import org.tutti.sim.ipc.IpcChecks.Line;
import org.tutti.sim.ipc.IpcSites.Site;
import org.tutti.sim.ipc.IpcSites.Weather;

/// One cell of the source's figure 3.2: one communication, of a sender at host 0 with a member at each of the hosts 1
/// to 3, and one thing that goes wrong at one stage. A seed says what the network does, how soon after the stage it
/// goes wrong, and how long it lasts.
final class IpcFailures {
  private static final long MILLI = IpcSites.MILLI;
  private static final long PATIENCE = 2_000 * MILLI; // of the sender
  private static final long LOOK = 10 * MILLI;
  private static final long END = 6_000 * MILLI;
  private static final int MEMBERS = 3;
  private static final GroupId GROUP = GroupId.wellKnown(1);
  private static final Selection ANY = new Selection(null, null);

  /// What goes wrong. The member is that at host 1.
  enum Condition {
    SENDER_DIES("sender dies"),
    SENDERS_HOST_CRASHES("sender's host crashes"),
    SENDERS_HOST_SEVERED("sender's host severed for a time"),
    MEMBER_DIES("member dies"),
    MEMBERS_HOST_CRASHES("member's host crashes"),
    MEMBERS_HOST_SEVERED("member's host severed for a time"),
    PARTITIONED("network partitioned");

    final String words;

    Condition(String words) {
      this.words = words;
    }
  }

  /// When: the network still carries what the stage is about.
  enum Stage {
    INITIATED,
    DELIVERED,
    RECEIVED,
    REPLIED,
    TERMINATING
  }

  /// What came of it.
  ///
  /// @param send    what the send returned; null when nobody was there to be told
  /// @param count   its count, or 0
  /// @param taken   the members whose replies the sender took, by their hosts
  /// @param told    those that were told so
  /// @param members what each was told
  /// @param over    how long after the send nothing was left of the communication; -1 when something is left
  record Outcome(
      @Nullable String send,
      int count,
      Set<Integer> taken,
      Set<Integer> told,
      List<String> members,
      long over,
      List<Violation> violated) {
    String text() {
      return (send == null ? "-" : send) + " | " + taken.size() + " | " + String.join(", ", members);
    }
  }

  private final Condition condition;
  private final Stage stage;
  private final IpcSites run;
  private final int[] processes = new int[MEMBERS + 1]; // by host; 0 is the sender's
  private final Set<Integer> taken = new LinkedHashSet<>();
  private final Set<Integer> told = new LinkedHashSet<>();
  private final List<String> members = new ArrayList<>(List.of("nothing", "nothing", "nothing"));
  private @Nullable String send;
  private int count;
  private long sentAt;
  private boolean struck;
  private long over = -1;

  private IpcFailures(Condition condition, Stage stage, long seed) {
    this.condition = condition;
    this.stage = stage;
    var random = new SplittableRandom(seed);
    this.run = new IpcSites(random, MEMBERS + 1, Weather.draw(random, 0.1), PairProtocol.Settings.DEFAULT, null);
  }

  /// Runs a cell with a seed.
  static Outcome run(Condition condition, Stage stage, long seed) {
    var cell = new IpcFailures(condition, stage, seed);
    cell.open();
    List<Violation> violated = cell.run.toRest();
    return new Outcome(cell.send, cell.count, cell.taken, cell.told, cell.members, cell.over, violated);
  }

  private void open() {
    for (int i = 0; i <= MEMBERS; i++) {
      int host = i;
      run.sites
          .get(i)
          .step(living -> {
            processes[host] = living.protocol().open();
            if (host > 0) {
              living.protocol().join(processes[host], GROUP);
              run.checks.joined(new ProcessId(living.self(), processes[host]), GROUP);
            }
          });
    }
    run.at(LOOK, this::sendWhenAllAreHeard);
  }

  private void sendWhenAllAreHeard() {
    Site site = run.sites.getFirst();
    if (site.host.needed().size() < MEMBERS) {
      run.at(run.now() + LOOK, this::sendWhenAllAreHeard);
      return;
    }
    sentAt = run.now();
    for (int host = 1; host <= MEMBERS; host++) {
      int member = host;
      run.at(sentAt + IpcSites.ACKNOWLEDGE + host * LOOK, () -> receive(member));
    }
    call(
        0,
        (IpcProtocol protocol, Consumer<Result<Sent>> done) ->
            protocol.send(processes[0], GROUP, 0, ByteBuffer.allocate(2000), MEMBERS, done),
        "send",
        IpcSites.ACKNOWLEDGE,
        this::sent);
    reached(Stage.INITIATED);
    run.at(run.now() + LOOK, this::look);
  }

  private void sent(Result<Sent> result) {
    switch (result) {
      case Done(Sent done) -> {
        send = Integer.toString(done.count());
        count = done.count();
        var line = new Line(id(0), GROUP, done.session());
        run.checks.began(line, MEMBERS);
        run.at(run.now(), () -> run.checks.counted(line, count));
        reached(Stage.DELIVERED);
        take(done.session());
      }
      case Aborted(Status status) -> send = status.name();
    }
  }

  private void take(long session) {
    run.at(
        run.now(),
        () ->
            call(
                0,
                (IpcProtocol protocol, Consumer<Result<TakenReply>> done) ->
                    protocol.getreply(processes[0], GROUP, session, 100 * MILLI, done),
                "getreply",
                100 * MILLI,
                result -> took(session, result)));
  }

  private void took(long session, Result<TakenReply> result) {
    switch (result) {
      case Done(TakenReply reply) -> {
        String text = StandardCharsets.UTF_8.decode(reply.payload().duplicate()).toString();
        run.checks.took(new Line(id(0), GROUP, session), reply.member(), text);
        taken.add(Integer.parseInt(reply.member().host().name().substring(1)));
        if (taken.size() == MEMBERS) {
          reached(Stage.TERMINATING);
        }
        take(session);
      }
      case Aborted(Status status) -> {
        if (status == Status.TIMED_OUT && run.now() < sentAt + PATIENCE) {
          take(session);
        } else if (status == Status.TIMED_OUT) {
          run.at(run.now(), () -> step(0, protocol -> protocol.totreply(processes[0], GROUP, session, 0)));
        }
      }
    }
  }

  private void receive(int host) {
    call(
        host,
        (IpcProtocol protocol, Consumer<Result<Received>> done) ->
            protocol.receive(processes[host], ANY, 50 * MILLI, done),
        "receive",
        50 * MILLI,
        result -> {
          switch (result) {
            case Done(Received message) -> {
              members.set(host - 1, "received");
              if (host == 1) {
                reached(Stage.RECEIVED);
              }
              run.at(run.now() + 5 * LOOK, () -> reply(host, message));
            }
            case Aborted(Status status) -> {
              if (status == Status.TIMED_OUT && run.now() < END) {
                run.at(run.now(), () -> receive(host));
              } else if (status == Status.NO_COMM && !isDead(host)) {
                members.set(host - 1, "receive NO_COMM");
              }
            }
          }
        });
  }

  private void reply(int host, Received message) {
    if (isDead(host)) {
      return;
    }
    var line = new Line(message.sender(), message.group(), message.session());
    ProcessId member = id(host);
    ByteBuffer payload = StandardCharsets.UTF_8.encode(line.text(member));
    run.checks.replied(line, member);
    call(
        host,
        (IpcProtocol protocol, Consumer<Result<Integer>> done) ->
            protocol.reply(processes[host], message.id(), payload, done),
        "reply",
        Long.MAX_VALUE,
        result -> {
          run.checks.goesOn(line, member, result instanceof Done);
          switch (result) {
            case Done(Integer _) -> {
              told.add(host);
              members.set(host - 1, "taken");
            }
            case Aborted(Status status) -> {
              if (!isDead(host)) {
                members.set(host - 1, "reply " + status);
              }
            }
          }
        });
    if (host == 1) {
      reached(Stage.REPLIED);
    }
  }

  // ---- what goes wrong ---------------------------------------------------------------------------------------------

  private void reached(Stage now) {
    if (now == stage && !struck) {
      struck = true;
      run.after(run.delayMax(), this::strike);
    }
  }

  private void strike() {
    long lasts = run.random.nextLong(100, 1500) * MILLI;
    switch (condition) {
      case SENDER_DIES -> step(0, protocol -> protocol.end(processes[0]));
      case SENDERS_HOST_CRASHES -> run.sites.getFirst().crash();
      case SENDERS_HOST_SEVERED -> severed(Set.of(run.sites.getFirst()), lasts);
      case MEMBER_DIES -> {
        members.set(0, "dead");
        step(1, protocol -> protocol.end(processes[1]));
      }
      case MEMBERS_HOST_CRASHES -> {
        members.set(0, "dead");
        run.sites.get(1).crash();
      }
      case MEMBERS_HOST_SEVERED -> severed(Set.of(run.sites.get(1)), lasts);
      case PARTITIONED -> severed(Set.of(run.sites.get(2), run.sites.get(3)), 2 * PATIENCE);
    }
  }

  private void severed(Set<Site> some, long lasts) {
    run.sever(some);
    run.at(run.now() + lasts, run.cuts::clear);
  }

  /// Whether anything is left, from time to time; it may come back as long as packets are under way.
  private void look() {
    boolean left = false;
    for (Site site : run.sites) {
      if (site.host != null) {
        left |= !site.host.protocol().communications().isEmpty() || !site.host.protocol().queued(0).isEmpty();
      }
    }
    if (left) {
      over = -1;
    } else if (over < 0) {
      over = run.now() - sentAt;
    }
    if (run.now() < END) {
      run.at(run.now() + LOOK, this::look);
    }
  }

  // ---- calls -------------------------------------------------------------------------------------------------------

  private interface Call<T> {
    void on(IpcProtocol protocol, Consumer<Result<T>> done);
  }

  private <T> void call(int host, Call<T> call, String what, long nanosMax, Consumer<Result<T>> then) {
    if (isDead(host)) {
      return;
    }
    long limit = nanosMax == Long.MAX_VALUE ? nanosMax : run.now() + nanosMax;
    Consumer<Result<T>> done = run.waiting(id(host), what, limit, then);
    step(host, protocol -> call.on(protocol, done));
  }

  private void step(int host, Consumer<IpcProtocol> action) {
    Site site = run.sites.get(host);
    if (site.host != null) {
      site.step(living -> action.accept(living.protocol()));
    }
  }

  private boolean isDead(int host) {
    IpcHost living = run.sites.get(host).host;
    return living == null || !living.protocol().processes().contains(processes[host]);
  }

  private ProcessId id(int host) {
    return new ProcessId(run.sites.get(host).host.self(), processes[host]);
  }
}
