package org.tutti.membership;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.effect.Effects;

/// One member's attempts to make a view: ask the candidates, decide by their reports ([Flush]), have the decision
/// accepted, announce it. An attempt that meets a crash, a refusal or silence is given up for one with a higher ballot.
final class Proposer {
  /// How far an attempt is.
  private enum Phase {
    /// No attempt.
    IDLE,
    /// Candidates are asked to wedge and report.
    ASKING,
    /// A proposal is to be accepted by all who reported.
    ACCEPTING
  }

  private final MemberId self;
  private final long patienceNanos;
  private final Effects<ViewMessage> effects;
  private final ViewAgreement agreement;

  private Phase phase = Phase.IDLE;
  private ViewId ballot = new ViewId(0, 0);
  private long startedAt;
  private final SortedSet<MemberId> candidates = new TreeSet<>();
  private final SortedMap<MemberId, Knowledge> reports = new TreeMap<>(); // of candidates
  private final SortedSet<MemberId> told = new TreeSet<>(); // candidates that were told what had been agreed
  private final SortedSet<MemberId> late = new TreeSet<>(); // are asked to accept when all others have accepted
  private final SortedSet<MemberId> accepted = new TreeSet<>(); // among those that reported
  private @Nullable Proposal proposal;

  Proposer(MemberId self, long patienceNanos, Effects<ViewMessage> effects, ViewAgreement agreement) {
    this.self = self;
    this.patienceNanos = patienceNanos;
    this.effects = effects;
    this.agreement = agreement;
  }

  boolean isBusy() {
    return phase != Phase.IDLE;
  }

  /// Who owes this attempt a word.
  List<MemberId> silent() {
    List<MemberId> silent = new ArrayList<>(candidates);
    silent.removeAll(phase == Phase.ASKING ? reports.keySet() : accepted);
    silent.removeAll(late);
    return silent;
  }

  long epoch() {
    return ballot.epoch();
  }

  Collection<MemberId> candidates() {
    return candidates;
  }

  void start(ViewId next, Collection<MemberId> whom) {
    ballot = next;
    startedAt = effects.nowNanos();
    candidates.clear();
    candidates.addAll(whom);
    candidates.add(self);
    reports.clear();
    late.clear();
    accepted.clear();
    told.clear();
    proposal = null;
    phase = Phase.ASKING;
    var propose = new ViewMessage.Propose(ballot);
    candidates.forEach(candidate -> effects.send(candidate, propose));
  }

  private void end() {
    phase = Phase.IDLE;
    candidates.clear();
    reports.clear();
    late.clear();
    accepted.clear();
    told.clear();
    proposal = null;
    agreement.attemptEnded();
  }

  /// Somebody's higher ballot was promised: this attempt cannot succeed here.
  void overtaken(ViewId by) {
    if (isBusy() && by.compareTo(ballot) > 0) {
      end();
    }
  }

  boolean refused(ViewId refusedBallot) {
    if (!isBusy() || !refusedBallot.equals(ballot)) {
      return false;
    }
    end();
    return true;
  }

  void wedged(MemberId from, ViewId of, Knowledge knowledge) {
    if (phase != Phase.ASKING || !of.equals(ballot) || !candidates.contains(from)) {
      return;
    }
    if (!from.equals(self) && isStranger(knowledge)) {
      agreement.peerStates().forget(List.of(from));
      drop(from);
      return;
    }
    reports.put(from, knowledge);
    decideWhenAllReported();
  }

  private boolean isStranger(Knowledge knowledge) {
    Lineage lineage = agreement.lineage();
    for (Knowledge report : reports.values()) {
      lineage = lineage == null || lineage.isDraft() ? report.lineage() : lineage;
    }
    return Lineage.differ(lineage, knowledge.lineage());
  }

  /// Goes on without a candidate while reports are collected; later, the decision has counted on it.
  private void drop(MemberId candidate) {
    candidates.remove(candidate);
    reports.remove(candidate);
    decideWhenAllReported();
  }

