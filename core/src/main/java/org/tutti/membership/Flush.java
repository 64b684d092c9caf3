package org.tutti.membership;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.order.Cut;
import org.tutti.order.Tail;

/// What follows from the reports of wedged members: the next view and where the views before it end. Pure.
///
/// The primary views of a group form a chain; which view follows a primary view P is a consensus among those who decide
/// about it ([PrimaryRule]), in the manner of Paxos (Lamport, "The part-time parliament") with the proposals' ballots:
/// a proposer that has reports from a quorum of P must finish the proposal with the highest ballot that any of them has
/// accepted. Finishing rather than ignoring is what makes dynamic voting safe when a proposer crashes half-way (the
/// ambiguous attempts of Yeger Lotem, Keidar and Dolev, "Dynamic voting for consistent primary components", 1997).
final class Flush {
  /// What to do.
  sealed interface Decision {
    /// Tell members of the latest primary view that it was agreed, and have them report again.
    record Tell(List<MemberId> members, Proposal agreed) implements Decision {}

    /// Finish a proposal that others may have finished already.
    record Finish(Proposal proposal) implements Decision {}

    /// Propose a view.
    record Propose(Proposal proposal) implements Decision {}

    /// Tell candidates that they have not the version that the group speaks, and decide again without them.
    record Refuse(List<MemberId> members, int version, @Nullable ViewId primary) implements Decision {}
  }

  private final MemberId self;
  private final ViewId ballot;
  private final SortedMap<MemberId, Knowledge> reports;
  private final Set<MemberId> told; // in this attempt already, whatever came of it
  private final SortedMap<MemberId, MemberId> speakers = new TreeMap<>(); // for whom -> the latest life that reported
  private final @Nullable View primary; // the latest that any report knows
  private final List<MemberId> absentees; // from that view, who decide about what follows it

  Flush(MemberId self, ViewId ballot, SortedMap<MemberId, Knowledge> reports, Set<MemberId> told) {
    this.self = self;
    this.ballot = ballot;
    this.reports = reports;
    this.told = told;
    Knowledge latest = latest();
    this.primary = latest == null ? null : latest.primary();
    this.absentees = latest == null ? List.of() : latest.absentees();
    reports.keySet().forEach(member -> speaks(member, member));
    reports.forEach((member, report) -> report.earlier().forEach(life -> speaks(life, member)));
  }

  /// A report counts for its member, and for the earlier lives for which the member stands.
  private void speaks(MemberId life, MemberId member) {
    speakers.merge(life, member, (one, other) -> other.supersedes(one) ? other : one);
  }

  /// Whose report knows the latest primary view.
  private @Nullable Knowledge latest() {
    return reports.values().stream()
        .filter(report -> report.primary() != null)
        .max(Comparator.comparing(report -> Objects.requireNonNull(report.primary()).id()))
        .orElse(null);
  }

  /// What to do.
  Decision decide() {
    List<MemberId> foreign = speakers(report -> report.speaks().understood().newest() < version());
    Decision next = foreign.isEmpty() ? following() : refusing(foreign, version());
    return switch (next) {
      case Decision.Propose(Proposal proposal) -> orRefusal(next, proposal, without(proposal.view()));
      case Decision.Finish(Proposal proposal) -> orRefusal(next, proposal, lacking(proposal.view()));
      case Decision.Tell _, Decision.Refuse _ -> next;
    };
  }

  private Decision following() {
    if (primary == null) {
      return new Decision.Propose(nonPrimary());
    }
    Proposal agreed = agreed(primary);
    List<MemberId> behind = agreed == null ? List.of() : behind(agreed);
    if (agreed != null && !behind.isEmpty()) {
      return new Decision.Tell(behind, withSources(agreed));
    }
    if (!hasQuorum(primary) || !hasState(primary)) {
      return new Decision.Propose(nonPrimary());
    }
    Proposal unfinished = unfinished(primary);
    if (unfinished != null) {
      return keepsState(primary, unfinished.view())
          ? new Decision.Finish(unfinished)
          : new Decision.Propose(nonPrimary());
    }
    if (histories(primary).isEmpty()) {
      return new Decision.Propose(nonPrimary());
    }
    if (isLastVoterLeaving(primary)) {
      return new Decision.Propose(last(primary));
    }
    View next = view(goingOn(primary), true, predecessors(primary.id()));
    return new Decision.Propose(isAllowed(next) ? primary(primary, next) : nonPrimary());
  }

