package org.tutti.membership;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Suspicion;
import org.tutti.View;
import org.tutti.effect.Effects;

/// Between the failure detector and the view agreement of one group: with [Suspicion#REFUTABLE], who is silent for this
/// member is doubted until the others had time to say that they hear it (N7).
///
/// A doubt is said at each tick to all members that are not doubted; whoever hears a doubted one, or is it, tells all.
/// A refutation counts for some ticks, so it has to be repeated as long as the doubt lasts. NewTop's refutation brings
/// along the last message that was heard; here the link retransmits it when the two hear each other again, and a doubt
/// that lasts too long becomes a suspicion all the same.
///
/// In a view of two there is nobody to ask.
public final class Refutation {
  private static final int COUNTS_TICKS = 3;
  private static final int LIMIT_FACTOR = 5; // in times of suspicion

  private static final class Doubt {
    final long since;
    long refutedAt = Long.MIN_VALUE;

    Doubt(long since) {
      this.since = since;
    }
  }

  private final MemberId self;
  private final Suspicion suspicion;
  private final Supplier<View> view;
  private final Predicate<MemberId> silent;
  private final Effects<ViewMessage> effects;
  private final long answerNanos;
  private final long countsNanos;
  private final long limitNanos;
  private final Map<MemberId, Doubt> doubts = new TreeMap<>();
  private SortedSet<MemberId> suspects = new TreeSet<>();

  /// Starts without doubts.
  ///
  /// @param self         this member
  /// @param suspicion    what it does about silence
  /// @param view         the view that is installed
  /// @param silent       the failure detector's opinion
  /// @param tick         how often [#tick] is called
  /// @param suspectAfter the time of suspicion
  /// @param effects      how to reach the others
  public Refutation(
      MemberId self,
      Suspicion suspicion,
      Supplier<View> view,
      Predicate<MemberId> silent,
      Duration tick,
      Duration suspectAfter,
      Effects<ViewMessage> effects) {
    this.self = self;
    this.suspicion = suspicion;
    this.view = view;
    this.silent = silent;
    this.effects = effects;
    this.answerNanos = suspectAfter.toNanos() / 2;
    this.countsNanos = COUNTS_TICKS * tick.toNanos();
    this.limitNanos = LIMIT_FACTOR * suspectAfter.toNanos();
  }

  /// Whether a member counts as gone.
  ///
  /// @param member any; who is not in the view is not doubted, but suspected
  /// @return whether it is silent, and not saved by a doubt
  public boolean suspects(MemberId member) {
    return silent.test(member) && !(isDoubtable(member) && isDoubted(doubts.get(member)));
  }

  private boolean isDoubtable(MemberId member) {
    View current = view.get();
    return suspicion == Suspicion.REFUTABLE && current.size() > 2 && current.contains(member);
  }

  private boolean isDoubted(@Nullable Doubt doubt) {
    if (doubt == null) {
      return true; // from the next tick on
    }
    long now = effects.nowNanos();
    boolean refuted = doubt.refutedAt != Long.MIN_VALUE && now - doubt.refutedAt < countsNanos;
    return now - doubt.since < (refuted ? limitNanos : answerNanos);
  }

  /// Says what is doubted.
  ///
  /// @return whether somebody counts as gone, or does not any more, since the last call
  public boolean tick() {
    View current = view.get();
    List<MemberId> doubted =
        current.members().stream().filter(member -> isDoubtable(member) && silent.test(member)).toList();
    doubts.keySet().retainAll(doubted);
    doubted.forEach(member -> doubts.computeIfAbsent(member, _ -> new Doubt(effects.nowNanos())));
    if (!doubted.isEmpty()) {
      tell(new ViewMessage.Doubted(doubted));
    }
    var now = new TreeSet<MemberId>();
    current.members().stream().filter(this::suspects).forEach(now::add);
    boolean changed = !now.equals(suspects);
    suspects = now;
    return changed;
  }

  private void tell(ViewMessage message) {
    for (MemberId member : view.get().members()) {
      if (!member.equals(self) && !silent.test(member)) {
        effects.send(member, message);
      }
    }
  }

  /// Somebody does not hear some members.
  ///
  /// @param from    who
  /// @param members the silent ones
  public void doubted(MemberId from, List<MemberId> members) {
    View current = view.get();
    List<MemberId> heard = members.stream().filter(member -> current.contains(member) && !silent.test(member)).toList();
    if (current.contains(from) && !heard.isEmpty()) {
      tell(new ViewMessage.Refuted(heard));
    }
  }

  /// Somebody hears some members.
  ///
  /// @param from    who
  /// @param members the living ones
  public void refuted(MemberId from, List<MemberId> members) {
    if (view.get().contains(from)) {
      for (MemberId member : members) {
        Doubt doubt = doubts.get(member);
        if (doubt != null) {
          doubt.refutedAt = effects.nowNanos();
        }
      }
    }
  }
}
