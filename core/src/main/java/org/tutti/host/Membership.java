package org.tutti.host;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.End.Cause;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.GroupMetrics;
import org.tutti.LocalRequest;
import org.tutti.LoggedEvent;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.SendOptions;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.Whiteboard;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.membership.StateChecksum;
import org.tutti.pack.Batch;
import org.tutti.user.GroupUser;
import org.tutti.user.Notice;
import org.tutti.user.Report;
import org.tutti.user.Request;

/// A process's membership of one group: a [Group] for the application's threads, a [GroupUser] for the engine thread.
public final class Membership implements Group, GroupUser {
  private final String name;
  private final MemberId self;
  private final MemberConfig member;
  private boolean stateful; // of the engine thread
  private volatile @Nullable GroupConfig config;
  private final Inbox inbox;
  private final Window window;
  private final Outcome windowFull;
  private final LocalCalls calls;
  private final Propagating propagating;
  private final OwnWhiteboard whiteboard;
  private final @Nullable EventQueue queue;
  private final EventDispatcher application;
  private final StateStreams states;
  private final OrderingWaiters wishes;
  private final PositionWaiters positions;
  private final Consumer<Membership> ended;
  private final CompletableFuture<View> joined = new CompletableFuture<>();
  private final CompletableFuture<Void> left = new CompletableFuture<>();
  private final AtomicBoolean leaving = new AtomicBoolean();
  private final AtomicBoolean consumedPosted = new AtomicBoolean();
  private final AtomicLong persisted = new AtomicLong();
  private final AtomicBoolean persistedPosted = new AtomicBoolean();
  private volatile @Nullable View view;
  private final Reporter reporter;
  private final Activity activity = new Activity();
  private final ApplicationLag lag = new ApplicationLag();
  private long placed; // of the engine thread: batches with a place that went to the application

  /// Makes a membership that waits for the engine to begin.
  ///
  /// @param name     the group's name
  /// @param self     this node
  /// @param member   what it decides for itself; its listener gets the events, or [#receive()] when there is none
  /// @param inbox    gets the requests
  /// @param ended    called by the engine thread, once, before the application is told of the end
  public Membership(String name, MemberId self, MemberConfig member, Inbox inbox, Consumer<Membership> ended) {
    this(name, self, member, inbox, ended, null);
  }

  /// The same of a member that may spill what its application does not take.
  ///
  /// @param files makes the files for that; null where the member does not
  Membership(
      String name,
      MemberId self,
      MemberConfig member,
      Inbox inbox,
      Consumer<Membership> ended,
      Spill.@Nullable Files files) {
    this.name = name;
    this.reporter = new Reporter(name, self);
    this.self = self;
    this.member = member;
    this.inbox = inbox;
    this.window = new Window(name, self, member, inbox);
    this.windowFull =
        new Outcome.Refused(Outcome.Reason.WINDOW_FULL, "not sent: the window of group \"" + name + "\" is full");
    this.calls = new LocalCalls(name, self, inbox);
    this.propagating = new Propagating(self, window);
    this.whiteboard = new OwnWhiteboard(name, self, inbox);
    GroupListener listener = member.listener();
    this.queue =
        listener != null
            ? null
            : new EventQueue(name, self, member.windowBytes(), inbox, this::taken, this::reportConsumed);
    this.application = listener != null ? new ListenerDispatcher(name, listener, inbox, this::taken) : queue;
    if (queue != null && files != null && member.spillBytesMax() > 0) {
      queue.spillTo(new Spill(files, member.spillBytesMax()), reporter, this::leave);
    }
    boolean durable = member.position().isPresent();
    this.states = new StateStreams(name, durable, inbox, reporter.states(), words -> leave(new End(Cause.LEFT, words)));
    this.wishes = new OrderingWaiters(name, self, inbox);
    this.positions = new PositionWaiters(name, self, inbox);
    this.ended = ended;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public MemberId self() {
    return self;
  }

  @Override
  public @Nullable View view() {
    return view;
  }

  @Override
  public CompletableFuture<Outcome> multicast(ByteBuffer payload, SendOptions how) throws InterruptedException {
    var outcome = new CompletableFuture<Outcome>();
    window.send(payload, how, outcome);
    return outcome;
  }

  @Override
  public CompletableFuture<Outcome> tryMulticast(ByteBuffer payload, SendOptions how) {
    var outcome = new CompletableFuture<Outcome>();
    if (!window.trySend(payload, how, outcome)) {
      outcome.complete(windowFull);
    }
    return outcome;
  }

  @Override
  public void post(ByteBuffer payload, SendOptions how) throws InterruptedException {
    window.send(payload, how, null);
  }

  @Override
  public boolean tryPost(ByteBuffer payload, SendOptions how) {
    return window.trySend(payload, how, null);
  }

  @Override
  public Whiteboard whiteboard() {
    return whiteboard;
  }

  @Override
  public boolean propagate(byte[] payload) {
    if (payload.length > PROPAGATE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "up to " + PROPAGATE_BYTES_MAX + " bytes are propagated, not " + payload.length);
    }
    return propagating.begin(payload);
  }

