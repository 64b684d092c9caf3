package org.tutti.sim;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.membership.StateChecksum;
import org.tutti.membership.Terms;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.pack.Payloads;
import org.tutti.sim.check.Content;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.sim.check.Role;
import org.tutti.sim.check.Violation;
import org.tutti.sim.check.WaitsTold;
import org.tutti.user.GroupUser;
import org.tutti.user.Notice;
import org.tutti.user.Report;
import org.tutti.user.Request;

/// The application on a simulated node. Its state is a chain of hashes over every message since the group's first,
/// which it hands to newcomers; everything that happens to it goes into the history for the checkers.
final class SimulatedApplication implements GroupUser {
  /// What others want to know of an application as it happens.
  interface Listener {
    void installed(SimulatedApplication at, View view);

    /// It is told of a primary view that was agreed, although perhaps nobody is shown it.
    void knows(SimulatedApplication at, ViewId primary);

    void delivered(SimulatedApplication at);

    void stateRequested(SimulatedApplication at);

    void closed(SimulatedApplication at);
  }

  private static final int PATIENCES = 3; // one cause after the other may have its patience
  private static final int LAST_WORDS = 5; // an observer that is dropped gives these their time before it closes
  private static final int LOOKS = 6;
  private static final int REPLAYS_OF_WINDOW = 4; // pieces in which a member that spills is given its log
  private static final int LOOK_HEARTBEATS = 2;

  final SimulatedNode node;
  final int ordinal;
  private final String group = SimulatedCluster.GROUP;
  private final Terms terms;
  private final @Nullable GroupConfig expected; // when it joins
  private final Simulation.Setting setting;
  private final History history;
  private final Trace trace;
  private final Scheduler scheduler;
  private final Listener watcher;
  private final SplittableRandom random;
  private final OutgoingStates outgoing;
  private final SubsetBook subsets;
  private final Consumption consumption;
  private final boolean spills;
  private final DurableState durable;
  private final WaitsTold waits;
  private @Nullable ReceivedChunks incoming;
  private @Nullable View view;
  private @Nullable View lastPrimary;
  private @Nullable Status status;
  private @Nullable View memberView;
  private boolean calm;
  private boolean closed;
  private boolean leaving;
  private @Nullable End end;
  private boolean whole; // whether the chain begins at the group's first message
  private long submitted;
  private long decided;
  private long outstanding; // what of the window is used
  private long replayedBytes; // of its own log, handed over since it had taken all before
  private @Nullable Violation replayNotPaced;
  private long indexNext;
  private long positionNext;
  private final Digest digest = new Digest();

  SimulatedApplication(
      Simulation.Setting setting,
      SimulatedNode node,
      Terms terms,
      @Nullable GroupConfig expected,
      @Nullable SimulatedDisk disk,
      Listener watcher) {
    this.expected = expected;
    this.node = node;
    this.terms = terms;
    this.setting = setting;
    this.history = setting.history();
    this.trace = setting.trace();
    this.scheduler = setting.scheduler();
    this.watcher = watcher;
    this.ordinal = history.ordinalOf(node.self);
    this.random = setting.streams().open(Streams.Purpose.APPLICATION, node.self.incarnation());
    this.durable = new DurableState(disk, setting.streams().open(Streams.Purpose.STORAGE, node.self.incarnation()));
    this.spills = terms.member().spillBytesMax() > 0;
    this.consumption = new Consumption(node, setting, ordinal, spills, random);
    history.assignRole(ordinal, setting.plan().role(node.number));
    if (!setting.plan().mayVote(node.number)) {
      history.limitToObserving(ordinal);
    }
    this.subsets = new SubsetBook(setting, node, group, ordinal, consumption.sloth());
    this.outgoing = new OutgoingStates(setting, node, group, random);
    Plan plan = setting.plan();
    int patiences = PATIENCES + (votes() ? 0 : LAST_WORDS);
    long patience = patiences * plan.suspectNanos() + LOOKS * LOOK_HEARTBEATS * plan.heartbeatNanos();
    // In a domain another group may hold this one up; that one's status says who does.
    Duration bound = plan.overlaps() ? Duration.ofDays(1) : Duration.ofNanos(patience);
    this.waits = new WaitsTold(node.self.name(), bound);
    node.atResumption(() -> waits.resumed(scheduler.nowNanos()));
  }

