package org.tutti.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.order.Clock;
import org.tutti.wire.Malformed;

/// Agrees on the sequence of views of one group, as one member: it answers proposals, installs what
/// was agreed, and decides when this member is the one to propose ([Proposer]).
///
/// Guarantee: members that install a view install it with the same list, flag and cuts; a member's view ids rise; the
/// primary views form one chain, in which each is agreed by a quorum of the one before; whatever was delivered
/// uniformly in a primary view is in the cut that ends it. Nothing of this depends on the failure detector: that only
/// decides when somebody tries.
///
/// ```
///   proposer              every candidate
///     | -- Propose(b) -------> |   promise b, wedge
///     | <- Wedged(b, known) -- |
///     |  decide ([Flush])      |
///     | -- Accept(b, view) --> |   fetch what is missing of the cut, keep the proposal
///     | <----- Accepted(b) --- |
///     | -- Install(view) ----> |   deliver the cut, then the view
/// ```
///
/// A member answers only rising ballots; so a proposer that crashed is replaced by the next one, and an accepted
/// proposal whose outcome is not known is found and finished before anything else. Joining is merging: a newcomer is
/// the only member of a view of its own without history.
public final class ViewAgreement {
  /// What the agreement asks of the group at this member, and tells it.
  public interface Group {
    /// Stop sending, acknowledging and delivering in the current view.
    void wedge();

    /// Whether this member has the state.
    ///
    /// @return whether it does
    boolean synced();

    /// Where the state is coming from.
    ///
    /// @param view the view of this member
    /// @return the transfer that may go on in the next view, or null
    Knowledge.@Nullable Transfer transfer(ViewId view);

    /// Whether others get the state from this member, so that it should not leave yet.
    ///
    /// @return whether they do
    boolean isNeeded();

    /// Whether a member is believed to have crashed.
    ///
    /// @param member the member
    /// @return whether it is suspected
    boolean suspects(MemberId member);

    /// Whether a member would be suspected if others had not heard it.
    ///
    /// @param member the member
    /// @return whether it is silent here and not suspected
    boolean spares(MemberId member);

    /// Whether a member was heard lately: for much less than the time of suspicion it has said nothing.
    ///
    /// @param member the member
    /// @return whether this member is not deaf to it, as far as is known
    boolean heardLately(MemberId member);

    /// Delivers the cut that is for this member and installs the view.
    ///
    /// @param before   the view that is left
    /// @param proposal what was agreed; this member is in its view
    void install(View before, Proposal proposal);

    /// Takes over the history of a primary view whose agreement was finished only after this member had gone to a later
    /// view that is not primary; the view itself is not shown to the application any more, as ids rise.
    ///
    /// @param proposal what was agreed; this member is in its view
    void catchUp(Proposal proposal);

    /// The membership has ended as this member wished.
    ///
    /// @param proposal what was agreed, or null when nobody else was there
    void left(@Nullable Proposal proposal);

    /// An attempt of this member goes on without some that were asked, or is made anew without them.
    ///
    /// @param ballot  the attempt
    /// @param members who are left out
    /// @param why     why
    void omitted(ViewId ballot, List<MemberId> members, Omission why);

    /// The set of members that matter has changed.
    void interestChanged();
  }

  /// Those are taken in who were found since the last view; what else is wanted has its own time.
  public static final Effects.Timer GATHERED = new Effects.Timer("gathered");

  private static final Effects.Timer TICK = new Effects.Timer("view tick");
  private static final long EPOCHS_AHEAD_MAX = 1L << 32; // more attempts than anybody makes: else they could overflow
  private static final int CONFIRM_FACTOR = 2;
  private static final int PATIENCE_FACTOR = 2; // in suspicion times

  private final MemberId self;
  private final Duration tick;
  private final long patienceNanos;
  private final Effects<ViewMessage> effects;
  private final Counters counters;
  private final Group group;
  private final MemberIdentity identity;
  private final Terms terms;
  private final SpokenVersions speaks;
  private final KeptHistory history;
  private final KeptHistory branch;
  private final Clock clock;
  private final Proposer proposer = new Proposer();
  private final CutRecovery recovery;
  private final PeerStates peerStates;

