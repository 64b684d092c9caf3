package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.LocalRequest;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.sim.check.ExchangeHistory;
import org.tutti.sim.check.ExchangeHistory.Step;
import org.tutti.user.Exchange;
import org.tutti.user.Request;

/// A life's membership of the [ExchangeGroup]. It does what a host's threads would do: keeps the values put until the
/// engine takes them, goes through the rounds of propagations as it takes events, and calls locally, often when it has
/// just learned the place of a multicast.
final class ExchangeMember implements TotallyOrdered {
  private static final String[] NAMES = {"", "load", "queue"};

  /// Nobody waits for the response.
  private record Call(long number) implements Event.LocalCall, LocalRequest<Void> {
    @Override
    public LocalRequest<?> request() {
      return this;
    }

    @Override
    public <R extends @Nullable Object> boolean respond(LocalRequest<R> request, R response) {
      return false;
    }

    @Override
    public boolean fail(Throwable why) {
      return false;
    }

    @Override
    public String toString() {
      return Long.toString(number);
    }
  }

  private final Simulation.Setting setting;
  private final SimulatedNode node;
  private final String group;
  private final int life;
  private final ExchangeHistory exchanges;
  private final SplittableRandom random;
  private final Exchange exchange;
  private final TreeMap<String, Long> board = new TreeMap<>();
  private @Nullable View view;
  private boolean propagating;
  private int rounds; // of propagating, over in this view
  private boolean closed;
  private long calls;
  private long consumed;
  private long inBranches;

  ExchangeMember(
      Simulation.Setting setting,
      SimulatedNode node,
      String group,
      ExchangeHistory exchanges,
      SplittableRandom random) {
    this.setting = setting;
    this.node = node;
    this.exchange = new Exchange(node.self);
    this.group = group;
    this.life = exchanges.life(node.self);
    this.exchanges = exchanges;
    this.random = random;
  }

  void enter(Terms terms, boolean creates) {
    Request join = new Request.Join(group, null, terms.member(), terms.observer(), this);
    node.request(creates ? new Request.Create(group, terms, this, 0) : join, 0);
  }

  int life() {
    return life;
  }

  MemberId self() {
    return node.self;
  }

  @Nullable View view() {
    return view;
  }

  boolean isHere() {
    return node.isAlive() && !closed;
  }

  boolean isPropagating() {
    return propagating;
  }

  /// How many times this member has spoken in its view, if it has spoken in each round that it is in.
  int spoken() {
    return rounds + (propagating ? 1 : 0);
  }

  // ---- what its threads do ---------------------------------------------------------------------------------------

  void put() {
    String name = NAMES[random.nextInt(NAMES.length)];
    board.put(name, exchanges.put(life, name));
    node.request(new Request.Whiteboard(group), 0);
  }

  void propagate() {
    if (!propagating) {
      propagating = true;
      speak();
    }
  }

  private void speak() {
    if (propagating && exchange.isToSpeak()) {
      int number = exchanges.say(life, exchange.view().id());
      byte[] payload = ByteBuffer.allocate(Integer.BYTES).putInt(0, number).array();
      node.request(new Request.Propagate(group, exchange.message(payload)), 0);
      exchange.said();
    }
  }

  void call() {
    long call = calls++;
    exchanges.add(new Step.Called(life, call));
    node.request(new Request.LocalCall(group, new Call(call)), 0);
  }

  void multicast() {
    ByteBuffer payload = ByteBuffer.allocate(Integer.BYTES);
    node.request(new Request.Multicast(group, MessageBlock.of(Batch.Kind.TOTAL, payload)), 0);
  }

  // ---- what happens to it ----------------------------------------------------------------------------------------

  @Override
  public void install(View installed) {
    view = installed;
    say("installs " + installed);
    exchanges.add(new Step.Installed(life, installed));
    exchange.begin(installed);
    rounds = 0;
    speak();
  }

  @Override
  public void begin(long index, long position) {
    say("begins at " + index + " @" + position);
    exchanges.add(new Step.Begun(life, position));
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    say("delivers " + index + " " + batch.kind());
    setting.trace().note(node.number, 33, index);
    take(batch);
    for (int i = 0; i < batch.positions(); i++) {
      exchanges.add(new Step.Delivered(life, position + i));
    }
    consumed++;
    if (propagating && exchange.isComplete()) {
      finish(index);
    }
  }

  @Override
  public void deliverInBranch(Batch batch) {
    take(batch);
    inBranches++;
  }

  private void take(Batch batch) {
    if (batch.kind() == Batch.Kind.PROPAGATED) {
      for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
        exchange.arrived(batch.sender(), messages.next());
      }
    }
  }

  private void finish(long index) {
    var messages = new TreeMap<Integer, Integer>();
    View of = exchange.view();
    exchange
        .finish()
        .forEach((member, message) -> messages.put(exchanges.life(member), message.getInt(message.position())));
    exchanges.add(new Step.Returned(life, of, index, messages));
    say("propagation returns at " + index + " with " + messages);
    propagating = false;
    rounds++;
  }

  @Override
  public void decided(int messages, long position) {
    if (position >= 0) {
      exchanges.add(new Step.Decided(life, position + messages));
      if (random.nextBoolean()) {
        call();
      }
    }
  }

  @Override
  public SortedMap<String, Long> whiteboardPut() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(board));
  }

  @Override
  public void whiteboard(Map<MemberId, SortedMap<String, Long>> values) {
    var read = new TreeMap<Integer, SortedMap<String, Long>>();
    values.forEach((owner, its) -> read.put(exchanges.life(owner), its));
    say("reads " + read);
    exchanges.add(new Step.Read(life, read));
  }

  @Override
  public void localCall(Event.LocalCall call) {
    exchanges.add(new Step.Answered(life, ((Call) call).number));
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

  private void say(String what) {
    if (setting.trace().speaks()) {
      setting.trace().say(node.self.name(), "   ** exchange group " + what);
    }
  }

  @Override
  public String toString() {
    return node.self.name();
  }
}
