package org.tutti.dissemination;

import java.util.Set;
import java.util.TreeSet;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.dissemination.Transmission.Way;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;

/// Brings this member's batches to all others of one view, and passes on those of others: each batch as a *star*, from
/// its sender to everybody, along a *chain*, from member to member, or through a *relay*, the most senior member. The
/// sender chooses batch by batch, without a view change and without asking anybody.
///
/// ```
///   star                         chain of the sender b in the view [a, b, c, d]
///     b -- Transmission --> a      b -- Transmission --> c -- the same --> d -- the same --> a
///     b -- Transmission --> c    relay
///     b -- Transmission --> d      b -- Transmission --> a -- the same --> c
///                                                        a -- the same --> d
/// ```
///
/// The chain of a sender is the view's voters by rank, beginning behind the sender and going around, and then the
/// observers, so that nobody whom the group waits for is behind one that it does not wait for. When all members
/// multicast it is a ring: every line carries every message once each way. After Guerraoui, Levy, Pochon and Quéma,
/// "Throughput optimal total order broadcast for cluster environments", ACM TOCS 28(2), 2010, section 4. Deviations:
/// only batches go along the chain, places and acknowledgements are sent directly; and a crash in the chain is repaired
/// by the view change's cut, as a sender's crash in the middle of a star is.
///
/// The relay is who sequences in the fixed sequencer's ordering, so that the place of a batch leaves together with it:
/// the asymmetric protocol of Morgan and Ezhilchelvan, "Policies for using Replica Groups and their effectiveness over
/// the Internet" (NewTop). There message and order are one. Here they are two, said in the same run of inputs, so that
/// a frame takes both while the line has room, and any ordering can have it. What the relay multicasts itself is a
/// star.
///
/// Why nothing is lost. Links lose nothing as long as both ends are in the view and hear each other, and a member
/// passes a batch on in the step in which it comes. So if a batch does not reach somebody, a member before it has
/// crashed, or has given up a neighbour, or has begun a view change: in each case the view ends, its cut says which
/// batches belong to the history, and who misses one fetches it.
///
/// Why nothing comes twice. A batch takes one way; its sender sends it once in a view; and on each way each member has
/// one predecessor, from which alone it takes batches of that sender.
///
/// What is not kept is the order of a sender's messages: a batch may be overtaken by later batches that take another
/// way, and by its sender's messages to other protocols. The hold-back queue (`org.tutti.order.HoldBackQueue`)
/// restores the order of batches; messages that speak of all that was sent before say how many batches these are.
public final class Disseminator {
  private static final int NOBODY = -1;
  private static final int RELAY = 0; // the rank of who relays, and sequences

  /// Chooses between the ways.
  @FunctionalInterface
  public interface Choice {
    /// Asked once for each batch of this member.
    ///
    /// @param bytes of the batch
    /// @return how it is to go; who relays sends as a star instead of through itself
    Way way(int bytes);

    /// A batch of another member has come, whatever way.
    ///
    /// @param bytes of the batch
    default void came(int bytes) {}

    /// Whether a batch of this member may leave now. One that waits here can still take another way; one that waits
    /// for a line cannot. If not, it is asked again when anything arrives, and after [#RETRY_NANOS] at the latest.
    ///
    /// @param next to whom it goes if it goes along a chain
    /// @return whether it may
    default boolean isReady(MemberId next) {
      return true;
    }
  }

  /// After how long it is asked again whether a batch may leave, if nothing arrives meanwhile.
  public static final long RETRY_NANOS = BottleneckDetector.INTERVAL_NANOS;

  private final View view;
  private final int self;
  private final Choice choice;
  private final Effects<Transmission> effects;
  private final Counters counters;
  private boolean begun; // this member has sent a batch in this view
  private Way last = Way.STAR; // how the last one of them went

  /// Begins a view.
  ///
  /// @param view     the view
  /// @param self     this member's rank
  /// @param choice   which way batches of this member go
  /// @param effects  how to reach the others
  /// @param counters count batches that are no star's
  public Disseminator(View view, int self, Choice choice, Effects<Transmission> effects, Counters counters) {
    this.view = view;
    this.self = self;
    this.choice = choice;
    this.effects = effects;
    this.counters = counters;
  }

  /// Whether a batch of this member may leave now ([Choice#isReady]).
  ///
  /// @return whether it may
  public boolean isReady() {
    return view.size() <= 2 || choice.isReady(view.members().get(successor(self, self)));
  }

  /// Sends a batch of this member to all others.
  ///
  /// @param batch the next one
  public void send(Batch batch) {
    Way way = wayOf(batch);
    var message = new Transmission(way, self, !begun, begun && way != last, batch);
    begun = true;
    last = way;
    switch (way) {
      case STAR -> effects.broadcast(message);
      case CHAIN -> {
        counters.count(Count.BATCHES_CHAINED);
        effects.send(view.members().get(successor(self, self)), message);
      }
      case RELAY -> {
        counters.count(Count.BATCHES_RELAYED);
        effects.send(view.members().get(RELAY), message);
      }
    }
  }

  private Way wayOf(Batch batch) {
    if (view.size() <= 2) {
      return Way.STAR; // all ways are the same
    }
    Way chosen = choice.way(batch.payload().remaining());
    return chosen == Way.RELAY && self == RELAY ? Way.STAR : chosen;
  }

  /// Who has sent a batch.
  ///
  /// @param from    who has brought it
  /// @param message the batch
  /// @return its sender's rank
  /// @throws Malformed when it cannot have come this way
  public int sender(MemberId from, Transmission message) throws Malformed {
    int origin = message.origin();
    if (message.way() == Way.STAR) {
      return origin; // named by the link
    }
    int rank = view.rankOf(from);
    boolean possible =
        rank >= 0
            && origin != self
            && (message.way() == Way.CHAIN ? successor(origin, rank) == self : isRelayed(origin, rank));
    if (!possible) {
      throw new Malformed("batch from the wrong member");
    }
    return origin;
  }

  /// Whether a batch that goes through the relay can come from a member: to the relay from its sender, to all others
  /// from the relay.
  private boolean isRelayed(int origin, int rank) {
    return origin != RELAY && rank == (self == RELAY ? origin : RELAY);
  }

  /// A batch was taken: forwards it if it is one of a chain that does not end here, or is to be relayed.
  ///
  /// @param message the batch; its payload stays as it is until all members of the view hold it
  public void forward(Transmission message) {
    choice.came(message.batch().payload().remaining());
    if (message.way() == Way.RELAY) {
      if (self == RELAY) {
        relay(message);
      }
      return;
    }
    int next = message.way() == Way.CHAIN ? successor(message.origin(), self) : NOBODY;
    if (next != NOBODY) {
      counters.count(Count.BATCHES_FORWARDED);
      effects.send(view.members().get(next), message);
    }
  }

  /// To all but its sender, which has it.
  private void relay(Transmission message) {
    counters.count(Count.BATCHES_FORWARDED);
    for (int rank = RELAY + 1; rank < view.size(); rank++) {
      if (rank != message.origin()) {
        effects.send(view.members().get(rank), message);
      }
    }
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
    for (int rank = successor(self, self); rank != NOBODY && rank != self && reached.add(rank); ) {
      rank = successor(self, rank);
    }
    Invariant.check(reached.size() == view.size() - 1, "a chain reaches every other member");
    Invariant.check(self != RELAY || last != Way.RELAY, "who relays sends what is its own as a star");
  }
}
