package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.replica.Answer;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.sim.check.History;
import org.tutti.sim.check.ServiceHistory.Call;
import org.tutti.sim.check.ServiceHistory.End;
import org.tutti.sim.check.Violation;

/// One client with a policy makes one command to three replicas, and one thing goes wrong with it.
final class PolicyRun {
  /// What goes wrong.
  enum Failure {
    NONE("no failure"),
    MANAGER_BEFORE("manager crashes before it sends"),
    MANAGER_AFTER("manager crashes after it sends"),
    MANAGER_CHANGES("manager crashes after it sends the change"),
    MANAGER_REPLIES("manager crashes after it replies"),
    OTHER_SERVER("another server crashes"),
    FALSE_SUSPICION("false suspicion");

    final String words;

    Failure(String words) {
      this.words = words;
    }

    /// Whether it can happen: only with passive replication changes are sent.
    boolean occursWith(Replication replication) {
      return this != MANAGER_CHANGES || replication == Replication.PASSIVE;
    }
  }

  /// How it went.
  ///
  /// @param told       what the client was told
  /// @param millis     after how long, of simulated time
  /// @param executions how often the command was executed, at the end
  /// @param struck     whether the failure has happened
  /// @param violations what did not hold
  record Outcome(String told, long millis, int executions, boolean struck, List<Violation> violations) {}

  private static final byte CALL = 4; // the kinds of a replica's messages with a command
  private static final byte COLLECT = 11;
  private static final byte CHANGE = 8; // and of one with its outcome, of passive replication
  private static final byte REPLY = 18; // the kinds of frames with what a client is told
  private static final byte BUNDLE = 29;
  private static final int PATIENCE_UNITS = 200;
  private static final int SETTLING_UNITS = 12;
  private static final int STALL_UNITS = 6;
  private static final int REPLICAS = 3;

  private final Plan plan;
  private final Scheduler scheduler = new Scheduler();
  private final Failure failure;
  private final Policy policy;
  private final ServiceGroup.Way way;
  private final SimulatedCluster cluster;
  private final Network network;
  private final ServiceGroup service;
  private final List<Violation> violations = new ArrayList<>();
  private int manager = -1; // its place, once the command is made
  private boolean struck;
  private boolean broken;

  private PolicyRun(Policy policy, ServiceGroup.Way way, Failure failure, long seed) {
    this.policy = policy;
    this.failure = failure;
    this.way = way;
    this.plan = Plan.draw(seed).forPolicies(way.kind() == null ? REPLICAS : REPLICAS + 1);
    var history = new History(plan.config());
    var setting =
        new Simulation.Setting(
            plan, new Streams(seed), scheduler, new RunCounts(), new Trace(scheduler, null), history);
    var choice = new ServiceGroup.Choice(policy, way, this::posts, this::delivers, this::sends);
    this.service = new ServiceGroup(setting, new RegisterService.Tested(0), 0, choice, this::broken);
    this.cluster = new SimulatedCluster(setting, node -> service.started(node, null), this::broken);
    this.network = new Network(scheduler, plan, setting.tally(), cluster);
  }

  static Outcome run(Policy policy, ServiceGroup.Way way, Failure failure, long seed) {
    return new PolicyRun(policy, way, failure, seed).run();
  }

  private Outcome run() {
    cluster.begin(network);
    boolean ready = await(this::isWhole);
    SimulatedClient client = service.client();
    Call first = client.command();
    ready &= await(() -> first.end() != End.OPEN);
    advance(scheduler.nowNanos() + SETTLING_UNITS * plan.suspectNanos());
    if (!ready || !isWhole()) {
      violations.add(new Violation("Convergence", "before the failure: " + first + ", " + client.state()));
      return new Outcome("", 0, 0, struck, violations);
    }
    View view = Objects.requireNonNull(replica(0).toldView());
    manager = place(view.senior());
    if (failure == Failure.FALSE_SUSPICION) {
      struck = true;
      stall(client);
    }
    long begun = scheduler.nowNanos();
    Call call = client.command();
    await(() -> call.end() != End.OPEN);
    long millis = (scheduler.nowNanos() - begun) / 1_000_000;
    String told = told(call, client.lastOutcome());
    await(() -> struck || failure == Failure.NONE);
    await(service::isTogether);
    service.calm();
    service.last();
    await(() -> service.isAtRest());
    violations.addAll(service.violationsAtRest());
    violations.addAll(service.violations());
    int executions =
        (int) service.history().executions().values().stream().filter(one -> one.call() == call.id).count();
    return new Outcome(told, millis, executions, struck, violations);
  }

