package org.tutti.sim.check;

import java.nio.ByteBuffer;
import java.util.Map;

/// What is asked of a service of registers, which is what campaigns replicate.
///
/// @param kind   what is done
/// @param key    to which register
/// @param first  what is set, added or compared
/// @param second what is set when it compares equal
public record RegisterCall(Kind kind, int key, long first, long second) {
  /// What is done to a register.
  public enum Kind {
    /// Sets it; the result is its value before.
    SET,
    /// Adds to it; the result is its value after.
    ADD,
    /// Sets it if it has a value; the result is 1 when it had, else 0.
    COMPARE_AND_SET,
    /// Is refused by the service.
    FAIL,
    /// Reads it.
    READ,
    /// Reads it as soon as it has another value than the first.
    AWAIT
  }

  private static final Kind[] KINDS = Kind.values();
  private static final int COMMAND_BYTES = 2 + 2 * Long.BYTES;
  private static final int AWAIT_BYTES = 1 + Long.BYTES;

  /// The call as bytes: of a question, the register, and what it must not be.
  ///
  /// @return from position to limit
  public ByteBuffer encode() {
    if (kind == Kind.READ) {
      return ByteBuffer.allocate(1).put(0, (byte) key);
    }
    if (kind == Kind.AWAIT) {
      return ByteBuffer.allocate(AWAIT_BYTES).put((byte) key).putLong(first).flip();
    }
    return ByteBuffer.allocate(COMMAND_BYTES)
        .put((byte) kind.ordinal())
        .put((byte) key)
        .putLong(first)
        .putLong(second)
        .flip();
  }

  /// Reads what [#encode] has written.
  ///
  /// @param in from position to limit
  /// @return the call
  public static RegisterCall decode(ByteBuffer in) {
    return switch (in.remaining()) {
      case 1 -> new RegisterCall(Kind.READ, in.get(), 0, 0);
      case AWAIT_BYTES -> new RegisterCall(Kind.AWAIT, in.get(), in.getLong(), 0);
      default -> new RegisterCall(KINDS[in.get()], in.get(), in.getLong(), in.getLong());
    };
  }

  /// Does it.
  ///
  /// @param registers their values; 0 for those that are absent
  /// @return the result
  public long apply(Map<Integer, Long> registers) {
    long before = registers.getOrDefault(key, 0L);
    long result = result(before);
    long after = after(before);
    if (kind != Kind.READ && kind != Kind.AWAIT) {
      registers.put(key, after);
    }
    return result;
  }

  /// What it returns.
  ///
  /// @param before the register's value before
  /// @return the result
  long result(long before) {
    return switch (kind) {
      case SET, READ, AWAIT -> before;
      case ADD -> before + first;
      case COMPARE_AND_SET -> before == first ? 1 : 0;
      case FAIL -> throw new IllegalArgumentException("refused");
    };
  }

  /// What it leaves.
  ///
  /// @param before the register's value before
  /// @return its value after
  long after(long before) {
    return switch (kind) {
      case SET -> first;
      case ADD -> before + first;
      case COMPARE_AND_SET -> before == first ? second : before;
      case FAIL, READ, AWAIT -> before;
    };
  }

  @Override
  public String toString() {
    return kind + " of register " + key + (kind == Kind.READ ? "" : " " + first + " " + second);
  }
}
