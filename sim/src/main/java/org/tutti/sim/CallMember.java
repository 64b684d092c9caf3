package org.tutti.sim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.membership.StateChecksum;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.replica.Answer;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.protocol.GroupCallMessage;
import org.tutti.replica.protocol.GroupCallProtocol;
import org.tutti.replica.protocol.GroupCallProtocol.Execution;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// A life's membership of the [CallGroup]: what the threads of a host do. What the engine tells comes a little later,
/// in order, as through the queue of a host. Its state is a digest of all that it has executed.
final class CallMember implements GroupUser, GroupCallProtocol.Port {
  /// What a request asks for, by its first byte.
  static final int KINDS = 3;

  static final byte EQUAL = 0; // the digest, which is the same at all
  private static final byte OWN = 1; // the member's name

  private record Outgoing(Batch.Kind kind, ByteBuffer message) {}

  private final Simulation.Setting setting;
  private final SimulatedNode node;
  private final String group;
  private final CallOutcomes outcomes;
  private final SplittableRandom random;
  private final CallGroup.Breakage breakage;
  private final Consumer<CallMember> atChange; // of the view
  private final GroupCallProtocol protocol;
  private final ArrayDeque<Runnable> told = new ArrayDeque<>();
  private final ArrayDeque<Outgoing> outbox = new ArrayDeque<>(); // waits for room in the window
  private final TreeMap<Long, ByteBuffer> pictures = new TreeMap<>(); // of the state, by transfer
  private long windowBytes;
  private boolean waking;
  private @Nullable View view;
  private @Nullable View toldView;
  private long digest;
  private long next; // position
  private long outstanding; // what of the window is used
  private long consumed;
  private long inBranches;
  private boolean closed;
  private long offered; // position of the state that comes
  private long tickPlanned = Long.MAX_VALUE;
  private @Nullable Consolidated<Answer> lastOutcome;

  CallMember(
      Simulation.Setting setting,
      SimulatedNode node,
      String group,
      CallOutcomes outcomes,
      SplittableRandom random,
      CallGroup.Breakage breakage,
      Consumer<CallMember> atChange) {
    this.setting = setting;
    this.node = node;
    this.group = group;
    this.outcomes = outcomes;
    this.random = random;
    this.breakage = breakage;
    this.atChange = atChange;
    this.protocol = new GroupCallProtocol(node.self, this);
  }

  void enter(Terms terms, boolean creates) {
    windowBytes = terms.member().windowBytes();
    Request join = new Request.Join(group, null, terms.member(), terms.observer(), this);
    node.request(creates ? new Request.Create(group, terms, this, 0) : join, 0);
  }

  MemberId self() {
    return node.self;
  }

  String name() {
    return node.self.name();
  }

  @Nullable View view() {
    return view;
  }

  boolean isHere() {
    return node.isAlive() && !closed;
  }

  // ---- what its threads do -----------------------------------------------------------------------------------------

  void call(ByteBuffer request, Consolidation rule) {
    begin(request, rule, false);
  }

  /// As [#call], but it is expected to succeed.
  void last(ByteBuffer request, Consolidation rule) {
    begin(request, rule, true);
  }

  boolean hasLast() {
    return lastOutcome instanceof Consolidated.Success;
  }

  String lastInWords() {
    return lastOutcome == null ? "no outcome" : lastOutcome.toString();
  }

  private void begin(ByteBuffer request, Consolidation rule, boolean last) {
    tell(() -> {
      long now = localNow();
      long[] number = new long[1];
      number[0] =
          protocol.begin(
              rule,
              now,
              outcome -> {
                say("call " + number[0] + ": " + outcome);
                outcomes.ended(node.self, number[0], outcome, toldView, localNow());
                lastOutcome = last ? outcome : lastOutcome;
              });
      outcomes.begun(node.self, number[0], rule, now);
      say("calls " + number[0] + " " + rule);
      send(Batch.Kind.TOTAL, new GroupCallMessage.Call(number[0], request).encode());
    });
  }

  @Override
  public void reply(ByteBuffer message) {
    send(Batch.Kind.UNORDERED, message);
  }

  @Override
  public void announce(ByteBuffer message) {
    send(Batch.Kind.TOTAL, message);
  }

  private void send(Batch.Kind kind, ByteBuffer message) {
    outbox.add(new Outgoing(kind, message));
  }

  private void flush() {
    while (!outbox.isEmpty()) {
      ByteBuffer message = outbox.getFirst().message;
      long cost = message.remaining() + (long) MESSAGE_OVERHEAD;
      if (outstanding > 0 && outstanding + cost > windowBytes) {
        return;
      }
      outstanding += cost;
      node.request(new Request.Multicast(group, MessageBlock.of(outbox.remove().kind, message)), 0);
    }
  }

  /// The time on its clock.
  long localNow() {
    return node.clock.local(setting.scheduler().nowNanos());
  }

  /// Something is to be done, behind all that was told before.
  private void tell(Runnable event) {
    told.add(event);
    wake();
  }

  private void wake() {
    if (!waking) {
      waking = true;
      long most = Math.max(1, setting.plan().turnNanosMax());
      setting.scheduler().after(random.nextLong(most), this::turn);
    }
  }

