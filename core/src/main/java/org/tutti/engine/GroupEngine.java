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
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.dissemination.BottleneckDetector;
import org.tutti.dissemination.Disseminator;
import org.tutti.dissemination.Transmission;
import org.tutti.domain.Domain;
import org.tutti.domain.DomainMember;
import org.tutti.domain.Frontier;
import org.tutti.durable.Journal;
import org.tutti.durable.Restart;
import org.tutti.effect.Count;
import org.tutti.effect.Effects;
import org.tutti.history.Branch;
import org.tutti.history.Deliveries;
import org.tutti.history.MulticastSender;
import org.tutti.history.PrimaryHistory;
import org.tutti.history.SenderLedger;
import org.tutti.history.ViewHistory;
import org.tutti.membership.DynamicLinearVoting;
import org.tutti.membership.Forcing;
import org.tutti.membership.Founding;
import org.tutti.membership.Hello;
import org.tutti.membership.InitialState;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Lineage;
import org.tutti.membership.MeetReader;
import org.tutti.membership.MemberIdentity;
import org.tutti.membership.Merge;
import org.tutti.membership.Omission;
import org.tutti.membership.PersistentState;
import org.tutti.membership.PrimaryRule;
import org.tutti.membership.Proposal;
import org.tutti.membership.Refutation;
import org.tutti.membership.SpokenVersions;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.Terms;
import org.tutti.membership.ViewAgreement;
import org.tutti.membership.ViewMessage;
import org.tutti.order.Log;
import org.tutti.order.ReadIndex;
import org.tutti.order.Stability;
import org.tutti.order.SubsetMessage;
import org.tutti.order.TotalOrder;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.transport.Address;
import org.tutti.user.GroupUser;
import org.tutti.user.Notice;
import org.tutti.wire.Channel;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// Everything of one group at one member: composes what it sends, its histories, view agreement, merging, state
/// transfer and storage, and lets a message reach its protocol only in the view that it is for.
///
/// The parts know each other only downwards, and are made from the bottom up:
///
/// ```
///   merge, agreement, transfer       which view comes next, who gets the state     (org.tutti.membership)
///   sending                          packs and sends, in the history or the branch (org.tutti.history)
///   history, branch                  one ViewHistory each, while there is one
///   deliveries, ledger               what the application gets, what became of its own messages
///   domain                           holds deliveries back for other groups        (org.tutti.domain)
///   journal                          what must not be forgotten                    (org.tutti.durable)
///   user                             the application's side                        (org.tutti.user)
/// ```
final class GroupEngine {
  static final Effects.Timer HELLO = new Effects.Timer("hello");
  static final int HELLO_HEARTBEATS = 2; // between two rounds of calls
  private static final int PATIENCE_FACTOR = 2;
  private static final int SPILLING_REPLAYS = 4; // pieces of the own log in a window
  private static final int DEPART_FACTOR = 5; // the longest that a member that has left waits for its last words

  /// What is ordered in a view that is not primary concerns nobody else, so a quorum of that view is enough.
  private static final PrimaryRule BRANCH_RULE = new DynamicLinearVoting();

  private final NodeEngine node;
  private final Ports.Group group;
  private final MemberId self;
  private final MemberIdentity identity;
  private final Terms terms;
  private final SenderLedger ledger;
  private final GroupUser user;
  private final @Nullable Journal journal;
  private final @Nullable DomainMember domain;
  private final Ports ports;
  private final Deliveries deliveries;
  private final PrimaryHistory history;
  private final Branch branch;
  private final MulticastSender sending;
  private final ViewHistory.ProtocolPorts protocolPorts;
  private final Effects<Frontier.Message> frontierPort;
  private final ViewTrace viewPort;
  private final StateTransfer transfer;
  private final Refutation refutation;
  private final Suspects suspects;
  private final ViewAgreement agreement;
  private final Merge merge;
  private final MeetReader meets = new MeetReader();
  private final ViewFilter filter;
  private final BoardExchange board;
  private final StatusTracker statusTracker;
  private final ConsumerLag consumerLag;
  private final Departure departure = new Departure();
  private int forcingsTold;
  private long questions; // how far the history is, by the application, ever
  private long confirmed; // those that have their answer
  private boolean ended;

