package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A receiver of multicasts without a socket: what waits for it, whether it has room, and when it read something.
final class QueuedReceiver implements MulticastReceiver {
  static final int PATH = 1436;

  private final int number;

  final ArrayDeque<OutgoingDatagram> queue = new ArrayDeque<>();
  boolean room = true;
  boolean takesWhole = true;
  long moved = Long.MIN_VALUE;
  int path = PATH;

  QueuedReceiver(int number) {
    this.number = number;
  }

  /// A frame for it: some bytes that are its own, and some that depend on the content only.
  ///
  /// @param head how many are its own
  /// @param tail how many are not
  OutgoingDatagram frame(int head, int content, int tail) {
    byte[] own = new byte[head];
    byte[] common = new byte[tail];
    Arrays.fill(own, (byte) number);
    new SplittableRandom(content).nextBytes(common);
    ByteBuffer bytes = ByteBuffer.allocate(OutgoingDatagram.frameAt() + head + tail);
    var outgoing = new OutgoingDatagram(this, bytes, bytes.capacity());
    bytes.putShort((short) (head + tail)).put(own).put(common);
    queue.add(outgoing);
    return outgoing;
  }

  @Override
  public boolean isNext(OutgoingDatagram outgoing, int count, int length) {
    return queue.peekFirst() == outgoing && room;
  }

  @Override
  public @Nullable MulticastDatagram nextMulticast() {
    OutgoingDatagram next = queue.peekFirst();
    return next == null || next.multicast == null || !next.multicast.isShared() ? null : next.multicast;
  }

  @Override
  public boolean isNextFull() {
    return !queue.isEmpty() && !room;
  }

  @Override
  public long movedNanos(long since) {
    return Math.max(since, moved);
  }

  @Override
  public int pathBytes() {
    return path;
  }

  @Override
  public boolean isLong(int bytes) {
    return bytes > path;
  }

  @Override
  public boolean takesWhole() {
    return takesWhole;
  }

  @Override
  public boolean asks() {
    return false;
  }

  @Override
  public void writeShare(ByteBuffer out, long multicast) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void left(int length, long multicast, int count, boolean asked) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean tooLong(int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void lag() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void attend() {
    throw new UnsupportedOperationException();
  }
}
