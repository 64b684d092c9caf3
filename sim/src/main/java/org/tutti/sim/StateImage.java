package org.tutti.sim;

import java.nio.ByteBuffer;
import org.tutti.sim.check.HistoryEvent.Summary;

/// An application's state as bytes: what it amounts to, padding of any length, and a check over all of it.
///
/// @param donor    who wrote it
/// @param transfer the donor's number of the transfer
/// @param summary  what it amounts to
record StateImage(int donor, long transfer, Summary summary) {
  private static final int HEAD = Integer.BYTES + 5 * Long.BYTES;

  byte[] bytes(int padding) {
    ByteBuffer bytes = ByteBuffer.allocate(HEAD + padding + Long.BYTES);
    bytes.putInt(donor).putLong(transfer);
    bytes.putLong(summary.index()).putLong(summary.position()).putLong(summary.chain());
    bytes.putLong(summary.weak());
    for (int i = 0; i < padding; i++) {
      bytes.put((byte) (i * 31 + summary.chain()));
    }
    bytes.putLong(Hash.of(bytes.duplicate().flip()));
    return bytes.array();
  }

  static StateImage of(ByteBuffer bytes) {
    if (bytes.remaining() < HEAD + Long.BYTES) {
      throw new IllegalStateException("a state of only " + bytes.remaining() + " bytes arrived");
    }
    long check = bytes.getLong(bytes.limit() - Long.BYTES);
    if (Hash.of(bytes.duplicate().limit(bytes.limit() - Long.BYTES)) != check) {
      throw new IllegalStateException("a state of " + bytes.remaining() + " bytes arrived damaged");
    }
    int donor = bytes.getInt();
    long transfer = bytes.getLong();
    return new StateImage(
        donor, transfer, new Summary(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong()));
  }
}