  /// Begins, as a founder, as one that joins, or where an earlier life ended.
  ///
  /// @param node     this node
  /// @param group    the group's name and numbers
  /// @param terms    on which this member takes part
  /// @param user     gets what happens
  /// @param founded  when it founded the group, if it did
  /// @param founding who founds it
  /// @param before   what an earlier membership of the same life knew of the group's views, if there was one
  /// @param journal  what it keeps, and what an earlier life had kept; null when it keeps nothing
  GroupEngine(
      NodeEngine node,
      Ports.Group group,
      Terms terms,
      GroupUser user,
      OptionalLong founded,
      Founding founding,
      @Nullable PersistentState before,
      @Nullable Journal journal) {
    this.node = node;
    this.group = group;
    this.self = node.self();
    this.terms = terms;
    this.journal = journal;
    Restart restart = journal == null ? null : journal.restart();
    this.identity = restart == null ? founding.identity(self) : restart.identity();
    this.ports = new Ports(node.services(), group, this::view, journal != null);

    // Towards the application: a domain stands between it and all that follows.
    String in = terms.group().domain();
    this.domain = in == null ? null : new DomainMember(user, node.domain(in), group.key());
    this.user = domain == null ? user : domain;
    this.ledger = new SenderLedger(self, this.user, node.numbersFrom(group));
    this.deliveries = new Deliveries(ledger, this.user, terms, founded.isPresent(), journal);

    // What is decided goes there: from the history of primary views, or from the branch of a view that is not primary.
    this.history =
        new PrimaryHistory(deliveries, it -> newHistory(it.view(), it.indexFirst(), it.ordering(), it.clock()));
    this.branch = new Branch(self, this.user, this::newBranch);
    this.sending =
        new MulticastSender(terms.member(), ledger, deliveries, history, branch, this.user, domain, node.counters());
    this.protocolPorts = protocolPorts();
    this.frontierPort = ports.open(Channel.FRONTIER, Frontier.CODEC, (from, message) -> {});

    // Which view comes next, and who gets the state in it; that asks what is here of the histories.
    this.transfer = newTransfer();
    Effects<ViewMessage> views = ports.open(Channel.VIEW, ViewMessage.CODEC, new ViewsToSelf());
    this.viewPort = new ViewTrace(self, views, this.user::notice);
    Duration suspect = node.config().suspectAfter();
    this.refutation = new Refutation(self, terms.member(), this::view, node.hearing(), suspect, viewPort);
    this.suspects = new Suspects(node, refutation, this.user);
    this.agreement = newAgreement(initialState(founded, founding, restart == null ? before : restart.views()));
    this.merge = newMerge();
    viewPort.schedule(HELLO, Duration.ZERO);

    // What looks at all of it.
    if (domain != null) {
      domain.begin(new InDomain());
    }
    this.filter =
        new ViewFilter(agreement, history, branch, transfer, terms.member().windowBytes(), node.counters(), this::lost);
    this.board = new BoardExchange(this.user, ports);
    this.statusTracker = newStatusTracker();
    this.consumerLag = new ConsumerLag(terms.member().leaveWhenBehind());
    begin(restart, founded.isPresent());
    statusTracker.tell(view(), agreement.primary(), transfer.running());
  }