  // ---- the version -----------------------------------------------------------------------------------------------

  /// The version of the latest primary view, below which nobody takes part any more.
  private int version() {
    return primary == null ? 0 : primary.version();
  }

  private Decision orRefusal(Decision next, Proposal proposal, List<MemberId> foreign) {
    return foreign.isEmpty() ? next : refusing(foreign, proposal.view().version());
  }

  private Decision refusing(List<MemberId> foreign, int version) {
    return new Decision.Refuse(foreign, version, primary == null ? null : primary.id());
  }

  private List<MemberId> speakers(Predicate<Knowledge> which) {
    return reports.keySet().stream().filter(member -> which.test(report(member))).toList();
  }

  /// Who cannot be in the next view with the others.
  private List<MemberId> without(View next) {
    return next.primary() ? chosen(next.members()).refused() : lacking(next);
  }

  /// Who is listed in a view, itself or by an earlier life, and has not its version.
  private List<MemberId> lacking(View next) {
    return next.members().stream()
        .map(speakers::get)
        .filter(Objects::nonNull)
        .filter(member -> !report(member).speaks().speaks(next.version()))
        .toList();
  }

  /// The version of the next primary view: those of the last one choose first, whom nobody who comes puts out.
  private GroupVersion chosen(List<MemberId> next) {
    List<MemberId> first =
        primary == null
            ? List.of()
            : primary.members().stream().map(speakers::get).filter(Objects::nonNull).filter(next::contains).toList();
    return new GroupVersion(
        version(),
        Stream.concat(first.stream(), next.stream())
            .distinct()
            .map(member -> Map.entry(member, report(member).speaks()))
            .toList());
  }

  /// What was agreed with the latest primary view, if anybody here has kept it.
  private @Nullable Proposal agreed(View latest) {
    return reports.values().stream()
        .map(Knowledge::accepted)
        .filter(Objects::nonNull)
        .map(Knowledge.Accepted::proposal)
        .filter(proposal -> proposal.view().id().equals(latest.id()))
        .findFirst()
        .orElse(null);
  }

  /// Members of an agreed view that have not installed it, and can: they have the history that it ends, and what they
  /// may miss of it is here.
  private List<MemberId> behind(Proposal agreed) {
    View ended = agreed.lastPrimary();
    Cut cut = ended == null ? null : agreed.cutOf(ended.id());
    if (cut == null || !CutBuilder.isAvailable(cut, histories(ended))) {
      return List.of();
    }
    return agreed.view().members().stream()
        .map(speakers::get)
        .filter(Objects::nonNull)
        .filter(member -> !told.contains(member))
        .filter(member -> isAt(report(member), ended))
        .toList();
  }

  private boolean isAllowed(View next) {
    Lineage lineage = lineage();
    return lineage == null || lineage.electorate().allows(next);
  }

  private boolean hasQuorum(View of) {
    if (Founding.isZero(of.id()) && Founding.isByNumber(of)) {
      return founders(of) >= of.size();
    }
    long present = of.members().stream().filter(speakers::containsKey).count();
    return Founding.isZero(of.id())
        ? 2 * present > of.size() // as promised, although half with the first name would be safe
        : rule().mayGoOn(of, absentees, this::isHere);
  }

  private PrimaryRule rule() {
    Lineage lineage = lineage();
    return lineage == null ? new DynamicLinearVoting() : lineage.rule();
  }

  /// Whether somebody here knows what a life has promised, accepted and held: itself, or a later one that stands for
  /// it. The name alone does not count.
  private boolean isHere(MemberId life) {
    return reports.keySet().stream().anyMatch(member -> member.name().equals(life.name()) && remembers(member, life));
  }

  private boolean remembers(MemberId member, MemberId life) {
    return member.equals(life) || report(member).earlier().contains(life);
  }