  private static boolean isCall(ByteBuffer message) {
    byte kind = message.get(0);
    return kind == CALL || kind == COLLECT;
  }

  private String told(Call call, @Nullable Consolidated<Answer> outcome) {
    if (call.end() == End.OPEN) {
      return "nothing";
    }
    return switch (policy.collection()) {
      case NONE -> "sent";
      case FIRST -> call.isTold() ? "1 reply" : call.end().toString();
      case ALL, MAJORITY ->
          switch (outcome) {
            case Consolidated.Success<Answer> success -> success.replies().size() + " replies";
            case Consolidated.ReducedMembership<Answer> less ->
                less.replies().size() + " replies, " + less.departed().size() + " left";
            case null -> "no outcome";
            default -> outcome.getClass().getSimpleName();
          };
    };
  }

  // ---- what goes wrong -------------------------------------------------------------------------------------------

  /// Nothing passes between the client and the manager for some time.
  private void stall(SimulatedClient client) {
    long nanos = STALL_UNITS * plan.suspectNanos();
    if (way.kind() == null) {
      service.stall(client, manager, nanos);
      return;
    }
    boolean[][] cut = new boolean[plan.nodes()][plan.nodes()];
    cut[manager][REPLICAS] = true;
    cut[REPLICAS][manager] = true;
    network.partition(cut);
    scheduler.after(nanos, () -> network.partition(null));
  }

  private boolean posts(SimulatedNode node, ByteBuffer message) {
    boolean isCommand = manager >= 0 && !struck && isCall(message) && node.number == manager;
    if (isCommand && failure == Failure.MANAGER_BEFORE) {
      return crash(node);
    }
    if (isCommand && failure == Failure.OTHER_SERVER) {
      crash(replica((manager + 1) % REPLICAS).node());
    }
    return false;
  }

  private boolean delivers(SimulatedNode node, ByteBuffer message) {
    boolean isCommand = manager >= 0 && !struck && isCall(message) && node.number == manager;
    boolean isChange = manager >= 0 && !struck && message.get(0) == CHANGE && node.number == manager;
    return isCommand && failure == Failure.MANAGER_AFTER && crash(node)
        || isChange && failure == Failure.MANAGER_CHANGES && crash(node);
  }

  /// The frame still arrives, as over a connection whose end comes behind it; in a group it has time to leave.
  private void sends(SimulatedNode node, ByteBuffer frame) {
    byte kind = frame.get();
    boolean isReply = manager >= 0 && !struck && (kind == REPLY || kind == BUNDLE) && node.number == manager;
    if (isReply && failure == Failure.MANAGER_REPLIES) {
      struck = true;
      scheduler.after(way.kind() == null ? 1 : plan.delayNanosMax(), () -> cluster.crash(node));
    }
  }

  private boolean crash(SimulatedNode node) {
    struck = true;
    cluster.crash(node);
    return true;
  }

  // ---- steps -----------------------------------------------------------------------------------------------------

  private SimulatedReplica replica(int place) {
    return Objects.requireNonNull(service.replica(place));
  }

  private int place(MemberId member) {
    for (int place = 0; place < REPLICAS; place++) {
      if (replica(place).node().self.equals(member)) {
        return place;
      }
    }
    throw new IllegalStateException(member + " is no replica");
  }

  private boolean isWhole() {
    for (int place = 0; place < REPLICAS; place++) {
      SimulatedReplica replica = service.replica(place);
      if (replica == null || !replica.isHere() || !replica.protocol().isServing()) {
        return false;
      }
    }
    return service.isTogether();
  }

  private boolean await(BooleanSupplier what) {
    long until = scheduler.nowNanos() + PATIENCE_UNITS * plan.suspectNanos();
    while (!what.getAsBoolean()) {
      if (broken || scheduler.nowNanos() >= until) {
        return false;
      }
      advance(scheduler.nowNanos() + 1_000_000);
    }
    return true;
  }

  private void advance(long untilNanos) {
    while (!broken && scheduler.advance(untilNanos)) {
      // All happens in the scheduler's entries.
    }
  }

  private void broken(SimulatedNode node, Throwable error) {
    broken = true;
    violations.add(new Violation("NoBrokenInvariant", node.self.name() + " stopped: " + error));
  }
}
