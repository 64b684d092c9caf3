package org.tutti.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupMetrics;
import org.tutti.MemberId;
import org.tutti.Status.Cause;
import org.tutti.Status.Forced;
import org.tutti.Status.Phase;
import org.tutti.Status.Spilled;
import org.tutti.Status.Wait;
import org.tutti.View;
import org.tutti.history.Deliveries;
import org.tutti.history.SenderLedger;
import org.tutti.history.ViewHistory;
import org.tutti.membership.Founding;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Lineage;
import org.tutti.membership.MemberIdentity;
import org.tutti.membership.PrimaryRule;
import org.tutti.membership.ViewAgreement;
import org.tutti.transport.Refused;
import org.tutti.user.GroupUser;
import org.tutti.user.Report;

/// How a group stands, for whoever asks: told to the user whenever something of it has changed, its position apart,
/// which is told as it moves. Looked at where a run of inputs ends, so that nothing that happens is missed.
///
/// Now and then it also looks who holds this member up ([Standstill]).
final class StatusTracker {
  private static final Duration NO_TIME = Duration.ZERO;

  private final String group;
  private final MemberIdentity identity;
  private final boolean durable;
  private final ViewAgreement agreement;
  private final Deliveries deliveries;
  private final SenderLedger ledger;
  private final GroupUser user;
  private final NodeEngine node;
  private final Standstill standstill;
  private final long patienceNanos;

  private @Nullable View view;
  private @Nullable View primary;
  private Knowledge.@Nullable Transfer transfer;
  private List<Refused> refused = List.of(); // as they are told
  private List<Refused> rejections = List.of(); // as the node has them
  private @Nullable Refused refusal; // by a member of this group
  private boolean synced;
  private long position = -1;

  private Duration apart = NO_TIME; // for how long multicasts wait for a primary view, if for long
  private long apartSince = Long.MAX_VALUE;

  /// Begins to look.
  ///
  /// @param group      the group's name
  /// @param identity   as whom this member counts
  /// @param durable    whether members may come back with what an earlier life had kept
  /// @param agreement  knows who may carry a primary view on
  /// @param deliveries know where this member stands
  /// @param ledger     knows what takes room in this member's window
  /// @param user       is told
  /// @param node       knows by whom it was refused lately, and counts whoever is found to stand still
  StatusTracker(
      String group,
      MemberIdentity identity,
      boolean durable,
      ViewAgreement agreement,
      Deliveries deliveries,
      SenderLedger ledger,
      GroupUser user,
      NodeEngine node) {
    this.group = group;
    this.identity = identity;
    this.durable = durable;
    this.agreement = agreement;
    this.deliveries = deliveries;
    this.ledger = ledger;
    this.user = user;
    this.node = node;
    Duration patience = node.config().suspectAfter(); // for how long nothing happens before that is told
    this.standstill = new Standstill(patience, node.counters());
    this.patienceNanos = patience.toNanos();
  }

  /// Tells what is new.
  ///
  /// @param now   the view that is installed
  /// @param known the latest primary view that is known here, or null
  /// @param coming the state transfer to this member, or null
  void tell(View now, @Nullable View known, Knowledge.@Nullable Transfer coming) {
    List<Refused> lately = node.refused();
    if (lately != rejections) {
      rejections = lately;
      refusedBy(refusal);
    }
    boolean has = deliveries.isSynced();
    boolean same = now.equals(view) && Objects.equals(known, primary) && Objects.equals(coming, transfer);
    if (!same || has != synced) {
      if (!now.equals(view)) {
        standstill.newView();
      }
      view = now;
      primary = known;
      transfer = coming;
      synced = has;
      tell();
    }
    long next = has ? deliveries.positionNext() : -1;
    if (next != position) {
      position = next;
      user.position(next);
    }
  }

  /// Another one has this member's name.
  void nameInUse(MemberId holder, String words) {
    refusedBy(new Refused(holder.address(), Refused.Reason.NAME_IN_USE, words));
  }

  /// Another one does not let this member vote.
  void mayNotVote(MemberId by) {
    String words = "it lets this node only observe, as its certificate is only for observers";
    refusedBy(new Refused(by.address(), Refused.Reason.MAY_ONLY_OBSERVE, words));
  }

  private void refusedBy(@Nullable Refused by) {
    refusal = by;
    var all = new ArrayList<>(rejections);
    if (by != null) {
      all.add(by);
    }
    refused = List.copyOf(all);
    if (view != null) {
      tell();
    }
  }