  /// How many names expect the same number of members to found the group, and are here.
  private long founders(View zero) {
    return reports.keySet().stream()
        .filter(member -> isAt(report(member), zero))
        .map(MemberId::name)
        .distinct()
        .count();
  }

  /// Who decides about the successor of a primary view.
  private List<MemberId> electors(View of) {
    boolean anybody = Founding.isZero(of.id()) && Founding.isByNumber(of);
    return anybody
        ? reports.keySet().stream().filter(member -> isAt(report(member), of)).toList()
        : of.members().subList(0, of.voters());
  }

  /// The same with those who decide without having been in it.
  private List<MemberId> deciders(View of) {
    List<MemberId> deciders = new ArrayList<>(electors(of));
    deciders.addAll(absentees);
    return deciders;
  }

  /// Who takes part, decides about the successor of the latest primary view, and has not the history that a proposal of
  /// one ends: absentees, and members that have not installed that view. What one of these has accepted has to be
  /// finished although it holds nothing of the cut. If nobody who holds the cut had accepted it, the last one who has a
  /// batch of it could crash, and no view could follow any more.
  ///
  /// @param proposal what is to be accepted
  /// @return who is asked after all others; nobody when the view is not primary, as that need not be finished
  List<MemberId> withoutHistory(Proposal proposal) {
    View ended = proposal.lastPrimary();
    if (ended == null || !proposal.view().primary()) {
      return List.of();
    }
    return deciders(ended).stream()
        .map(speakers::get)
        .filter(Objects::nonNull)
        .distinct()
        .filter(member -> !isAt(report(member), ended))
        .toList();
  }

  /// Members without the state may not carry the history on alone. Nor may they finish a view alone: they would let go
  /// of batches that whoever has the state may need to follow.
  private boolean hasState(View of) {
    return reports.keySet().stream().anyMatch(member -> isDonor(of, member));
  }

  /// Whether somebody with the state is here who goes into a view that is to be finished. If only those have it who
  /// leave, or are not in the view, the others would let go of batches that a member who is away needs to follow.
  private boolean keepsState(View of, View next) {
    return next.members().stream().map(speakers::get).filter(Objects::nonNull).anyMatch(member -> isDonor(of, member));
  }

  private static boolean isAt(Knowledge report, View of) {
    Knowledge.History history = report.history();
    return history != null && history.view().equals(of.id());
  }

  /// A view that this proposer proposed under this very ballot and gave up: nobody else could have announced that
  /// ballot, and it did not. When it took up somebody else's view under a ballot of its own, the view may have been
  /// announced.
  private boolean isVoid(Knowledge.Accepted accepted) {
    return accepted.ballot().proposer() == self.incarnation()
        && accepted.ballot().equals(accepted.proposal().view().id());
  }

  /// The accepted successor of a primary view with the highest ballot.
  private @Nullable Proposal unfinished(View of) {
    Knowledge.Accepted highest = null;
    for (MemberId member : deciders(of)) { // nobody else decides about its successor
      MemberId speaker = speakers.get(member);
      Knowledge.Accepted accepted = speaker == null ? null : report(speaker).accepted();
      if (accepted == null || isVoid(accepted)) {
        continue;
      }
      View predecessor = accepted.proposal().lastPrimary();
      boolean follows = predecessor != null && predecessor.id().equals(of.id());
      if (follows && (highest == null || accepted.ballot().compareTo(highest.ballot()) > 0)) {
        highest = accepted;
      }
    }
    return highest == null ? null : withSources(highest.proposal());
  }

  /// The same agreement with sources that are here. A batch that nobody here has may have been delivered by those who
  /// have it: the cut stays, and members that miss the batch cannot follow yet.
  private Proposal withSources(Proposal proposal) {
    View ended = proposal.lastPrimary();
    List<Cut> cuts = new ArrayList<>();
    for (Cut cut : proposal.cuts()) {
      boolean mayHold = ended != null && ended.id().equals(cut.view());
      var histories = mayHold ? histories(ended) : new TreeMap<MemberId, Tail>();
      cuts.add(
          histories.isEmpty()
              ? cut.withSources(cut.sources(), false)
              : cut.withSources(CutBuilder.sources(histories, ended.size()), CutBuilder.isAvailable(cut, histories)));
    }
    return new Proposal(
        proposal.view(),
        proposal.lineage(),
        proposal.lastPrimary(),
        proposal.absentees(),
        proposal.indexFirst(),
        proposal.ordering(),
        proposal.clock(),
        cuts,
        proposal.transfers(),
        proposal.departed());
  }

