package org.tutti.romiop;

import java.time.Duration;
import org.jacorb.config.Configuration;
import org.jacorb.config.ConfigurationException;
import org.tutti.NodeBuilder;
import org.tutti.transport.Profile;

/// After what silence a node of this process suspects another one: a property of the ORB's.
///
/// @param after the silence
record Suspicion(Duration after) {
  private static final String PROPERTY = "tutti.romiop.suspect_after";
  private static final int HEARTBEATS = 10; // within that time, as with the profiles of nodes
  private static final long MILLIS_MIN = 30;

  static Suspicion of(Configuration configuration) throws ConfigurationException {
    long millis = configuration.getAttributeAsLong(PROPERTY, Profile.LAN.suspectAfter().toMillis());
    if (millis < MILLIS_MIN) {
      throw new ConfigurationException(PROPERTY + ": " + MILLIS_MIN + " ms at least, not " + millis);
    }
    return new Suspicion(Duration.ofMillis(millis));
  }

  NodeBuilder in(NodeBuilder node) {
    return node.times(after.dividedBy(HEARTBEATS), after);
  }
}