  private View view;
  private final Chain chain;
  private Knowledge.@Nullable Accepted pending; // what the attempt promised to is going to install
  // By this member, which has not installed it yet: what it tells itself waits until what it promised is on the disk.
  // Until then a new attempt would be one of the members of the old view.
  private @Nullable ViewId announced;
  private final Chain.Promise promise;
  private boolean wedged;
  private boolean leaving;
  private boolean ended;
  private boolean wanted; // somebody asked for a new view without a change of members
  private long epochFound; // the latest one of a view that is to be taken in
  private boolean wantedSinceReport; // by this member, for what its last report does not say
  private final Backoff backoff;

  /// Starts in a view of its own.
  ///
  /// @param beginning where this member starts
  /// @param tick      how often to look whether something is to be done
  /// @param patience  how long an attempt may take before another is made
  /// @param effects   how to reach the others
  /// @param counters  where drops are counted
  /// @param clock     the node's logical clock
  /// @param history   what this member keeps of the last primary view that it installed
  /// @param branch    what it has of its view's history, when the view is a branch
  /// @param group     the rest of the group here
  public ViewAgreement(
      InitialState beginning,
      Duration tick,
      Duration patience,
      Effects<ViewMessage> effects,
      Counters counters,
      Clock clock,
      KeptHistory history,
      KeptHistory branch,
      Group group) {
    this.identity = beginning.identity();
    this.self = identity.self();
    this.terms = beginning.terms();
    this.speaks = beginning.speaks();
    this.tick = tick;
    this.patienceNanos = patience.toNanos();
    this.effects = effects;
    this.backoff = new Backoff(tick, effects);
    this.counters = counters;
    this.clock = clock;
    this.history = history;
    this.branch = branch;
    this.group = group;
    this.recovery = new CutRecovery(identity, effects, history, branch);
    this.view = beginning.view();
    this.peerStates = new PeerStates(self, view, group::suspects, group::spares);
    this.promise = new Chain.Promise(view.id());
    this.chain = new Chain(beginning);
    effects.schedule(TICK, tick);
  }

  // ---- what others may ask ---------------------------------------------------------------------------------------

  /// The view that is installed.
  ///
  /// @return the view
  public View view() {
    return view;
  }

  /// The name of the group's history.
  ///
  /// @return what distinguishes it, or null when this member has none
  public @Nullable Lineage lineage() {
    return chain.lineage();
  }

  /// Who may carry the history on.
  ///
  /// @return the rule of the group; where none is known, dynamic linear voting
  public PrimaryRule rule() {
    Lineage lineage = chain.lineage();
    return lineage == null ? new DynamicLinearVoting() : lineage.rule();
  }

  /// Who decides about what follows the latest primary view that is known without being in it.
  ///
  /// @return the absentees
  public List<MemberId> absentees() {
    return chain.absentees();
  }

  /// The latest primary view that is known to have been agreed; for a founder the first one of its history, even when
  /// others have to come before it is installed.
  ///
  /// @return the view, or null
  public @Nullable View primary() {
    return chain.primary();
  }

  /// The version of the latest primary view that is known, below which nobody takes part any more.
  int version() {
    View last = chain.primary();
    return last == null ? 0 : last.version();
  }

  SpokenVersions speaks() {
    return speaks;
  }

  /// What of this member has to outlive it.
  ///
  /// @return a new object, equal to the last one if nothing has changed
  public PersistentState persistent() {
    return chain.persistent(identity, promise);
  }

  /// Whether this member may soon be in a view with another one, because it has accepted it or the other one proposes.
  ///
  /// @param id    the view in which the other one is said to be
  /// @param other the other member
  /// @return whether it has accepted that view, or answered a later proposal of the other one
  boolean mayMeet(ViewId id, MemberId other) {
    boolean proposes = other.equals(promise.proposer()) && promise.ballot().compareTo(id) > 0;
    return proposes && waitsForAnother() || expected(id, other) != null;
  }

  /// The view that this member has accepted, with another member in it, and may soon follow to. None when it has: what
  /// is said in that view then does not wait. An agreed view that it can still catch up with may be older than its own.
  ///
  /// @param id    the view's id
  /// @param other the other member
  /// @return the view, or null when it has not accepted it
  public @Nullable View expected(ViewId id, MemberId other) {
    Proposal next = pending != null && Chain.isFor(id, pending) ? pending.proposal() : chain.accepted(id);
    return next != null && next.view().contains(other) ? next.view() : null;
  }