  private void turn() {
    waking = false;
    if (!isHere()) {
      return;
    }
    if (node.isPaused()) {
      waking = true;
      setting.scheduler().after(setting.plan().heartbeatNanos() / 4, this::turn);
      return;
    }
    try {
      for (int most = 1 + random.nextInt(16); most > 0 && !told.isEmpty(); most--) {
        told.remove().run();
      }
      protocol.tick(localNow());
      flush();
    } catch (RuntimeException | Error broken) {
      breakage.broken(node, broken);
      return;
    }
    if (!told.isEmpty()) {
      wake();
    }
    planTick();
  }

  private void planTick() {
    Long deadline = protocol.deadline();
    if (deadline != null) {
      long at = Math.max(node.clock.trueTime(deadline), setting.scheduler().nowNanos() + 1);
      if (at < tickPlanned || tickPlanned <= setting.scheduler().nowNanos()) {
        tickPlanned = at;
        setting.scheduler().at(at, this::wake);
      }
    }
  }

  // ---- what the engine tells ---------------------------------------------------------------------------------------

  @Override
  public void install(View installed) {
    view = installed;
    tell(() -> {
      say("installs " + installed);
      if (installed.primary() && toldView != null && !toldView.primary()) {
        outcomes.skipped(node.self, 0, next); // its answers may be lost
      }
      toldView = installed;
      outcomes.installed(node.self, installed);
      protocol.installed(installed);
      atChange.accept(this);
    });
  }

  @Override
  public void caughtUp(long position) {
    tell(() -> resume(position));
  }

  /// What lies before is never delivered here.
  private void resume(long position) {
    noteSkipped(position);
    protocol.resumed(position);
  }

  private void noteSkipped(long position) {
    if (position > next) {
      say("skips @" + next + " to @" + position);
      outcomes.skipped(node.self, next, position);
      next = position;
    }
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    tell(() -> {
      take(batch, batch.kind().isWeak() ? -1 : position);
      consumed++;
      node.request(new Request.Consumed(group), 0);
    });
  }

  @Override
  public void deliverEarly(Batch batch) {
    tell(() -> take(batch, -1));
  }

  @Override
  public void pass(long index, Batch batch, long position) {
    tell(() -> {
      consumed++;
      node.request(new Request.Consumed(group), 0);
    });
  }

  @Override
  public void deliverInBranch(Batch batch) {
    tell(() -> {
      take(batch, -1);
      inBranches++;
      node.request(new Request.Consumed(group), 0);
    });
  }

  private void take(Batch batch, long position) {
    long at = position;
    for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
      ByteBuffer lent = messages.next();
      ByteBuffer message = ByteBuffer.allocate(lent.remaining()).put(lent).flip();
      take(batch.sender(), at, message);
      at = at < 0 ? at : at + 1;
    }
  }

  private void take(MemberId sender, long position, ByteBuffer message) {
    noteSkipped(position);
    next = Math.max(next, position + 1);
    outcomes.delivered(node.self, toldView, sender, position, message.duplicate());
    Execution execution = protocol.delivered(sender, position, message);
    if (execution != null) {
      Answer answer = execute(execution);
      say("executes " + sender.name() + "'s " + execution.number() + " @" + position);
      outcomes.executed(node.self, execution, answer);
      protocol.answered(execution, answer);
    }
  }

  private Answer execute(Execution execution) {
    digest = digest * 31 + Hash.of(execution.request()) + execution.number();
    return switch (execution.request().get(execution.request().position())) {
      case EQUAL -> new Answer(false, ByteBuffer.allocate(Long.BYTES).putLong(0, digest), execution.position());
      case OWN -> new Answer(false, ByteBuffer.wrap(name().getBytes(StandardCharsets.UTF_8)), execution.position());
      default -> new Answer(true, ByteBuffer.wrap("refused".getBytes(StandardCharsets.UTF_8)), execution.position());
    };
  }

  @Override
  public void decided(int messages, long position) {}

  @Override
  public void released(long cost) {
    outstanding -= cost;
    wake();
  }

  @Override
  public long consumed() {
    return consumed;
  }

  @Override
  public long consumedInBranches() {
    return inBranches;
  }

  @Override
  public void closed(End ended) {
    closed = true;
    node.ended(ended);
  }

  // ---- its state ---------------------------------------------------------------------------------------------------

  @Override
  public void stateRequested(long transfer, MemberId newcomer) {
    tell(() -> pictures.put(transfer, ByteBuffer.allocate(Long.BYTES).putLong(0, digest)));
    tell(() -> give(transfer));
  }

  private void give(long transfer) {
    ByteBuffer state = pictures.remove(transfer);
    if (state != null) {
      node.request(new Request.StateChunk(group, transfer, state, StateChecksum.of(state.duplicate())), 0);
    }
  }

  @Override
  public void stateWanted(long transfer) {}

  @Override
  public void stateKnown(long transfer, ByteBuffer token) {}

  @Override
  public void stateCancelled(long transfer) {
    tell(() -> pictures.remove(transfer));
  }

  @Override
  public void stateOffered(long transfer, MemberId donor, long index, long position) {
    offered = position;
    node.request(new Request.StateKnown(group, transfer, ByteBuffer.allocate(0)), 0);
  }

  /// The whole state is one chunk. What is delivered behind it comes later.
  @Override
  public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {
    long given = chunk.getLong(chunk.position());
    long position = offered;
    node.request(new Request.StateTaken(group, transfer), 0);
    tell(() -> {
      digest = given;
      resume(position);
    });
  }

  @Override
  public void stateInterrupted(long transfer) {}

  private void say(String what) {
    if (setting.trace().speaks()) {
      setting.trace().say(node.self.name(), "   ** calls: " + what);
    }
  }

  @Override
  public String toString() {
    return name();
  }
}
