package org.tutti.sim.check;

import java.util.Arrays;

/// What a delivered batch contained. Equal contents are one object within one [History].
public final class Content {
  private final int sender;
  private final long seq;
  private final long[] hashes;
  private final int[] lengths;
  private final long hash;

  Content(int sender, long seq, long[] hashes, int[] lengths) {
    this.sender = sender;
    this.seq = seq;
    this.hashes = hashes;
    this.lengths = lengths;
    this.hash = Arrays.hashCode(hashes) * 31L + Arrays.hashCode(lengths);
  }

  /// Who multicast it.
  ///
  /// @return the member's ordinal in the history
  public int sender() {
    return sender;
  }

  /// Which of its sender's batches it is.
  ///
  /// @return counted from 0
  public long seq() {
    return seq;
  }

  /// How many messages it has.
  ///
  /// @return at least 1
  public int count() {
    return hashes.length;
  }

  /// The hash of one message.
  ///
  /// @param at which one, from 0
  /// @return the hash of its bytes
  public long hash(int at) {
    return hashes[at];
  }

  /// The length of one message.
  ///
  /// @param at which one, from 0
  /// @return its bytes
  public int length(int at) {
    return lengths[at];
  }

  boolean says(long[] otherHashes, int[] otherLengths) {
    return Arrays.equals(hashes, otherHashes) && Arrays.equals(lengths, otherLengths);
  }

  @Override
  public String toString() {
    return "#" + sender + "/" + seq + "x" + count() + ":" + Long.toHexString(hash & 0xffff);
  }
}