  private void tell() {
    View now = Objects.requireNonNull(view);
    boolean founded = primary != null && !Founding.isZero(primary.id());
    Phase phase = !founded ? Phase.JOINING : synced ? Phase.CAUGHT_UP : Phase.WAITING_FOR_STATE;
    List<Wait> waits = new ArrayList<>();
    if (primary != null && now.primary()) {
      if (!synced && transfer != null) {
        waits.add(new Wait(Cause.STATE, List.of(transfer.donor()), 1, NO_TIME, 0));
      }
    } else if (primary != null) {
      waits.add(awaited(now, primary));
    }
    waits.addAll(standstill.found());
    OptionalLong next = synced && founded ? OptionalLong.of(deliveries.positionNext()) : OptionalLong.empty();
    View last = founded ? primary : null;
    Spilled none = Spilled.NOTHING; // whoever spills adds that
    user.status(
        new Report(group, identity.self(), phase, now, last, next, forced(), waits, List.of(), refused, null, none));
  }

  private List<Forced> forced() {
    Lineage lineage = agreement.lineage();
    return lineage == null
        ? List.of()
        : lineage.forcings().stream().map(one -> new Forced(one.by(), one.time(), one.position())).toList();
  }

  // ---- who is needed for a primary view --------------------------------------------------------------------------

  private Wait awaited(View here, View last) {
    if (Founding.isZero(last.id())) {
      List<MemberId> missing = new ArrayList<>(last.members());
      missing.removeIf(member -> here.members().stream().anyMatch(other -> other.supersedes(member)));
      if (Founding.isByNumber(last)) {
        return new Wait(Cause.QUORUM, List.of(), Math.max(0, last.size() - here.voters()), apart, 0);
      }
      int more = last.size() / 2 + 1 - (last.size() - missing.size());
      return new Wait(Cause.QUORUM, missing, Math.max(0, more), apart, 0);
    }
    PrimaryRule rule = agreement.rule();
    List<MemberId> absentees = agreement.absentees();
    List<MemberId> missing = new ArrayList<>(rule.deciders(last, absentees));
    missing.removeIf(member -> isHere(here, member));
    int needed = 0;
    int most = missing.size();
    while (needed < most) { // whoever is more than a quorum is one
      int some = (needed + most) / 2;
      boolean suffice = suffice(rule, here, last, absentees, new LinkedHashSet<>(missing.subList(0, some)));
      needed = suffice ? needed : some + 1;
      most = suffice ? some : most;
    }
    return new Wait(needed == 0 ? Cause.STORAGE : Cause.QUORUM, missing, needed, apart, 0);
  }

  private boolean suffice(PrimaryRule rule, View here, View last, List<MemberId> absentees, Set<MemberId> more) {
    return rule.mayGoOn(last, absentees, member -> isHere(here, member) || more.contains(member));
  }

  /// A life counts for itself. A later one counts for it when it was started from what that one had kept; of others
  /// than this member that is not known, so in a group that keeps nothing it never does, and else it may.
  private boolean isHere(View here, MemberId member) {
    return here.contains(member)
        || identity.earlier().contains(member)
        || (durable && here.members().stream().anyMatch(other -> other.supersedes(member)));
  }

  // ---- who holds it up -------------------------------------------------------------------------------------------

  private List<GroupMetrics.Peer> peers(
      View here, @Nullable ViewHistory current, ViewHistory.@Nullable Progress progress) {
    List<ViewHistory.Lag> lags = current == null ? List.of() : current.lags();
    boolean known = current != null && deliveries.isSynced();
    long heldHere = known ? deliveries.positionNext() + current.positionsUndelivered() : 0;
    var seen = new ArrayList<GroupMetrics.Peer>();
    for (MemberId member : here.members()) {
      int rank = progress == null ? -1 : progress.view().rankOf(member);
      if (!member.equals(identity.self())) {
        ViewHistory.Lag lag = rank < 0 ? null : lags.get(rank);
        OptionalLong acknowledged =
            lag == null || !known ? OptionalLong.empty() : OptionalLong.of(heldHere - lag.positions());
        long unconsumed = rank < 0 ? 0 : ledger.unconsumedFrom(progress.consumed()[rank]);
        seen.add(node.peer(member, acknowledged, lag == null ? null : lag.traffic(), unconsumed));
      }
    }
    return seen;
  }

  /// Looks whether it goes on.
  ///
  /// @param nowNanos now
  /// @param current  the history that goes on, or null
  /// @param owing    who owes a view change a word; null when there is none
  /// @param open     whether something that was multicast here has no place yet
  void look(long nowNanos, @Nullable ViewHistory current, @Nullable List<MemberId> owing, boolean open) {
    boolean said = !standstill.found().isEmpty();
    ViewHistory.Progress progress = current == null ? null : current.progress(ledger::unconsumedFrom);
    standstill.look(nowNanos, progress, owing);
    user.looked(standstill.slow());
    if (view != null) {
      user.peers(peers(view, current, progress));
    }
    boolean isApart = view != null && primary != null && !view.primary() && open;
    apartSince = isApart ? Math.min(apartSince, nowNanos) : Long.MAX_VALUE;
    long still = isApart ? nowNanos - apartSince : 0;
    apart = still >= patienceNanos ? Duration.ofNanos(still) : NO_TIME;
    if (view != null && (said || !standstill.found().isEmpty() || !apart.isZero())) {
      tell();
    }
  }
}
