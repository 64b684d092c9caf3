package org.tutti.blocks;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.CRC32C;

/// A number that follows from what is written: equal for equal bytes, and for others equal once in 2^32 times. It is
/// spread over 64 bits, so that the sum of the digests of a set's elements is a digest of the set.
final class Digest extends OutputStream {
  /// What writes the bytes.
  interface Source {
    void writeTo(DataOutputStream out) throws IOException;
  }

  private final CRC32C checksum = new CRC32C();
  private long length;

  private Digest() {}

  static long of(Source source) {
    var digest = new Digest();
    try {
      source.writeTo(new DataOutputStream(digest));
    } catch (IOException e) {
      throw new UncheckedIOException("the digest takes every byte", e);
    }
    return spread(digest.length << Integer.SIZE | digest.checksum.getValue());
  }

  /// MurmurHash3's finalizer for 64 bits (Austin Appleby, public domain): a bijection.
  private static long spread(long value) {
    long z = (value ^ value >>> 33) * 0xff51afd7ed558ccdL;
    z = (z ^ z >>> 33) * 0xc4ceb9fe1a85ec53L;
    return z ^ z >>> 33;
  }

  @Override
  public void write(int value) {
    checksum.update(value);
    length++;
  }

  @Override
  public void write(byte[] from, int offset, int count) {
    checksum.update(from, offset, count);
    length += count;
  }
}
