package org.tutti.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/// Gives a target inputs, and holds it to what is promised of all decoders: an input gives a value or one of the
/// exceptions that are named, and costs no more memory than its length allows. That it costs little time, whoever
/// gives the inputs has to watch.
final class Trial {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int ATTEMPTS = 3; // what the first one loads and links does not count

  private final FuzzTarget target;

  Trial(FuzzTarget target) {
    this.target = target;
  }

  /// Tries one input.
  ///
  /// @throws AssertionError when the target does not keep the promise
  void take(byte[] input) {
    long most = target.allocationMax(input.length);
    long allocated = Long.MAX_VALUE;
    for (int attempt = 0; attempt < ATTEMPTS && allocated > most; attempt++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      decode(input.clone());
      allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    }
    if (allocated > most) {
      throw new AssertionError(allocated + " bytes were allocated for an input of " + input.length);
    }
  }

  private void decode(byte[] input) {
    try {
      target.take(ByteBuffer.wrap(input));
    } catch (Exception refused) {
      if (!target.refusals().contains(refused.getClass())) {
        throw new AssertionError("not one of the exceptions that are promised: " + refused, refused);
      }
    }
  }
}
