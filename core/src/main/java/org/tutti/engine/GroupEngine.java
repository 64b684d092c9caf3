package org.tutti.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Guarantee;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.effect.Count;
import org.tutti.effect.Effects;
import org.tutti.effect.Timer;
import org.tutti.membership.DynamicLinearVoting;
import org.tutti.membership.Founding;
import org.tutti.membership.Hello;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Lineage;
import org.tutti.membership.MemberIdentity;
import org.tutti.membership.Merge;
import org.tutti.membership.PrimaryRule;
import org.tutti.membership.Proposal;
import org.tutti.membership.Refutation;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewAgreement;
import org.tutti.membership.ViewMessage;
import org.tutti.order.Frontier;
import org.tutti.order.OrderingContext;
import org.tutti.pack.MessageBlock;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// Everything of one group at one member: composes packing, ordering, stability, view agreement, merging and state
/// transfer, and lets a message reach its protocol only in the view that it is for.
final class GroupEngine {
  static final Timer HELLO = new Timer("hello");
  static final int HELLO_HEARTBEATS = 2; // between two rounds of calls
  private static final int PATIENCE_FACTOR = 2;
  private static final int DEPART_FACTOR = 5; // the longest that a member that has left waits for its last words

  /// What is ordered in a view that is not primary concerns nobody else, so a quorum of that view is enough.
  private static final PrimaryRule BRANCH_RULE = new DynamicLinearVoting();

  private final MemberId self;
  private final MemberIdentity identity;
  private final Terms terms;
  private final String name;
  private final GroupUser user;
  private final NodeContext node;
  private final StatusTracker statusTracker;
  private final Ports ports;
  private final PrimaryHistory.ProtocolPorts protocolPorts;
  private final Effects<ViewMessage> viewPort;
  private final Refutation refutation;
  private final ViewAgreement agreement;
  private final Merge merge;
  private final StateTransfer transfer;
  private final MulticastSender sending;
  private final @Nullable DomainMember domain;
  private final Effects<Frontier.Message> frontierPort;
  private final Deliveries deliveries;
  private final ViewFilter admission;
  private final @Nullable Journal journal;
  private final BoardExchange board;
  private final LastHistory history;
  private final Branch branch;
  private final Departure departure = new Departure();
  private @Nullable Replay replay;
  private boolean ended;

  GroupEngine(
      MemberId self,
      OptionalLong founded,
      Founding founding,
      Terms terms,
      GroupUser user,
      NodeContext node,
      Ports.Node services,
      Ports.Group group,
      @Nullable GroupStorage keeping) {
    this.name = group.name();
    this.self = self;
    this.terms = terms;
    this.node = node;
    Restart restart = keeping == null ? null : keeping.restart();
    this.journal = keeping == null ? null : keeping.journal();
    this.identity = restart == null ? founding.identity(self) : restart.identity();
    StorageProgress written = journal == null ? StorageProgress.NOTHING_TO_WRITE : journal;
    String in = terms.group().domain();
    this.domain = in == null ? null : new DomainMember(user, node.domains().apply(in), group.key());
    this.user = domain == null ? user : domain;
    this.ports = new Ports(services, group, this::view, journal != null);
    this.board = new BoardExchange(this.user, ports);
    this.deliveries = new Deliveries(self, this.user, terms, founded.isPresent(), written);
    this.history = new LastHistory(deliveries, it -> newHistory(it.view(), it.indexFirst(), it.ordering(), it.clock()));
    this.branch = new Branch(self, this.user, this::newBranch);
    this.sending =
        new MulticastSender(self, terms.member(), deliveries, history, branch, this.user, domain, node.counters());
    this.protocolPorts =
        PrimaryHistory.ProtocolPorts.open(self, ports, sending.subsets(), node, terms.member().windowBytes(), written);
    this.frontierPort = ports.open(Channel.FRONTIER, Frontier.CODEC, (from, message) -> {});
    this.transfer = newTransfer();
    this.viewPort = ports.open(Channel.VIEW, ViewMessage.CODEC, new ViewsToSelf());
    Duration heartbeat = node.config().heartbeat();
    Duration suspect = node.config().suspectAfter();
    this.refutation = new Refutation(self, terms.member(), this::view, node.hearing(), suspect, viewPort);
    this.agreement =
        new ViewAgreement(
            self,
            founded.isPresent(),
            heartbeat,
            suspect.multipliedBy(PATIENCE_FACTOR),
            viewPort,
            node.counters(),
            host(founded, founding, restart));
    this.merge =
        new Merge(
            identity,
            node.contacts(),
            heartbeat,
            suspect,
            agreement,
            viewPort,
            ports::hello,
            node.counters(),
            new Endings());
    viewPort.schedule(HELLO, Duration.ZERO);
    if (domain != null) {
      domain.begin(new InDomain(this::view, history, deliveries, sending));
    }
    this.admission = newAdmission();
    this.statusTracker = statusTracker(name);
    begin(restart);
    statusTracker.tell(view(), agreement.primary(), transfer.running());
  }

