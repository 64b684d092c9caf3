package org.tutti.membership;

import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.order.Cut;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;

/// Brings a member the batches of a cut that it misses, from whoever has them.
final class Recovery {
  private final MemberId self;
  private final Effects<ViewMessage> effects;
  private final ViewHost host;
  private @Nullable Cut cut;
  private @Nullable Runnable complete;

  Recovery(MemberId self, Effects<ViewMessage> effects, ViewHost host) {
    this.self = self;
    this.effects = effects;
    this.host = host;
  }

  /// Asks for everything that is missing; goes on when it is here.
  void begin(@Nullable Cut wanted, Runnable then) {
    cut = wanted == null || !wanted.available() ? null : wanted;
    complete = then;
    if (cut != null) {
      for (int rank = 0; rank < wanted.sources().size(); rank++) {
        long from = host.missingFrom(wanted, rank);
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
    if (then != null && isComplete()) {
      abandon();
      then.run();
    }
  }

  private boolean isComplete() {
    return cut == null || has(cut);
  }

  /// Whether this member has every batch of a cut that fits its history.
  boolean has(Cut wanted) {
    for (int rank = 0; rank < wanted.sources().size(); rank++) {
      if (host.missingFrom(wanted, rank) < wanted.batchNext(rank)) {
        return false;
      }
    }
    return true;
  }

  /// Whether this member is in a view and has what it needs to go into it: if the view ends its history, every batch up
  /// to there.
  boolean canFollow(Proposal proposal) {
    if (!proposal.view().contains(self)) {
      return false;
    }
    Knowledge.History history = host.history();
    View last = proposal.lastPrimary();
    if (!proposal.view().primary() || history == null || last == null || !history.view().equals(last.id())) {
      return true;
    }
    Cut cut = proposal.cutOf(history.view());
    return cut != null && host.fits(cut) && has(cut);
  }

  void fetch(MemberId from, ViewMessage.Fetch fetch) throws Malformed {
    for (long seq = fetch.from(); seq < fetch.next(); seq++) {
      Batch batch = host.find(fetch.view(), fetch.rank(), seq);
      if (batch == null) {
        throw new Malformed("fetch");
      }
      effects.send(from, new ViewMessage.Supply(fetch.view(), fetch.rank(), batch));
    }
  }

  void supply(ViewMessage.Supply supply) {
    host.supplied(supply.view(), supply.rank(), supply.batch());
    check();
  }
}
