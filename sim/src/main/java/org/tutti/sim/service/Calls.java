package org.tutti.sim.service;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/// What simulated clients ask: `(client, random) -> payload`.
@FunctionalInterface
public interface Calls {
  /// Makes the next command, or question, of a client. It must depend on the arguments alone: no other random numbers,
  /// and nothing that is kept between calls, as many runs go on at the same time.
  ///
  /// @param client who asks
  /// @param random all that is drawn is drawn from here
  /// @return the service's bytes, from position to limit; not changed any more
  ByteBuffer next(Caller client, RandomGenerator random);
}