  /// Whether this member has accepted a primary view and does not know yet what became of it: it may be in that view
  /// already, as others see it.
  ///
  /// @return whether it waits for the announcement, or for another attempt
  boolean hasAcceptedPrimary() {
    return pending != null && pending.proposal().view().primary();
  }

  /// Whether this member speaks for its view: it is the most senior one that is not believed to have crashed.
  ///
  /// @return whether it does
  public boolean isCoordinator() {
    return peerStates.coordinator().equals(self);
  }

  /// Whether a member is to be out of the next view, so that what it still says in this one is not heard: a later life
  /// has its place, or something that it said in this view had to be dropped.
  ///
  /// @param member a member of the view
  /// @return whether it is
  public boolean isCutOff(MemberId member) {
    return peerStates.isCutOff(member);
  }

  /// Who owes a word to the view change that is under way here: members that have not answered this one's proposal, or
  /// whoever proposes.
  ///
  /// @return them; null when no view change is under way
  public @Nullable List<MemberId> owing() {
    if (!wedged || ended) {
      return null;
    }
    if (proposer.isBusy()) {
      return proposer.silent();
    }
    MemberId other = promise.proposer();
    return waitsForAnother() && other != null ? List.of(other) : List.of(peerStates.coordinator());
  }

  PeerStates peerStates() {
    return peerStates;
  }

  /// Whom this member needs to hear: the view, an attempt's candidates, a proposer it waits for, and those from whom it
  /// fetches batches.
  ///
  /// @param into gets them
  public void interest(Collection<MemberId> into) {
    into.addAll(view.members());
    into.addAll(peerStates.found());
    into.addAll(proposer.candidates);
    MemberId awaited = promise.proposer();
    if (wedged && awaited != null) {
      into.add(awaited);
    }
    if (pending != null && wedged) {
      into.addAll(pending.proposal().view().members());
    }
    recovery.sources(into);
  }

  // ---- what happens to this member -------------------------------------------------------------------------------

  /// The failure detector's opinion has changed.
  public void suspicionChanged() {
    proposer.suspicionChanged();
    act();
  }

  /// Even if a member lives, it is no longer in this view.
  ///
  /// @param member the member
  public void lost(MemberId member) {
    peerStates.lost(member);
    proposer.lost(member);
    act();
  }

  /// Others are in a later view without this member.
  ///
  /// @param other the view
  void wentTo(View other) {
    peerStates.wentTo(other);
    promise.wentTo(other);
  }

  /// Another view is going to be taken in. Its members have promised its id at least, and would refuse a lower ballot.
  void outbid(ViewId id) {
    if (isPossible(id)) {
      epochFound = Math.max(epochFound, id.epoch());
    }
  }

  /// Whether somebody may have come to an epoch, by so many attempts. Who believed in any would be led to the last one,
  /// and could make no attempt after it.
  private boolean isPossible(ViewId id) {
    return id.epoch() - promise.ballot().epoch() <= EPOCHS_AHEAD_MAX;
  }

  /// Members of another view are to be taken in. Who is in the view that is just being announced has asked before.
  void merge(List<MemberId> members) {
    var own = pending != null && pending.ballot().proposer() == self.incarnation() ? pending : null;
    if (own == null || members.stream().noneMatch(own.proposal().view()::contains)) {
      peerStates.found(members);
      group.interestChanged();
      act();
    }
  }

  /// This member wants to leave.
  public void leave() {
    leaving = true;
    ask();
  }

  /// This member wants a new view although nobody comes or goes.
  public void want() {
    wanted = true; // asked for at the next tick, so that a cause that persists does not change views without pause
    wantedSinceReport = true;
  }

  /// Ends without a further view.
  ///
  /// @return whether it had not ended before
  public boolean end() {
    boolean ends = !ended;
    ended = true;
    wedge();
    return ends;
  }

  private void ask() {
    if (isCoordinator()) {
      act();
    } else if (!waitsForAnother() && (wanted || wedged || wantsOut())) {
      effects.send(peerStates.coordinator(), new ViewMessage.Ask(wantsOut()));
    }
  }

  private boolean wantsOut() {
    return leaving && !group.isNeeded() && !(view.size() > 1 && peerStates.isLastVoter() && mayHandOver());
  }

