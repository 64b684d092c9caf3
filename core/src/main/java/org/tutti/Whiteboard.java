package org.tutti;

import java.util.OptionalLong;

/// Numbers that the members of a group show each other, for instance how busy they are.
///
/// {@snippet class="ApiExamplesTest" region="whiteboard"}
///
/// Each member has one number without a name, and up to [#NAMES_MAX] with names. Writing and reading never block and
/// delay nothing: values travel with messages that go anyway, or else, when they have changed, by themselves after
/// [#DELAY_MILLIS]. So they are **weak**: a value read may be old, values in between may never be seen, and nothing is
/// said about their order to deliveries and views. Also in views that are not primary. May be used from any thread.
public interface Whiteboard {
  /// How many names a member can use.
  int NAMES_MAX = 16;

  /// The longest name, in bytes of UTF-8; the shortest has one.
  int NAME_BYTES_MAX = 32;

  /// How long a change waits for something to travel with.
  int DELAY_MILLIS = 200;

  /// Shows a number without a name.
  ///
  /// @param value replaces the one before
  void put(long value);

  /// Shows a number with a name.
  ///
  /// @param name  1 to [#NAME_BYTES_MAX] bytes
  /// @param value replaces the one before
  /// @throws IllegalArgumentException when the name is empty or too long
  /// @throws IllegalStateException    when it would be one name more than [#NAMES_MAX]
  void put(String name, long value);

  /// Reads a member's number without a name.
  ///
  /// @param member any; of this member itself the last one put
  /// @return empty when it has put none, or none is known yet, or the member is not in the view
  OptionalLong get(MemberId member);

  /// Reads a member's number with a name.
  ///
  /// @param member as in [#get(MemberId)]
  /// @param name   the name
  /// @return as in [#get(MemberId)]
  OptionalLong get(MemberId member, String name);
}
