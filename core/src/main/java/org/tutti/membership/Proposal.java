package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.order.Cut;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What a view change agrees on: the next view, and how the views before it end.
///
/// @param view        the next view
/// @param lineage     names the group's history, or null when none of the members has one
/// @param lastPrimary the latest primary view before it, or null; the predecessor when `view` is primary
/// @param absentees   who decides about what follows `lastPrimary` without having been in it ([PrimaryRule])
/// @param indexFirst  the index of the view's first place, when it is primary
/// @param ordering    which ordering decides places in the view, when it is primary
/// @param clock       every member's logical clock is at least here before it speaks in the view
/// @param cuts        where histories end, at most one for each view that members come from: a
///                    primary one, or a branch
/// @param transfers   who gets state from whom, when the view is primary
/// @param departed    who took part and is not in the view because it wanted to leave
public record Proposal(
    View view,
    @Nullable Lineage lineage,
    @Nullable View lastPrimary,
    List<MemberId> absentees,
    long indexFirst,
    Ordering ordering,
    long clock,
    List<Cut> cuts,
    List<Assignment> transfers,
    List<MemberId> departed) {
  private static final int CUT_BYTES_MIN = 15;
  private static final int ASSIGNMENT_BYTES_MIN = 33;

  /// Copies the lists.
  public Proposal {
    absentees = List.copyOf(absentees);
    cuts = List.copyOf(cuts);
    transfers = List.copyOf(transfers);
    departed = List.copyOf(departed);
  }

  /// A newcomer and who gives it the state.
  ///
  /// @param newcomer a member of the view without state
  /// @param transfer from whom, and since when
  /// @param state    whether the application's state follows; otherwise the newcomer is told where the history stands
  public record Assignment(MemberId newcomer, Knowledge.Transfer transfer, boolean state) {}

  /// Who decides about what follows the view, when that is primary, without being in it.
  List<MemberId> nextAbsentees() {
    return lineage == null || lastPrimary == null ? List.of() : lineage.rule().absentees(view, lastPrimary, absentees);
  }

  /// The view, with who leaves and who gets the state from whom, without the cuts.
  String summary() {
    var words = new StringBuilder(view.toString());
    if (lastPrimary != null) {
      words.append(view.primary() ? " after " : ", the last primary view is ").append(lastPrimary.id());
    }
    for (MemberId member : departed) {
      words.append(", ").append(member).append(" leaves");
    }
    for (Assignment to : transfers) {
      words.append(", ").append(to.transfer.donor()).append(" brings ").append(to.newcomer).append(" up to date");
    }
    return words.toString();
  }

  /// The cut for a view.
  ///
  /// @param ending the view's id
  /// @return its cut, or null
  public @Nullable Cut cutOf(ViewId ending) {
    for (Cut cut : cuts) {
      if (cut.view().equals(ending)) {
        return cut;
      }
    }
    return null;
  }

  /// Whether the history ends with this: the last voter leaves, and only observers are left. They get the whole of the
  /// history, in a view that is not primary.
  ///
  /// @return whether nothing follows
  public boolean endsHistory() {
    Cut last = lastPrimary == null ? null : cutOf(lastPrimary.id());
    return view.voters() == 0 && last != null && last.whole();
  }

  /// From whom a member gets its state.
  ///
  /// @param member a member of the view
  /// @return the transfer, or null when it has the state
  public Knowledge.@Nullable Transfer transferTo(MemberId member) {
    for (Assignment assignment : transfers) {
      if (assignment.newcomer.equals(member)) {
        return assignment.transfer;
      }
    }
    return null;
  }

  void write(WireWriter out) {
    out.view(view);
    out.optional(lineage, (to, value) -> value.write(to));
    out.optional(lastPrimary, WireWriter::view);
    out.members(absentees);
    out.count(indexFirst);
    out.ordering(ordering);
    out.count(clock);
    out.count(cuts.size());
    cuts.forEach(cut -> cut.write(out));
    out.count(transfers.size());
    for (Assignment assignment : transfers) {
      out.member(assignment.newcomer);
      out.member(assignment.transfer.donor());
      out.viewId(assignment.transfer.since());
      out.flag(assignment.state);
    }
    out.members(departed);
  }

  static Proposal read(WireReader in) throws Malformed {
    var proposal =
        new Proposal(
            in.view(),
            in.optional(Lineage::read),
            in.optional(WireReader::view),
            in.members(),
            in.count(),
            in.ordering(),
            in.count(),
            in.list(CUT_BYTES_MIN, Cut::read),
            in.list(
                ASSIGNMENT_BYTES_MIN,
                from ->
                    new Assignment(from.member(), new Knowledge.Transfer(from.member(), from.viewId()), from.flag())),
            in.members());
    if (!proposal.isPossible()) {
      throw new Malformed("proposal");
    }
    return proposal;
  }

  /// Views rise, and a primary view goes on where the whole history of the one before ends, in no lower version. What
  /// is not primary has that of the last primary view.
  private boolean isPossible() {
    if (lastPrimary == null) {
      return !view.primary() && view.version() == 0;
    }
    if (view.version() < lastPrimary.version() || (view.version() > lastPrimary.version() && !view.primary())) {
      return false;
    }
    Cut last = cutOf(lastPrimary.id());
    boolean ends = last != null && last.whole() && last.end() == indexFirst && lineage != null;
    return lastPrimary.id().compareTo(view.id()) < 0
        && (last == null || last.sources().size() == lastPrimary.size())
        && (ends || !view.primary());
  }
}
