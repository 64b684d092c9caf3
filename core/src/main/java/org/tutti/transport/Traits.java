package org.tutti.transport;

import java.time.Duration;

/// What the links need to know of a transport.
///
/// @param frameBytesMax     the largest frame that can be claimed, at least 512 bytes
/// @param retransmitAfter   how long a link waits for an acknowledgement before it sends a packet again; a stream that
///                          loses data only when it breaks asks for a long time, a datagram service for a short one
/// @param checksum          whether frames must carry a checksum because the medium may flip bits
public record Traits(int frameBytesMax, Duration retransmitAfter, boolean checksum) {
  /// The smallest frame that a transport may offer, in bytes.
  public static final int FRAME_BYTES_MIN = 512;

  /// Checks the ranges.
  public Traits {
    if (frameBytesMax < FRAME_BYTES_MIN) {
      throw new IllegalArgumentException("frameBytesMax is at least " + FRAME_BYTES_MIN);
    }
    if (retransmitAfter.isNegative() || retransmitAfter.isZero()) {
      throw new IllegalArgumentException("retransmitAfter must be positive");
    }
  }
}
