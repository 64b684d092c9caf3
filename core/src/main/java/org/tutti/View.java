package org.tutti;

import java.util.List;

/// Who is in the group, as agreed by its members (B1, B3). Pure data.
///
/// All members that install a view install it with the same id, list and flag. The rank of a member is its place in the
/// list; the most senior member has rank 0, newcomers come last.
///
/// @param id           names the view
/// @param members      by seniority, without repetition, never empty
/// @param primary      whether this is the primary view: of any concurrent views at most one is (B4)
/// @param predecessors the views that its members come from, more than one in a merge; with a primary view, the primary
///                     view that it continues is among them
public record View(ViewId id, List<MemberId> members, boolean primary, List<ViewId> predecessors) {
  /// Copies the lists and checks them.
  public View {
    members = List.copyOf(members);
    predecessors = List.copyOf(predecessors);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a view has members");
    }
    if (members.stream().distinct().count() != members.size()) {
      throw new IllegalArgumentException("a view names a member once: " + members);
    }
  }

  /// The most senior member: it orders in a fixed-sequencer group, and speaks for the view while it is not believed
  /// gone.
  ///
  /// @return the member of rank 0
  public MemberId senior() {
    return members.getFirst();
  }

  /// A member's place in the list.
  ///
  /// @param member the member to look for
  /// @return its rank, or -1 when it is not in this view
  public int rankOf(MemberId member) {
    return members.indexOf(member);
  }

  /// Whether a member is in this view.
  ///
  /// @param member the member to look for
  /// @return whether it is listed
  public boolean contains(MemberId member) {
    return members.contains(member);
  }

  /// How many members there are.
  ///
  /// @return at least 1
  public int size() {
    return members.size();
  }

  @Override
  public String toString() {
    return id + (primary ? " primary " : " non-primary ") + members;
  }
}