  private StateTransfer newTransfer() {
    return new StateTransfer(
        self,
        ports.open(Channel.STATE, StateTransfer.CODEC, (from, message) -> transfer.receive(from, message)),
        node.counters(),
        user,
        new TransferHost(deliveries, sending, this::agreement));
  }

  private ViewFilter newAdmission() {
    var early = new EarlyMessages(terms.member().windowBytes());
    return new ViewFilter(agreement, history, branch, transfer, early, node.counters(), this::lost);
  }

  private StatusTracker statusTracker(String name) {
    Duration slow = node.config().suspectAfter();
    return new StatusTracker(
        name, identity, journal != null, agreement, deliveries, user, node.counters(), node.refused(), slow);
  }

  private AgreementHost host(OptionalLong founded, Founding founding, @Nullable Restart restart) {
    return new AgreementHost(
        terms,
        founded,
        founding,
        identity,
        restart == null ? null : restart.views(),
        node,
        refutation,
        history,
        branch,
        deliveries,
        transfer,
        node.clock(),
        new Changes());
  }

  private void begin(@Nullable Restart restart) {
    View birth = agreement.primary();
    if (restart != null) {
      resume(restart);
    } else if (birth != null) {
      history.found(newHistory(birth, 0, terms.group().ordering(), 0), birth.equals(view()));
      sending.position(true);
      deliveries.changed(view());
      if (Founding.isZero(birth.id()) && birth.size() == 1) {
        agreement.want(); // nobody else has to come first
      }
    }
  }

  /// Goes on as the earlier life that left what stable storage has, and as if this one had been cut off at its end.
  private void resume(Restart restart) {
    deliveries.changed(view());
    RegionCodec.Kept kept = restart.history();
    if (kept != null) {
      PrimaryHistory last = newHistory(kept.view(), restart.stable().index(), kept.ordering(), 0);
      last.resume(restart, kept.indexFirst());
      history.found(last, false);
      deliveries.resume(restart, terms.member().position());
      replay = restart.from() == null ? null : new Replay(restart, deliveries, terms.member().windowBytes());
      goOnReplaying();
    }
    if (restart.primary() != null) {
      merge.seek(restart.primary(), agreement.absentees());
    }
  }

  private void goOnReplaying() {
    if (replay != null && replay.step()) {
      replay = null;
      deliveries.resumed();
      sending.position(true);
      agreement.want(); // it may be what the others wait for
    }
  }

  private PrimaryHistory newHistory(View view, long indexFirst, Ordering ordering, long since) {
    OrderingContext context = context(view, indexFirst, agreement.rule());
    Frontier frontier = domain == null ? null : new Frontier(context, since, frontierPort);
    return new PrimaryHistory(context, ordering, guarantee(), frontier, deliveries, protocolPorts);
  }

  private PrimaryHistory newBranch(View view) {
    OrderingContext context = context(view, 0, BRANCH_RULE);
    return new PrimaryHistory(context, Ordering.SEQUENCER, guarantee(), null, branch, protocolPorts.unwritten());
  }

  private Guarantee guarantee() {
    return Objects.requireNonNull(agreement.lineage()).group().guarantee();
  }

  private OrderingContext context(View view, long indexFirst, PrimaryRule rule) {
    return new OrderingContext(
        Math.max(0, view.rankOf(self)), // what an earlier life was in does not go on here, so any rank will do
        view,
        indexFirst,
        ranks -> rule.isQuorum(view, ranks),
        node.clock(),
        rank -> node.hearing().isSilent(view.members().get(rank)),
        node.config().heartbeat());
  }

  private View view() {
    return agreement.view();
  }

  private ViewAgreement agreement() {
    return agreement;
  }

  // ---- what the node passes on -----------------------------------------------------------------------------------

  void interest(Collection<MemberId> into) {
    agreement.interest(into);
    transfer.interest(into);
  }

  void suspicionChanged() {
    history.suspicionChanged();
    branch.suspicionChanged();
    agreement.suspicionChanged();
  }

  void lost(MemberId member) {
    transfer.lost(member);
    agreement.lost(member);
  }

  /// A later life of a member is about where the earlier one was: that one has ended.
  void alive(MemberId member) {
    if (member.replaces(self)) {
      finish(superseded(self));
      return;
    }
    for (MemberId other : List.copyOf(view().members())) {
      if (member.replaces(other)) {
        lost(other);
      }
    }
  }

