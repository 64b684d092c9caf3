package org.tutti.spi;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/// Numbers for the lives of nodes and hosts ([org.tutti.MemberId#incarnation]). Those that hear each other need
/// different ones, whatever their names: what comes with its own number each takes for an echo.
public final class Incarnation {
  private static final int RANDOM_BITS = 10;
  private static final AtomicLong LAST = new AtomicLong();

  private Incarnation() {}

  /// A number for a life that begins now. The clock gives the order of lives; random bits tell apart those that begin
  /// in the same microsecond in different processes, and in one process none comes twice. Any thread may ask.
  ///
  /// @return larger than all earlier ones of this process, and of others as far as clocks agree; positive
  public static long next() {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    long now = micros << RANDOM_BITS | ThreadLocalRandom.current().nextInt(1 << RANDOM_BITS);
    return LAST.accumulateAndGet(now, (last, mine) -> Math.max(last + 1, mine));
  }
}
