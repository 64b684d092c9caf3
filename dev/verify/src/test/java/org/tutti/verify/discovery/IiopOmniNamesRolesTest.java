package org.tutti.verify.discovery;

import org.junit.jupiter.api.Tag;

/// Roles at the naming service of another ORB, omniORB's.
@Tag("deep")
class IiopOmniNamesRolesTest extends IiopNamingRolesTest {
  @Override
  AutoCloseable start(int port) throws Exception {
    return LaunchedNamingService.ofOmniOrb(port, directory);
  }
}