  private boolean mayHandOver() {
    return peerStates.mayHandOver(effects.nowNanos(), patienceNanos / PATIENCE_FACTOR);
  }

  /// A timer has run out.
  ///
  /// @param timer its key
  public void expire(Effects.Timer timer) {
    if (timer.equals(GATHERED)) {
      if (!peerStates.found().isEmpty()) {
        act();
      }
      return;
    }
    effects.schedule(TICK, tick);
    proposer.tick();
    if (proposer.isBusy() || waitsForAnother()) {
      peerStates.suspendConfirmation();
    } else if (peerStates.checkConfirmed(effects.nowNanos(), CONFIRM_FACTOR * patienceNanos)) {
      counters.count(Count.SUSPECTED_UNCONFIRMED);
    }
    report();
    wanted |= isBehind();
    if (leaving || wanted || (wedged && !waitsForAnother())) {
      ask();
    } else {
      act();
    }
  }

  /// Tells the coordinator whom this member does not hear. Whoever does not hear the coordinator either may hear
  /// nobody, and has found that out earlier of some than of others; the coordinator would believe it.
  private void report() {
    List<MemberId> silent = peerStates.silent();
    MemberId coordinator = peerStates.coordinator();
    if (!coordinator.equals(self) && !wedged && !silent.isEmpty() && group.heardLately(coordinator)) {
      effects.send(coordinator, new ViewMessage.Report(silent));
    }
  }

  /// Whether this member knows of a primary view that it has not installed and can follow to: somebody must tell it, as
  /// those who are with it decide by its report.
  private boolean isBehind() {
    Proposal agreed = chain.behind();
    View last = agreed == null ? null : agreed.lastPrimary();
    return last != null && last.id().equals(history.of()) && recovery.canFollow(agreed, view);
  }

  /// Proposes a view if that is this member's business now.
  private void act() {
    if (wantsOut() && view.size() == 1 && !wedged && !ended && !mayHandOver()) {
      ended = true;
      group.left(null);
    }
    boolean busy = proposer.isBusy() || announced != null;
    if (ended || busy || !isCoordinator() || waitsForAnother() || backoff.isOn()) {
      return;
    }
    if (peerStates.needsChange(effects.nowNanos()) || wedged || wanted || (wantsOut() && view.size() > 1)) {
      proposer.start(nextBallot(), peerStates.candidates());
      group.interestChanged();
    }
  }

  /// Somebody else's attempt gets the time to succeed.
  private boolean waitsForAnother() {
    MemberId other = promise.proposer();
    return wedged
        && other != null
        && !other.equals(self)
        && !promise.isOver()
        && !peerStates.hasGivenUp(other, promise.ballot())
        && promise.isFresh(effects.nowNanos(), patienceNanos);
  }

  ViewId nextBallot() {
    long promised = Math.max(promise.ballot().epoch(), epochFound);
    return new ViewId(Math.max(promised, proposer.ballot.epoch()) + 1, self.incarnation());
  }

  // ---- messages --------------------------------------------------------------------------------------------------

  /// A message has come.
  ///
  /// @param from    who sent it
  /// @param message what it says
  /// @throws Malformed when it cannot be true
  public void receive(MemberId from, ViewMessage message) throws Malformed {
    switch (message) {
      case ViewMessage.Propose(ViewId ballot) -> proposed(from, ballot);
      case ViewMessage.Wedged(ViewId ballot, Knowledge knowledge) -> {
        if (!knowledge.isPossible(from, history, branch)) {
          throw new Malformed("report");
        }
        proposer.wedged(from, ballot, knowledge);
      }
      case ViewMessage.Refused(ViewId ballot, ViewId other) -> refused(from, ballot, other);
      case ViewMessage.Accept(ViewId ballot, Proposal proposal) -> accept(from, ballot, proposal);
      case ViewMessage.Agreed(ViewId ballot, Proposal proposal) -> agreed(from, ballot, proposal);
      case ViewMessage.Accepted(ViewId ballot) -> proposer.accepted(from, ballot);
      case ViewMessage.Install(ViewId id) -> install(id);
      case ViewMessage.Fetch fetch -> recovery.fetch(from, fetch);
      case ViewMessage.Supply supply -> {
        if (!recovery.supply(supply)) {
          counters.count(Count.STALE_SUPPLY);
        }
      }
      case ViewMessage.Report(List<MemberId> members) -> reported(from, members);
      case ViewMessage.Ask(boolean leaves) -> asked(from, leaves);
      case ViewMessage.Found _,
          ViewMessage.Meet _,
          ViewMessage.Overruled _,
          ViewMessage.NameInUse _,
          ViewMessage.OtherVersion _,
          ViewMessage.MayNotVote _ ->
          throw new Malformed("merge message");
      case ViewMessage.Doubted _, ViewMessage.Refuted _, ViewMessage.TooSlow _, ViewMessage.Behind _ ->
          throw new Malformed("doubt");
    }
  }