  static End superseded(MemberId self) {
    return new End(End.Cause.NAME_TAKEN, "superseded by a later life of " + self.name());
  }

  void multicast(MessageBlock block) {
    if (!departure.isWanted()) {
      sending.add(viewPort.nowNanos(), block);
    }
  }

  void multicast(long number, ByteBuffer payload, List<MemberId> destinations) {
    if (!departure.isWanted()) {
      sending.add(number, payload, destinations);
    }
  }

  void switchTo(Ordering to) {
    sending.switchTo(to);
  }

  void localCall(Event.LocalCall call) {
    user.localCall(call);
  }

  void whiteboardPut() {
    board.put();
  }

  void leave(End end) {
    departure.want(end);
    transfer.refuse();
  }

  StateTransfer transfer() {
    return transfer;
  }

  private void expired(Timer timer) {
    if (timer.equals(HELLO)) {
      viewPort.schedule(HELLO, node.config().heartbeat().multipliedBy(HELLO_HEARTBEATS));
      if (!departure.isDeparting()) {
        merge.call();
      }
      statusTracker.look(viewPort.nowNanos(), history.acting(), agreement.owing(), sending.isUnderWay());
    } else {
      if (refutation.tick()) {
        agreement.suspicionChanged();
      }
      agreement.expire(timer);
    }
  }

  // ---- a run of inputs ends --------------------------------------------------------------------------------------

  void flush(long now) {
    goOnReplaying();
    PrimaryHistory current = admission.acting();
    if (current != null) {
      do {
        sending.tellOrdering();
        sending.send(now);
      } while (current.deliver() && admission.acting() == current);
      current.flush();
      sending.tellOrdering();
      current.lagging(terms.member().catchUpBytesMax()).forEach(this::drop);
    }
    deliveries.tellCaughtUp();
    board.flush();
    statusTracker.tell(view(), agreement.primary(), transfer.running());
    if (departure.isOver(now, node.busy())) {
      finish(departure.end());
    }
    if (departure.ask(sending.isOver() || !view().primary())) {
      agreement.leave();
    }
  }

  /// An observer does not keep up: it goes, and is told why. Not where there are only observers, who decide nothing for
  /// others.
  private void drop(MemberId observer) {
    if (agreement.isCoordinator() && !view().isObserver(self) && !agreement.isCutOff(observer)) {
      node.counters().count(Count.OBSERVERS_DROPPED);
      viewPort.send(observer, new ViewMessage.TooSlow(terms.member().catchUpBytesMax()));
      lost(observer);
    }
  }

  private void tooSlow(MemberId from, long bytes) throws Malformed {
    if (!view().isObserver(self) || view().isObserver(from)) {
      throw new Malformed("too slow");
    }
    if (agreement.end()) {
      String words = "this observer was dropped: its application was more than " + bytes + " bytes behind";
      endedBy(new End(End.Cause.DROPPED, words));
    }
  }

  /// Writes what must not be forgotten, for the commit that follows.
  Journal.Staged stage() {
    return journal == null || ended ? Journal.Staged.NOTHING : journal.stage(agreement.persistent(), history.current());
  }

  /// What was staged is in stable storage, so that it may be said: whether there is something to say.
  boolean secured() {
    return (journal != null && journal.committed()) | ports.sayToSelf();
  }

  void persisted(long position) {
    if (journal != null) {
      journal.persisted(position, deliveries.handedNext());
    }
  }

  long deadline() {
    PrimaryHistory current = admission.acting();
    return current == null ? sending.deadline() : Math.min(sending.deadline(), current.deadline());
  }

  // ---- messages --------------------------------------------------------------------------------------------------

  void message(MemberId from, Channel channel, WireReader in) throws Malformed {
    if (departure.isDeparting()) {
      node.counters().count(Count.MESSAGE_WHILE_DEPARTING);
      return;
    }
    switch (channel) {
      case BATCH, ORDER, STABILITY, FRONTIER, SUBSET -> admission.inView(from, channel, in.viewId(), in.rest());
      case STATE -> admission.state(from, in.rest());
      case BOARD -> board.receive(from, BoardExchange.CODEC.readAll(in));
      case VIEW -> viewMessage(from, ViewMessage.CODEC.readAll(in));
      case HELLO -> throw new Malformed("hello in a link");
    }
  }

  void hello(MemberId from, WireReader in) throws Malformed {
    Hello hello = Hello.read(in);
    if (!departure.isDeparting()) {
      merge.heard(from, hello);
    }
  }

