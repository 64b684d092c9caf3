package org.tutti.membership;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/// Length and checksum of a state, as far as it was written or read. The donor's host takes in what its application
/// writes; the newcomer's engine takes in what arrives, and its host what its application reads. So a state that lost,
/// repeated or changed anything between the two applications is an error, whatever the reason, and never a state.
public final class StateChecksum {
  private final CRC32C crc = new CRC32C();
  private long length;

  /// What a whole state amounts to.
  ///
  /// @param length its bytes
  /// @param crc    their checksum (CRC-32C)
  public record Sum(long length, int crc) {}

  /// Begins with nothing.
  public StateChecksum() {}

  /// What a state amounts to that is in one piece.
  ///
  /// @param bytes the state, from position to limit, which stay
  /// @return its sum
  public static Sum of(ByteBuffer bytes) {
    var checksum = new StateChecksum();
    checksum.add(bytes);
    return checksum.sum();
  }

  /// Takes in the next bytes.
  ///
  /// @param bytes from position to limit, which stay
  public void add(ByteBuffer bytes) {
    length += bytes.remaining();
    crc.update(bytes.duplicate());
  }

  /// What was taken in so far.
  ///
  /// @return the sum, if the state ends here
  public Sum sum() {
    return new Sum(length, (int) crc.getValue());
  }
}