  /// Begins the membership.
  void begin(boolean creates) {
    whole = creates;
    history.add(new HistoryEvent.Entered(ordinal, scheduler.nowNanos(), creates));
    if (creates) {
      save(); // it knows that it stands at the beginning
    }
    enter(creates);
  }

  /// Begins the membership again, with what an earlier life had kept.
  ///
  /// @param blank nothing of the group, so that who creates it stands at its beginning
  void beginAgain(MemberId earlier, boolean creates, boolean blank) {
    long now = scheduler.nowNanos();
    history.add(new HistoryEvent.Entered(ordinal, now, creates && blank));
    history.add(new HistoryEvent.Restarted(ordinal, now, history.ordinalOf(earlier), durable.summary()));
    enter(creates);
  }

  private void enter(boolean creates) {
    MemberConfig member = durable.configured(terms);
    node.request(creates ? founding(member) : new Request.Join(group, expected, member, terms.observer(), this), 0);
  }

  private Request founding(MemberConfig member) {
    Terms placed = Terms.voter(terms.group(), member);
    return setting.plan().isJoint()
        ? new Request.Found(group, placed, this, 0, setting.plan().founding())
        : new Request.Create(group, placed, this, 0);
  }

  /// Multicasts if the window has room.
  ///
  /// @return whether it had
  boolean multicast(byte[] payload, Service service) {
    long cost = payload.length + (long) MESSAGE_OVERHEAD;
    boolean fits = outstanding == 0 || outstanding + cost <= terms.member().windowBytes();
    if (closed || leaving || !fits) {
      return false;
    }
    outstanding += cost;
    submitted++;
    ByteBuffer message = ByteBuffer.wrap(payload);
    history.add(new HistoryEvent.Submitted(ordinal, scheduler.nowNanos(), service, payload.length, Hash.of(message)));
    setting.tally().multicasts++;
    waits.isSending(scheduler.nowNanos(), true);
    node.request(new Request.Multicast(group, MessageBlock.of(Batch.Kind.of(service), message)), 0);
    return true;
  }

  /// Multicasts to some members if the window has room.
  void multicast(byte[] payload, List<MemberId> destinations) {
    long cost = payload.length + (long) MESSAGE_OVERHEAD;
    boolean fits = outstanding == 0 || outstanding + cost <= terms.member().windowBytes();
    if (!closed && !leaving && fits) {
      outstanding += cost;
      subsets.send(payload, destinations);
    }
  }

  /// Asks the group for another ordering.
  void switchTo(Ordering to) {
    if (!closed && !leaving) {
      node.request(new Request.Switch(group, to), 0);
    }
  }

  /// Whether the fate of a multicast of its own is open.
  boolean isSending() {
    return decided < submitted || subsets.open() > 0;
  }

  /// Leaves in an orderly way.
  void leave() {
    if (!leaving && !closed) {
      leaving = true;
      history.add(new HistoryEvent.Leaving(ordinal, scheduler.nowNanos()));
      node.request(new Request.Leave(group, new End(End.Cause.LEFT, "left")), 0);
    }
  }

  /// Consumes at once from now on.
  void calm() {
    calm = true;
    subsets.calm();
    outgoing.calm();
    consumption.calm();
  }

  /// Takes nothing of what is delivered until it goes on.
  void stopConsuming() {
    consumption.stop();
  }

  /// Takes what was delivered meanwhile, and goes on.
  void goOnConsuming() {
    consumption.goOn();
  }

  @Nullable View view() {
    return view;
  }

  /// The view of the member until it closed. In a domain the application may be shown it later, or not at all.
  @Nullable View memberView() {
    return memberView;
  }

  boolean isClosed() {
    return closed;
  }

  /// Why the membership has ended, or null.
  @Nullable End end() {
    return end;
  }

  /// Whether the membership has ended because another history of the group goes on.
  boolean wasOverruled() {
    return end != null && end.cause() == End.Cause.OVERRULED;
  }

