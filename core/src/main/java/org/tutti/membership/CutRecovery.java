package org.tutti.membership;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Effects;
import org.tutti.order.Cut;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;

/// Brings a member the batches of cuts that it misses, from whoever has them, and says which proposals it can follow:
/// those that agree with its own histories, and of whose cuts it has every batch.
final class CutRecovery {
  /// What is to be here before this member accepts.
  private record Wanted(KeptHistory of, Cut cut) {
    boolean isHere() {
      return of.holds(cut);
    }

    boolean isMissing(ViewMessage.Supply supply) {
      int rank = supply.rank();
      long seq = supply.batch().seq();
      return cut.view().equals(supply.view())
          && cut.view().equals(of.of()) // it may have given way to the next one
          && rank < cut.sources().size()
          && seq < cut.batchNext(rank)
          && seq == of.missingFrom(cut, rank);
    }
  }

  private final MemberIdentity identity;
  private final Effects<ViewMessage> effects;
  private final KeptHistory kept;
  private final KeptHistory branch;
  private final List<Wanted> wanted = new ArrayList<>();
  // What was last wanted of each history, by this attempt or one given up: what is on the way may take longer than an
  // attempt, and if it were dropped, the next attempt would fetch it anew, and so would all that follow.
  private final List<Wanted> asked = new ArrayList<>();
  private @Nullable Runnable complete;

  CutRecovery(MemberIdentity identity, Effects<ViewMessage> effects, KeptHistory kept, KeptHistory branch) {
    this.identity = identity;
    this.effects = effects;
    this.kept = kept;
    this.branch = branch;
  }

  /// Asks for everything that is missing of the cuts that end this member's histories; goes on when it is here. A cut
  /// that does not fit is left alone: this member is ahead of that view's past and cannot follow there.
  void begin(Proposal proposal, View current, Runnable then) {
    abandon();
    complete = then;
    want(kept, cutOf(proposal, current));
    want(branch, branchCutOf(proposal));
    goOnIfAllIsHere();
  }

  private void want(KeptHistory of, @Nullable Cut cut) {
    if (cut == null || !cut.available() || !of.fits(cut)) {
      return;
    }
    var here = new Wanted(of, cut);
    wanted.add(here);
    asked.removeIf(before -> before.of == of);
    asked.add(here);
    for (int rank = 0; rank < cut.sources().size(); rank++) {
      long from = of.missingFrom(cut, rank);
      long next = cut.batchNext(rank);
      if (from < next) {
        effects.send(cut.sources().get(rank), new ViewMessage.Fetch(cut.view(), rank, from, next));
      }
    }
  }

  /// Who is asked: after a split these may be in no view of this member, and their links would be closed.
  void sources(Collection<MemberId> into) {
    wanted.forEach(one -> into.addAll(one.cut.sources()));
  }

  void abandon() {
    wanted.clear();
    complete = null;
  }

  private void goOnIfAllIsHere() {
    Runnable then = complete;
    if (then != null && wanted.stream().allMatch(Wanted::isHere)) {
      abandon();
      then.run();
    }
  }

  // ---- proposals -------------------------------------------------------------------------------------------------

  /// The cut that ends this member's history, if the history ends with this proposal.
  @Nullable Cut cutOf(Proposal proposal, View current) {
    ViewId of = kept.of();
    Cut ending = of == null ? null : proposal.cutOf(of);
    return ending != null && (ending.whole() || current.id().equals(of)) ? ending : null;
  }

  private @Nullable Cut branchCutOf(Proposal proposal) {
    ViewId of = branch.of();
    return of == null ? null : proposal.cutOf(of);
  }

  /// Whether this member can end its branch, if it is in one, as all do who go from there into the proposed view.
  boolean endsBranch(Proposal proposal) {
    Cut ending = branchCutOf(proposal);
    return branch.of() == null || (ending != null && branch.fits(ending) && branch.holds(ending));
  }

  /// Whether a proposal takes this member in and agrees with what this member knows: its history is ended by a cut that
  /// fits, or gives way to a state that is to come; and it has not gone further already.
  boolean fits(Proposal proposal, View current) {
    View next = proposal.view();
    Cut ending = cutOf(proposal, current);
    if (!identity.isIn(next) || (ending != null && !kept.fits(ending))) {
      return false;
    }
    ViewId of = kept.of();
    View last = proposal.lastPrimary();
    if (!next.primary() || last == null) {
      return next.id().compareTo(current.id()) > 0;
    }
    if (last.id().equals(of)) {
      return ending != null;
    }
    Knowledge.Transfer transfer = identity.transferBy(proposal);
    return transfer != null && transfer.since().equals(next.id()) && (of == null || of.compareTo(next.id()) < 0);
  }

  /// Whether this member has what it needs to go into a view: if the view ends its history, every batch up to there.
  boolean canFollow(Proposal proposal, View current) {
    Cut ending = cutOf(proposal, current);
    return fits(proposal, current)
        && (ending == null || kept.holds(ending))
        && (proposal.view().primary() || endsBranch(proposal));
  }

  // ---- batches ---------------------------------------------------------------------------------------------------

  void fetch(MemberId from, ViewMessage.Fetch fetch) throws Malformed {
    for (long seq = fetch.from(); seq < fetch.next(); seq++) {
      Batch batch = find(fetch.view(), fetch.rank(), seq);
      if (batch == null) {
        throw new Malformed("fetch");
      }
      effects.send(from, new ViewMessage.Supply(fetch.view(), fetch.rank(), batch));
    }
  }

  private @Nullable Batch find(ViewId view, int rank, long seq) {
    return view.equals(branch.of()) ? branch.find(view, rank, seq) : kept.find(view, rank, seq);
  }

  /// Takes a batch, also one that an attempt fetched which was given up since.
  ///
  /// @return whether it is the next one that this member misses
  boolean supply(ViewMessage.Supply supply) {
    boolean taken = false;
    for (Wanted cut : asked) {
      taken |= cut.isMissing(supply) && cut.of.supplied(supply.view(), supply.rank(), supply.batch());
    }
    goOnIfAllIsHere();
    return taken;
  }

  void check() {
    Invariant.check(wanted.isEmpty() || complete != null, "whoever fetches goes on when all is here");
    Invariant.check(asked.size() <= 2, "of each history one end is fetched");
  }
}
