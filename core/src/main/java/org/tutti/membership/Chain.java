package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// What one member knows of the chain of primary views: its name, the latest one that was agreed, and which proposal to
/// succeed that one this member has accepted.
final class Chain {
  private @Nullable Lineage lineage;
  private @Nullable View primary; // the latest known to have been agreed
  private List<MemberId> absentees; // who decides about what follows it without being in it
  private Knowledge.@Nullable Accepted accepted; // its successor, or itself until this member has installed it
  private Knowledge.@Nullable Accepted installed; // itself, for those who have not

  Chain(InitialState beginning) {
    PersistentState kept = beginning.restored();
    this.lineage = beginning.lineage();
    this.primary = beginning.primary();
    this.absentees = kept == null ? List.of() : kept.absentees();
    this.accepted = kept == null ? null : kept.accepted();
    this.installed = kept == null ? null : kept.installed();
  }

  /// What must outlive this member.
  PersistentState persistent(MemberIdentity identity, Promise promise) {
    return new PersistentState(
        identity.self(),
        identity.earlier(),
        promise.first(),
        promise.ballot(),
        lineage,
        primary,
        absentees,
        accepted,
        installed);
  }

  @Nullable Lineage lineage() {
    return lineage;
  }

  /// Whether a history is not the one that this member is in.
  boolean isOfAnother(@Nullable Lineage other) {
    return Lineage.differ(lineage, other);
  }

  @Nullable View primary() {
    return primary;
  }

  /// Who decides about what follows the latest agreed primary view without being in it.
  List<MemberId> absentees() {
    return absentees;
  }

  /// What to report: what was accepted and is not finished; otherwise the agreement on the latest primary view, as a
  /// member of it may have accepted another proposal since and be left behind.
  Knowledge.@Nullable Accepted kept() {
    return accepted == null ? installed : accepted;
  }

  /// What was accepted, if it is a certain view.
  @Nullable Proposal accepted(ViewId view) {
    return isFor(view, accepted) ? accepted.proposal() : null;
  }

  static boolean isFor(ViewId view, Knowledge.@Nullable Accepted what) {
    return what != null && what.proposal().view().id().equals(view);
  }

  /// Whether a later primary view is known here than the one that somebody else knows.
  boolean isBeyond(@Nullable View known) {
    return primary != null && (known == null || known.id().compareTo(primary.id()) < 0);
  }

  void accept(Knowledge.Accepted what) {
    accepted = what;
  }

  /// A primary view was agreed, whether or not this member is in it.
  void learn(Proposal agreed) {
    learn(agreed.view(), agreed.nextAbsentees(), agreed);
  }

  /// What a proposal goes on from was agreed.
  void learnLast(Proposal proposal) {
    learn(proposal.lastPrimary(), proposal.absentees(), proposal);
  }

  /// Who knows a view of a history is in that history, also before it is in a view of it: it must not bring what it
  /// knows into another one. What was accepted with the view is kept for those who need it to follow.
  private void learn(@Nullable View agreed, List<MemberId> absent, Proposal by) {
    if (agreed != null && !Founding.isZero(agreed.id())) {
      goInto(by.lineage());
    }
    if (agreed != null && (primary == null || agreed.id().compareTo(primary.id()) > 0)) {
      primary = agreed;
      absentees = absent;
      installed = null;
      if (!isFor(agreed.id(), accepted)) {
        accepted = null;
      }
    }
  }

  /// A view was announced after this member had given the attempt up. But whoever announced it may have gone since, and
  /// perhaps nobody else knows of it.
  ///
  /// @return whether this member had accepted it
  boolean announced(ViewId view) {
    Proposal kept = accepted(view);
    if (kept != null) {
      learn(kept);
    }
    return kept != null;
  }

  /// The latest agreed primary view, when this member has accepted and not installed it.
  @Nullable Proposal behind() {
    return primary == null ? null : accepted(primary.id());
  }

  /// This member goes into a view.
  void follow(Proposal proposal) {
    goInto(proposal.lineage());
    if (proposal.view().primary()) {
      learn(proposal);
      if (!isSucceeding(proposal.view())) {
        accepted = null;
      }
      if (proposal.view().equals(primary)) {
        installed = new Knowledge.Accepted(proposal.view().id(), proposal);
      }
    }
  }

  /// Who is in no history yet may enter any.
  private void goInto(@Nullable Lineage other) {
    if (lineage == null || (lineage.isDraft() && other != null)) {
      lineage = other;
    }
  }

  /// Whether what this member has accepted succeeds a view. Who is told late of an agreed view may have accepted its
  /// successor before, and that may have been announced.
  private boolean isSucceeding(View view) {
    View last = accepted == null ? null : accepted.proposal().lastPrimary();
    return last != null && last.id().equals(view.id());
  }

  void check() {
    View last = primary;
    Knowledge.Accepted next = accepted;
    Invariant.check(next == null || next.proposal().view().primary(), "only primary views are chained");
    Invariant.check(
        next == null || (last != null && (isFor(last.id(), next) || isSucceeding(last))),
        "what is accepted is the last primary view, or follows it");
    Invariant.check(
        next == null || last == null || next.proposal().view().version() >= last.version(),
        "what is accepted is in no lower version than the last primary view");
    Invariant.check(
        last == null || Founding.isZero(last.id()) || (lineage != null && !lineage.isDraft()),
        "who knows a primary view is in its history");
    Invariant.check(installed == null || (last != null && isFor(last.id(), installed)), "the last view is kept");
  }

  /// The highest ballot that a member has answered: it answers no lower one any more, and gives its proposer the time
  /// to succeed.
  static final class Promise {
    private final ViewId first;
    private ViewId ballot; // rises
    private @Nullable MemberId proposer;
    private boolean over; // the proposer has made its view without this member
    private long renewedAt;

    Promise(ViewId ballot) {
      this.first = ballot;
      this.ballot = ballot;
    }

    /// With what this life began: higher than all that earlier lives have promised.
    ViewId first() {
      return first;
    }

    ViewId ballot() {
      return ballot;
    }

    @Nullable MemberId proposer() {
      return proposer;
    }

    boolean isBelow(ViewId other) {
      return other.compareTo(ballot) > 0;
    }

    void make(ViewId to, MemberId from, long now) {
      ballot = to;
      proposer = from;
      over = false;
      renewedAt = now;
    }

    /// Somebody is in a view without this member: of this attempt nothing comes any more, if it is the proposer's and
    /// not an older view.
    void wentTo(View other) {
      over |= proposer != null && other.contains(proposer) && other.id().compareTo(ballot) >= 0;
    }

    boolean isOver() {
      return over;
    }

    /// The attempt is going on.
    void renew(long now) {
      renewedAt = now;
    }

    boolean isFresh(long now, long patienceNanos) {
      return now - renewedAt < patienceNanos;
    }

    /// Somebody has promised more: ballots of this member are to be higher than that.
    void raise(ViewId other) {
      ballot = new ViewId(other.epoch(), ballot.proposer());
    }

    void check() {
      Invariant.check(ballot.compareTo(first) >= 0, "promises rise");
      MemberId to = proposer;
      Invariant.check(to == null || ballot.proposer() == to.incarnation(), "a ballot is promised to its proposer");
    }
  }
}