  /// Whether the membership has ended because another process has its name.
  boolean hadNoName() {
    return end != null && end.cause() == End.Cause.NAME_TAKEN;
  }

  /// Whether it counts for the group.
  boolean votes() {
    return history.role(ordinal) == Role.VOTER;
  }

  boolean isLeaving() {
    return leaving;
  }

  /// Whether nothing is under way here.
  boolean isAtRest() {
    return decided == submitted && outstanding == 0 && incoming == null && !consumption.isPending();
  }

  /// Whether it is going to be dropped, as its application is stuck.
  boolean isTooSlow() {
    return !terms.member().leaveWhenBehind().isZero() && consumption.isPendingForEver();
  }

  /// What is under way, in words.
  String restlessness() {
    return submitted
        + " multicast, "
        + decided
        + " decided, "
        + outstanding
        + " of window used, "
        + subsets.open()
        + " subset multicasts open, next index "
        + indexNext
        + (incoming != null ? ", waiting for state" : "")
        + (consumption.isPending() ? ", consuming" : "");
  }

  /// Whether the state is there and is not being replaced.
  boolean hasState() {
    return incoming == null && (whole || !terms.stateTransfer());
  }

  /// Whether it has the state, and the history of a primary view was the last one that it was in.
  boolean hasHistoryOf(View primary) {
    return primary.equals(lastPrimary)
        && !primary.isObserver(node.self)
        && status != null
        && status.phase() == Status.Phase.CAUGHT_UP;
  }

  @Override
  public void status(Report now) {
    status = now;
    memberView = now.closed() == null ? now.view() : memberView;
    waits.shown(scheduler.nowNanos(), now);
    if (now.lastPrimary() != null) {
      watcher.knows(this, now.lastPrimary().id());
    }
  }

  /// Where it did not say for whom it waits.
  List<Violation> violations() {
    if (node.isAlive() && !node.isPaused()) {
      waits.look(scheduler.nowNanos());
    }
    var violations = new ArrayList<>(waits.violations());
    if (replayNotPaced != null) {
      violations.add(replayNotPaced);
    }
    boolean dropped = end != null && end.cause() == End.Cause.DROPPED && votes();
    long allowed = terms.member().leaveWhenBehind().toNanos();
    if (dropped && (allowed == 0 || consumption.longestLag() < allowed)) {
      String lag = consumption.longestLag() + " ns behind at most, " + allowed + " ns are allowed";
      violations.add(new Violation("LeftForCause", node.self + " left, although its application was " + lag));
    }
    return violations;
  }

  /// Whether the chain begins at the group's first message.
  boolean knowsWholeHistory() {
    return whole;
  }

  HistoryEvent.Summary summary() {
    return digest.at(indexNext, positionNext);
  }

  @Override
  public void begin(long index, long position) {
    note(12, index * 31 + position);
    if (trace.speaks()) {
      say("begin at " + index + " @" + position);
    }
    waits.goesOn(scheduler.nowNanos());
    history.add(new HistoryEvent.Begun(ordinal, scheduler.nowNanos(), index, position));
    SimulatedDisk.Saved saved = whole ? null : durable.recall(position);
    if (saved != null) {
      boolean next =
          index <= saved.summary().index(); // else weak messages between are missed, as a position cannot tell
      recall(index, saved.summary(), saved.whole() && next);
      return;
    }
    if (!terms.stateTransfer()) {
      whole = index == 0 && digest.hasNoWeak(); // of what it delivered early something may have been left out
      digest.restart();
      durable.restart();
      consumption.begin();
    }
    indexNext = index;
    positionNext = position;
  }

  /// Goes on with its own durable state.
  private void recall(long index, HistoryEvent.Summary summary, boolean fromTheFirst) {
    whole = fromTheFirst;
    digest.set(summary);
    indexNext = index;
    positionNext = summary.position();
    consumption.begin();
  }

  /// The node crashes. What its domain kept back had its place, and a newcomer behind that place skips it: with state
  /// transfer it waits for a state that contains it, without one it is as if it had been shown here before the crash.
  void takeAlong() {
    if (!setting.plan().config().stateTransfer()) {
      for (Batch batch : node.engine().keptBack(group)) {
        Contents.of(history, batch, null);
      }
    }
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    lookAtReplay(batch);
    place(index, batch, position, false);
  }

