package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.replica.Answer;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.CommandFailedException;
import org.tutti.replica.Policy;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;
import org.tutti.replica.StateComparison;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.protocol.ClientProtocol;
import org.tutti.replica.protocol.ClientRequest;
import org.tutti.replica.protocol.Frame;
import org.tutti.replica.protocol.Hedge;
import org.tutti.replica.protocol.QuietConnection;
import org.tutti.sim.check.ServiceHistory.Call;
import org.tutti.sim.check.ServiceHistory.End;
import org.tutti.sim.check.Violation;

/// A client of the [ServiceGroup]: makes calls, one after the other or several at once, gives some of them up, and is
/// not heard for a while now and then. Its program may end, with calls open; another one has its seat then.
final class SimulatedClient implements ClientProtocol.Host, ClientProtocol.Line {
  private static final int CALLS_OF_A_CLIENT = 1_000_000;
  private static final int COMPARES_ONE_IN = 8; // calls, where replicas compare their states
  private static final int COMPARISONS_MAX = 16; // open at once: eight are answered in a second

  private final Simulation.Setting setting;
  private final ServiceGroup service;
  private final ClientLink link;
  private final int seat;
  private final int number; // no other client has it, also none that had the seat before
  private final ServiceSettings.Client settings;
  private final SplittableRandom random;
  private final SplittableRandom discovery; // what it answers, and when
  private final ClientProtocol protocol;
  private final @Nullable Hedge hedge;
  private final List<Pending> open = new ArrayList<>();
  private final List<Comparison> comparisons = new ArrayList<>(); // that it waits for
  private final ArrayDeque<Runnable> blocked = new ArrayDeque<>(); // calls that wait until one less is open
  private @Nullable SentToAll sentToAll; // of a client that does
  private @Nullable SentOnSuspicion suspected; // of a client that sends to all only while it suspects the manager
  private @Nullable GivenReplies given; // to a client that collects several
  private @Nullable Consolidated<Answer> lastOutcome; // of several replies
  private @Nullable String missing; // of what it should have sent to all, first
  private long connection; // 0: none
  private String address = ""; // of the replica there
  private final List<Beside> beside = new ArrayList<>(); // connections, of a client that hedges or sends to all
  private long calls;
  private boolean breaks; // the connection, with the next reply
  private boolean ended;
  private boolean asks; // its discovery, which has not answered yet
  private long workPlanned = Long.MAX_VALUE;

  private final class Pending extends ClientRequest {
    final Call call;
    private final long deadline;

    Pending(ByteBuffer payload, @Nullable Read read, long deadlineNanos, Call call) {
      super(payload, read, deadlineNanos);
      this.call = call;
      this.deadline = deadlineNanos;
    }

    @Override
    protected void collected(Consolidated<Answer> outcome) {
      String untrue = given == null ? "it collects one" : given.untrue(outcome, service.views());
      if (outcome instanceof Consolidated.Timeout && nanos() < deadline) {
        untrue = "before its time " + deadline;
      }
      if (untrue != null) {
        service.history().violate("TrueReplies", call + ", " + outcome + ": " + untrue);
      }
      lastOutcome = outcome;
      super.collected(outcome);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      open.remove(this);
      if (position < 0) {
        service.history().end(call, End.UNKNOWN, null, -1); // it was handed over, and nobody will say more
        return;
      }
      service.history().end(call, End.REPLIED, reply, position);
      if (settings.kind() != null) {
        service.groupClients().answers();
      }
      if (call.read == null) {
        service.tested().replied(number, reply.asReadOnlyBuffer());
      }
      if (breaks && call.read == null) {
        breaks = false;
        setting.scheduler().after(1, SimulatedClient.this::breakOff);
      }
    }

    @Override
    protected void failed(ServiceException why) {
      open.remove(this);
      End end =
          switch (why) {
            case CommandFailedException _ -> End.FAILED;
            case CallTimeoutException late -> late.mayBeExecuted() ? End.UNKNOWN : End.NOT_SENT;
            default -> End.UNKNOWN;
          };
      boolean command = call.read == null;
      service.history().end(call, end, null, command && end == End.FAILED ? service.placeOf(call) : -1);
    }
  }

  /// A comparison of the replicas' states, which is no part of the history.
  private final class Comparison extends ClientRequest {
    Comparison(long deadlineNanos) {
      super(ByteBuffer.allocate(0), Read.LINEARIZABLE, deadlineNanos);
      compares();
    }