  // ---- the next view ---------------------------------------------------------------------------------------------

  /// A view of members that are in the order in which it lists them.
  private View view(List<MemberId> members, boolean primary, List<ViewId> predecessors) {
    int voters = (int) members.stream().filter(member -> !isObserver(member)).count();
    int version = primary ? chosen(members).chosen() : version();
    return new View(ballot, members, voters, primary, predecessors, version);
  }

  /// Whether a member observes: it said so when it joined, and each view that lists it does.
  private boolean isObserver(MemberId member) {
    return report(member).view().isObserver(member);
  }

  private Proposal primary(View of, View next) {
    Cut whole = CutBuilder.whole(of, histories(of));
    List<Cut> cuts = cuts(of, whole);
    Ordering ordering = CutBuilder.longest(histories(of)).ordering();
    Lineage named = Objects.requireNonNull(lineage()).born(next.id());
    return new Proposal(
        next, named, of, absentees, whole.end(), ordering, clock(), cuts, transfers(of, next), departed(next));
  }

  private List<Cut> cuts(View of, Cut whole) {
    List<Cut> cuts = new ArrayList<>(decidedCuts(of.id()));
    cuts.addAll(branchCuts());
    cuts.add(whole);
    return cuts;
  }

  /// Whether the only member that votes goes, and nobody comes who does: then the history ends.
  private boolean isLastVoterLeaving(View of) {
    List<MemberId> voters = nextMembers().stream().filter(member -> !isObserver(member)).toList();
    return of.voters() == 1
        && voters.size() == 1
        && report(voters.getFirst()).leaving()
        && reports.keySet().stream().anyMatch(member -> isObserver(member) && !report(member).leaving());
  }

  /// The end of the history: the observers that stay get all of it.
  private Proposal last(View of) {
    Cut whole = CutBuilder.whole(of, histories(of));
    List<MemberId> observers =
        nextMembers().stream().filter(member -> isObserver(member) && !report(member).leaving()).toList();
    View next = view(observers, false, predecessors(null));
    Ordering none = Ordering.SEQUENCER; // nothing is ordered any more
    return new Proposal(next, lineage(), of, absentees, 0, none, clock(), cuts(of, whole), List.of(), departed(next));
  }

  private Proposal nonPrimary() {
    List<MemberId> members = new ArrayList<>(stayingForNow(nextMembers()));
    List<MemberId> apart = members.stream().filter(this::contradictsAcceptedEnd).toList();
    if (apart.size() < members.size()) {
      members.removeAll(apart);
    }
    View next = view(members, false, predecessors(null));
    List<Cut> cuts = new ArrayList<>(decidedCuts(null));
    cuts.addAll(branchCuts());
    Ordering none = Ordering.SEQUENCER; // a branch is always ordered by the sequencer
    return new Proposal(next, lineage(), primary, absentees, 0, none, clock(), cuts, List.of(), departed(next));
  }

  private long clock() {
    return reports.values().stream().mapToLong(Knowledge::clock).max().orElse(0);
  }

  /// Whether a member has delivered in its primary view what is not in the end of this view that others from it have
  /// accepted: what lies beyond, or what is left out there. That happens with agreed delivery only. Together they
  /// would have to deliver the same, and the others could not go where they promised to go. So it takes a view of its
  /// own.
  private boolean contradictsAcceptedEnd(MemberId member) {
    Knowledge report = report(member);
    Knowledge.History history = report.history();
    Cut end = history == null || !isEnding(report) ? null : acceptedEnd(history.view());
    return end != null && !isWithin(history.tail(), end);
  }

  private static boolean isWithin(Tail tail, Cut end) {
    return tail.decidedNext() <= end.end() && end.agreesWith(tail);
  }