  /// Its own log comes after a restart as fast as it takes it, whether what it does not take is spilled or not.
  private void lookAtReplay(Batch batch) {
    if (!node.engine().isReplaying(group)) {
      return;
    }
    if (consumption.hasTakenAll()) {
      replayedBytes = 0;
    }
    if (replayedBytes >= terms.member().windowBytes() / (spills ? REPLAYS_OF_WINDOW : 1)) {
      String words = node.self + " is handed more of its log, although it has not taken " + replayedBytes + " bytes";
      replayNotPaced = new Violation("ReplayPaced", words);
    }
    replayedBytes += batch.payload().remaining();
  }

  @Override
  public void deliverSubset(Batch subset) {
    subsets.deliver(subset);
    watcher.delivered(this);
  }

  @Override
  public boolean takesSubsets() {
    return subsets.takes();
  }

  @Override
  public void subsetDecided(long number, GroupUser.SubsetOutcome fate) {
    outstanding -= subsets.decided(number, fate);
    waits.goesOn(scheduler.nowNanos()); // what it multicast later has waited for it
  }

  @Override
  public void pass(long index, Batch batch, long position) {
    place(index, batch, position, true);
  }

  @Override
  public void deliverEarly(Batch batch) {
    Content content = Contents.of(history, batch, null);
    note(14, batch.seq());
    trace.note(content.toString());
    if (trace.speaks()) {
      say("deliver early " + Contents.words(batch));
    }
    setting.tally().early += content.count();
    history.add(new HistoryEvent.Early(ordinal, scheduler.nowNanos(), content));
    waits.goesOn(scheduler.nowNanos());
    durable.early(content);
    take(content);
  }

  @Override
  public void deliverInBranch(Batch batch) {
    Content content = Contents.of(history, batch, view);
    note(17, batch.seq());
    trace.note(content.toString());
    if (trace.speaks()) {
      say("deliver in branch " + content);
    }
    setting.tally().inBranches += content.count();
    history.add(new HistoryEvent.Branched(ordinal, scheduler.nowNanos(), content));
    waits.goesOn(scheduler.nowNanos());
    watcher.delivered(this);
    consumption.takeInBranch();
  }

  @Override
  public void decidedInBranch(int messages) {
    note(18, messages);
    if (trace.speaks()) {
      say("decided in branch " + messages);
    }
    decide(messages);
    history.add(new HistoryEvent.DecidedInBranch(ordinal, scheduler.nowNanos(), messages));
  }

  @Override
  public long consumedInBranches() {
    return consumption.inBranches();
  }

  private void place(long index, Batch batch, long position, boolean again) {
    Content content = Contents.of(history, batch, null);
    note(again ? 15 : 1, index * 31 + position);
    trace.note(content.toString());
    if (trace.speaks()) {
      say((again ? "pass " : "deliver ") + index + " @" + position + " " + Contents.words(batch));
    }
    history.add(new HistoryEvent.Delivered(ordinal, scheduler.nowNanos(), index, position, content, again));
    if (!again && !durable.contains(index)) {
      take(content);
    }
    apply(index, content, position);
    // What it has not taken is in no state of its own; a member that does not spill is never far behind in these runs.
    if (durable.placed(index, content) && (!spills || consumption.hasTakenAll())) {
      save();
    }
  }

  /// Makes the state durable, as it is after a place.
  private void save() {
    if (durable.isKept()) {
      history.add(new HistoryEvent.Saved(ordinal, scheduler.nowNanos(), summary()));
      durable.save(ordinal, summary(), whole);
      long position = positionNext;
      node.request(new Request.Persisted(group, () -> position), 0);
    }
  }

  private void take(Content content) {
    if (content.count() > 0) {
      watcher.delivered(this);
    }
    setting.tally().deliveries += content.count();
    digest.take(content);
  }

  private void apply(long index, Content content, long position) {
    whole &= index == indexNext;
    indexNext = index + 1;
    positionNext = position + content.positions();
    waits.goesOn(scheduler.nowNanos());
    consumption.take(indexNext);
  }