  private ViewHistory.ProtocolPorts protocolPorts() {
    return new ViewHistory.ProtocolPorts(
        self,
        ports.open(Channel.BATCH, new Transmission.Encoding(null, self, node.payloads()), (from, message) -> {}),
        choice(),
        ports,
        ports.open(Channel.STABILITY, Stability.CODEC, (from, message) -> {}),
        ports.open(Channel.READ, ReadIndex.CODEC, (from, message) -> {}),
        ports.open(Channel.SUBSET, new SubsetMessage.Encoding(self), (from, message) -> {}),
        sending.subsets(),
        node.counters(),
        terms.member().windowBytes(),
        journal,
        node.payloads());
  }

  private Disseminator.Choice choice() {
    return new BottleneckDetector(
        terms.member().dissemination(), self, this::view, node.services().clock()::get, new LinesOfNode());
  }

  private StateTransfer newTransfer() {
    return new StateTransfer(
        self,
        ports.open(Channel.STATE, StateTransfer.CODEC, (from, message) -> transfer.receive(from, message)),
        node.counters(),
        user,
        new InTransfer());
  }

  private InitialState initialState(OptionalLong founded, Founding founding, @Nullable PersistentState before) {
    SpokenVersions speaks = node.speaks().within(terms.member().groupVersionMax());
    return founded.isPresent()
        ? InitialState.founding(identity, terms, speaks, founded.getAsLong(), founding)
        : InitialState.joining(identity, terms, speaks, before);
  }

  private ViewAgreement newAgreement(InitialState beginning) {
    return new ViewAgreement(
        beginning,
        node.config().heartbeat(),
        node.config().suspectAfter().multipliedBy(PATIENCE_FACTOR),
        viewPort,
        node.counters(),
        node.clock(),
        history.kept(),
        branch.kept(),
        new Agreed());
  }

  private Merge newMerge() {
    return new Merge(
        identity,
        node::contacts,
        node.config().heartbeat(),
        node.config().suspectAfter(),
        agreement,
        viewPort,
        this::call,
        node.counters(),
        new Endings());
  }

  /// The transport has a way to an address, or room again.
  void ready(Address address) {
    ports.ready(address);
  }

  private void call(Address to, Hello hello) {
    node.calls(to);
    ports.hello(to, hello);
  }

  private StatusTracker newStatusTracker() {
    return new StatusTracker(group.name(), identity, journal != null, agreement, deliveries, ledger, user, node);
  }

