package org.tutti;

import java.util.List;

/// Who is in the group, as agreed by its members. Pure data.
///
/// All members that install a view install it with the same id, list and flag. The rank of a member is its place in the
/// list; the most senior member has rank 0, newcomers come last.
///
/// Members are voters or *observers*. An observer gets everything and may multicast, but nothing depends on it: it
/// counts in no quorum, orders nothing, gives no state, and is listed behind all voters. Nobody changes from one to the
/// other.
///
/// The members of a view speak one version of the protocol with each other. Along the primary views of a group it never
/// falls; it rises at a view change after which all members have a higher one (`docs/protocols/versions.md`).
///
/// @param id           names the view
/// @param members      by seniority, first the voters, then the observers; without repetition, never empty
/// @param voters       how many of them are voters; at least 1 in a primary view
/// @param primary      whether this is the primary view: of any concurrent views at most one is
/// @param predecessors the views that its members come from, more than one in a merge; with a primary view, the primary
///                     view that it continues is among them
/// @param version      the version of the protocol, 1 to 255; 0 when the members know no history of the group yet
public record View(
    ViewId id, List<MemberId> members, int voters, boolean primary, List<ViewId> predecessors, int version) {
  /// No version of the protocol is higher.
  public static final int VERSION_MAX = 255;

  /// Copies the lists and checks them.
  public View {
    MemberList listed = MemberList.of(members);
    members = listed;
    predecessors = List.copyOf(predecessors);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a view has members");
    }
    if (!listed.isDistinct()) {
      throw new IllegalArgumentException("a view names a member once: " + members);
    }
    if (!isPossible(members.size(), voters, primary)) {
      throw new IllegalArgumentException(voters + " voters of " + members);
    }
    if (version < 0 || version > VERSION_MAX) {
      throw new IllegalArgumentException("a version is 0 to " + VERSION_MAX + ", not " + version);
    }
  }

  /// A view of which no version is known.
  ///
  /// @param id           names the view
  /// @param members      by seniority, first the voters, without repetition, never empty
  /// @param voters       how many of them are voters
  /// @param primary      whether this is the primary view
  /// @param predecessors the views that its members come from
  public View(ViewId id, List<MemberId> members, int voters, boolean primary, List<ViewId> predecessors) {
    this(id, members, voters, primary, predecessors, 0);
  }

  /// A view without observers, of which no version is known.
  ///
  /// @param id           names the view
  /// @param members      by seniority, without repetition, never empty
  /// @param primary      whether this is the primary view
  /// @param predecessors the views that its members come from
  public View(ViewId id, List<MemberId> members, boolean primary, List<ViewId> predecessors) {
    this(id, members, members.size(), primary, predecessors);
  }

  /// Whether a view can have so many voters.
  ///
  /// @param size    how many members it has
  /// @param voters  how many of them are voters
  /// @param primary whether it is primary; then it has a voter
  /// @return whether it can
  public static boolean isPossible(int size, int voters, boolean primary) {
    return voters >= (primary ? 1 : 0) && voters <= size;
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

  /// Whether a member is an observer of this view.
  ///
  /// @param member the member to look for
  /// @return whether it is listed as one
  public boolean isObserver(MemberId member) {
    return members.indexOf(member) >= voters;
  }

  /// The members that are observers.
  ///
  /// @return a part of the list of members, empty when all are voters
  public List<MemberId> observers() {
    return members.subList(voters, members.size());
  }

  /// How many ranks count where members wait for each other: those of the voters. Only in a view that has none, which
  /// is never primary, all members count for what they order among themselves.
  ///
  /// @return at least 1; the ranks that count come first
  public int voting() {
    return voters == 0 ? members.size() : voters;
  }

  /// How many members there are.
  ///
  /// @return at least 1
  public int size() {
    return members.size();
  }

  @Override
  public String toString() {
    String listed = members.subList(0, voters) + (voters < members.size() ? " observers " + observers() : "");
    return id + (primary ? " primary " : " non-primary ") + listed;
  }
}