  @Override
  public <R extends @Nullable Object> R localCall(LocalRequest<R> request) throws InterruptedException {
    return calls.call(request);
  }

  @Override
  public CompletableFuture<Long> confirmPosition() {
    return positions.ask();
  }

  @Override
  public void confirmed(long questions, long position) {
    positions.confirmed(questions, position);
  }

  @Override
  public @Nullable Ordering ordering() {
    return wishes.now();
  }

  @Override
  public CompletableFuture<Void> switchTo(Ordering ordering) {
    return wishes.want(ordering);
  }

  @Override
  public Event receive() throws InterruptedException {
    Event event = null;
    while (event == null) {
      event = queue().take(Long.MAX_VALUE);
    }
    return event;
  }

  @Override
  public @Nullable Event receive(Duration wait) throws InterruptedException {
    return queue().take(TimeUnit.NANOSECONDS.convert(wait));
  }

  private EventQueue queue() {
    if (queue == null) {
      throw new IllegalStateException("group \"" + name + "\" has a listener, which gets the events");
    }
    return queue;
  }

  @Override
  public CompletableFuture<Void> leave() {
    return leave(new End(Cause.LEFT, "left"));
  }

  private CompletableFuture<Void> leave(End end) {
    if (leaving.compareAndSet(false, true)) {
      window.refuse("it is leaving");
      // Refused only when the node has ended, and then so has, or will at once, this membership.
      inbox.post(new Request.Leave(name, end));
    }
    return left.copy();
  }

