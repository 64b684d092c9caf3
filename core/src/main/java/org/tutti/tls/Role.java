package org.tutti.tls;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a certificate is for: alternative names `URI:tutti:role:member`, `URI:tutti:role:observer`,
/// `URI:tutti:role:client`, `URI:tutti:role:operator`, one or more. A certificate that names none is for everything.
///
/// So whoever gets hold of a client's certificate can call the service and no more: members refuse it.
public enum Role {
  /// Connects to members, as a node: may join groups, observe them and multicast to them. Other members, clients and
  /// operators believe that it is a member when they connect to it.
  MEMBER,

  /// Connects to members, as a node that may observe groups and multicast to them as observers may, and never votes:
  /// members refuse it as a voter. It limits as what the node takes part, not what it says there. Over TCP only.
  OBSERVER,

  /// Calls replicated services, at their own port.
  CLIENT,

  /// Asks a member how it is: its health port.
  OPERATOR;

  private static final String URI = "tutti:role:";

  /// How it is written: `member`, `observer`, `client` or `operator`.
  ///
  /// @return in lower case
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Finds one by its word.
  ///
  /// @param word as [#word]
  /// @return null when there is none
  public static @Nullable Role of(String word) {
    for (Role role : values()) {
      if (role.word().equals(word)) {
        return role;
      }
    }
    return null;
  }

  /// Takes a name of a certificate into account.
  ///
  /// @param uri   an alternative name
  /// @param roles to which its role is added, if it is one; a role that is not known stands for none of these
  /// @return whether it names a role, known or not
  static boolean read(String uri, Set<Role> roles) {
    if (!uri.startsWith(URI)) {
      return false;
    }
    Role role = of(uri.substring(URI.length()));
    if (role != null) {
      roles.add(role);
    }
    return true;
  }

  /// Writes roles for people.
  ///
  /// @param roles some
  /// @return such as "client or operator"
  static String words(Set<Role> roles) {
    return String.join(" or ", roles.stream().map(Role::word).toList());
  }
}