  private void proposed(MemberId from, ViewId ballot) throws Malformed {
    if (ballot.proposer() != from.incarnation() || !isPossible(ballot)) {
      throw new Malformed("ballot");
    }
    if (!promise.isBelow(ballot)) {
      counters.count(Count.BALLOTS_REFUSED);
      effects.send(from, new ViewMessage.Refused(ballot, promise.ballot()));
      return;
    }
    promise.make(ballot, from, effects.nowNanos());
    wedge();
    recovery.abandon();
    pending = null;
    announced = null;
    proposer.overtaken(ballot);
    effects.send(from, new ViewMessage.Wedged(ballot, knowledge()));
    group.interestChanged();
  }

  private void wedge() {
    if (!wedged) {
      wedged = true;
      group.wedge();
    }
  }

  /// What this member reports to an attempt.
  private Knowledge knowledge() {
    wantedSinceReport = false;
    return new Knowledge(
        view,
        chain.lineage(),
        chain.primary(),
        chain.absentees(),
        history.report(),
        branch.report(),
        chain.kept(),
        clock.now(),
        group.synced(),
        terms.member().takesState(),
        group.transfer(view.id()),
        wantsOut(),
        identity.earlier(),
        speaks);
  }

  private void refused(MemberId from, ViewId ballot, ViewId other) throws Malformed {
    if (!isPossible(other)) {
      throw new Malformed("ballot");
    }
    if (proposer.refused(ballot) && promise.isBelow(other)) {
      promise.raise(other);
      backoff.begin();
      counters.count(view.contains(from) ? Count.BALLOT_OUTBID_BY_MEMBER : Count.BALLOT_OUTBID_BY_STRANGER);
    }
  }

  private void accept(MemberId from, ViewId ballot, Proposal proposal) throws Malformed {
    if (ballot.proposer() != from.incarnation() || !ballot.equals(promise.ballot())) {
      counters.count(Count.STALE_ACCEPT);
      return;
    }
    refuseUnspoken(proposal);
    View known = proposal.lastPrimary();
    if (chain.isBeyond(known) || chain.isOfAnother(proposal.lineage())) {
      counters.count(Count.PROPOSALS_OUTDATED); // what was told since the report changes the decision
      effects.send(from, new ViewMessage.Refused(ballot, promise.ballot()));
      return;
    }
    Proposal kept = known == null ? null : chain.accepted(known.id());
    if (kept != null && recovery.canFollow(kept, view)) {
      follow(kept, true); // news: it was agreed
      effects.send(from, new ViewMessage.Refused(ballot, promise.ballot()));
      return;
    }
    promise.renew(effects.nowNanos());
    peerStates.accepted();
    recovery.begin(
        proposal,
        view,
        () -> {
          chain.learnLast(proposal);
          pending = new Knowledge.Accepted(ballot, proposal);
          if (proposal.view().primary()) {
            chain.accept(pending);
          }
          group.interestChanged(); // whoever installs the view sooner may speak to this member
          effects.send(from, new ViewMessage.Accepted(ballot));
        });
    group.interestChanged();
  }

  /// Nobody is proposed for a view whose version it did not say that it has.
  private void refuseUnspoken(Proposal proposal) throws Malformed {
    if (identity.isIn(proposal.view()) && !speaks.speaks(proposal.view().version())) {
      throw new Malformed("version");
    }
  }