    @Override
    protected void compared(StateComparison outcome) {
      comparisons.remove(this);
      if (outcome.digests().values().stream().distinct().count() > 1) {
        service.history().violate("EqualDigests", SimulatedClient.this + " is told of " + outcome);
      }
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      service.history().violate("EqualDigests", SimulatedClient.this + " has a reply where it compares states");
    }

    @Override
    protected void failed(ServiceException why) {
      comparisons.remove(this);
    }
  }

  SimulatedClient(
      Simulation.Setting setting,
      ServiceGroup service,
      ClientLink link,
      int seat,
      int number,
      ServiceSettings.Client settings) {
    this.setting = setting;
    this.service = service;
    this.link = link;
    this.seat = seat;
    this.number = number;
    this.settings = settings;
    this.random = setting.streams().open(Streams.Purpose.REPLICA, -1 - number);
    this.discovery = setting.streams().open(Streams.Purpose.REPLICA, Long.MIN_VALUE + number);
    this.protocol = new ClientProtocol(ServiceGroup.NAME, settings.contacts(), settings.silenceNanos(), this);
    this.hedge = settings.hedged() ? protocol.hedge() : null;
    Policy policy = settings.policy();
    if (policy != null) {
      protocol.wish(policy);
      if (settings.bundled()) {
        protocol.bundled();
      }
      if (settings.suspectsNanos() > 0) {
        protocol.allOnSuspicion(settings.suspectsNanos());
        suspected = new SentOnSuspicion(settings.suspectsNanos());
      }
      boolean toAll = suspected != null || policy.dissemination() == Policy.Dissemination.ALL;
      sentToAll = toAll ? new SentToAll() : null;
      given = policy.collectsSeveral() ? new GivenReplies(policy.collection()) : null;
    }
    wake();
  }

  int seat() {
    return seat;
  }

  /// The number of its first connection; 0 for none.
  long connection() {
    return connection;
  }

  long session() {
    return protocol.session();
  }

  long calls() {
    return calls;
  }

  /// Whether all that it waits for is what the service has no answer to yet.
  boolean isAnswered(Predicate<ByteBuffer> hasNone) {
    return !protocol.awaitsCommands()
        && comparisons.isEmpty()
        && open.stream().allMatch(one -> one.call.read != null && hasNone.test(one.call.payload()));
  }

  /// What it waits for.
  String state() {
    return protocol
        + ", comparisons "
        + comparisons.size()
        + ", open "
        + open.stream().map(pending -> pending.call.toString()).toList();
  }

  /// The replicas, as it was told last.
  List<String> replicas() {
    return protocol.replicas();
  }

  /// Whether it knows that a replica is at one of some addresses.
  boolean knowsAnyOf(List<String> addresses) {
    return !Collections.disjoint(protocol.candidates(), addresses);
  }

  /// What a client that is told the replicas' policy believes, when that is not how they order.
  ///
  /// @return null when it is right, or is told nothing
  @Nullable String mistakenOrdering(Ordering inForce) {
    Policy told = protocol.policy();
    boolean right = told == null || told.ordering() == inForce;
    return right ? null : this + " was told of " + told + ", and the replicas order by " + inForce;
  }

  /// Makes a call.
  void call() {
    call(settings.deadlineNanos());
  }

  /// Makes the last call.
  void last() {
    call(Long.MAX_VALUE);
  }

  /// Makes a call.
  ///
  /// @param patienceNanos how long it waits for the outcome
  void call(long patienceNanos) {
    boolean reads = random.nextInt(3) == 0;
    call(patienceNanos, reads ? Read.values()[Math.max(0, random.nextInt(4) - 1)] : null); // half linearizable
  }

  /// Makes a command.
  ///
  /// @return the call
  Call command() {
    return callNow(Long.MAX_VALUE, null);
  }

  /// The last outcome of several replies.
  @Nullable Consolidated<Answer> lastOutcome() {
    return lastOutcome;
  }

  private void call(long patienceNanos, @Nullable Read wanted) {
    if (open.size() >= settings.callsMax()) {
      blocked.add(() -> callNow(patienceNanos, wanted));
    } else {
      callNow(patienceNanos, wanted);
    }
  }

