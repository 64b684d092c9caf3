package org.tutti.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Suspicion;
import org.tutti.View;
import org.tutti.effect.Effects;

/// Between the failure detector and the view agreement of one group: with [Suspicion#REFUTABLE], who is silent for this
/// member is doubted until the others had time to say that they have heard it later.
///
/// ```
///   A does not hear S               B, which does                     C, which does not either
///     | -- Doubted(S: heartbeat 7) ---> |                                |
///     | <- Refuted(S: 23, 40 ms ago) -- | -- Refuted(S: 23, 40 ms ago) ->|
///     |  no doubt until S is a time of suspicion older than that         |  nor here
/// ```
///
/// Source: NewTop. Who suspects names the last message that it has heard of the suspect, and whoever has heard a later
/// one refutes, for the whole group. Packets say how many heartbeats their sender has lived ([HeardPeers#beat]); so
/// *later* is a fact, also of a member that has nothing to say but that it lives. What was heard of others is passed on
/// like what was heard directly, so that one refutation is enough also for those that it does not reach.
///
/// Guarantees: a refutation ends the doubts of all members that it reaches, and none that is about something later. A
/// member that has crashed is suspected at the latest one and a half times of suspicion after the last that anybody
/// heard of it, plus two heartbeats and the way of messages: a refutation says how long ago that was, and a sign of
/// life that old proves nothing. A member that this one does not hear itself is suspected after the limit, whoever
/// refutes it.
///
/// Deviation: the message itself is not carried, only what numbers it. What the doubter misses is brought by its link
/// to the suspect when the two hear each other again, or by the view change that ends the view ([CutRecovery]).
///
/// In a view of two there is nobody to ask.
public final class Refutation {
  private static final int ANSWER_PART = 2; // of a time of suspicion
  private static final int LATELY_PART = 2; // of a time of suspicion

  /// What others have heard of a member, by this member's clock.
  private record Hearsay(long beat, long at) {}

  private final MemberId self;
  private final Suspicion suspicion;
  private final Supplier<View> view;
  private final HeardPeers hearing;
  private final Effects<ViewMessage> effects;
  private final long suspectNanos;
  private final long answerNanos;
  private final int refutedMax;
  private final Map<MemberId, Long> silentSince = new TreeMap<>();
  private final Map<MemberId, Hearsay> hearsay = new TreeMap<>();
  private SortedSet<MemberId> suspects = new TreeSet<>();

  /// Starts without doubts.
  ///
  /// @param self         this member
  /// @param config       what it does about silence, and how long refutations save a member that is silent here
  /// @param view         the view that is installed
  /// @param hearing      what this node has heard itself
  /// @param suspectAfter the time of suspicion
  /// @param effects      how to reach the others
  public Refutation(
      MemberId self,
      MemberConfig config,
      Supplier<View> view,
      HeardPeers hearing,
      Duration suspectAfter,
      Effects<ViewMessage> effects) {
    this.self = self;
    this.suspicion = config.suspicion();
    this.view = view;
    this.hearing = hearing;
    this.effects = effects;
    this.suspectNanos = suspectAfter.toNanos();
    this.answerNanos = suspectNanos / ANSWER_PART;
    this.refutedMax = config.refutedMax();
  }

  /// Whether a member counts as gone.
  ///
  /// @param member any; who is not in the view is not doubted, but suspected
  /// @return whether it is silent, and not saved by a doubt
  public boolean suspects(MemberId member) {
    return hearing.isSilent(member) && !isSaved(member);
  }

  /// Whether a member would count as gone if there were no doubts.
  ///
  /// @param member any
  /// @return whether it is silent, and saved by a doubt
  public boolean spares(MemberId member) {
    return hearing.isSilent(member) && isSaved(member);
  }

  /// Whether a member was heard here within half a time of suspicion.
  ///
  /// @param member any
  /// @return whether it was, or nobody listens to it
  public boolean heardLately(MemberId member) {
    return hearing.agoNanos(member) < suspectNanos / LATELY_PART;
  }

  private boolean isSaved(MemberId member) {
    return isDoubtable(member) && !isOver(member) && (isHeardByOthers(member) || isAsked(member));
  }

  private boolean isDoubtable(MemberId member) {
    View current = view.get();
    return suspicion == Suspicion.REFUTABLE && current.size() > 2 && current.contains(member);
  }

  /// Whether the two have not heard each other for so long that it does not matter what others say.
  private boolean isOver(MemberId member) {
    Long since = silentSince.get(member);
    return since != null && (effects.nowNanos() - since) / suspectNanos >= refutedMax;
  }

