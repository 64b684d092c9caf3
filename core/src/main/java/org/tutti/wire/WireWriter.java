package org.tutti.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;

/// Appends values to a growing array, big-endian; counts are variable-length (seven bits a byte, low first).
public final class WireWriter {
  private static final int INITIAL_BYTES = 64;

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int length;

  /// Starts with nothing written.
  public WireWriter() {}

  private void reserve(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }

  /// Appends one byte.
  ///
  /// @param value its low eight bits are written
  public void u8(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
  }

  /// Appends a flag.
  ///
  /// @param value one byte, 1 or 0
  public void flag(boolean value) {
    u8(value ? 1 : 0);
  }

  /// Appends eight bytes.
  ///
  /// @param value any value
  public void fixed(long value) {
    reserve(Long.BYTES);
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      bytes[length++] = (byte) (value >>> shift);
    }
  }

  /// Appends a count in one to nine bytes.
  ///
  /// @param value 0 or more
  public void count(long value) {
    if (value < 0) {
      throw new IllegalArgumentException("a count is not negative: " + value);
    }
    reserve(Long.BYTES + 1);
    long rest = value;
    while (rest > 0x7f) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
  }

  /// Appends a text with its length before it.
  ///
  /// @param value any text
  public void text(String value) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    count(utf8.length);
    raw(ByteBuffer.wrap(utf8));
  }

  /// Appends bytes with their length before them.
  ///
  /// @param value read from position to limit; its position is not moved
  public void bytes(ByteBuffer value) {
    count(value.remaining());
    raw(value);
  }

  /// Appends bytes alone.
  ///
  /// @param value read from position to limit; its position is not moved
  public void raw(ByteBuffer value) {
    int size = value.remaining();
    reserve(size);
    value.get(value.position(), bytes, length, size);
    length += size;
  }

  /// Appends a member.
  ///
  /// @param member name, address and incarnation
  public void member(MemberId member) {
    fixed(member.incarnation());
    text(member.name());
    text(member.address().text());
  }

  /// Appends a list of members.
  ///
  /// @param members in their order
  public void members(List<MemberId> members) {
    count(members.size());
    members.forEach(this::member);
  }

  /// Appends an ordering.
  ///
  /// @param ordering any
  public void ordering(Ordering ordering) {
    u8(
        switch (ordering) {
          case SEQUENCER -> 1;
          case SKEEN -> 2;
          case CONSENSUS -> 3;
          case SYMMETRIC -> 4;
        });
  }

  /// Appends a view's id.
  ///
  /// @param id epoch and proposer
  public void viewId(ViewId id) {
    count(id.epoch());
    fixed(id.proposer());
  }

  /// Appends a view.
  ///
  /// @param view all of it
  public void view(View view) {
    viewId(view.id());
    members(view.members());
    count(view.voters());
    flag(view.primary());
    count(view.predecessors().size());
    view.predecessors().forEach(this::viewId);
    u8(view.version());
  }

  /// Appends a value that may be absent.
  ///
  /// @param <T>   the value's type
  /// @param value the value, or null for none
  /// @param how   writes the value
  public <T> void optional(@Nullable T value, java.util.function.BiConsumer<WireWriter, T> how) {
    flag(value != null);
    if (value != null) {
      how.accept(this, value);
    }
  }

  /// How much was written.
  ///
  /// @return the number of bytes
  public int length() {
    return length;
  }

  /// Puts everything written so far into a buffer.
  ///
  /// @param to gets the bytes at its position, which moves
  public void copyTo(ByteBuffer to) {
    to.put(bytes, 0, length);
  }

  /// Everything written so far.
  ///
  /// @return a copy, from position 0 to its limit
  public ByteBuffer copy() {
    return ByteBuffer.wrap(Arrays.copyOf(bytes, length));
  }
}
