package org.tutti.net;

import java.util.concurrent.TimeUnit;

/// How much may be spent: it grows with time and with what is earned, up to a most.
final class TokenBucket {
  private final double perNano;
  private final double most;
  private double left;
  private long sinceNanos;

  TokenBucket(long now, long perSecond, long most) {
    this.perNano = (double) perSecond / TimeUnit.SECONDS.toNanos(1);
    this.most = most;
    this.left = most;
    this.sinceNanos = now;
  }

  void earn(long amount) {
    left = Math.min(most, left + amount);
  }

  /// @return whether so much was left
  boolean spend(long now, long amount) {
    left = Math.min(most, left + perNano * (now - sinceNanos));
    sinceNanos = now;
    if (left < amount) {
      return false;
    }
    left -= amount;
    return true;
  }
}
