package org.tutti.membership;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.effect.Timer;
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
  private static final Timer TICK = new Timer("view tick");
  private static final int CONFIRM_FACTOR = 2;
  private static final int PATIENCE_FACTOR = 2; // in suspicion times

  private final MemberId self;
  private final Duration tick;
  private final long patienceNanos;
  private final Effects<ViewMessage> effects;
  private final Counters counters;
  private final ViewHost host;
  private final Proposer proposer;
  private final CutRecovery recovery;
  private final PeerStates peerStates;

  private View view;
  private final Chain chain;
  private Knowledge.@Nullable Accepted pending; // what the attempt promised to is going to install
  private @Nullable ViewId announced; // by this member, which has not installed it yet
  private final Promise promise;
  private boolean wedged;
  private boolean leaving;
  private boolean ended;
  private boolean wanted; // somebody asked for a new view without a change of members
  private final Backoff backoff;

  /// Starts in a view of its own.
  ///
  /// @param self     this member
  /// @param founder  whether the view is the first primary view of a new group
  /// @param tick     how often to look whether something is to be done
  /// @param patience how long an attempt may take before another is made
  /// @param effects  how to reach the others
  /// @param counters where drops are counted
  /// @param host     the group
  public ViewAgreement(
      MemberId self,
      boolean founder,
      Duration tick,
      Duration patience,
      Effects<ViewMessage> effects,
      Counters counters,
      ViewHost host) {
    this.self = self;
    this.tick = tick;
    this.patienceNanos = patience.toNanos();
    this.effects = effects;
    this.counters = counters;
    this.host = host;
    this.backoff = new Backoff(tick, effects);
    this.proposer = new Proposer(self, patienceNanos, effects, this);
    this.recovery = new CutRecovery(host.identity(), effects, host.kept(), host.branch());
    var beginning = InitialState.of(self, founder, host);
    this.view = beginning.view();
    this.peerStates = new PeerStates(self, view, host::suspects, host::spares);
    this.promise = new Promise(view.id());
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

  /// What of this member has to outlive it.
  ///
  /// @return a new object, equal to the last one if nothing has changed
  public PersistentState persistent() {
    return chain.persistent(host.identity(), promise);
  }

  /// Whether this member may soon be in a view with another one, because it has accepted it or the other one proposes.
  ///
  /// @param id    the view in which the other one is said to be
  /// @param other the other member
  /// @return whether it has accepted that view, or answered a later proposal of the other one
  boolean mayMeet(ViewId id, MemberId other) {
    boolean proposes = other.equals(promise.proposer()) && promise.ballot().compareTo(id) > 0;
    return proposes && waitsForAnother() || expects(id, other);
  }

  /// Whether this member has accepted a view with another member and may soon follow to it. Not when it has: what is
  /// said in that view then does not wait. An agreed view that it can still catch up with may be older than its own.
  ///
  /// @param id    the view's id
  /// @param other the other member
  /// @return whether it has accepted it
  public boolean expects(ViewId id, MemberId other) {
    Proposal next = pending != null && Chain.isFor(id, pending) ? pending.proposal() : chain.accepted(id);
    return next != null && next.view().contains(other);
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

  /// Whom this member needs to hear: the view, an attempt's candidates, a proposer it waits for.
  ///
  /// @param into gets them
  public void interest(Collection<MemberId> into) {
    into.addAll(view.members());
    into.addAll(peerStates.found());
    into.addAll(proposer.candidates());
    MemberId awaited = promise.proposer();
    if (wedged && awaited != null) {
      into.add(awaited);
    }
    if (pending != null && wedged) {
      into.addAll(pending.proposal().view().members());
    }
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

  /// Members of another view are to be taken in. Who is in the view that is just being announced has asked before.
  void merge(List<MemberId> members) {
    var own = pending != null && pending.ballot().proposer() == self.incarnation() ? pending : null;
    if (own == null || members.stream().noneMatch(own.proposal().view()::contains)) {
      peerStates.found(members);
      host.interestChanged();
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
    return leaving && !host.isNeeded() && !(view.size() > 1 && peerStates.isLastVoter() && mayHandOver());
  }

  private boolean mayHandOver() {
    return peerStates.mayHandOver(effects.nowNanos(), patienceNanos / PATIENCE_FACTOR);
  }

  /// A timer has run out.
  ///
  /// @param timer its key
  public void expire(Timer timer) {
    effects.schedule(TICK, tick);
    proposer.tick();
    if (proposer.isBusy() || waitsForAnother()) {
      peerStates.suspendConfirmation();
    } else if (peerStates.checkConfirmed(effects.nowNanos(), CONFIRM_FACTOR * patienceNanos)) {
      counters.count(Count.SUSPECTED_UNCONFIRMED);
    }
    List<MemberId> silent = peerStates.silent();
    if (!isCoordinator() && !wedged && !silent.isEmpty()) {
      effects.send(peerStates.coordinator(), new ViewMessage.Report(silent));
    }
    wanted |= isBehind();
    if (leaving || wanted || (wedged && !waitsForAnother())) {
      ask();
    } else {
      act();
    }
  }

  /// Whether this member knows of a primary view that it has not installed and can follow to: somebody must tell it, as
  /// those who are with it decide by its report.
  private boolean isBehind() {
    Proposal agreed = chain.behind();
    View last = agreed == null ? null : agreed.lastPrimary();
    return last != null && last.id().equals(host.kept().of()) && recovery.canFollow(agreed, view);
  }

  /// Proposes a view if that is this member's business now.
  private void act() {
    if (wantsOut() && view.size() == 1 && !wedged && !ended && !mayHandOver()) {
      ended = true;
      host.left(null);
    }
    boolean due = peerStates.needsChange() || wedged || wanted || (wantsOut() && view.size() > 1);
    boolean busy = proposer.isBusy() || announced != null;
    if (!due || ended || busy || !isCoordinator() || waitsForAnother() || backoff.isOn()) {
      return;
    }
    proposer.start(nextBallot(), peerStates.candidates());
    host.interestChanged();
  }

  /// Somebody else's attempt gets the time to succeed.
  private boolean waitsForAnother() {
    MemberId other = promise.proposer();
    return wedged
        && other != null
        && !other.equals(self)
        && !peerStates.hasGivenUp(other, promise.ballot())
        && promise.isFresh(effects.nowNanos(), patienceNanos);
  }

  ViewId nextBallot() {
    return new ViewId(Math.max(promise.ballot().epoch(), proposer.epoch()) + 1, self.incarnation());
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
        if (!knowledge.isPossible(from, host)) {
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
      case ViewMessage.Found _, ViewMessage.Meet _, ViewMessage.Overruled _, ViewMessage.NameInUse _ ->
          throw new Malformed("merge message");
      case ViewMessage.Doubted _, ViewMessage.Refuted _, ViewMessage.TooSlow _ -> throw new Malformed("doubt");
    }
  }

  private void proposed(MemberId from, ViewId ballot) throws Malformed {
    if (ballot.proposer() != from.incarnation()) {
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
    host.interestChanged();
  }

  private void wedge() {
    if (!wedged) {
      wedged = true;
      host.wedge();
    }
  }

  private Knowledge knowledge() {
    return new Knowledge(
        view,
        chain.lineage(),
        chain.primary(),
        chain.absentees(),
        host.kept().report(),
        host.branch().report(),
        chain.kept(),
        host.clock(),
        host.synced(),
        host.takesState(),
        host.transfer(view.id()),
        wantsOut(),
        host.identity().earlier());
  }

  private void refused(MemberId from, ViewId ballot, ViewId other) {
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
          chain.learn(known, proposal.absentees());
          pending = new Knowledge.Accepted(ballot, proposal);
          if (proposal.view().primary()) {
            chain.accept(pending);
          }
          host.interestChanged(); // whoever installs the view sooner may speak to this member
          effects.send(from, new ViewMessage.Accepted(ballot));
        });
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
    }
    if (leaving && !host.identity().isIn(proposal.view())) {
      ended = true;
      host.left(proposal);
    }
    act();
  }

  /// A proposer has found out that a primary view was agreed which this member has not installed.
  private void agreed(MemberId from, ViewId ballot, Proposal proposal) {
    if (!ballot.equals(promise.ballot())) {
      counters.count(Count.STALE_AGREED);
      return;
    }
    recovery.begin(
        proposal,
        view,
        () -> {
          if (proposal.view().primary() && recovery.canFollow(proposal, view)) {
            follow(proposal, true);
          }
          effects.send(from, new ViewMessage.Wedged(ballot, knowledge()));
        });
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
      host.catchUp(proposal);
    }
  }

  /// Installs a view. If a higher ballot was promised meanwhile, the view begins wedged: the promise was not to act in
  /// any view that is older than that attempt.
  private void enter(Proposal proposal, boolean held) {
    View before = view;
    view = proposal.view();
    peerStates.installed(view, proposal.departed(), effects.nowNanos());
    wanted = false;
    wedged = held;
    recovery.abandon();
    host.install(before, proposal);
    if (held) {
      host.wedge();
    }
    host.interestChanged();
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

  /// An attempt of this member's has succeeded. It is about to install the view, too: what it tells itself waits until
  /// what it promised is on the disk. Until then a new attempt would be one of the members of the old view.
  void announced(ViewId id) {
    announced = id;
  }

  /// An attempt of this member's ended.
  void attemptEnded() {
    host.interestChanged();
  }

  /// Fails when an invariant does not hold.
  public void check() {
    promise.check();
    chain.check();
    proposer.check();
    recovery.check();
    peerStates.check();
    Invariant.check(view.contains(self), "a member is in its view");
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
}
