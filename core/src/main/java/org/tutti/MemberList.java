package org.tutti;

import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/// The members of a view, in which a member's place is found without looking at all of them: with each message of a
/// large group somebody asks for it.
final class MemberList extends AbstractList<MemberId> implements RandomAccess {
  private static final int FEW = 8; // of so many each is looked at sooner than hashed
  private static final int ROOM_FACTOR = 2; // of the table, so that few share a place

  private final List<MemberId> members;
  private final int[] places; // by hash, rank + 1, or 0; empty for few
  private final boolean distinct;

  private MemberList(List<MemberId> members) {
    this.members = members;
    int size = members.size();
    this.places = size <= FEW ? new int[0] : new int[Integer.highestOneBit(size) * 2 * ROOM_FACTOR];
    this.distinct = index();
  }

  /// A list that does not change.
  ///
  /// @param members is copied if need be
  static MemberList of(List<MemberId> members) {
    return members instanceof MemberList same ? same : new MemberList(List.copyOf(members));
  }

  private boolean index() {
    boolean once = true;
    for (int rank = 0; rank < members.size(); rank++) {
      MemberId member = members.get(rank);
      if (places.length == 0) {
        once &= members.indexOf(member) == rank;
        continue;
      }
      int place = find(member);
      once &= places[place] == 0;
      if (places[place] == 0) {
        places[place] = rank + 1;
      }
    }
    return once;
  }

  /// Where a member is in the table, or would be.
  private int find(MemberId member) {
    int hash = member.hashCode();
    int place = (hash ^ hash >>> 16) & places.length - 1;
    while (places[place] != 0 && !member.equals(members.get(places[place] - 1))) {
      place = place + 1 & places.length - 1;
    }
    return place;
  }

  /// Whether nobody is named twice.
  boolean isDistinct() {
    return distinct;
  }

  @Override
  public MemberId get(int rank) {
    return members.get(rank);
  }

  @Override
  public int size() {
    return members.size();
  }

  @Override
  public Iterator<MemberId> iterator() {
    return members.iterator();
  }

  @Override
  public Object[] toArray() {
    return members.toArray();
  }

  @Override
  public int indexOf(@Nullable Object member) {
    if (places.length == 0) {
      return member == null ? -1 : members.indexOf(member);
    }
    return member instanceof MemberId id ? places[find(id)] - 1 : -1;
  }

  @Override
  public boolean contains(@Nullable Object member) {
    return indexOf(member) >= 0;
  }
}