  private Call callNow(long patienceNanos, @Nullable Read wanted) {
    long id = number * (long) CALLS_OF_A_CLIENT + ++calls;
    ByteBuffer question = wanted == null ? null : service.tested().question(number, random);
    Read read = question == null ? null : wanted;
    ByteBuffer asked = question == null ? service.tested().command(number, random) : question;
    Call call = service.history().invoke(number, id, read, asked.asReadOnlyBuffer());
    ByteBuffer payload = read == null ? RecordedService.command(id, asked) : asked;
    long deadline = patienceNanos == Long.MAX_VALUE ? Long.MAX_VALUE : nanos() + patienceNanos;
    var pending = new Pending(payload, read, deadline, call);
    open.add(pending);
    protocol.request(pending);
    boolean compares = calls % COMPARES_ONE_IN == 0 || deadline == Long.MAX_VALUE;
    if (compares && comparisons.size() < COMPARISONS_MAX && service.settings().compareNanos() < Long.MAX_VALUE) {
      var comparison = new Comparison(deadline);
      comparisons.add(comparison);
      protocol.request(comparison);
    }
    after();
    return call;
  }

  /// Its connection will break just when it has got a reply; then it reads at another replica what it has seen.
  void breaksAfterReply() {
    breaks = true;
    call();
  }

  private void breakOff() {
    long broken = connection;
    if (broken != 0) {
      link.closedByClient(broken);
      disconnected(broken);
      call(Long.MAX_VALUE, Read.SEQUENTIAL);
    }
  }

  /// Gives a call up, if one is open.
  void giveUp() {
    if (!open.isEmpty()) {
      Pending pending = open.remove(random.nextInt(open.size()));
      protocol.cancel(pending);
      service.history().end(pending.call, End.UNKNOWN, null, -1);
      after();
    }
  }

  /// Its program ends, and nobody hears of its calls any more.
  ///
  /// @param inOrder whether it closes the client before; otherwise its session is left to expire
  void end(boolean inOrder) {
    ended = true;
    blocked.clear();
    if (inOrder) {
      protocol.close();
    }
    open.forEach(one -> service.history().end(one.call, End.UNKNOWN, null, -1));
    open.clear();
    disconnect();
    beside.forEach(Beside::disconnect);
  }

  /// A discovery takes a while, knows some replicas while things go wrong, and may not answer.
  @Override
  public void lookUp() {
    if (settings.discovers() && !asks) {
      asks = true;
      setting
          .scheduler()
          .after(
              1 + discovery.nextLong(setting.plan().suspectNanos()),
              () -> {
                asks = false;
                List<String> answer = service.discovered(discovery);
                if (!ended && answer != null) {
                  protocol.found(answer);
                  wake();
                }
              });
    }
  }

  // ---- its connection --------------------------------------------------------------------------------------------

  @Override
  public ClientProtocol.Line first() {
    return this;
  }

  @Override
  public void connect(String to) {
    address = to;
    connection = link.connect(this, to);
  }

  @Override
  public void disconnect() {
    endOfFirst();
    if (connection != 0) {
      link.closedByClient(connection);
      connection = 0;
    }
  }

  private void endOfFirst() {
    if (suspected != null) {
      suspected.ends();
    }
  }

  @Override
  public void send(ByteBuffer frame) {
    if (sentToAll != null) {
      sentToAll.sends(null, frame);
    }
    if (suspected != null) {
      suspected.sends(true, frame, nanos());
    }
    link.toReplica(connection, frame);
  }

  @Override
  public ClientProtocol.Line beside(QuietConnection of) {
    var line = new Beside(of);
    beside.add(line);
    return line;
  }

  /// A connection beside the first one.
  private final class Beside implements ClientProtocol.Line {
    final QuietConnection of;
    long its; // connection; 0: none
    SentToAll.Connection said = new SentToAll.Connection("");

    Beside(QuietConnection of) {
      this.of = of;
    }

    @Override
    public void connect(String to) {
      said = new SentToAll.Connection(to);
      its = link.connect(SimulatedClient.this, to);
    }

    @Override
    public void disconnect() {
      if (its != 0) {
        link.closedByClient(its);
        its = 0;
      }
    }

    @Override
    public void send(ByteBuffer frame) {
      if (sentToAll != null) {
        sentToAll.sends(said, frame);
      }
      if (suspected != null) {
        suspected.sends(false, frame, nanos());
      }
      link.toReplica(its, frame);
    }
  }

  private @Nullable Beside line(long which) {
    return beside.stream().filter(line -> line.its == which).findFirst().orElse(null);
  }

  void connected(long which) {
    Beside line = line(which);
    if (which == connection) {
      protocol.connected();
      after();
    } else if (line != null) {
      line.of.connected();
      after();
    }
  }

