package org.tutti.romiop;

import java.nio.file.Path;
import java.time.Duration;
import org.jacorb.config.Configuration;
import org.jacorb.config.ConfigurationException;
import org.jspecify.annotations.Nullable;
import org.tutti.Node;
import org.tutti.NodeBuilder;

/// What the properties of an ORB say of the nodes of its process, those of servers and those of clients.
///
/// @param suspectAfter after what silence a node suspects another one, the same at all
/// @param callersAt    where nodes of clients listen, `host:0`
/// @param tls          the directory of the certificate that nodes show; null for none
/// @param insecure     whether nodes without one may listen on other addresses than loopback
record NodeProperties(Duration suspectAfter, String callersAt, @Nullable Path tls, boolean insecure) {
  private static final String SUSPECT_AFTER = "tutti.romiop.suspect_after";
  private static final long SUSPECT_MILLIS_MIN = 30;
  private static final String LOOPBACK = "127.0.0.1:0";

  /// On loopback.
  NodeProperties(Duration suspectAfter) {
    this(suspectAfter, LOOPBACK, null, false);
  }

  static NodeProperties of(Configuration configuration) throws ConfigurationException {
    long millis =
        configuration.getAttributeAsLong(SUSPECT_AFTER, org.tutti.transport.Profile.LAN.suspectAfter().toMillis());
    if (millis < SUSPECT_MILLIS_MIN) {
      throw new ConfigurationException(SUSPECT_AFTER + ": " + SUSPECT_MILLIS_MIN + " ms at least, not " + millis);
    }
    String tls = configuration.getAttribute("tutti.romiop.tls", "");
    return new NodeProperties(
        Duration.ofMillis(millis),
        configuration.getAttribute("tutti.romiop.client_listen", LOOPBACK),
        tls.isEmpty() ? null : Path.of(tls),
        flag(configuration, "tutti.romiop.insecure"));
  }

  /// A property that is `true` or `false`, which is its default. JacORB takes any other word as `false`.
  static boolean flag(Configuration configuration, String property) throws ConfigurationException {
    String value = configuration.getAttribute(property, "false");
    if (!value.equals("true") && !value.equals("false")) {
      throw new ConfigurationException(property + ": true or false, not " + value);
    }
    return value.equals("true");
  }

  /// Those of a server, whose gateway has nodes of clients: at the server's own address, as others have to tell them
  /// apart from those of other hosts.
  NodeProperties at(String listen) {
    String anyPort = listen.replaceFirst("\\d*$", "0");
    return new NodeProperties(suspectAfter, anyPort, tls, insecure);
  }

  /// A node, to be completed and started.
  NodeBuilder node(String name, String listen) {
    NodeBuilder node = Node.named(name).listen(listen).suspectAfter(suspectAfter);
    if (tls != null) {
      node.tls(tls);
    } else if (insecure) {
      node.insecure();
    }
    return node;
  }
}