  void lost(MemberId member) {
    if (!isBusy() || member.equals(self) || !candidates.contains(member)) {
      return; // without itself there is no attempt
    }
    if (phase == Phase.ASKING) {
      drop(member);
    } else {
      restartWithout(List.of(member));
    }
  }

  void suspicionChanged() {
    List<MemberId> silent = candidates.stream().filter(agreement.peerStates()::isGone).toList();
    silent.forEach(this::lost);
  }

  void tick() {
    if (!isBusy() || effects.nowNanos() - startedAt < patienceNanos) {
      return;
    }
    restartWithout(silent());
  }

  private void restartWithout(List<MemberId> silent) {
    agreement.peerStates().forget(silent);
    var rest = new TreeSet<>(candidates);
    rest.removeAll(silent);
    start(agreement.nextBallot(), rest);
  }

  private void decideWhenAllReported() {
    if (phase != Phase.ASKING || !reports.keySet().containsAll(candidates)) {
      return;
    }
    var flush = new Flush(self, ballot, reports, told);
    switch (flush.decide()) {
      case Flush.Decision.Tell(var members, var agreed) -> {
        told.addAll(members);
        members.forEach(reports::remove);
        members.forEach(member -> effects.send(member, new ViewMessage.Agreed(ballot, agreed)));
      }
      case Flush.Decision.Finish(var unfinished) -> propose(unfinished, flush.withoutHistory(unfinished));
      case Flush.Decision.Propose(var next) -> propose(next, flush.withoutHistory(next));
    }
  }

  /// Has a decision accepted: first by who has the history that it ends, so that it is kept by all of them before it
  /// can be kept by somebody who has not.
  private void propose(Proposal next, Collection<MemberId> withoutHistory) {
    proposal = next;
    phase = Phase.ACCEPTING;
    late.addAll(withoutHistory);
    candidates.stream().filter(candidate -> !late.contains(candidate)).forEach(this::ask);
  }

  private void ask(MemberId candidate) {
    effects.send(candidate, new ViewMessage.Accept(ballot, Objects.requireNonNull(proposal)));
  }

  void accepted(MemberId from, ViewId of) {
    if (phase != Phase.ACCEPTING || !of.equals(ballot) || !candidates.contains(from)) {
      return;
    }
    accepted.add(from);
    if (!silent().isEmpty()) {
      return;
    }
    if (late.isEmpty()) {
      announce();
    } else {
      List<MemberId> rest = List.copyOf(late);
      late.clear();
      startedAt = effects.nowNanos(); // it was not they who were waited for
      rest.forEach(this::ask);
    }
  }

  private void announce() {
    var next = Objects.requireNonNull(proposal).view();
    List<MemberId> all = List.copyOf(candidates);
    agreement.peerStates().forget(all); // taken in, or not wanting to be
    end();
    all.forEach(candidate -> effects.send(candidate, new ViewMessage.Install(next.id())));
    if (!next.id().equals(ballot)) {
      start(agreement.nextBallot(), all); // an old attempt is finished; now for those who are here
    } else {
      agreement.announced(next.id());
    }
  }

  void check() {
    boolean accepting = phase == Phase.ACCEPTING;
    Invariant.check(accepting == (proposal != null), "there is a proposal while it is to be accepted");
    Invariant.check(
        isBusy() ? candidates.contains(self) : candidates.isEmpty(), "without itself a proposer makes no attempt");
    Invariant.check(candidates.containsAll(reports.keySet()), "only candidates report");
    Invariant.check(
        !accepting || reports.size() == candidates.size(), "a proposal counts on reports from all candidates");
    Invariant.check(candidates.containsAll(accepted) && candidates.containsAll(late), "only candidates accept");
    Invariant.check(accepting || (accepted.isEmpty() && late.isEmpty()), "only a proposal is accepted");
    Invariant.check(accepted.stream().noneMatch(late::contains), "who is asked later has not accepted");
  }
}
