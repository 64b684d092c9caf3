package org.tutti.membership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// What one member believes of the others in its view, and of those who want to come into it: who has gone, who wants
/// to leave, who was found, and who therefore speaks for the view. Beliefs decide only when somebody tries to change
/// the view; they may be wrong.
final class PeerStates {
  // Of all frames of a view change most are the proposer's: three to each member, two of which list all members. It
  // takes a member in a fraction of this, so that a part of its time is left for the group's messages.
  private static final long GATHER_NANOS_PER_MEMBER = 100_000;
  private static final int FOUND_MAX = 1 << 12; // as many as a view can have; whoever is left out calls again

  private final MemberId self;
  private final Predicate<MemberId> suspects;
  private final Predicate<MemberId> spares; // whom others hear, but not this one
  private final SortedSet<MemberId> gone = new TreeSet<>(); // of the view: superseded, reported, or in another view
  private final Map<MemberId, ViewId> elsewhere = new TreeMap<>(); // those that are gone for being in another view
  // Whoever installs a view speaks in it only after this member has accepted it; what was lost since then may be such.
  private final SortedSet<MemberId> lostSinceAccept = new TreeSet<>();
  private final SortedSet<MemberId> lost = new TreeSet<>(); // voters of earlier views
  private final SortedSet<MemberId> leavers = new TreeSet<>(); // of the view: they asked to be left out
  private final SortedSet<MemberId> found = new TreeSet<>(); // not of the view: they answered, and are to be taken in
  private final Map<MemberId, Long> confirmedAt = new TreeMap<>(); // when it was last heard to be in this view
  private final Map<MemberId, Long> unheardSince = new TreeMap<>(); // since when it says that it does not hear this one
  private @Nullable MemberId confirmer; // the coordinator since `confirmedAt` was begun
  private View view;
  private long installedAt;
  private long gathersUntil = Long.MIN_VALUE;

  PeerStates(MemberId self, View view, Predicate<MemberId> suspects, Predicate<MemberId> spares) {
    this.self = self;
    this.view = view;
    this.suspects = suspects;
    this.spares = spares;
  }

  /// A view was installed: beliefs about the old one are void.
  void installed(View next, List<MemberId> departed, long now) {
    installedAt = now;
    for (MemberId member : view.members().subList(0, view.voters())) {
      if (!next.contains(member)) {
        lost.add(member);
      }
    }
    departed.forEach(lost::remove);
    next.members().forEach(lost::remove);
    view = next;
    gone.clear();
    elsewhere.clear();
    lostSinceAccept.stream().filter(view::contains).forEach(gone::add);
    leavers.clear();
    found.removeAll(view.members());
    confirmedAt.clear();
    unheardSince.clear();
  }

  /// This member has accepted the next view.
  void accepted() {
    lostSinceAccept.clear();
  }

  /// Whether this member is the only one of its view that votes.
  boolean isLastVoter() {
    return view.voters() == 1 && view.senior().equals(self);
  }

  /// The only voter of a primary view takes the history with it when it leaves: as long as members that it lost may
  /// come back soon, it should wait for them.
  boolean mayHandOver(long now, long patienceNanos) {
    return view.primary() && !lost.isEmpty() && now - installedAt < patienceNanos;
  }

  // ---- the view --------------------------------------------------------------------------------------------------

  /// The most senior member that is not believed to have gone.
  MemberId coordinator() {
    for (MemberId member : view.members()) {
      if (!isGone(member)) {
        return member;
      }
    }
    return self;
  }

  boolean isGone(MemberId member) {
    return !member.equals(self) && (gone.contains(member) || suspects.test(member));
  }

  boolean isCutOff(MemberId member) {
    return gone.contains(member);
  }

  /// Who is in the view and is not heard here.
  List<MemberId> unheard() {
    return those(member -> !member.equals(self) && suspects.test(member));
  }

  List<MemberId> silent() {
    return those(this::isGone);
  }

  /// What asks this does so in each heartbeat, and mostly there are none.
  private List<MemberId> those(Predicate<MemberId> which) {
    List<MemberId> those = List.of();
    for (MemberId member : view.members()) {
      if (which.test(member)) {
        those = those.isEmpty() ? new ArrayList<>() : those;
        those.add(member);
      }
    }
    return those;
  }

  void lost(MemberId member) {
    lostSinceAccept.add(member);
    found.remove(member);
    gone(List.of(member));
    elsewhere.remove(member);
  }

  /// Members of another view have gone there without this one.
  void wentTo(View other) {
    // Mostly this view is a newcomer's own, and the other one that of a large group.
    wentTo(other.id(), view.members().stream().filter(other::contains).toList());
  }

  /// Members have gone to another view without this one. An attempt of theirs that is later than that view may still
  /// bring all together.
  void wentTo(ViewId other, Collection<MemberId> members) {
    members.stream().filter(view::contains).forEach(member -> elsewhere.put(member, other));
    gone(members);
  }

  /// Whether an attempt of a member cannot succeed any more.
  boolean hasGivenUp(MemberId proposer, ViewId ballot) {
    ViewId its = elsewhere.get(proposer);
    boolean later = its != null && its.compareTo(ballot) < 0;
    return later ? suspects.test(proposer) : isGone(proposer);
  }

