package org.tutti.middleware;

import java.time.Duration;

/// Bounds and times of a [MiddlewareTransport]; the first three are the same at all nodes.
///
/// @param frameBytesMax the largest frame, 512 bytes to 16 MiB
/// @param queueBytes    what may wait for one peer; at least two largest frames with their 4-byte prefixes. Everything
///                      that waits leaves as one batch, so this also bounds a batch
/// @param inboxBytes    what may wait for this node's engine; at least one batch. Beyond it the threads of the
///                      middleware wait, and so do the sources
/// @param inboxWait     how long such a thread waits before its batch is dropped: less than the time after which a
///                      source gives a peer up, so that a node that pauses is not taken for dead
/// @param backoffMin    the pause after a first failed attempt to reach a peer; it doubles with each further failure
/// @param backoffMax    the longest pause between attempts
/// @param idleMax       a peer for which nothing was claimed for this long is hung up on
/// @param closeWait     how long the end waits for what was committed to be sent
/// @param peersMax      how many peers are remembered; beyond it the oldest that cannot be reached is forgotten
public record MiddlewareConfig(
    int frameBytesMax,
    int queueBytes,
    int inboxBytes,
    Duration inboxWait,
    Duration backoffMin,
    Duration backoffMax,
    Duration idleMax,
    Duration closeWait,
    int peersMax) {

  /// Checks the ranges.
  public MiddlewareConfig {
    require(frameBytesMax >= 512 && frameBytesMax <= 1 << 24, "frameBytesMax is 512 bytes to 16 MiB");
    require(queueBytes >= 2 * (frameBytesMax + FrameBatch.PREFIX_BYTES), "queueBytes holds two frames");
    require(queueBytes <= 1 << 26, "queueBytes is at most 64 MiB");
    require(inboxBytes >= queueBytes + FrameBatch.HEADER_BYTES_MAX, "inboxBytes holds one batch");
    require(backoffMin.isPositive() && backoffMin.compareTo(backoffMax) <= 0, "0 < backoffMin <= backoffMax");
    require(inboxWait.isPositive() && idleMax.isPositive() && closeWait.isPositive(), "times are positive");
    require(peersMax > 0, "peersMax is positive");
  }

  /// One data centre or one host: frames of 128 KiB, batches of 1 MiB.
  ///
  /// @return the default settings
  public static MiddlewareConfig lan() {
    return new MiddlewareConfig(
        1 << 17, // as TCP: messages up to 100 KiB and more are not put together from pieces
        1 << 20, // one batch is on the way while the next one gathers
        1 << 22,
        Duration.ofSeconds(5),
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        Duration.ofMinutes(1),
        Duration.ofSeconds(2),
        1024);
  }

  /// The same settings with other pauses between attempts to reach a peer.
  ///
  /// @param least the pause after a first failure
  /// @param most  the longest pause
  /// @return the changed settings
  public MiddlewareConfig withBackoff(Duration least, Duration most) {
    return new MiddlewareConfig(
        frameBytesMax, queueBytes, inboxBytes, inboxWait, least, most, idleMax, closeWait, peersMax);
  }

  /// The same settings with another patience for an engine that does not keep up.
  ///
  /// @param wait how long a thread of the middleware waits before its batch is dropped
  /// @return the changed settings
  public MiddlewareConfig withInboxWait(Duration wait) {
    return new MiddlewareConfig(
        frameBytesMax, queueBytes, inboxBytes, wait, backoffMin, backoffMax, idleMax, closeWait, peersMax);
  }

  /// The largest batch that a peer sends.
  ///
  /// @return its bytes, header and all
  public int batchBytesMax() {
    return FrameBatch.HEADER_BYTES_MAX + queueBytes;
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