  private void begin(@Nullable Restart restart, boolean founds) {
    tellForced();
    View birth = agreement.primary();
    if (restart != null) {
      resume(restart);
    } else if (birth != null && founds) {
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
    Restart.Kept kept = restart.history();
    user.notice(new Notice.Restarted(restart.primary(), restart.entries().size(), restart.goesOn()));
    if (kept != null) {
      ViewHistory last = newHistory(kept.view(), restart.stable().index(), kept.ordering(), 0);
      last.resume(restart, kept.indexFirst());
      history.found(last, false);
      // Less than what a member spills, as that is on disk already.
      MemberConfig member = terms.member();
      int atOnce = member.spillBytesMax() > 0 ? member.windowBytes() / SPILLING_REPLAYS : member.windowBytes();
      deliveries.resume(restart, member.position(), atOnce);
      replay();
    }
    if (restart.primary() != null) {
      merge.seek(restart.primary(), agreement.absentees());
    }
  }

  /// Whoever is in a history that was forced says so, before anything else of it.
  private void tellForced() {
    Lineage lineage = agreement.lineage();
    List<Forcing> all = lineage == null ? List.of() : lineage.forcings();
    for (Forcing forcing : all.subList(Math.min(forcingsTold, all.size()), all.size())) {
      user.notice(new Notice.Forced(forcing.by(), forcing.time(), forcing.view(), forcing.position()));
    }
    forcingsTold = Math.max(forcingsTold, all.size());
  }

  private void replay() {
    if (deliveries.replay()) {
      sending.position(true);
      agreement.want(); // it may be what the others wait for
    }
  }

  private ViewHistory newHistory(View view, long indexFirst, Ordering ordering, long since) {
    TotalOrder.Context context = context(view, indexFirst, agreement.rule());
    Frontier frontier = domain == null ? null : new Frontier(context, since, frontierPort);
    return new ViewHistory(context, ordering, guarantee(), frontier, deliveries, protocolPorts);
  }

  private ViewHistory newBranch(View view) {
    TotalOrder.Context context = context(view, 0, BRANCH_RULE);
    return new ViewHistory(context, Ordering.SEQUENCER, guarantee(), null, branch, protocolPorts.unwritten());
  }

  private Guarantee guarantee() {
    return Objects.requireNonNull(agreement.lineage()).group().guarantee();
  }

  private TotalOrder.Context context(View view, long indexFirst, PrimaryRule rule) {
    return new TotalOrder.Context(
        Math.max(0, view.rankOf(self)), // what an earlier life was in does not go on here, so any rank will do
        view,
        indexFirst,
        ranks -> rule.isQuorum(view, ranks),
        node.clock(),
        rank -> node.isSilent(view.members().get(rank)),
        node.config().heartbeat());
  }

  private View view() {
    return agreement.view();
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
    suspects.look(view());
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
    for (MemberId other : view().members()) { // mostly nobody, and looked for whenever a node is heard first
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

  boolean isReplaying() {
    return deliveries.isReplaying();
  }

  List<Batch> keptBack() {
    return domain == null ? List.of() : domain.keptBack();
  }

  void localCall(Event.LocalCall call) {
    user.localCall(call);
  }

  void whiteboardPut() {
    board.put();
  }

  void confirm() {
    questions++;
  }

  void leave(End end) {
    departure.want(end);
    transfer.refuse();
  }

  StateTransfer transfer() {
    return transfer;
  }

  private void expired(Effects.Timer timer) {
    if (timer.equals(HELLO)) {
      viewPort.schedule(HELLO, node.config().heartbeat().multipliedBy(HELLO_HEARTBEATS));
      ports.beginCalls();
      if (!departure.isDeparting()) {
        merge.call();
      }
      statusTracker.look(viewPort.nowNanos(), history.acting(), agreement.owing(), sending.isUnderWay());
      lookBehind();
    } else if (timer.equals(ViewAgreement.GATHERED)) {
      agreement.expire(timer);
    } else {
      if (refutation.tick()) {
        agreement.suspicionChanged();
      }
      suspects.look(view());
      agreement.expire(timer);
    }
  }

  // ---- a run of inputs ends --------------------------------------------------------------------------------------

  void flush(long now) {
    replay();
    ViewHistory current = filter.acting();
    if (current != null) {
      do {
        sending.tellOrdering();
        sending.send(now);
      } while (current.deliver() && filter.acting() == current);
      current.flush();
      sending.tellOrdering();
      current.lagging(terms.member().catchUpBytesMax()).forEach(this::drop);
    }
    deliveries.tellCaughtUp();
    tellConfirmed();
    board.flush();
    viewPort.flush();
    statusTracker.tell(view(), agreement.primary(), transfer.running());
    if (departure.isOver(now, node::isBusy)) {
      finish(departure.end());
    }
    if (departure.ask(sending.isOver() || !view().primary())) {
      agreement.leave();
    }
  }

  /// Only where this member has the state is it known what its application was given.
  private void tellConfirmed() {
    ViewHistory current = history.acting();
    if (current == null || !deliveries.isSynced()) {
      return;
    }
    long now = current.read(questions, confirmed);
    if (now > confirmed) {
      long answered = now - confirmed;
      confirmed = now;
      user.confirmed(answered, guarantee() == Guarantee.UNIFORM ? deliveries.positionNext() : -1);
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
    if (!view().contains(from)) {
      return; // it spoke for a view that this member is not in any more
    }
    if (!view().isObserver(self) || view().isObserver(from)) {
      throw new Malformed("too slow");
    }
    if (agreement.end()) {
      String words = "this observer was dropped: its application was more than " + bytes + " bytes behind";
      endedBy(new End(End.Cause.DROPPED, words));
    }
  }

  /// This member's application may be too far behind: then this member goes rather than hold the others up, and says
  /// why. Not for what a domain keeps back, which waits for another group.
  private void lookBehind() {
    if (terms.member().leaveWhenBehind().isZero() || departure.isWanted()) {
      return;
    }
    ViewHistory current = history.acting();
    if (current == null || !deliveries.isSynced() || (domain != null && !domain.isReleased())) {
      consumerLag.restart();
      return;
    }
    View view = view();
    int rank = view.rankOf(self);
    Duration behind =
        consumerLag.look(
            viewPort.nowNanos(),
            deliveries.deliveredNext(),
            rank,
            current.consumed(),
            ranks -> agreement.rule().isQuorum(view, ranks));
    if (!behind.isZero()) {
      node.counters().count(Count.LEFT_BEHIND);
      view.members().stream()
          .filter(member -> !member.equals(self))
          .forEach(member -> viewPort.send(member, new ViewMessage.Behind(behind.toNanos())));
      String words =
          "this member left, as its application was %d ms behind%s, more than leaveWhenBehind=%d ms"
              .formatted(
                  behind.toMillis(),
                  terms.member().spillBytesMax() > 0 ? ", without what is spilled" : "",
                  terms.member().leaveWhenBehind().toMillis());
      leave(new End(End.Cause.DROPPED, words));
    }
  }

  /// Writes what must not be forgotten, for the commit that follows.
  Journal.Staged stage() {
    return journal == null || ended ? Journal.Staged.NOTHING : journal.stage(agreement.persistent(), log());
  }

  private @Nullable Log log() {
    ViewHistory last = history.current();
    return last == null ? null : last.log();
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
    ViewHistory current = filter.acting();
    return current == null ? sending.deadline() : Math.min(sending.deadline(), current.deadline());
  }

  // ---- messages --------------------------------------------------------------------------------------------------

  void message(MemberId from, Channel channel, WireReader in) throws Malformed {
    if (departure.isDeparting()) {
      node.counters().count(Count.MESSAGE_WHILE_DEPARTING);
      return;
    }
    switch (channel) {
      case BATCH, ORDER, STABILITY, FRONTIER, SUBSET, READ -> filter.inView(from, channel, in.viewId(), in.rest());
      case STATE -> filter.state(from, in.rest());
      case BOARD -> board.receive(from, BoardExchange.CODEC.readAll(in));
      case VIEW -> viewMessage(from, meets.read(in));
      case HELLO -> throw new Malformed("hello in a link");
    }
  }

  void hello(MemberId from, Hello hello) {
    if (departure.isDeparting()) {
      return;
    }
    if (hello.regard() == Hello.Regard.ENDED) {
      ended(from, hello.view());
    } else {
      merge.heard(from, hello);
    }
  }

  /// A member says that its membership has ended, without a view that it has left for.
  private void ended(MemberId member, ViewId of) {
    if (of.equals(view().id()) && view().contains(member) && !agreement.isCutOff(member)) {
      node.counters().count(Count.SUSPECTED_ENDED);
      lost(member);
    }
  }

  private void viewMessage(MemberId from, ViewMessage message) throws Malformed {
    viewPort.heard(from, message);
    if (node.mayNotSay(from, message)) {
      refuseVote(from, message);
      return;
    }
    switch (message) {
      case ViewMessage.Found _,
          ViewMessage.Meet _,
          ViewMessage.Overruled _,
          ViewMessage.NameInUse _,
          ViewMessage.OtherVersion _,
          ViewMessage.MayNotVote _ ->
          merge.receive(from, message);
      case ViewMessage.TooSlow(long bytes) -> tooSlow(from, bytes);
      case ViewMessage.Behind(long nanos) -> suspects.behind(view(), from, Duration.ofNanos(nanos));
      case ViewMessage.Doubted(var signs) -> refutation.doubted(from, signs);
      case ViewMessage.Refuted(var signs) -> {
        suspects.refuted(from, signs);
        refutation.refuted(from, signs);
      }
      case ViewMessage.Report(var members) -> {
        suspects.reported(view(), from, members);
        agreement.receive(from, message);
      }
      case ViewMessage.Wedged(_, Knowledge its) when merge.isOfOtherHistory(from, its) -> lost(from);
      default -> agreement.receive(from, message);
    }
  }

  /// Somebody says that it votes, whose certificate is only for observers. Whoever makes a view asks all that are to be
  /// in it, so it sees the certificate itself: nobody has to be told by others. An attempt goes on without such a
  /// candidate, and one that it makes itself is not waited for.
  private void refuseVote(MemberId from, ViewMessage message) {
    user.notice(new Notice.VoteRefused(from));
    merge.refuseVote(from);
    if (!(message instanceof ViewMessage.Meet) || view().contains(from)) {
      lost(from);
    }
  }

  // ---- views -----------------------------------------------------------------------------------------------------

  /// Installs a view. What the view before leaves is delivered first, so that all who go on together have the same of
  /// it; then the new one begins, the application is shown it, and last comes what is said in it.
  private void install(View before, Proposal proposal) {
    View view = proposal.view();
    Lineage lineage = agreement.lineage();
    suspects.installed(before, proposal);
    node.clock().witness(proposal.clock());
    branch.end(proposal);
    history.end(before, proposal);

    history.activate(view.primary());
    if (view.primary()) {
      beginHistory(proposal);
    }
    tellForced();
    deliveries.changed(view);
    transfer.installed(proposal);

    if (view.primary()) {
      sending.resend(); // what the history does not contain
    } else if (lineage != null && lineage.group().partitions() == Partitions.CONTINUE) {
      branch.begin(view, deliveries.isShowing());
    }
    merge.installed(before, view, proposal.departed());
    board.installed(before, view);
    proposal.departed().forEach(node::departed);
    departure.wantUnlessFit(group.name(), lineage, terms);
    filter.takeEarly();
    if (proposal.endsHistory() && agreement.end()) {
      String words = "the last voter has left, and only observers remain in the group";
      endedBy(new End(End.Cause.LAST_VOTER_LEFT, words));
    }
  }

  /// The history of a primary view begins, for a member that is to get the state with nothing delivered.
  private void beginHistory(Proposal proposal) {
    Knowledge.Transfer assigned = identity.transferBy(proposal);
    if (assigned != null && assigned.since().equals(proposal.view().id())) {
      if (history.leadsTo(proposal)) {
        agreement.want(); // its state came after its report, so the transfer is superfluous: the next view ends it
      } else {
        deliveries.restart(proposal.indexFirst(), proposal.view());
        sending.position(false);
      }
    }
    sending.begin(proposal.view());
    history.begin(proposal);
    if (journal != null) {
      journal.began(agreement.persistent(), log());
    }
  }

  private void wedge() {
    history.activate(false);
    branch.stop();
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
      wedge();
      transfer.close();
      ports.close();
      user.closed(end);
      node.ended(group, terms.observer() ? null : agreement.persistent(), ledger.sentNext());
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
    Invariant.check(confirmed <= questions, "nothing is confirmed that nobody asked");
    if (journal != null) {
      journal.check();
    }
    Invariant.check(!ended || filter.acting() == null, "nothing goes on when a membership has ended");
  }

  private static @Nullable View viewOf(@Nullable ViewHistory acting) {
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

    @Override
    public void mayNotVote(MemberId by) {
      statusTracker.mayNotVote(by);
    }
  }

  private final class Agreed implements ViewAgreement.Group {
    @Override
    public void wedge() {
      GroupEngine.this.wedge();
    }

    @Override
    public boolean synced() {
      return deliveries.isSynced();
    }

    @Override
    public Knowledge.@Nullable Transfer transfer(ViewId view) {
      return transfer.reported(view);
    }

    @Override
    public boolean isNeeded() {
      return transfer.isDonor();
    }

    @Override
    public boolean suspects(MemberId member) {
      return refutation.suspects(member);
    }

    @Override
    public boolean spares(MemberId member) {
      return refutation.spares(member);
    }

    @Override
    public boolean heardLately(MemberId member) {
      return refutation.heardLately(member);
    }

    @Override
    public void install(View before, Proposal proposal) {
      GroupEngine.this.install(before, proposal);
    }

    @Override
    public void catchUp(Proposal proposal) {
      node.clock().witness(proposal.clock());
      history.end(view(), proposal);
      beginHistory(proposal);
      transfer.installed(proposal);
      filter.takeEarly();
    }

    @Override
    public void left(@Nullable Proposal proposal) {
      GroupEngine.this.wedge();
      if (proposal != null) {
        branch.end(proposal);
        history.endIfItFits(view(), proposal);
      }
      depart(proposal == null ? List.of() : proposal.view().members());
    }

    @Override
    public void omitted(ViewId ballot, List<MemberId> members, Omission why) {
      viewPort.tell(new Notice.Omitted(ballot, members, why));
    }

    @Override
    public void interestChanged() {
      node.interestChanged();
    }
  }

  private final class InTransfer implements StateTransfer.Host {
    @Override
    public StateTransfer.Start start() {
      return deliveries.start();
    }

    @Override
    public boolean isAhead() {
      return deliveries.isAhead();
    }

    @Override
    public boolean isSynced() {
      return deliveries.isSynced();
    }

    @Override
    public boolean allows(StateTransfer.Start start) {
      return deliveries.allows(start);
    }

    @Override
    public void started(StateTransfer.Start start) {
      deliveries.started(start);
      sending.position(true);
      sending.resend();
    }

    @Override
    public void complete() {
      deliveries.complete();
      if (!view().primary()) {
        agreement.want(); // it may be what the others wait for
      }
    }

    @Override
    public void failed() {
      agreement.want(); // another view, with another donor
    }

    @Override
    public void stranded() {
      deliveries.stranded(view());
    }
  }

  /// What the links of the node know of the lines.
  private final class LinesOfNode implements BottleneckDetector.Lines {
    @Override
    public long queueingNanos(long now, MemberId peer) {
      return node.services().links().queueingNanos(now, peer);
    }

    @Override
    public boolean isMulticast(MemberId peer) {
      return node.services().links().isMulticast(peer);
    }

    @Override
    public long acknowledgedBytes(MemberId peer) {
      return node.services().links().acknowledgedBytes(peer);
    }

    @Override
    public long queuedBytes(MemberId peer) {
      return node.services().links().queuedBytes(peer);
    }

    @Override
    public long waitingBytes(MemberId peer) {
      return node.services().links().waitingBytes(peer, self);
    }
  }

  private final class InDomain implements Domain.Side {
    /// Nothing new comes in a view that is not primary; what comes late, or before the state is here, is not waited
    /// for.
    @Override
    public long bound() {
      ViewHistory current = history.current();
      boolean goesOn = current != null && deliveries.isSynced() && current.view().id().equals(view().id());
      return goesOn ? current.bound() : Long.MAX_VALUE;
    }

    @Override
    public boolean isInTime() {
      return deliveries.isSynced();
    }

    @Override
    public void ask(long stamp) {
      ViewHistory current = history.acting();
      if (current != null) {
        current.ask(stamp);
      }
    }

    @Override
    public boolean isSending() {
      return view().primary() && sending.isUnderWay();
    }
  }

  private final class ViewsToSelf implements Effects.Inward<ViewMessage> {
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
    public void expire(Effects.Timer timer) {
      expired(timer);
    }
  }
}