  /// A member that comes to this view change from a primary view.
  private static boolean isEnding(Knowledge report) {
    return report.history() != null && report.view().id().equals(report.history().view());
  }

  /// Where those who come from a primary view, and may still have to follow, have accepted that its history ends.
  private @Nullable Cut acceptedEnd(ViewId of) {
    Cut end = null;
    for (Map.Entry<MemberId, Knowledge> entry : reports.entrySet()) {
      Knowledge report = entry.getValue();
      Knowledge.History history = report.history();
      Knowledge.Accepted accepted = report.accepted();
      boolean comes = history != null && isEnding(report) && history.view().equals(of);
      if (comes && accepted != null && accepted.proposal().view().contains(entry.getKey())) {
        Cut cut = accepted.proposal().cutOf(of);
        if (cut != null && cut.whole() && isWithin(history.tail(), cut) && (end == null || cut.end() < end.end())) {
          end = cut;
        }
      }
    }
    return end;
  }

  private @Nullable Lineage lineage() {
    Lineage draft = null;
    for (Knowledge report : reports.values()) {
      Lineage known = report.lineage();
      if (known != null && !known.isDraft()) {
        return known;
      }
      draft = draft == null ? known : draft;
    }
    return draft;
  }

  /// Everybody who reported: members of the last primary view by seniority, then newcomers; observers behind the
  /// others.
  private List<MemberId> nextMembers() {
    Set<MemberId> ordered = new LinkedHashSet<>();
    if (primary != null) {
      ordered.addAll(primary.members());
    }
    reports.values().stream()
        .map(Knowledge::view)
        .sorted((one, other) -> one.id().compareTo(other.id()))
        .forEach(view -> ordered.addAll(view.members()));
    ordered.addAll(reports.keySet());
    ordered.retainAll(reports.keySet());
    ordered.removeIf(member -> reports.keySet().stream().anyMatch(other -> other.supersedes(member)));
    return ordered.stream().sorted(this::byRole).toList(); // stable
  }

  private int byRole(MemberId one, MemberId other) {
    return Boolean.compare(isObserver(one), isObserver(other));
  }

  /// Without those that leave, unless all do.
  private List<MemberId> staying(List<MemberId> members) {
    List<MemberId> staying = members.stream().filter(member -> !report(member).leaving()).toList();
    return staying.isEmpty() ? members.subList(0, 1) : staying;
  }

  /// Without those that leave; but whoever comes from a primary view has not been let go by a primary one: it still
  /// counts there, and sees first that it is cut off.
  private List<MemberId> stayingForNow(List<MemberId> members) {
    List<MemberId> staying =
        members.stream().filter(member -> !report(member).leaving() || isEnding(report(member))).toList();
    return staying.isEmpty() ? members.subList(0, 1) : staying;
  }

  /// Who is in the next primary view: voters by [#stayingWithState], and the observers that stay.
  private List<MemberId> goingOn(View of) {
    List<MemberId> all = nextMembers();
    List<MemberId> voters = stayingWithState(of, all.stream().filter(member -> !isObserver(member)).toList());
    return all.stream()
        .filter(member -> isObserver(member) ? !report(member).leaving() : voters.contains(member))
        .toList();
  }

  /// Voters without those that leave; but as long as nobody else has the state, those who have it are needed.
  private List<MemberId> stayingWithState(View of, List<MemberId> voters) {
    List<MemberId> staying = staying(voters);
    if (staying.stream().anyMatch(member -> isDonor(of, member))) {
      return staying;
    }
    return voters.stream().filter(member -> !report(member).leaving() || isDonor(of, member)).toList();
  }

  private List<MemberId> departed(View next) {
    return reports.keySet().stream().filter(member -> report(member).leaving() && !next.contains(member)).toList();
  }

  private Knowledge report(MemberId member) {
    return Objects.requireNonNull(reports.get(member));
  }

  private List<ViewId> predecessors(@Nullable ViewId continued) {
    SortedSet<ViewId> predecessors = new TreeSet<>();
    reports.values().forEach(report -> predecessors.add(report.view().id()));
    if (continued != null) {
      predecessors.add(continued);
    }
    return List.copyOf(predecessors);
  }

