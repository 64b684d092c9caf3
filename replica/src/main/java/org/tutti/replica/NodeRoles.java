package org.tutti.replica;

import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.tutti.Node;

/// What a node is in the groups of clients and servers of a service: it is one of them, and once. Two clients of one
/// node would be in each other's way when they observe the same server, and a server cannot invite itself.
///
/// **Threads**: any.
final class NodeRoles {
  private static final Map<Node, Map<String, String>> ROLES = new WeakHashMap<>();

  private NodeRoles() {}

  /// Takes the place that a node has for a service.
  ///
  /// @throws IllegalStateException when it is taken; the message says by what
  static void claim(Node node, String service, String role) {
    synchronized (ROLES) {
      String other = ROLES.computeIfAbsent(node, _ -> new HashMap<>()).putIfAbsent(service, role);
      if (other != null) {
        throw new IllegalStateException(
            "node " + node.self().name() + " cannot have " + role + " of \"" + service + "\": it has " + other);
      }
    }
  }

  static void release(Node node, String service) {
    synchronized (ROLES) {
      Map<String, String> its = ROLES.get(node);
      if (its != null) {
        its.remove(service);
      }
    }
  }
}
