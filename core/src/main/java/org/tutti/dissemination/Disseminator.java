package org.tutti.dissemination;

import java.util.Set;
import java.util.TreeSet;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;

/// Brings this member's batches to all others of one view, and passes on those of others: each batch as a *star*, from
/// its sender to everybody, or along a *chain*, from member to member. The sender chooses batch by batch, without a
/// view change and without asking anybody.
///
/// ```
///   star                             chain of the sender b in the view [a, b, c, d]
///     b -- Transmission --> a          b -- Transmission --> c -- the same --> d -- the same --> a
///     b -- Transmission --> c
///     b -- Transmission --> d
/// ```
///
/// The chain of a sender is the view's voters by rank, beginning behind the sender and going around, and then the
/// observers, so that nobody whom the group waits for is behind one that it does not wait for. When all members
/// multicast it is a ring: every line carries every message once each way. After Guerraoui, Levy, Pochon and Quéma,
/// "Throughput optimal total order broadcast for cluster environments", ACM TOCS 28(2), 2010, section 4. Deviations:
/// only batches go along the chain, places and acknowledgements are sent directly; and a crash in the chain is repaired
/// by the view change's cut, as a sender's crash in the middle of a star is.
///
/// Why nothing is lost. Links lose nothing as long as both ends are in the view and hear each other, and a member
/// passes a batch on in the step in which it comes. So if a batch does not reach somebody, a member before it has
/// crashed, or has given up a neighbour, or has begun a view change: in each case the view ends, its cut says which
/// batches belong to the history, and who misses one fetches it.
///
/// Why nothing comes twice. A batch takes one way; its sender sends it once in a view; and along a chain each member
/// has one predecessor, from which alone it takes batches of that sender.
///
/// What is not kept is the order of a sender's messages: a batch on a chain may be overtaken by later batches of a
/// star, and by its sender's messages to other protocols. The hold-back queue (`org.tutti.order.HoldBackQueue`)
/// restores the order of batches; messages that speak of all that was sent before say how many batches these are.
public final class Disseminator {
  private static final int NOBODY = -1;

  /// Chooses between the two ways.
  @FunctionalInterface
  public interface Choice {
    /// Asked once for each batch of this member.
    ///
    /// @param bytes of the batch
    /// @return whether it is to go along the chain
    boolean chains(int bytes);

    /// A batch of another member has come.
    ///
    /// @param bytes of the batch
    default void arrived(int bytes) {}
  }

  private final View view;
  private final int self;
  private final Choice choice;
  private final Effects<Transmission> effects;
  private final Counters counters;
  private boolean begun; // this member has sent a batch in this view
  private boolean chained; // the last one of them went along the chain

  /// Begins a view.
  ///
  /// @param view     the view
  /// @param self     this member's rank
  /// @param choice   which way batches of this member go
  /// @param effects  how to reach the others
  /// @param counters count batches on chains
  public Disseminator(View view, int self, Choice choice, Effects<Transmission> effects, Counters counters) {
    this.view = view;
    this.self = self;
    this.choice = choice;
    this.effects = effects;
    this.counters = counters;
  }

  /// Sends a batch of this member to all others.
  ///
  /// @param batch the next one
  public void send(Batch batch) {
    int next = successor(self);
    boolean along = next != NOBODY && successor(self, next) != NOBODY && choice.chains(batch.payload().remaining());
    var message = new Transmission(along ? self : Transmission.DIRECT, !begun, begun && along != chained, batch);
    begun = true;
    chained = along;
    if (along) {
      counters.count(Count.BATCHES_CHAINED);
      effects.send(view.members().get(next), message);
    } else {
      effects.broadcast(message);
    }
  }

  /// Who has sent a batch.
  ///
  /// @param from    who has brought it
  /// @param message the batch
  /// @return its sender's rank
  /// @throws Malformed when it cannot have come this way
  public int sender(MemberId from, Transmission message) throws Malformed {
    int rank = view.rankOf(from);
    if (message.origin() == Transmission.DIRECT && rank >= 0) {
      return rank;
    }
    boolean possible = rank >= 0 && message.origin() != self && successor(message.origin(), rank) == self;
    if (!possible) {
      throw new Malformed("batch from the wrong member");
    }
    return message.origin();
  }

  /// A batch was taken: forwards it if it is one of a chain that does not end here.
  ///
  /// @param message the batch; its payload stays as it is until all members of the view hold it
  public void forward(Transmission message) {
    choice.arrived(message.batch().payload().remaining());
    if (message.origin() != Transmission.DIRECT) {
      int next = successor(message.origin(), self);
      if (next != NOBODY) {
        counters.count(Count.BATCHES_FORWARDED);
        effects.send(view.members().get(next), message);
      }
    }
  }

  private int successor(int origin) {
    return successor(origin, origin);
  }

  /// Who comes behind a member in a sender's chain.
  ///
  /// @param origin the sender's rank
  /// @param rank   the member's
  /// @return the rank of the next one, or [#NOBODY]
  private int successor(int origin, int rank) {
    int voters = view.voting();
    int next = rank + 1;
    if (rank < voters || rank == origin) { // an observer's chain begins with the most senior voter
      int around = rank < voters ? (rank + 1) % voters : 0;
      int last = origin < voters ? origin : 0;
      boolean ends = rank < voters && around == last;
      if (!ends) {
        return around;
      }
      next = voters;
    }
    if (next == origin) {
      next++;
    }
    return next < view.size() ? next : NOBODY;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    Set<Integer> reached = new TreeSet<>();
    for (int rank = successor(self); rank != NOBODY && rank != self && reached.add(rank); ) {
      rank = successor(self, rank);
    }
    Invariant.check(reached.size() == view.size() - 1, "a chain reaches every other member");
  }
}
