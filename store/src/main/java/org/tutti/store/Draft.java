package org.tutti.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.tutti.storage.StorageException;

/// The next commit while it is written: one frame of the segment it will go to.
///
/// ```
/// frame  := length of the body u32, checksum u32 of all that follows, number of the commit u64, body
/// body   := op*
/// op     := REGION   id u32, name            the id is used for the region from here on
///         | RECORD   id u32, name, value
///         | APPEND   id u32, index u64, checksum u32 of the entry, entry
///         | MOVE     the same: the entry of this index is read from here, since its old file is to go
///         | DROP     id u32, index u64       the log begins here
///         | TRUNCATE id u32, index u64       the log ends here
///         | RANGE    id u32, first u64, next u64
/// ```
///
/// Names, values and entries have a length u32 before them. RANGE occurs in the first frame of a segment only, which
/// sums up everything before.
final class Draft {
  static final int HEADER = 16;
  static final int BODY_MAX = 1 << 30;

  static final byte REGION = 1;
  static final byte RECORD = 2;
  static final byte APPEND = 3;
  static final byte MOVE = 4;
  static final byte DROP = 5;
  static final byte TRUNCATE = 6;
  static final byte RANGE = 7;

  private static final int USUAL = 1 << 18; // what is kept between commits
  private static final int OVERHEAD = 1 + Integer.BYTES + Long.BYTES + 2 * Integer.BYTES; // of an op, at most

  private ByteBuffer bytes = ByteBuffer.allocateDirect(USUAL).position(HEADER);

  boolean isEmpty() {
    return bytes.position() == HEADER;
  }

  void region(int id, String name) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    op(REGION, id, text.length);
    put(text);
  }

  void record(int id, String name, byte[] value) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    op(RECORD, id, text.length + value.length);
    put(text);
    put(value);
  }

  /// Adds an entry.
  ///
  /// @return where its bytes begin in the frame
  int entry(byte op, int id, long index, int checksum, byte[] entry) {
    op(op, id, entry.length);
    bytes.putLong(index).putInt(checksum);
    put(entry);
    return bytes.position() - entry.length;
  }

  void limit(byte op, int id, long index) {
    op(op, id, 0);
    bytes.putLong(index);
  }

  void range(int id, long first, long next) {
    op(RANGE, id, Long.BYTES);
    bytes.putLong(first).putLong(next);
  }

  private void op(byte op, int id, int more) {
    long needed = (long) bytes.position() + OVERHEAD + more;
    if (needed > BODY_MAX) {
      throw new StorageException("one commit cannot take more than " + BODY_MAX + " bytes");
    }
    if (needed > bytes.capacity()) {
      int capacity = (int) Math.min(BODY_MAX, Math.max(needed, 2L * bytes.capacity()));
      bytes = ByteBuffer.allocateDirect(capacity).put(bytes.flip());
    }
    bytes.put(op).putInt(id);
  }

  private void put(byte[] value) {
    bytes.putInt(value.length).put(value);
  }

  /// Reads what was added.
  ///
  /// @param at     where it begins in the frame
  /// @param length how many bytes
  byte[] read(int at, int length) {
    byte[] value = new byte[length];
    bytes.get(at, value);
    return value;
  }

  /// The finished frame.
  ///
  /// @param segment the number of the segment that it goes to: it is no frame of another one
  /// @param commit  its number
  ByteBuffer frame(long segment, long commit) {
    bytes.flip();
    bytes.putInt(0, bytes.limit() - HEADER).putLong(Long.BYTES, commit);
    return bytes.putInt(Integer.BYTES, checksum(segment, bytes));
  }

  /// The checksum of a whole frame.
  static int checksum(long segment, ByteBuffer frame) {
    var crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(segment).flip());
    crc.update(frame.slice(Long.BYTES, frame.limit() - Long.BYTES));
    return (int) crc.getValue();
  }

  static int checksum(byte[] entry) {
    var crc = new CRC32C();
    crc.update(entry);
    return (int) crc.getValue();
  }

  /// Begins the next one.
  void clear() {
    bytes = (bytes.capacity() > 16 * USUAL ? ByteBuffer.allocateDirect(USUAL) : bytes.clear()).position(HEADER);
  }
}