  /// Whether somebody has heard it within a time of suspicion.
  private boolean isHeardByOthers(MemberId member) {
    Hearsay last = hearsay.get(member);
    return last != null && effects.nowNanos() - last.at < suspectNanos;
  }

  /// Whether the others have the time to answer still.
  private boolean isAsked(MemberId member) {
    Long since = silentSince.get(member);
    if (since == null) {
      return true; // they are asked from the next tick on
    }
    Hearsay last = hearsay.get(member);
    long doubtedSince = last == null ? since : Math.max(since, last.at + suspectNanos);
    return effects.nowNanos() - doubtedSince < answerNanos;
  }

  /// Says what is doubted; to be called once in a heartbeat.
  ///
  /// @return whether somebody counts as gone, or does not any more, since the last call
  public boolean tick() {
    View current = view.get();
    hearsay.keySet().retainAll(current.members());
    List<MemberId> silent = new ArrayList<>();
    for (MemberId member : current.members()) {
      if (hearing.isSilent(member)) {
        silent.add(member);
      }
    }
    doubt(silent);
    var now = new TreeSet<MemberId>();
    for (MemberId member : silent) {
      if (suspects(member)) {
        now.add(member);
      }
    }
    boolean changed = !now.equals(suspects);
    suspects = now;
    return changed;
  }

  private void doubt(List<MemberId> silent) {
    if (silent.isEmpty()) {
      silentSince.clear();
      return;
    }
    List<MemberId> doubtable = silent.stream().filter(this::isDoubtable).toList();
    silentSince.keySet().retainAll(doubtable);
    doubtable.forEach(member -> silentSince.putIfAbsent(member, effects.nowNanos()));
    List<ViewMessage.Sign> doubted =
        doubtable.stream().filter(member -> !isOver(member) && !isHeardByOthers(member)).map(this::last).toList();
    if (!doubted.isEmpty()) {
      tell(new ViewMessage.Doubted(doubted));
    }
  }

  private void tell(ViewMessage message) {
    for (MemberId member : view.get().members()) {
      if (!member.equals(self) && !hearing.isSilent(member)) {
        effects.send(member, message);
      }
    }
  }

  /// The last that is known of a member, by whomever it was heard.
  private ViewMessage.Sign last(MemberId member) {
    Hearsay others = hearsay.get(member);
    boolean direct = others == null || others.beat <= hearing.beat(member);
    long beat = direct ? hearing.beat(member) : others.beat;
    long ago = direct ? hearing.agoNanos(member) : effects.nowNanos() - others.at;
    return new ViewMessage.Sign(member, beat, Math.min(ago, suspectNanos)); // longer makes no difference
  }

  /// Somebody does not hear some members.
  ///
  /// @param from  who
  /// @param signs the last that it knows of them
  public void doubted(MemberId from, List<ViewMessage.Sign> signs) {
    View current = view.get();
    List<ViewMessage.Sign> later = new ArrayList<>();
    for (ViewMessage.Sign sign : signs) {
      ViewMessage.Sign mine = last(sign.of());
      if (current.contains(sign.of()) && mine.beat() > sign.beat() && mine.agoNanos() < suspectNanos) {
        later.add(mine);
      }
    }
    if (current.contains(from) && !later.isEmpty()) {
      tell(new ViewMessage.Refuted(later));
    }
  }

  /// Somebody has heard some members.
  ///
  /// @param from  who
  /// @param signs the last that it knows of them
  public void refuted(MemberId from, List<ViewMessage.Sign> signs) {
    View current = view.get();
    if (!current.contains(from)) {
      return;
    }
    for (ViewMessage.Sign sign : signs) {
      MemberId member = sign.of();
      boolean another = current.contains(member) && !member.equals(self);
      if (another && sign.beat() > last(member).beat()) {
        hearsay.put(member, new Hearsay(sign.beat(), effects.nowNanos() - Math.min(sign.agoNanos(), 2 * suspectNanos)));
      }
    }
  }

  /// What a node itself has heard of others.
  public interface HeardPeers {
    /// Whether a member was not heard for the time of suspicion.
    ///
    /// @param member any
    /// @return whether it is silent; not when nobody listens to it
    boolean isSilent(MemberId member);

    /// How late in its life a member was heard.
    ///
    /// @param member any
    /// @return its latest heartbeat that came; 0 for none; of oneself, the one that goes on
    long beat(MemberId member);

    /// How long ago a member was heard.
    ///
    /// @param member any
    /// @return nanoseconds; 0 for oneself, and for whom nobody listens to
    long agoNanos(MemberId member);
  }
}
