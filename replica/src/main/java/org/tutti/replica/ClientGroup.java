package org.tutti.replica;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.Ordering;

/// A group of a client of a replicated service and its servers, as one of its members sees it
/// ([Client#groupDetails], [Replica#groupDetails]).
///
/// ```java
/// try (Client client = Client.of("counter").at(server).group(node, ClientGroup.Kind.ONE_CLUSIVE).connect()) {
///   client.call(command).get();
///   ClientGroup its = client.groupDetails().getFirst();
///   print(its.name() + " of " + its.members() + ", managed by " + its.manager());
/// }
/// ```
///
/// @param name      the group's name, which no other group has, nor will have
/// @param kind      which servers are in it
/// @param client    the member that calls, an observer of the group
/// @param members   all members, the most senior first, the client last
/// @param manager   the most senior server in it, which orders in it and, in a one-clusive group, is the request
///                  manager; null before a server has come
/// @param ordering  how what is multicast in it is ordered
/// @param guarantee what delivery in it promises
/// @param position  the position of its next delivery: how much was multicast in it
public record ClientGroup(
    String name,
    Kind kind,
    MemberId client,
    List<MemberId> members,
    @Nullable MemberId manager,
    Ordering ordering,
    Guarantee guarantee,
    long position) {
  /// Copies the list.
  public ClientGroup {
    members = List.copyOf(members);
  }

  /// Which servers a client has in its group.
  public enum Kind {
    /// One, its request manager: the client forms a group anew with each manager that it goes to.
    ONE_CLUSIVE,
    /// All: the group goes on when some of them fail.
    INCLUSIVE
  }
}
