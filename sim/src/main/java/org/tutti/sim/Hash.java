package org.tutti.sim;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// A running 64-bit hash of numbers and bytes, equal in every JVM.
final class Hash {
  private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long MULTIPLIER = 0x9e3779b97f4a7c15L;

  private long value = 0x243f6a8885a308d3L;

  /// Takes a number in.
  void add(long number) {
    value = step(value, number);
  }

  /// Takes bytes in, and how many there are.
  void add(ByteBuffer bytes) {
    value = step(value, of(bytes));
  }

  /// Takes characters in.
  void add(String text) {
    long hash = text.length();
    for (int i = 0; i < text.length(); i++) {
      hash = step(hash, text.charAt(i));
    }
    value = step(value, hash);
  }

  /// What was taken in so far.
  long value() {
    return Streams.mix(value);
  }

  /// The hash of the bytes from position to limit.
  static long of(ByteBuffer bytes) {
    int at = bytes.position();
    int end = bytes.limit();
    long hash = end - at;
    while (end - at >= Long.BYTES) {
      hash = step(hash, (long) LONGS.get(bytes, at));
      at += Long.BYTES;
    }
    long tail = 0;
    while (at < end) {
      tail = tail << 8 | bytes.get(at++) & 0xff;
    }
    return step(hash, tail);
  }

  /// One step of a chain.
  static long step(long hash, long number) {
    long next = (hash ^ number) * MULTIPLIER;
    return next ^ (next >>> 29);
  }
}
