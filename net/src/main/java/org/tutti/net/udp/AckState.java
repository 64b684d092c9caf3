package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/// What was read of a peer, and when the peer has to be told.
final class AckState {
  static final long AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final int EVERY = 16;

  private final UdpLoop loop;
  private long highest;
  private long highestNanos;
  private int count;

  // What the peer was not told yet.
  private int owed;
  private int owedBytes;
  private boolean owedSoon;
  private long owedSince;
  private int asked; // how long the longest probe was

  AckState(UdpLoop loop) {
    this.loop = loop;
  }

  /// Another life speaks.
  void begin() {
    asked = 0;
    highest = 0;
    count = 0;
  }

  /// A datagram with frames was read.
  ///
  /// @return whether it is the first one that the peer is not told of
  boolean read(DatagramHeader header, int length) {
    count += header.datagrams;
    seen(header.number);
    boolean first = owed == 0;
    if (first) {
      owedSince = loop.nowNanos;
    }
    owed += header.datagrams;
    owedBytes += header.datagrams * Flight.charge(length);
    owedSoon |= header.soon;
    return first;
  }

  /// The peer asks what has arrived up to a number, and whether the question itself has.
  void probed(long number, int length) {
    seen(number);
    asked = Math.max(asked, length);
    owed++;
    owedSoon = true;
    owedSince = loop.nowNanos;
  }

  private void seen(long number) {
    if (number > highest) {
      highest = number;
      highestNanos = loop.nowNanos;
    }
  }

  boolean isOwed() {
    return owed > 0 || asked > 0;
  }

  /// Enough has arrived to say so, or it was asked for.
  boolean isMuch() {
    return owedSoon || owed >= EVERY || 4 * owedBytes >= loop.grantBytes();
  }

  /// It was asked for, or some time has passed.
  boolean isDue() {
    return asked > 0 || owed > 0 && (isMuch() || loop.nowNanos - owedSince >= AFTER_NANOS);
  }

  /// When the time has passed, in nanoseconds from now.
  long pauseNanos() {
    return owedSince + AFTER_NANOS - loop.nowNanos;
  }

  /// Writes it into a header.
  void write(ByteBuffer out) {
    DatagramHeader.echo(out, highest, count, heldMicros(), loop.grantBytes());
  }

  /// Writes it into the header of an answer.
  void answer(ByteBuffer out) {
    DatagramHeader.number(out, asked);
    asked = 0;
    write(out);
  }

  /// Writes it into a part of a multicast.
  void writeShare(ByteBuffer out) {
    out.putLong(highest).putInt(count);
    out.putInt((int) Math.min(heldMicros(), Integer.MAX_VALUE)).putInt(loop.grantBytes());
  }

  private long heldMicros() {
    return highest == 0 ? 0 : TimeUnit.NANOSECONDS.toMicros(loop.nowNanos - highestNanos);
  }

  /// The peer was told.
  void told() {
    owed = 0;
    owedBytes = 0;
    owedSoon = false;
  }
}