  private void install(ViewId id) {
    announced = id.equals(announced) ? null : announced;
    Knowledge.Accepted agreed = pending;
    if (agreed == null || !Chain.isFor(id, agreed)) {
      if (!chain.announced(id)) {
        counters.count(Count.STALE_INSTALL);
      }
      return;
    }
    Proposal proposal = agreed.proposal();
    pending = null;
    if (recovery.canFollow(proposal, view)) {
      follow(proposal, !promise.ballot().equals(agreed.ballot()));
    } else if (proposal.view().primary()) {
      chain.learn(proposal);
    } else {
      backoff.begin(); // a member has lied: at once it would be decided and fail in the same way, for ever
    }
    if (leaving && !identity.isIn(proposal.view())) {
      ended = true;
      group.left(proposal);
    }
    act();
  }

  /// A proposer has found out that a primary view was agreed which this member has not installed.
  private void agreed(MemberId from, ViewId ballot, Proposal proposal) throws Malformed {
    if (!ballot.equals(promise.ballot())) {
      counters.count(Count.STALE_AGREED);
      return;
    }
    refuseUnspoken(proposal);
    recovery.begin(
        proposal,
        view,
        () -> {
          if (proposal.view().primary() && recovery.canFollow(proposal, view)) {
            follow(proposal, true);
          }
          effects.send(from, new ViewMessage.Wedged(ballot, knowledge()));
        });
    group.interestChanged();
  }

  /// Goes into a view that was agreed; only its history is taken over when this member is in a later view already, or
  /// in a branch that others may have ended in another way than it could.
  private void follow(Proposal proposal, boolean held) {
    chain.follow(proposal);
    boolean later = proposal.view().id().compareTo(view.id()) > 0;
    if (later && proposal.view().contains(self) && recovery.endsBranch(proposal)) {
      enter(proposal, held);
    } else {
      wedge();
      group.catchUp(proposal);
    }
  }

  /// Installs a view. If a higher ballot was promised meanwhile, the view begins wedged: the promise was not to act in
  /// any view that is older than that attempt.
  private void enter(Proposal proposal, boolean held) {
    View before = view;
    view = proposal.view();
    peerStates.installed(view, proposal.departed(), effects.nowNanos());
    effects.schedule(GATHERED, peerStates.gather(effects.nowNanos(), tick));
    wanted = wantedSinceReport && !view.primary(); // what would make the view primary came while it was agreed
    wedged = held;
    recovery.abandon();
    group.install(before, proposal);
    if (held) {
      group.wedge();
    }
    group.interestChanged();
  }

  private void reported(MemberId from, List<MemberId> members) {
    if (!wedged && isCoordinator() && view.contains(from)) {
      peerStates.gone(members.stream().filter(member -> !member.equals(from)).toList());
      act();
    }
  }

  private void asked(MemberId from, boolean leaves) {
    if (isCoordinator() && view.contains(from)) {
      wanted = true;
      if (leaves) {
        peerStates.leaves(from);
      }
      act();
    }
  }

  /// Fails when an invariant does not hold.
  public void check() {
    promise.check();
    chain.check();
    proposer.check();
    recovery.check();
    peerStates.check();
    Invariant.check(view.contains(self), "a member is in its view");
    Invariant.check(speaks.speaks(view.version()), "a member speaks the version of its view");
    Invariant.check(!promise.isBelow(view.id()), "no view is installed that is later than what was promised");
    Knowledge.Accepted next = pending;
    Invariant.check(next == null || wedged, "who is going to install another view is wedged");
    Invariant.check(next == null || !promise.isBelow(next.ballot()), "what is accepted was promised");
    Invariant.check(announced == null || !proposer.isBusy(), "who has announced a view makes no other attempt");
  }

  /// How the view goes with the histories.
  ///
  /// @param primary the primary view whose history goes on here, or null
  /// @param branch  the view that is not primary whose history goes on here, or null
  public void check(@Nullable View primary, @Nullable View branch) {
    check();
    Invariant.check(!wedged || (primary == null && branch == null), "nothing goes on in a wedged view");
    Invariant.check(primary == null || (primary.equals(view) && view.primary()), "the view's own history goes on");
    Invariant.check(branch == null || (branch.equals(view) && !view.primary()), "the view's own branch goes on");
    Invariant.check(
        wedged || ended || !view.primary() || primary != null,
        "in a primary view that is not wedged its history goes on");
  }