  @Override
  public void install(View installed) {
    view = installed;
    lastPrimary = installed.primary() ? installed : lastPrimary;
    note(2, installed.id().epoch());
    trace.note(installed.toString());
    if (trace.speaks()) {
      say("install " + installed + " from " + installed.predecessors());
    }
    setting.tally().views++;
    history.add(new HistoryEvent.Installed(ordinal, scheduler.nowNanos(), history.shared(installed)));
    watcher.installed(this, installed);
  }

  @Override
  public void notice(Notice notice) {
    if (notice instanceof Notice.Forced forced) {
      if (trace.speaks()) {
        say("in the history that " + forced.by() + " was forced to go on with, by " + forced.view());
      }
      history.add(new HistoryEvent.InForced(ordinal, scheduler.nowNanos(), forced.view()));
    }
  }

  @Override
  public void caughtUp(long position) {
    if (trace.speaks()) {
      say("caught up @" + position);
    }
    history.add(new HistoryEvent.CaughtUp(ordinal, scheduler.nowNanos(), position));
  }

  @Override
  public void ordering(Ordering ordering) {
    note(13, ordering.ordinal());
    if (trace.speaks()) {
      say("ordered by " + ordering);
    }
  }

  @Override
  public void decided(int messages, long position) {
    note(3, messages * 31L + position);
    if (trace.speaks()) {
      say("decided " + messages + " @" + position);
    }
    decide(messages);
    history.add(new HistoryEvent.Decided(ordinal, scheduler.nowNanos(), messages, position));
  }

  private void decide(int messages) {
    decided += messages;
    waits.goesOn(scheduler.nowNanos());
    waits.isSending(scheduler.nowNanos(), decided < submitted);
  }

  @Override
  public void undecided(int messages) {
    note(16, messages);
    if (trace.speaks()) {
      say("undecided " + messages);
    }
    history.add(new HistoryEvent.Undecided(ordinal, scheduler.nowNanos(), messages));
    setting.tally().undecided++;
  }

  @Override
  public void giveBack(ByteBuffer payload) {
    Payloads.spoilt().giveBack(payload);
  }

  @Override
  public void released(long cost) {
    note(4, cost);
    if (trace.speaks()) {
      say("released " + cost);
    }
    outstanding -= cost;
    history.add(new HistoryEvent.Released(ordinal, scheduler.nowNanos(), cost));
  }

  @Override
  public long consumed() {
    return consumption.inHistory();
  }

  @Override
  public long taken() {
    return consumption.takenInHistory();
  }

  @Override
  public void stateRequested(long transfer, MemberId newcomer) {
    note(5, transfer);
    if (trace.speaks()) {
      say("state " + Long.toHexString(transfer) + " requested for " + newcomer);
    }
    HistoryEvent.Summary summary = summary();
    long content = outgoing.begin(transfer, new StateImage(ordinal, transfer, summary));
    history.add(new HistoryEvent.Gave(ordinal, scheduler.nowNanos(), transfer, summary, content));
    watcher.stateRequested(this);
  }

  @Override
  public void stateWanted(long transfer) {
    note(6, transfer);
    outgoing.wanted(transfer);
  }

  @Override
  public void stateKnown(long transfer, ByteBuffer token) {
    note(19, Hash.of(token));
    if (trace.speaks()) {
      say("of state " + Long.toHexString(transfer) + " is known " + Long.toHexString(token.getLong(0)));
    }
    outgoing.known(transfer);
  }

  @Override
  public void stateCancelled(long transfer) {
    note(7, transfer);
    say("state " + Long.toHexString(transfer) + " cancelled");
    outgoing.cancel(transfer);
  }

  @Override
  public void stateOffered(long transfer, MemberId donor, long index, long position) {
    note(8, index * 31 + position);
    if (trace.speaks()) {
      say("state " + Long.toHexString(transfer) + " offered by " + donor + " of index " + index + " @" + position);
    }
    history.add(new HistoryEvent.Offered(ordinal, scheduler.nowNanos(), donor, index, position));
    incoming = new ReceivedChunks(transfer);
    consumption.finish();
    node.request(
        new Request.StateKnown(group, transfer, ByteBuffer.allocate(Long.BYTES).putLong(0, summary().chain())), 0);
  }

