package com.example.counter;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.sim.service.Simulated;

/// The test of the guide to testing services.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CounterTest {
  @Test
  void countsWhateverCrashes() {
    Simulated.service(Counter::new)
        .replicas(3)
        .clients(4)
        .calls((client, random) -> ByteBuffer.allocate(8).putLong(0, random.nextInt(10)))
        .queries((client, random) -> ByteBuffer.allocate(0))
        .seeds(50)
        .check();
  }
}
