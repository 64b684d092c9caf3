package org.tutti.ipc;

import java.util.concurrent.CompletableFuture;

/// The group-id server, as its clients see it: it gives out ids that no other group ever has, keeps what their
/// passwords come to, and says which groups exist. [org.tutti.ipc.ids.GroupIdClient] is a client of the one that Tutti
/// has.
///
/// Calls return at once. Those that the server does not answer in time give [Status#NO_SERVER]; then a group may have
/// been created, or destroyed, all the same. Source: T-Shoshin, sections 2.2 and 4.2.
public interface GroupIds {
  /// How many characters a password has at most; it may have none.
  int PASSWORD_MAX = 64;

  /// Creates a group without members.
  ///
  /// @param password     whoever joins, leaves or destroys it has to say it
  /// @param sendPassword whoever sends to it has to say it; empty: anybody may send
  /// @return its id; [Status#NO_BUFF] when the server has as many groups as it can
  /// @throws IllegalArgumentException when a password is too long
  CompletableFuture<Result<GroupId>> create(String password, String sendPassword);

  /// Asks about a group.
  ///
  /// @param id the group
  /// @return what the server says, without its send key; [Status#GROUP_DOES_NOT_EXIST]
  CompletableFuture<Result<IssuedGroup>> look(GroupId id);

  /// Asks whether this is a group's control password.
  ///
  /// @param id       the group
  /// @param password its control password, perhaps
  /// @return what the server says, with its send key; [Status#GROUP_DOES_NOT_EXIST], [Status#WRONG_PASSWORD]
  /// @throws IllegalArgumentException when the password is too long
  CompletableFuture<Result<IssuedGroup>> check(GroupId id, String password);

  /// Asks whether this is a group's send password.
  ///
  /// @param id           the group
  /// @param sendPassword its send password, perhaps
  /// @return the key; [Status#GROUP_DOES_NOT_EXIST]; [Status#WRONG_PASSWORD], also where the group has none
  /// @throws IllegalArgumentException when the password is too long
  CompletableFuture<Result<SendKey>> sendKey(GroupId id, String sendPassword);

  /// Destroys a group: its id is of no group any more, and never will be of another one.
  ///
  /// @param id       the group
  /// @param password its control password
  /// @return the id; [Status#GROUP_DOES_NOT_EXIST], [Status#WRONG_PASSWORD]
  /// @throws IllegalArgumentException when the password is too long
  CompletableFuture<Result<GroupId>> destroy(GroupId id, String password);

  /// Refuses a password that is too long.
  ///
  /// @param password any text
  /// @return the same
  /// @throws IllegalArgumentException when it has more than [#PASSWORD_MAX] characters
  static String requirePassword(String password) {
    int characters = password.codePointCount(0, password.length());
    if (characters > PASSWORD_MAX) {
      throw new IllegalArgumentException("a password has " + PASSWORD_MAX + " characters at most, not " + characters);
    }
    return password;
  }
}
