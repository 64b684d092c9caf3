package org.tutti.ipc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// The address of a group: 32 bits, of which the highest says that it is a group, so that it is never the number of a
/// process, the next three are its class, and the others its group part.
///
/// | bits | meaning |
/// | --- | --- |
/// | 31 | 1: a group |
/// | 30 to 28 | class: 0 for well-known groups, 1 for named ones, 2 for issued ones; 3 to 7 are of nobody |
/// | 27 to 0 | group part |
///
/// Everybody computes the ids of well-known and of named groups alone. Two names may have one id: among a thousand
/// names that happens once in about 500 programs. Who cannot bear it uses well-known ids, or has a server give one out
/// ([GroupIds]), which it does once only. Source: T-Shoshin, 4.1.
///
/// @param value all 32 bits; negative, as the group bit is the sign
public record GroupId(int value) {
  /// The largest group part.
  public static final int PART_MAX = (1 << 28) - 1;

  private static final int GROUP_BIT = 1 << 31;
  private static final int CLASS_SHIFT = 28;
  private static final int NAMED = 1;
  private static final int ISSUED = 2;

  /// Takes the 32 bits of an id.
  ///
  /// @throws IllegalArgumentException when the group bit is missing, or the class is of nobody
  public GroupId {
    if (value >= 0 || (value >>> CLASS_SHIFT & 7) > ISSUED) {
      throw new IllegalArgumentException("not a group id: " + Integer.toHexString(value));
    }
  }

  /// The id of a group whose number all programs agree on.
  ///
  /// @param part 0 to [#PART_MAX]
  /// @return the id
  /// @throws IllegalArgumentException when the number is out of range
  public static GroupId wellKnown(int part) {
    return of(0, part);
  }

  /// An id of those that a server gives out.
  ///
  /// @param part 0 to [#PART_MAX]
  /// @return the id
  /// @throws IllegalArgumentException when the number is out of range
  public static GroupId issued(int part) {
    return of(ISSUED, part);
  }

  private static GroupId of(int kind, int part) {
    if (part < 0 || part > PART_MAX) {
      throw new IllegalArgumentException("a group part is 0 to " + PART_MAX + ", not " + part);
    }
    return new GroupId(GROUP_BIT | kind << CLASS_SHIFT | part);
  }

  /// The id of a group with a name: the first 28 bits of the SHA-256 of the name.
  ///
  /// @param name any text
  /// @return the same id for the same name, everywhere
  public static GroupId named(String name) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return new GroupId(GROUP_BIT | NAMED << CLASS_SHIFT | ByteBuffer.wrap(hash).getInt() >>> 32 - CLASS_SHIFT);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /// Reads an id as it is printed.
  ///
  /// @param text eight hexadecimal digits
  /// @return the id
  /// @throws IllegalArgumentException when it is none
  public static GroupId parse(String text) {
    if (!text.matches("[0-9a-fA-F]{8}")) {
      throw new IllegalArgumentException("a group id has eight hexadecimal digits, not " + text);
    }
    return new GroupId(Integer.parseUnsignedInt(text, 16));
  }

  /// Whether a server has to have given it out: then the group exists when the server says so, and has passwords.
  ///
  /// @return whether it is of that class
  public boolean isIssued() {
    return (value >>> CLASS_SHIFT & 7) == ISSUED;
  }

  /// What tells it from others of its class.
  ///
  /// @return 0 to [#PART_MAX]
  public int part() {
    return value & PART_MAX;
  }

  @Override
  public String toString() {
    return Integer.toHexString(value);
  }
}
