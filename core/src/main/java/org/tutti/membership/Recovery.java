package org.tutti.membership;

import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Effects;
import org.tutti.order.Cut;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;

/// Brings a member the batches of a cut that it misses, from whoever has them, and says which proposals it can follow:
/// those that agree with its own history, and of whose cut it has every batch.
final class Recovery {
  private final MemberId self;
  private final Effects<ViewMessage> effects;
  private final KeptHistory kept;
  private @Nullable Cut cut;
  private @Nullable Runnable complete;

  Recovery(MemberId self, Effects<ViewMessage> effects, KeptHistory kept) {
    this.self = self;
    this.effects = effects;
    this.kept = kept;
  }

  /// Asks for everything that is missing of the cut that ends this member's history; goes on when it is here. A cut
  /// that does not fit is left alone: this member is ahead of that view's past and cannot follow there.
  void begin(Proposal proposal, View current, Runnable then) {
    Cut wanted = cutOf(proposal, current);
    cut = wanted != null && wanted.available() && kept.fits(wanted) ? wanted : null;
    complete = then;
    if (wanted != null && cut != null) {
      for (int rank = 0; rank < wanted.sources().size(); rank++) {
        long from = kept.missingFrom(wanted, rank);
        long next = wanted.batchNext(rank);
        if (from < next) {
          effects.send(wanted.sources().get(rank), new ViewMessage.Fetch(wanted.view(), rank, from, next));
        }
      }
    }
    check();
  }

  void abandon() {
    cut = null;
    complete = null;
  }

  private void check() {
    Runnable then = complete;
    if (then != null && (cut == null || kept.holds(cut))) {
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

  /// Whether a proposal takes this member in and agrees with what this member knows: its history is ended by a cut that
  /// fits, or gives way to a state that is to come; and it has not gone further already.
  boolean fits(Proposal proposal, View current) {
    View next = proposal.view();
    Cut ending = cutOf(proposal, current);
    if (!next.contains(self) || (ending != null && !kept.fits(ending))) {
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
    Knowledge.Transfer transfer = proposal.transferTo(self);
    return transfer != null && transfer.since().equals(next.id()) && (of == null || of.compareTo(next.id()) < 0);
  }

  /// Whether this member has what it needs to go into a view: if the view ends its history, every batch up to there.
  boolean canFollow(Proposal proposal, View current) {
    Cut ending = cutOf(proposal, current);
    return fits(proposal, current) && (ending == null || kept.holds(ending));
  }

  // ---- batches ---------------------------------------------------------------------------------------------------

  void fetch(MemberId from, ViewMessage.Fetch fetch) throws Malformed {
    for (long seq = fetch.from(); seq < fetch.next(); seq++) {
      Batch batch = kept.find(fetch.view(), fetch.rank(), seq);
      if (batch == null) {
        throw new Malformed("fetch");
      }
      effects.send(from, new ViewMessage.Supply(fetch.view(), fetch.rank(), batch));
    }
  }

  /// Takes a batch.
  ///
  /// @return whether it is the next one that this member waits for
  boolean supply(ViewMessage.Supply supply) {
    boolean taken = isMissing(supply) && kept.supplied(supply.view(), supply.rank(), supply.batch());
    check();
    return taken;
  }

  private boolean isMissing(ViewMessage.Supply supply) {
    Cut wanted = cut;
    int rank = supply.rank();
    long seq = supply.batch().seq();
    return wanted != null
        && wanted.view().equals(supply.view())
        && rank < wanted.sources().size()
        && seq < wanted.batchNext(rank)
        && seq == kept.missingFrom(wanted, rank);
  }
}
