package org.tutti.verify.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Status.Phase;
import org.tutti.View;
import org.tutti.engine.Input;
import org.tutti.engine.NodeEngine;
import org.tutti.fixture.RawPackets;
import org.tutti.membership.StateChecksum;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.spi.NodeSettings;
import org.tutti.storage.StableStorage;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;
import org.tutti.user.GroupUser;
import org.tutti.user.Report;
import org.tutti.user.Request;
import org.tutti.wire.Versions;

/// One life of one node: the engine, and an application whose state is the list of the messages that it was delivered.
final class Life implements FrameSender, GroupUser {
  static final Duration HEARTBEAT = Duration.ofMillis(100);
  static final Duration SUSPECT_AFTER = Duration.ofMillis(500);

  private static final long STATE_NANOS = 20 * World.MILLI; // until the application has written its state
  private static final Traits TRAITS = new Traits(60_000, Duration.ofMillis(50), false);

  /// A packet that somebody was to get.
  private record Packet(Address to, RawPackets.Place place) {}

  private final World world;
  private final MemberId self;
  private final int number;
  private final List<Address> contacts;
  private final NodeEngine engine;
  private final ArrayDeque<Input> inbox = new ArrayDeque<>();
  private final Wording wording;

  // What it has said, so that what is repeated is not shown again.
  private final Set<Packet> arrived = new HashSet<>();
  private final Set<Packet> lost = new HashSet<>();
  private final TreeSet<String> calls = new TreeSet<>();
  private final Map<String, StringBuilder> said = new LinkedHashMap<>(); // in this turn: words -> to whom

  private final List<String> told = new ArrayList<>(); // to the application, in this step
  private final TreeSet<MemberId> silent = new TreeSet<>();
  private final List<String> state = new ArrayList<>();
  private final List<Ordering> orderings = new ArrayList<>(); // in this view
  private @Nullable View view;
  private @Nullable Report status;
  private @Nullable End end;
  private @Nullable ByteBuffer claimed;
  private @Nullable Address claimedTo;
  private long consumed;
  private long positionNext = -1;
  private long inBranches;
  private long turnNanos;
  private boolean entering; // has installed a view in this turn
  private boolean alive = true;

  Life(World world, String name, int number, List<Address> contacts, StableStorage storage) {
    this.world = world;
    this.number = number;
    this.contacts = contacts;
    // The incarnation is shown in the ids of views, to the base of 36: n2, and of later lives n2b, n2c and so on.
    String life = number == 0 ? name : name + (char) ('a' + number);
    this.self = new MemberId(name, World.addressOf(name), Long.parseLong(life, Character.MAX_RADIX));
    this.wording = new Wording(world, this);
    NodeSettings config = Node.named(name).contacts(contacts).times(HEARTBEAT, SUSPECT_AFTER).settings();
    var random = new SplittableRandom(self.incarnation());
    this.engine = new NodeEngine(self, config, Versions.OWN, this, storage, Payloads.spoilt(), random);
  }

  String name() {
    return self.name();
  }

  MemberId self() {
    return self;
  }

  Address address() {
    return self.address();
  }

  /// Counts the lives of the node from 0.
  int number() {
    return number;
  }

  List<Address> contacts() {
    return contacts;
  }

  boolean isAlive() {
    return alive;
  }

  void crash() {
    alive = false;
    world.say(name() + " crashes");
  }

  // ---- turns -----------------------------------------------------------------------------------------------------

  /// Begins another membership.
  void enter(Request request) {
    end = null;
    status = null;
    ask(request);
  }

  void ask(Request request) {
    if (!alive) {
      throw new IllegalArgumentException(name() + " has crashed");
    }
    take(new Input.Requested(request));
  }

  void take(Input input) {
    inbox.add(input);
  }

  /// When the next turn is due.
  long dueNanos() {
    if (!alive) {
      return Long.MAX_VALUE;
    }
    return inbox.isEmpty() ? Math.max(turnNanos, engine.deadlineNanos()) : 0;
  }

  /// Takes all that has come, and says what follows from it.
  void turn(long nowNanos, long stepNanos) {
    turnNanos = nowNanos + stepNanos;
    boolean due = engine.deadlineNanos() <= nowNanos;
    while (!inbox.isEmpty()) {
      step(nowNanos, inbox.remove());
    }
    if (due) {
      step(nowNanos, new Input.Expired());
    }
    engine.flush(nowNanos);
    tell();
    said.forEach((words, to) -> world.say(name() + " ->" + to + ": " + words));
    said.clear();
    entering = false;
  }

  /// What the application is told follows from what the node has heard, or has not heard.
  private void step(long nowNanos, Input input) {
    engine.step(nowNanos, input);
    for (Life other : world.nodes()) {
      if (!engine.isSilent(other.self)) {
        silent.remove(other.self);
      } else if (silent.add(other.self)) {
        world.say(name() + " has not heard " + other.name() + " for a time of suspicion");
      }
    }
    tell();
  }

  private void tell() {
    told.forEach(what -> world.say(name() + " " + what));
    told.clear();
  }

  private void say(String what) {
    told.add(what);
  }

  // ---- what it sends ---------------------------------------------------------------------------------------------

  @Override
  public @Nullable ByteBuffer claim(Address to, int length) {
    claimedTo = to;
    claimed = ByteBuffer.allocate(length);
    return claimed;
  }