  @Override
  public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {
    note(9, Hash.of(chunk));
    if (trace.speaks()) {
      say(
          "state "
              + Long.toHexString(transfer)
              + " chunk of "
              + chunk.remaining()
              + " bytes"
              + (end != null ? ", last" : ""));
    }
    ReceivedChunks state = incoming;
    if (state == null || state.transfer() != transfer) {
      throw new IllegalStateException("a chunk of transfer " + transfer + " came without offer");
    }
    state.add(chunk);
    long delay = (long) (setting.plan().strength(FaultKind.STATE_TROUBLE) * random.nextDouble() * 5_000_000);
    node.request(new Request.StateTaken(group, transfer), calm ? 0 : delay);
    if (end != null) {
      history.add(new HistoryEvent.StateRead(ordinal, scheduler.nowNanos(), state.length(), state.content()));
      restore(state.image());
    }
  }

  private void restore(StateImage image) {
    indexNext = image.summary().index();
    positionNext = image.summary().position();
    digest.set(image.summary());
    setting.tally().transfers++;
    history.add(
        new HistoryEvent.Restored(ordinal, scheduler.nowNanos(), image.donor(), image.transfer(), image.summary()));
    incoming = null;
    whole = true;
    durable.replaced();
    save();
  }

  @Override
  public void stateInterrupted(long transfer) {
    note(10, transfer);
    say("state " + Long.toHexString(transfer) + " interrupted");
    history.add(new HistoryEvent.Interrupted(ordinal, scheduler.nowNanos()));
  }

  @Override
  public void closed(End ended) {
    note(11, 0);
    say("closed: " + ended);
    if (ended.cause() == End.Cause.DROPPED && votes() && !leaving) {
      leaving = true; // by itself, as its application was too far behind
      history.add(new HistoryEvent.Leaving(ordinal, scheduler.nowNanos()));
    }
    closed = true;
    end = ended;
    history.add(new HistoryEvent.Closed(ordinal, scheduler.nowNanos(), ended));
    watcher.closed(this);
    node.ended(ended);
  }

  private void note(int kind, long what) {
    trace.note(node.number, 16 + kind, what);
  }

  private void say(String what) {
    if (trace.speaks()) {
      trace.say(node.self.name(), "   ** " + what);
    }
  }

  /// The pieces of a state that a newcomer has so far.
  private static final class ReceivedChunks {
    private final long transfer;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    ReceivedChunks(long transfer) {
      this.transfer = transfer;
    }

    long transfer() {
      return transfer;
    }

    void add(ByteBuffer chunk) {
      byte[] piece = new byte[chunk.remaining()];
      chunk.duplicate().get(piece);
      bytes.writeBytes(piece);
    }

    long length() {
      return bytes.size();
    }

    /// A hash over all bytes.
    long content() {
      return Hash.of(ByteBuffer.wrap(bytes.toByteArray()));
    }

    StateImage image() {
      return StateImage.of(ByteBuffer.wrap(bytes.toByteArray()));
    }
  }

  /// What an application's state amounts to: hashes over all messages that it contains.
  private static final class Digest {
    private long chain; // over totally ordered messages
    private long weak; // over the messages of weak services, which come in any order

    void take(Content content) {
      for (int i = 0; i < content.count(); i++) {
        if (content.isWeak()) {
          weak +=
              Hash.step(Hash.step(content.service().ordinal(), content.sender()), content.hash(i) + content.length(i));
        } else {
          chain = Hash.step(Hash.step(chain, content.sender()), content.hash(i) + content.length(i));
        }
      }
    }

    boolean hasNoWeak() {
      return weak == 0;
    }

    void restart() {
      chain = 0;
    }

    void set(HistoryEvent.Summary to) {
      chain = to.chain();
      weak = to.weak();
    }

    HistoryEvent.Summary at(long index, long position) {
      return new HistoryEvent.Summary(index, position, chain, weak);
    }
  }
}