  void received(long which, ByteBuffer frame) {
    Beside line = line(which);
    if (sentToAll != null) {
      sentToAll.hears(frame);
    }
    if (suspected != null) {
      suspected.passes(nanos(), waits());
      suspected.hears(which == connection, frame, nanos());
    }
    if (which == connection) {
      protocol.received(frame);
      after();
    } else if (line != null) {
      line.of.received(frame);
      after();
    }
  }

  void disconnected(long which) {
    Beside line = line(which);
    if (which == connection) {
      connection = 0;
      endOfFirst();
      protocol.disconnected("reset");
      after();
    } else if (line != null) {
      line.its = 0;
      line.of.disconnected();
      after();
    }
  }

  /// The extra load of hedging is bounded, who sends to all does, and who does so on suspicion has one.
  void check(List<Violation> found) {
    if (missing != null) {
      found.add(new Violation("SentToAll", this + ": " + missing));
    }
    if (suspected != null && suspected.untimely() != null) {
      found.add(new Violation("SentOnSuspicion", this + ": " + suspected.untimely()));
    }
    if (hedge != null && hedge.hedges() > hedge.hedgesMax()) {
      String words = this + " asked " + hedge.hedges() + " times twice, of " + calls + " calls";
      found.add(new Violation("HedgesBounded", words));
    }
  }

  /// How often it suspected the manager.
  long suspicions() {
    return protocol.suspicions();
  }

  private boolean waits() {
    return open.stream().anyMatch(one -> one.call.read == null);
  }

  long hedges() {
    return hedge == null ? 0 : hedge.hedges();
  }

  /// A replica says something.
  void isSent(long over, ByteBuffer bare, SimulatedReplica by) {
    GivenReplies all = given;
    if (all != null) {
      try {
        all.sends(over, Frame.decode(bare.duplicate()), by);
      } catch (Frame.MalformedException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
  }

  /// What the replicas have given it, if it collects several replies.
  @Nullable GivenReplies given() {
    return given;
  }

  long collected() {
    return given == null ? 0 : given.outcomes();
  }

  long reduced() {
    return given == null ? 0 : given.reduced();
  }

  /// How often it sent a command to another replica than the first because it sends to all.
  long copies() {
    return sentToAll == null ? 0 : sentToAll.copies();
  }

  private List<SentToAll.Connection> open() {
    return beside.stream().filter(line -> line.its != 0).map(line -> line.said).toList();
  }

  /// Which replicas its commands would not be sent to, although it sends to all.
  ///
  /// @param serving addresses of those that serve
  /// @return some of them
  List<String> unreached(List<String> serving) {
    if (sentToAll == null || session() == 0) {
      return List.of();
    }
    List<String> reached = new ArrayList<>(connection == 0 ? List.of() : List.of(address));
    open().stream().filter(one -> one.hasResumed(session())).forEach(one -> reached.add(one.replica));
    return serving.stream().filter(replica -> !reached.contains(replica)).toList();
  }

  @Override
  public long formingNanos() {
    return link.formingNanos();
  }

  @Override
  public long nanos() {
    return setting.scheduler().nowNanos();
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  // ---- its thread ------------------------------------------------------------------------------------------------

  private void wake() {
    setting.scheduler().after(1, this::work);
  }

  private void unblock() {
    if (open.size() < settings.callsMax() && !blocked.isEmpty()) {
      blocked.remove().run();
    }
  }

  /// Whether its process is at work.
  boolean isHere() {
    return !ended && link.isHere();
  }

  private void work() {
    if (!ended && !link.isHere()) {
      setting.scheduler().after(setting.plan().heartbeatNanos(), this::work);
    } else if (!ended) {
      protocol.work();
      if (suspected != null && sentToAll != null && missing == null && suspected.isDue(nanos())) {
        missing = sentToAll.missing(open());
      }
      after();
    }
  }

  private void after() {
    link.flush();
    if (open.size() < settings.callsMax() && !blocked.isEmpty()) {
      setting.scheduler().after(1, this::unblock);
    }
    if (suspected != null) {
      suspected.passes(nanos(), waits());
    } else if (sentToAll != null && missing == null) {
      missing = sentToAll.missing(open());
    }
    long at = Math.max(protocol.deadlineNanos(), nanos() + 1);
    if (protocol.deadlineNanos() != Long.MAX_VALUE && (at < workPlanned || workPlanned <= nanos())) {
      workPlanned = at;
      setting.scheduler().at(at, this::work);
    }
  }

  @Override
  public String toString() {
    return "client " + number;
  }
}
