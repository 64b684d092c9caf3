package org.tutti.sim.check;

import java.util.Arrays;
import org.tutti.Service;

/// What a delivered batch contained. Equal contents are one object within one [History].
public final class Content {
  private final int sender;
  private final long seq;
  private final Service service;
  private final long[] hashes;
  private final int[] lengths;
  private final long hash;

  Content(int sender, long seq, Service service, long[] hashes, int[] lengths) {
    this.sender = sender;
    this.seq = seq;
    this.service = service;
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

  /// The service of its messages.
  ///
  /// @return one for all
  public Service service() {
    return service;
  }

  /// Whether it is delivered without waiting for its place.
  ///
  /// @return whether its service is another one than total order
  public boolean isWeak() {
    return service != Service.TOTAL;
  }

  /// How many messages it has.
  ///
  /// @return at least 1; 0 when it switches the ordering
  public int count() {
    return hashes.length;
  }

  /// How many positions its messages take.
  ///
  /// @return their number, if they are totally ordered
  public int positions() {
    return isWeak() ? 0 : count();
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

  boolean says(Service otherService, long[] otherHashes, int[] otherLengths) {
    return service == otherService && Arrays.equals(hashes, otherHashes) && Arrays.equals(lengths, otherLengths);
  }

  @Override
  public String toString() {
    return "#"
        + sender
        + "/"
        + seq
        + (isWeak() ? service.name().substring(0, 1) : "")
        + "x"
        + count()
        + ":"
        + Long.toHexString(hash & 0xffff);
  }
}
