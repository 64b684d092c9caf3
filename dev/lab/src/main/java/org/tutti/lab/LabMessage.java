package org.tutti.lab;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/// A message of a lab's member: its number, and bytes of random length, so that damage and confusion show.
final class LabMessage {
  private static final int LENGTH_MAX = 400;
  private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

  private LabMessage() {}

  static byte[] make(long number, SplittableRandom random) {
    byte[] bytes = new byte[Long.BYTES + random.nextInt(LENGTH_MAX)];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes).putLong(0, number);
    return bytes;
  }

  static long number(ByteBuffer message) {
    return message.remaining() < Long.BYTES ? -1 : message.getLong(message.position());
  }

  /// The hash of all its bytes.
  static long hash(ByteBuffer message) {
    long hash = message.remaining();
    for (int at = message.position(); at < message.limit(); at++) {
      hash = step(hash, message.get(at));
    }
    return hash;
  }

  /// One step of a chain of hashes.
  static long step(long hash, long next) {
    long mixed = (hash ^ next) * MULTIPLIER;
    return mixed ^ mixed >>> 29;
  }
}