  private void viewMessage(MemberId from, ViewMessage message) throws Malformed {
    switch (message) {
      case ViewMessage.Found _, ViewMessage.Meet _, ViewMessage.Overruled _, ViewMessage.NameInUse _ ->
          merge.receive(from, message);
      case ViewMessage.TooSlow(long bytes) -> tooSlow(from, bytes);
      case ViewMessage.Doubted(var signs) -> refutation.doubted(from, signs);
      case ViewMessage.Refuted(var signs) -> refutation.refuted(from, signs);
      case ViewMessage.Wedged(_, Knowledge its) when merge.isOfOtherHistory(from, its) -> lost(from);
      default -> agreement.receive(from, message);
    }
  }

  // ---- the agreement's view of this group ------------------------------------------------------------------------

  private void installed(View before, Proposal proposal) {
    node.clock().witness(proposal.clock());
    branch.end(proposal);
    history.end(before, proposal);
    View view = proposal.view();
    Lineage lineage = agreement.lineage();
    history.activate(view.primary());
    if (view.primary()) {
      beginHistory(proposal);
    }
    deliveries.changed(view);
    transfer.installed(proposal);
    if (view.primary()) {
      sending.resend();
    } else if (lineage != null && lineage.group().partitions() == Partitions.CONTINUE) {
      branch.begin(view, deliveries.isShowing());
    }
    merge.installed(before, view);
    board.installed(before, view);
    departure.wantUnlessFit(name, lineage, terms);
    admission.takeEarly();
    if (proposal.endsHistory() && agreement.end()) {
      String words = "the last voter has left, and only observers remain in the group";
      endedBy(new End(End.Cause.LAST_VOTER_LEFT, words));
    }
  }

  private void beginHistory(Proposal proposal) {
    Knowledge.Transfer assigned = identity.transferBy(proposal);
    if (assigned != null && assigned.since().equals(proposal.view().id())) {
      if (history.leadsTo(proposal)) {
        agreement.want(); // its state came after its report, so the transfer is superfluous: the next view ends it
      } else {
        deliveries.restart(proposal.indexFirst(), proposal.view());
        sending.position(false);
        replay = null;
      }
    }
    sending.begin(proposal.view());
    history.begin(proposal);
    if (journal != null) {
      journal.began(agreement.persistent(), history.current());
    }
  }

  private void endedBy(End end) {
    departure.want(end);
    depart(view().members());
  }

  private void depart(List<MemberId> staying) {
    departure.begin(staying, viewPort.nowNanos() + DEPART_FACTOR * node.config().suspectAfter().toNanos());
  }

  private void finish(End end) {
    if (!ended) {
      ended = true;
      history.activate(false);
      branch.stop();
      transfer.close();
      ports.close();
      user.closed(end);
      node.ended().run();
    }
  }

  // ---- invariants ------------------------------------------------------------------------------------------------

  void check() {
    deliveries.check();
    history.check();
    branch.check();
    agreement.check(viewOf(history.acting()), viewOf(branch.acting()));
    transfer.check();
    sending.check();
    if (journal != null) {
      journal.check();
    }
    Invariant.check(!ended || admission.acting() == null, "nothing goes on when a membership has ended");
    Invariant.check(replay == null || !deliveries.isSynced(), "who replays its log has not all yet");
  }

  private static @Nullable View viewOf(@Nullable PrimaryHistory acting) {
    return acting == null ? null : acting.view();
  }

  private final class Endings implements Merge.Endings {
    @Override
    public void ended(End end) {
      endedBy(end);
    }

    @Override
    public void nameInUse(MemberId holder, String words) {
      statusTracker.nameInUse(holder, words);
      Merge.Endings.super.nameInUse(holder, words);
    }
  }

  private final class Changes implements AgreementHost.Changes {
    @Override
    public void install(View before, Proposal proposal) {
      installed(before, proposal);
    }

    @Override
    public void catchUp(Proposal proposal) {
      node.clock().witness(proposal.clock());
      history.end(view(), proposal);
      beginHistory(proposal);
      transfer.installed(proposal);
      admission.takeEarly();
    }

    @Override
    public void left(@Nullable Proposal proposal) {
      history.activate(false);
      branch.stop();
      if (proposal != null) {
        branch.end(proposal);
        history.endIfItFits(view(), proposal);
      }
      depart(proposal == null ? List.of() : proposal.view().members());
    }
  }

  private final class ViewsToSelf implements Ports.Inward<ViewMessage> {
    @Override
    public void receive(MemberId from, ViewMessage message) {
      if (ended) {
        return;
      }
      try {
        viewMessage(from, message);
      } catch (Malformed malformed) {
        // What this member proposes follows from what others reported. If they lied, it is dropped like theirs.
        node.counters().malformed(malformed.reason());
      }
    }

    @Override
    public void expire(Timer timer) {
      expired(timer);
    }
  }
}
