package org.tutti.rmi;

import java.time.Duration;
import org.tutti.middleware.MiddlewareConfig;

/// Settings for tests of what peers say: on a busy machine it may take long until they say it.
final class PatientConfig {
  private static final Duration PATIENT = Duration.ofSeconds(45);

  private PatientConfig() {}

  static RmiConfig lan() {
    return new RmiConfig(MiddlewareConfig.lan(), 256, PATIENT, Duration.ofMinutes(1), PATIENT, PATIENT, null);
  }
}