  /// One member's attempts to make a view: ask the candidates, decide by their reports ([Flush]), have the decision
  /// accepted, announce it. An attempt that meets a crash, a refusal or silence is given up for one with a higher
  /// ballot.
  private final class Proposer {
    /// How far an attempt is.
    private enum Phase {
      /// No attempt.
      IDLE,
      /// Candidates are asked to wedge and report.
      ASKING,
      /// A proposal is to be accepted by all who reported.
      ACCEPTING
    }

    private Phase phase = Phase.IDLE;
    private ViewId ballot = new ViewId(0, 0);
    private long startedAt;
    private final SortedSet<MemberId> candidates = new TreeSet<>();
    private final SortedMap<MemberId, Knowledge> reports = new TreeMap<>(); // of candidates
    private final SortedSet<MemberId> told = new TreeSet<>(); // candidates that were told what had been agreed
    private final SortedSet<MemberId> late = new TreeSet<>(); // are asked to accept when all others have accepted
    private final SortedSet<MemberId> accepted = new TreeSet<>(); // among those that reported
    private @Nullable Proposal proposal;

    boolean isBusy() {
      return phase != Phase.IDLE;
    }

    /// Who owes this attempt a word.
    List<MemberId> silent() {
      List<MemberId> silent = new ArrayList<>(candidates);
      silent.removeAll(phase == Phase.ASKING ? reports.keySet() : accepted);
      silent.removeAll(late);
      return silent;
    }

    void start(ViewId next, Collection<MemberId> whom) {
      ballot = next;
      startedAt = effects.nowNanos();
      candidates.clear();
      candidates.addAll(whom);
      candidates.add(self);
      reports.clear();
      late.clear();
      accepted.clear();
      told.clear();
      proposal = null;
      phase = Phase.ASKING;
      var propose = new ViewMessage.Propose(ballot);
      candidates.forEach(candidate -> effects.send(candidate, propose));
    }

    private void end() {
      phase = Phase.IDLE;
      candidates.clear();
      reports.clear();
      late.clear();
      accepted.clear();
      told.clear();
      proposal = null;
      group.interestChanged();
    }

    /// Somebody's higher ballot was promised: this attempt cannot succeed here.
    void overtaken(ViewId by) {
      if (isBusy() && by.compareTo(ballot) > 0) {
        end();
      }
    }

    boolean refused(ViewId refusedBallot) {
      if (!isBusy() || !refusedBallot.equals(ballot)) {
        return false;
      }
      end();
      return true;
    }

    void wedged(MemberId from, ViewId of, Knowledge knowledge) {
      if (phase != Phase.ASKING || !of.equals(ballot) || !candidates.contains(from)) {
        return;
      }
      if (!from.equals(self) && (isStranger(knowledge) || isAhead(knowledge))) {
        peerStates.forget(List.of(from));
        group.omitted(ballot, List.of(from), Omission.ELSEWHERE);
        drop(from);
        return;
      }
      reports.put(from, knowledge);
      decideWhenAllReported();
    }

    /// A candidate that is in a later primary view than this member knows, without this member, came there after it was
    /// found here. Its view takes in this member; the other way round, those that stay there would lose it.
    private boolean isAhead(Knowledge knowledge) {
      View its = knowledge.view();
      View known = primary();
      return its.primary() && !its.contains(self) && (known == null || its.id().compareTo(known.id()) > 0);
    }

    private boolean isStranger(Knowledge knowledge) {
      Lineage lineage = lineage();
      for (Knowledge report : reports.values()) {
        lineage = lineage == null || lineage.isDraft() ? report.lineage() : lineage;
      }
      return Lineage.differ(lineage, knowledge.lineage());
    }

    /// Goes on without a candidate while reports are collected; later, the decision has counted on it.
    private void drop(MemberId candidate) {
      candidates.remove(candidate);
      reports.remove(candidate);
      decideWhenAllReported();
    }

    void lost(MemberId member) {
      if (!isBusy() || member.equals(self) || !candidates.contains(member)) {
        return; // without itself there is no attempt
      }
      group.omitted(ballot, List.of(member), Omission.GONE);
      if (phase == Phase.ASKING) {
        drop(member);
      } else {
        restartWithout(List.of(member));
      }
    }

    void suspicionChanged() {
      List<MemberId> silent = candidates.stream().filter(peerStates::isGone).toList();
      silent.forEach(this::lost);
    }

