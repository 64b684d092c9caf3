package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.CommandFailedException;
import org.tutti.replica.Policy;
import org.tutti.replica.Read;
import org.tutti.replica.Replication;
import org.tutti.replica.ServiceException;
import org.tutti.replica.protocol.ClientProtocol;
import org.tutti.replica.protocol.Hedge;
import org.tutti.sim.check.ServiceHistory.Call;
import org.tutti.sim.check.ServiceHistory.End;
import org.tutti.sim.check.Violation;

/// A client of the [ServiceGroup]: makes calls, one after the other or several at once, gives some of them up, and is
/// not heard for a while now and then.
final class SimulatedClient implements ClientProtocol.Host {
  private static final int CALLS_OF_A_CLIENT = 1_000_000;

  private final Simulation.Setting setting;
  private final ServiceGroup service;
  private final int number;
  private final SplittableRandom random;
  private final ClientProtocol protocol;
  private final @Nullable Hedge hedge;
  private final List<Pending> open = new ArrayList<>();
  private long connection; // 0: none
  private long second; // connection, of a client that hedges; 0: none
  private long calls;
  private boolean breaks; // the connection, with the next reply
  private long workPlanned = Long.MAX_VALUE;

  private final class Pending extends ClientProtocol.Request {
    final Call call;

    Pending(ByteBuffer payload, @Nullable Read read, long deadlineNanos, Call call) {
      super(payload, read, deadlineNanos);
      this.call = call;
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      open.remove(this);
      if (position < 0) {
        service.history().end(call, End.UNKNOWN, null, -1); // it was handed over, and nobody will say more
        return;
      }
      service.history().end(call, End.REPLIED, reply, position);
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

  SimulatedClient(Simulation.Setting setting, ServiceGroup service, int number, List<String> contacts, long silence) {
    this.setting = setting;
    this.service = service;
    this.number = number;
    this.random = setting.streams().open(Streams.Purpose.REPLICA, -1 - number);
    this.protocol = new ClientProtocol(ServiceGroup.NAME, contacts, silence, this);
    this.hedge = random.nextBoolean() ? protocol.hedge() : null;
    SplittableRandom choices = setting.streams().open(Streams.Purpose.REPLICA, Long.MAX_VALUE - 5 - number);
    if (hedge == null && choices.nextBoolean()) {
      protocol.wish(wish(choices));
    }
    wake();
  }

  /// To the request manager, mostly with the reply that it gives.
  private static Policy wish(SplittableRandom choices) {
    Policy.Collection collection = choices.nextInt(4) == 0 ? Policy.Collection.NONE : Policy.Collection.FIRST;
    Replication replication = choices.nextBoolean() ? Replication.PASSIVE : Replication.ACTIVE;
    Ordering ordering = choices.nextBoolean() ? Ordering.SEQUENCER : Ordering.SYMMETRIC;
    return new Policy(Policy.Dissemination.MANAGER, collection, replication, ordering);
  }

  int number() {
    return number;
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
        && open.stream().allMatch(one -> one.call.read != null && hasNone.test(one.call.payload()));
  }

  /// What it waits for.
  String state() {
    return protocol + ", open " + open.stream().map(pending -> pending.call.toString()).toList();
  }

  /// Makes a call.
  ///
  /// @param patienceNanos how long it waits for the outcome
  void call(long patienceNanos) {
    boolean reads = random.nextInt(3) == 0;
    call(patienceNanos, reads ? Read.values()[Math.max(0, random.nextInt(4) - 1)] : null); // half linearizable
  }

  private void call(long patienceNanos, @Nullable Read wanted) {
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
    after();
  }

  /// Its connection will break just when it has got a reply; then it reads at another replica what it has seen.
  void breaksAfterReply() {
    breaks = true;
    call(Long.MAX_VALUE);
  }

  private void breakOff() {
    long broken = connection;
    if (broken != 0) {
      service.closedByClient(broken);
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
    }
  }

  // ---- its connection --------------------------------------------------------------------------------------------

  @Override
  public void connect(String address) {
    connection = service.connect(this, address);
  }

  @Override
  public void disconnect() {
    if (connection != 0) {
      service.closedByClient(connection);
      connection = 0;
    }
  }

  @Override
  public void send(ByteBuffer frame) {
    service.toReplica(connection, frame);
  }

  @Override
  public ClientProtocol.Line second() {
    return new ClientProtocol.Line() {
      @Override
      public void connect(String address) {
        second = service.connect(SimulatedClient.this, address);
      }

      @Override
      public void disconnect() {
        if (second != 0) {
          service.closedByClient(second);
          second = 0;
        }
      }

      @Override
      public void send(ByteBuffer frame) {
        service.toReplica(second, frame);
      }
    };
  }

  void connected(long which) {
    if (which == connection) {
      protocol.connected();
      after();
    } else if (which == second && hedge != null) {
      hedge.connected();
      after();
    }
  }

  void received(long which, ByteBuffer frame) {
    if (which == connection) {
      protocol.received(frame);
      after();
    } else if (which == second && hedge != null) {
      hedge.received(frame);
      after();
    }
  }

  void disconnected(long which) {
    if (which == connection) {
      connection = 0;
      protocol.disconnected("reset");
      after();
    } else if (which == second && hedge != null) {
      second = 0;
      hedge.disconnected();
      after();
    }
  }

  /// The extra load of hedging is bounded.
  void checkHedges(List<Violation> found) {
    if (hedge != null && hedge.hedges() > hedge.hedgesMax()) {
      String words = this + " asked " + hedge.hedges() + " times twice, of " + calls + " calls";
      found.add(new Violation("HedgesBounded", words));
    }
  }

  long hedges() {
    return hedge == null ? 0 : hedge.hedges();
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

  private void work() {
    protocol.work();
    after();
  }

  private void after() {
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