  @Override
  public void commit() {
    byte[] frame = claimed.array();
    boolean arrives = world.send(this, claimedTo, frame);
    String addition = arrives ? "" : "(lost)";
    if (RawPackets.kind(frame) == RawPackets.DATA) {
      var packet = new Packet(claimedTo, RawPackets.place(frame));
      boolean again = lost.contains(packet);
      if (arrived.contains(packet) || again && !arrives) {
        return; // a repetition, of which its receiver takes no notice, or which is lost like the first one
      }
      (arrives ? arrived : lost).add(packet);
      addition += again ? "(again)" : "";
    }
    String to = " " + claimedTo.text().replaceFirst(":.*", "") + addition;
    Address address = claimedTo;
    boolean first = addition.isEmpty();
    RawPackets.messages(frame, message -> said(message, address, to, first));
  }

  private void said(byte[] message, Address to, String addressee, boolean arrivesAtFirst) {
    String words = wording.of(message, to);
    if (words != null && (!Wording.isRepeated(words) || arrivesAtFirst && calls.add(to + " " + words))) {
      said.computeIfAbsent(words, _ -> new StringBuilder()).append(addressee);
    }
  }

  @Override
  public Traits traits() {
    return TRAITS;
  }

  // ---- what its application is told ------------------------------------------------------------------------------

  @Nullable View view() {
    return view;
  }

  /// Which orderings have been in force in its view, the present one last.
  List<Ordering> orderings() {
    return orderings;
  }

  boolean isServing() {
    return alive && status != null && status.isServing();
  }

  /// All that it was delivered or got as state.
  List<String> state() {
    return state;
  }

  /// What the node would tell its application, in words.
  String status() {
    if (!alive || status == null) {
      return alive ? name() + " is in no group" : name() + " has crashed";
    }
    return new Report(
            World.GROUP,
            self,
            end == null ? status.phase() : Phase.CLOSED,
            view,
            status.lastPrimary(),
            positionNext < 0 ? OptionalLong.empty() : OptionalLong.of(positionNext),
            status.forced(),
            status.waits(),
            List.of(),
            status.refused(),
            end,
            status.spilled())
        .toString();
  }

  @Override
  public void begin(long index, long position) {
    say("begins at position " + position);
  }

  @Override
  public void install(View installed) {
    world.learn(installed);
    view = installed;
    if (!orderings.isEmpty()) {
      orderings.subList(0, orderings.size() - 1).clear();
    }
    entering = true;
    say("installs view " + Wording.of(installed));
  }

  @Override
  public void caughtUp(long position) {
    say("is caught up at position " + position);
  }

  @Override
  public void ordering(Ordering ordering) {
    Ordering before = orderings.isEmpty() ? ordering : orderings.getLast();
    if (entering) {
      orderings.clear(); // it is the first one of the view
    }
    if (orderings.isEmpty() || ordering != before) {
      orderings.add(ordering);
    }
    if (ordering != before) {
      say("is ordered by " + ordering + " from here on");
    }
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    consumed++;
    List<String> texts = Wording.texts(batch);
    for (int i = 0; i < texts.size(); i++) {
      take(texts.get(i), batch, batch.positions() == 0 ? "" : " at position " + (position + i));
    }
  }

  @Override
  public void deliverEarly(Batch batch) {
    Wording.texts(batch).forEach(text -> take(text, batch, " before it has its place"));
  }

  @Override
  public void deliverInBranch(Batch batch) {
    inBranches++;
    Wording.texts(batch).forEach(text -> take(text, batch, " in the branch"));
  }

  private void take(String text, Batch batch, String where) {
    state.add(text);
    say("delivers " + Wording.quoted(List.of(text)) + " of " + batch.sender() + where);
  }

  @Override
  public void pass(long index, Batch batch, long position) {
    consumed++;
  }

  @Override
  public void decided(int messages, long position) {
    for (int i = 0; i < messages; i++) {
      say("is told: its multicast " + (position < 0 ? "is in the history" : "has position " + (position + i)));
    }
  }

  @Override
  public void decidedInBranch(int messages) {
    for (int i = 0; i < messages; i++) {
      say("is told: its multicast is in the branch");
    }
  }

  @Override
  public void undecided(int messages) {
    say("is told: it is not known whether the history has " + messages + " of its multicasts");
  }

  @Override
  public void released(long cost) {}

  @Override
  public long consumed() {
    return consumed;
  }

  @Override
  public long consumedInBranches() {
    return inBranches;
  }

  @Override
  public void status(Report now) {
    status = now;
  }

  @Override
  public void position(long next) {
    positionNext = next;
  }

  @Override
  public void closed(End cause) {
    view = null;
    end = cause;
    say("is out of the group (" + cause.cause() + "): " + cause.words());
  }

  // ---- state transfer --------------------------------------------------------------------------------------------

  @Override
  public void stateRequested(long transfer, MemberId newcomer) {
    say("is asked for its state, for " + newcomer + "; it begins to write " + Wording.quoted(state));
    ByteBuffer bytes = ByteBuffer.wrap(state.stream().collect(Collectors.joining("\n")).getBytes(UTF_8));
    var all = new Request.StateChunk(World.GROUP, transfer, bytes, StateChecksum.of(bytes));
    world.later(STATE_NANOS, () -> take(new Input.Requested(all)));
  }

  @Override
  public void stateWanted(long transfer) {}

  @Override
  public void stateCancelled(long transfer) {
    say("need not give its state any more");
  }

  @Override
  public void stateOffered(long transfer, MemberId donor, long index, long position) {
    say("is offered the state of " + donor + " as of position " + position);
    ask(new Request.StateKnown(World.GROUP, transfer, ByteBuffer.allocate(0)));
  }

  @Override
  public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {
    state.clear();
    UTF_8.decode(chunk).toString().lines().forEach(state::add);
    say("has read the state: " + Wording.quoted(state));
    ask(new Request.StateTaken(World.GROUP, transfer));
  }

  @Override
  public void stateInterrupted(long transfer) {
    say("gets no more of the state");
  }
}