    void tick() {
      if (!isBusy() || effects.nowNanos() - startedAt < patienceNanos) {
        return;
      }
      List<MemberId> silent = silent();
      group.omitted(ballot, silent, Omission.SILENT);
      restartWithout(silent);
    }

    private void restartWithout(List<MemberId> silent) {
      peerStates.forget(silent);
      var rest = new TreeSet<>(candidates);
      rest.removeAll(silent);
      start(nextBallot(), rest);
    }

    private void decideWhenAllReported() {
      if (phase != Phase.ASKING || reports.size() < candidates.size()) {
        return;
      }
      var flush = new Flush(self, ballot, reports, told);
      switch (flush.decide()) {
        case Flush.Decision.Tell(var members, var agreed) -> {
          told.addAll(members);
          members.forEach(reports::remove);
          members.forEach(member -> effects.send(member, new ViewMessage.Agreed(ballot, agreed)));
        }
        case Flush.Decision.Finish(var unfinished) -> propose(unfinished, flush.withoutHistory(unfinished));
        case Flush.Decision.Propose(var next) -> propose(next, flush.withoutHistory(next));
        case Flush.Decision.Refuse(var members, var version, var known) ->
            refuse(members, new ViewMessage.OtherVersion(version, known));
      }
    }

    /// Candidates have not the version of the group: the attempt goes on without them, unless it is this member itself
    /// that has not.
    private void refuse(List<MemberId> members, ViewMessage.OtherVersion refusal) {
      members.forEach(member -> {
        counters.count(Count.JOIN_OF_OTHER_VERSION);
        effects.send(member, refusal);
      });
      peerStates.forget(members);
      if (members.contains(self)) {
        end();
        backoff.begin();
        return;
      }
      candidates.removeAll(members);
      reports.keySet().removeAll(members);
      decideWhenAllReported();
    }

    /// Has a decision accepted: first by who has the history that it ends, so that it is kept by all of them before it
    /// can be kept by somebody who has not.
    private void propose(Proposal next, Collection<MemberId> withoutHistory) {
      proposal = next;
      phase = Phase.ACCEPTING;
      late.addAll(withoutHistory);
      ask(candidates.stream().filter(candidate -> !late.contains(candidate)).toList());
    }

    private void ask(List<MemberId> whom) {
      effects.send(whom, new ViewMessage.Accept(ballot, Objects.requireNonNull(proposal)));
    }

    void accepted(MemberId from, ViewId of) {
      if (phase != Phase.ACCEPTING || !of.equals(ballot) || !candidates.contains(from)) {
        return;
      }
      accepted.add(from);
      if (!isAccepted()) {
        return;
      }
      if (late.isEmpty()) {
        announce();
      } else {
        List<MemberId> rest = List.copyOf(late);
        late.clear();
        startedAt = effects.nowNanos(); // it was not they who were waited for
        ask(rest);
      }
    }

    /// Whether all have accepted that were asked; mostly their number says that they have not.
    private boolean isAccepted() {
      return accepted.size() + late.size() >= candidates.size() && silent().isEmpty();
    }

    private void announce() {
      var next = Objects.requireNonNull(proposal).view();
      List<MemberId> all = List.copyOf(candidates);
      peerStates.forget(all); // taken in, or not wanting to be
      end();
      all.forEach(candidate -> effects.send(candidate, new ViewMessage.Install(next.id())));
      if (!next.id().equals(ballot)) {
        start(nextBallot(), all); // an old attempt is finished; now for those who are here
      } else {
        announced = next.id();
      }
    }

    void check() {
      boolean accepting = phase == Phase.ACCEPTING;
      Invariant.check(accepting == (proposal != null), "there is a proposal while it is to be accepted");
      Invariant.check(
          isBusy() ? candidates.contains(self) : candidates.isEmpty(), "without itself a proposer makes no attempt");
      Invariant.check(candidates.containsAll(reports.keySet()), "only candidates report");
      Invariant.check(
          !accepting || reports.size() == candidates.size(), "a proposal counts on reports from all candidates");
      Invariant.check(candidates.containsAll(accepted) && candidates.containsAll(late), "only candidates accept");
      Invariant.check(accepting || (accepted.isEmpty() && late.isEmpty()), "only a proposal is accepted");
      Invariant.check(accepted.stream().noneMatch(late::contains), "who is asked later has not accepted");
    }
  }
}