  private SortedMap<MemberId, Tail> histories(View of) {
    SortedMap<MemberId, Tail> histories = new TreeMap<>();
    reports.forEach((member, report) -> {
      Knowledge.History history = report.history();
      if (history != null && isAt(report, of) && history.tail().lanes().size() == of.size()) {
        histories.put(member, history.tail());
      }
    });
    return histories;
  }

  /// For members that are still in a primary view which does not go on here: all of them deliver what any of them knows
  /// to be decided, and nothing beyond (Prefix Delivery); and nothing beyond an end that one of them has accepted,
  /// because that may be announced.
  private List<Cut> decidedCuts(@Nullable ViewId except) {
    Map<ViewId, View> ending = new TreeMap<>();
    for (Knowledge report : reports.values()) {
      if (isEnding(report) && !report.view().id().equals(except)) {
        ending.put(report.view().id(), report.view());
      }
    }
    List<Cut> cuts = new ArrayList<>();
    for (Map.Entry<ViewId, View> end : ending.entrySet()) {
      var histories = new TreeMap<>(histories(end.getValue()));
      Cut accepted = acceptedEnd(end.getKey());
      if (accepted != null) {
        histories.values().removeIf(tail -> !accepted.agreesWith(tail)); // who accepted that end could not follow
      }
      if (!histories.isEmpty()) {
        Cut decided = CutBuilder.decided(end.getValue(), histories);
        cuts.add(accepted == null ? decided : decided.upTo(accepted.end()));
      }
    }
    return cuts;
  }

  /// Branches end with their views: those who come from one deliver all that any of them has of it.
  private List<Cut> branchCuts() {
    SortedMap<ViewId, View> views = new TreeMap<>();
    SortedMap<ViewId, SortedMap<MemberId, Tail>> branches = new TreeMap<>();
    reports.forEach((member, report) -> {
      Knowledge.History branch = report.branch();
      if (branch != null) {
        View view = views.computeIfAbsent(branch.view(), _ -> report.view());
        if (branch.tail().lanes().size() == view.size()) {
          branches.computeIfAbsent(view.id(), _ -> new TreeMap<>()).put(member, branch.tail());
        }
      }
    });
    List<Cut> cuts = new ArrayList<>();
    branches.forEach((id, tails) -> cuts.add(CutBuilder.whole(Objects.requireNonNull(views.get(id)), tails)));
    return cuts;
  }

  // ---- state -----------------------------------------------------------------------------------------------------

  private List<Proposal.Assignment> transfers(View of, View next) {
    List<MemberId> donors = next.members().stream().filter(member -> isDonor(of, member)).toList();
    Lineage lineage = Objects.requireNonNull(lineage());
    List<Proposal.Assignment> assignments = new ArrayList<>();
    for (MemberId member : next.members()) {
      if (!isUpToDate(of, member) && !donors.isEmpty()) {
        boolean state = lineage.group().stateTransfer() && report(member).takesState();
        assignments.add(new Proposal.Assignment(member, transfer(of, next, member, donors), state));
      }
    }
    return assignments;
  }

  private boolean isUpToDate(View of, MemberId member) {
    Knowledge report = report(member);
    return isAt(report, of) && report.synced();
  }

  /// An observer gives nothing: it may be behind, and nobody waits for it.
  private boolean isDonor(View of, MemberId member) {
    return isUpToDate(of, member) && !isObserver(member);
  }

  /// A transfer that is under way goes on when its donor stays, or has given all; otherwise the donors take turns.
  private Knowledge.Transfer transfer(View of, View next, MemberId newcomer, List<MemberId> donors) {
    Knowledge report = report(newcomer);
    Knowledge.Transfer running = report.transfer();
    boolean goesOn = running != null && (running.donor().equals(newcomer) || donors.contains(running.donor()));
    if (goesOn && isAt(report, of)) {
      return running;
    }
    MemberId donor = donors.get((next.rankOf(newcomer) + donors.size() - 1) % donors.size());
    return new Knowledge.Transfer(donor, next.id());
  }
}