  void gone(Collection<MemberId> members) {
    members.stream().filter(member -> view.contains(member) && !member.equals(self)).forEach(gone::add);
  }

  void leaves(MemberId member) {
    leavers.add(member);
  }

  // ---- the next view ---------------------------------------------------------------------------------------------

  Collection<MemberId> found() {
    return found;
  }

  void found(Collection<MemberId> members) {
    members.stream().limit(Math.max(0, FOUND_MAX - found.size())).forEach(found::add);
  }

  void forget(Collection<MemberId> members) {
    found.removeAll(members);
  }

  /// Whoever is found just after a view was installed waits for others, so that many who come one after the other come
  /// in together: as each view costs so much for each member, the longer the larger it is. Nobody waits for the first
  /// one who comes to a group that was at rest, nor for newcomers when there is another reason for a view.
  ///
  /// @param now     the time at which a view was installed
  /// @param longest how long at most
  /// @return how long
  Duration gather(long now, Duration longest) {
    long pause = Math.min(longest.toNanos(), view.size() * GATHER_NANOS_PER_MEMBER);
    gathersUntil = now + pause;
    return Duration.ofNanos(pause);
  }

  private boolean gathers(long now) {
    return now < gathersUntil;
  }

  /// Whether the view should change for what is believed.
  boolean needsChange(long now) {
    if (!gathers(now)) {
      found.removeIf(member -> !isWelcome(member));
      if (!found.isEmpty()) {
        return true;
      }
    }
    return !leavers.isEmpty() || !silent().isEmpty();
  }

  /// Who is to be asked about the next view.
  SortedSet<MemberId> candidates() {
    var candidates = new TreeSet<MemberId>();
    view.members().stream().filter(member -> !isGone(member)).forEach(candidates::add);
    found.stream().filter(this::isWelcome).forEach(candidates::add);
    return candidates;
  }

  /// Who of the view has a name.
  @Nullable MemberId holder(String name) {
    for (MemberId member : view.members()) {
      if (member.name().equals(name)) {
        return member;
      }
    }
    return null;
  }

  private boolean isWelcome(MemberId member) {
    return !suspects.test(member) && !isNameTaken(member);
  }

  /// Whether somebody who was found has the name of a member that has not gone, or there is a later life of it.
  private boolean isNameTaken(MemberId member) {
    MemberId holder = holder(member.name());
    return (holder != null && !isGone(holder)) || found.stream().anyMatch(other -> other.supersedes(member));
  }

  // ---- confirmation ----------------------------------------------------------------------------------------------

  /// A member was heard to be in this very view.
  void confirmed(MemberId member, long now) {
    if (view.contains(member)) {
      confirmedAt.put(member, now);
      unheardSince.remove(member);
    }
  }

  /// A member of this very view says that it does not hear this one. Two that do not hear each other cannot both stay,
  /// whichever way is broken; but what is said once may be a leftover.
  ///
  /// @return whether it has said so for some time, and has gone for that
  boolean unheardBy(MemberId member, long now, long leastNanos) {
    if (!view.contains(member)) {
      return false;
    }
    long since = unheardSince.computeIfAbsent(member, key -> now);
    return now - since >= leastNanos && gone.add(member);
  }

  /// The announcement of a view may be lost with a channel, and then a member stays behind while everybody lives. So
  /// the coordinator and each member watch that the other is in the same view; who is not for too long has gone. Whom
  /// only others hear cannot confirm anything: how long that lasts is the matter of [Refutation].
  ///
  /// @return whether anybody has
  boolean checkConfirmed(long now, long patienceNanos) {
    MemberId coordinator = coordinator();
    if (!coordinator.equals(confirmer)) {
      confirmer = coordinator;
      confirmedAt.clear();
    }
    boolean any = false;
    for (MemberId member : view.members()) {
      boolean watched = coordinator.equals(self) ? !member.equals(self) : member.equals(coordinator);
      if (watched && spares.test(member)) {
        confirmedAt.put(member, now);
      } else if (watched && now - confirmedAt.computeIfAbsent(member, key -> now) > patienceNanos) {
        any |= gone.add(member);
      }
    }
    return any;
  }

  /// While a change is under way nobody can confirm.
  void suspendConfirmation() {
    confirmedAt.clear();
  }

  void check() {
    List<MemberId> members = view.members();
    Invariant.check(members.containsAll(gone) && !gone.contains(self), "only others in the view have gone");
    Invariant.check(gone.containsAll(elsewhere.keySet()), "who is in another view has gone");
    Invariant.check(members.containsAll(leavers), "only who is in the view leaves it");
    Invariant.check(found.stream().noneMatch(view::contains), "nobody is found who is in the view");
    Invariant.check(found.size() <= FOUND_MAX, "not more are found than a view can have");
    Invariant.check(lost.stream().noneMatch(view::contains), "nobody is lost who is in the view");
    Invariant.check(
        members.containsAll(confirmedAt.keySet()) && members.containsAll(unheardSince.keySet()),
        "only members of the view confirm it");
  }
}