  @Override
  public boolean close(Duration wait) {
    if (inbox.isOwner() && !left.isDone()) {
      throw new IllegalStateException("close would block the engine thread; use leave");
    }
    CompletableFuture<Void> end = leave();
    try {
      end.get(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException late) {
      // Without a primary view there may be nobody to say goodbye to; closing the node ends it in any case.
    } catch (ExecutionException impossible) {
      throw new IllegalStateException(impossible);
    }
    return end.isDone();
  }

  @Override
  public void persisted(long position) {
    // One on the way is enough: its handling sees the last one.
    if (persisted.getAndAccumulate(position, Math::max) < position && persistedPosted.compareAndSet(false, true)) {
      inbox.post(new Request.Persisted(name, this::takePersisted));
    }
  }

  private long takePersisted() {
    persistedPosted.set(false);
    return persisted.get();
  }

  @Override
  public @Nullable GroupConfig config() {
    return config;
  }

  @Override
  public CompletableFuture<View> joined() {
    return joined.copy();
  }

  @Override
  public View awaitServing(Duration wait) throws InterruptedException, TimeoutException {
    if (inbox.isOwner()) {
      throw new IllegalStateException("awaitServing would block the engine thread; see GroupListener.caughtUp");
    }
    return reporter.awaitServing(TimeUnit.NANOSECONDS.convert(wait));
  }

  @Override
  public Status status() {
    return reporter.status(application.spilled());
  }

  @Override
  public GroupMetrics metrics() {
    Duration held = reporter.eventHeld(application.next());
    Duration behind = queue == null ? Duration.ZERO : lag.behind(System.nanoTime(), queue.taken());
    return activity.metrics(application.delivered().traffic(), window.use(), status(), behind, held);
  }

  @Override
  public List<LoggedEvent> logged() {
    return reporter.logged();
  }

  @Override
  public void status(Report status) {
    reporter.tell(status);
  }

  @Override
  public void position(long next) {
    reporter.position(next);
  }

  @Override
  public void notice(Notice notice) {
    reporter.notice(notice);
  }

  @Override
  public void looked(List<Status.Wait> behind) {
    reporter.look(window.fullNanos(), behind, application.next(), application.waiting());
    long now = System.nanoTime();
    application.look(now);
    lag.look(now, placed, application.taken());
  }

  @Override
  public void peers(List<GroupMetrics.Peer> seen) {
    activity.peers(seen);
  }

  /// The application takes an event now, if it still counts.
  private boolean taken(Event event) {
    return switch (event) {
      case Event.LocalCall call -> calls.take(call);
      case Event.Propagated _ -> {
        propagating.taken();
        yield true;
      }
      case Event.Delivery _,
          Event.ViewChange _,
          Event.CaughtUp _,
          Event.StateRequest _,
          Event.StateOffer _,
          Event.Closed _ ->
          true;
    };
  }

  private void reportConsumed() {
    // One report on the way is enough: its handling sees everything consumed until then.
    if (consumedPosted.compareAndSet(false, true)) {
      inbox.post(new Request.Consumed(name));
    }
  }

  @Override
  public void configured(GroupConfig group) {
    config = group;
    stateful = group.stateTransfer() && member.takesState();
    // Groups of a domain share one order of a node's multicasts, so none may join an earlier one of its group.
    if (group.domain() == null) {
      window.gather(member.batchMessagesMax());
    }
  }

  @Override
  public void deliver(long index, Batch batch, long position) {
    Event.Propagated propagated = batch.kind() == Batch.Kind.PROPAGATED ? propagating.arrived(batch) : null;
    placed++;
    application.deliver(batch, position);
    if (propagated != null) {
      application.tell(propagated);
    }
  }

  @Override
  public void deliverEarly(Batch batch) {
    application.deliverEarly(batch);
  }

  @Override
  public void deliverSubset(Batch subset) {
    application.deliverSubset(subset);
  }

  @Override
  public boolean takesSubsets() {
    return application.takesSubsets();
  }

  @Override
  public void subsetDecided(long number, GroupUser.SubsetOutcome fate) {
    window.decideSubset(number, fate);
  }

  @Override
  public void deliverInBranch(Batch batch) {
    application.deliverInBranch(batch);
  }

  @Override
  public void pass(long index, Batch batch, long position) {
    placed++;
    application.pass(batch);
  }

  @Override
  public void install(View installed) {
    view = installed;
    activity.installed(installed);
    joined.complete(installed);
    propagating.install(installed);
    application.tell(new Event.ViewChange(installed));
  }

  @Override
  public void caughtUp(long position) {
    reporter.caughtUp(position);
    application.tell(new Event.CaughtUp(position));
  }

  @Override
  public SortedMap<String, Long> whiteboardPut() {
    return whiteboard.take();
  }

  @Override
  public void whiteboard(Map<MemberId, SortedMap<String, Long>> values) {
    whiteboard.show(values);
  }

  @Override
  public void localCall(Event.LocalCall call) {
    application.tell(call);
  }

  @Override
  public void ordering(Ordering ordering) {
    wishes.inForce(ordering);
  }

  @Override
  public void decided(int messages, long position) {
    window.decide(messages, position);
  }

  @Override
  public void decidedInBranch(int messages) {
    window.decideInBranch(messages);
  }

  @Override
  public void undecided(int messages) {
    window.doubt(messages);
  }

  @Override
  public void giveBack(ByteBuffer payload) {
    window.giveBack(payload);
  }

  @Override
  public void released(long cost) {
    window.release(cost);
  }

  @Override
  public long consumed() {
    consumedPosted.set(false);
    return application.consumed();
  }

  @Override
  public long taken() {
    return application.taken();
  }

  @Override
  public long consumedInBranches() {
    consumedPosted.set(false);
    return application.consumedInBranches();
  }

  @Override
  public void stateRequested(long transfer, MemberId newcomer) {
    if (stateful) {
      application.tell(new Event.StateRequest(newcomer, states.request(transfer, newcomer)));
    } else {
      states.refuse(transfer);
    }
  }

  @Override
  public void stateWanted(long transfer) {
    states.want(transfer);
  }

  @Override
  public void stateKnown(long transfer, ByteBuffer token) {
    states.known(transfer, token);
  }

  @Override
  public void stateCancelled(long transfer) {
    states.cancel(transfer);
  }

  @Override
  public void stateOffered(long transfer, MemberId donor, long index, long position) {
    if (stateful) {
      application.offer(new Event.StateOffer(donor, position, states.offer(transfer, donor, position)));
    } else {
      leave(new End(Cause.REFUSED, "it was offered a state but has no state transfer"));
    }
  }

  @Override
  public void stateChunk(long transfer, ByteBuffer chunk, StateChecksum.@Nullable Sum end) {
    states.chunk(transfer, chunk, end);
  }

  @Override
  public void stateInterrupted(long transfer) {
    states.interrupt(transfer);
  }

  /// Ends the membership; does nothing when it has ended.
  @Override
  public void closed(End end) {
    if (left.isDone()) {
      return;
    }
    String reason = end.words();
    leaving.set(true);
    view = null;
    activity.closed();
    reporter.close(end);
    joined.completeExceptionally(GroupClosedException.neverIn(name, self, reason));
    window.abandon(reason);
    states.close(reason);
    wishes.close(reason);
    positions.close(reason);
    calls.close(reason);
    ended.accept(this);
    application.end();
    try {
      application.tell(new Event.Closed(end));
    } finally {
      left.complete(null);
    }
  }

  @Override
  public String toString() {
    return "group " + name + " at " + self();
  }
}
