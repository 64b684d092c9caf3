package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.order.Tail;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What a wedged member reports to whoever proposes the next view.
///
/// @param view     the view it is in
/// @param lineage  names the group's history, or null when it has none yet
/// @param primary  the latest primary view that it knows to have been agreed, or null
/// @param absentees who decides about what follows `primary` without being in it ([PrimaryRule])
/// @param history  what it has of the last primary view that it installed, or null
/// @param branch   what it has of the history of `view`, when that is a branch, or null
/// @param accepted an agreement on the successor of `primary` that it has accepted and not seen finished; otherwise the
///                 one on `primary`, if it has that; or null
/// @param clock    its logical clock: nobody was promised anything beyond the highest of those that report
/// @param synced   whether its deliveries go on from all before: it has the state, where there is one to have
/// @param takesState whether it takes the application's state, where there is one; an observer may do without
/// @param transfer from whom it is getting the state, or null
/// @param leaving  whether it wants to be out of the next view
/// @param earlier  the lives of its name for which it stands: it was restarted from what they had kept
/// @param speaks   which versions of the protocol it can speak ([GroupVersion])
public record Knowledge(
    View view,
    @Nullable Lineage lineage,
    @Nullable View primary,
    List<MemberId> absentees,
    @Nullable History history,
    @Nullable History branch,
    @Nullable Accepted accepted,
    long clock,
    boolean synced,
    boolean takesState,
    @Nullable Transfer transfer,
    boolean leaving,
    List<MemberId> earlier,
    SpokenVersions speaks) {

  /// A member's part of a view's history.
  ///
  /// @param view the view
  /// @param tail places and batches
  public record History(ViewId view, Tail tail) {
    void write(WireWriter out) {
      out.viewId(view);
      tail.write(out);
    }

    static History read(WireReader in) throws Malformed {
      return new History(in.viewId(), Tail.read(in));
    }
  }

  /// A proposal that a member has accepted.
  ///
  /// @param ballot   in which it was accepted
  /// @param proposal what was proposed
  public record Accepted(ViewId ballot, Proposal proposal) {
    void write(WireWriter out) {
      out.viewId(ballot);
      proposal.write(out);
    }

    static Accepted read(WireReader in) throws Malformed {
      return new Accepted(in.viewId(), Proposal.read(in));
    }
  }

  /// A state transfer.
  ///
  /// @param donor who gives the state
  /// @param since the primary view at whose beginning the state is taken
  public record Transfer(MemberId donor, ViewId since) {}

  /// Whether the member has installed the latest primary view that it knows.
  ///
  /// @return whether its history is that view's
  public boolean atPrimary() {
    return primary != null && history != null && history.view.equals(primary.id());
  }

  /// Whether a member can know this, as far as another one can tell.
  ///
  /// @param from whose report it is
  /// @param kept what the other keeps of the history of primary views
  /// @param apart what it keeps of its branch
  /// @return whether nothing speaks against it
  boolean isPossible(MemberId from, KeptHistory kept, KeptHistory apart) {
    return view.contains(from)
        && speaks.speaks(view.version())
        && earlier.stream().allMatch(from::supersedes)
        && (history == null || kept.allows(history))
        && (branch == null || apart.allows(branch));
  }

  /// What matters for the next view, without histories.
  String summary() {
    var words = new StringBuilder(view.toString());
    if (primary != null && !primary.equals(view)) {
      words.append(", knows ").append(primary);
    }
    if (accepted != null && !accepted.proposal.view().equals(primary)) {
      words.append(", has accepted in ").append(accepted.ballot).append(": ").append(accepted.proposal.view());
    }
    words.append(synced ? "" : ", has not caught up");
    words.append(transfer == null ? "" : ", gets the state from " + transfer.donor);
    words.append(leaving ? ", wants to leave" : "");
    return words.toString();
  }

  void write(WireWriter out) {
    out.view(view);
    out.optional(lineage, (to, value) -> value.write(to));
    out.optional(primary, WireWriter::view);
    out.members(absentees);
    out.optional(history, (to, value) -> value.write(to));
    out.optional(branch, (to, value) -> value.write(to));
    out.optional(accepted, (to, value) -> value.write(to));
    out.count(clock);
    out.flag(synced);
    out.flag(takesState);
    out.optional(
        transfer,
        (to, value) -> {
          to.member(value.donor);
          to.viewId(value.since);
        });
    out.flag(leaving);
    out.members(earlier);
    speaks.write(out);
  }

  private static boolean hasALaneForEach(@Nullable View of, @Nullable History history) {
    return of == null || history == null || !history.view.equals(of.id()) || history.tail.lanes().size() == of.size();
  }

  private boolean isOfItsView(History of) {
    return !view.primary() && of.view.equals(view.id()) && of.tail.lanes().size() == view.size();
  }

  static Knowledge read(WireReader in) throws Malformed {
    var knowledge =
        new Knowledge(
            in.view(),
            in.optional(Lineage::read),
            in.optional(WireReader::view),
            in.members(),
            in.optional(History::read),
            in.optional(History::read),
            in.optional(Accepted::read),
            in.count(),
            in.flag(),
            in.flag(),
            in.optional(from -> new Transfer(from.member(), from.viewId())),
            in.flag(),
            in.members(),
            SpokenVersions.read(in));
    if (!hasALaneForEach(knowledge.view, knowledge.history)
        || !hasALaneForEach(knowledge.primary, knowledge.history)
        || (knowledge.branch != null && !knowledge.isOfItsView(knowledge.branch))) {
      throw new Malformed("knowledge");
    }
    return knowledge;
  }
}
