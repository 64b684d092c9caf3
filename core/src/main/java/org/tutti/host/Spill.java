package org.tutti.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.tutti.MemberId;
import org.tutti.pack.Batch;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Batches on disk that an application has not taken, first in, first out, within a bound
/// (`docs/protocols/spilling.md`).
///
/// They are appended to segments, files that are closed, and so deleted, when all in them was read: room is free again
/// a sixteenth of the bound at a time. A record is `length (4) | CRC-32C (4) | number (8) | place | position + 1 |
/// sender | batch`, the checksum being over all behind it. The number counts records, so that none is read at another's
/// place.
///
/// Not thread-safe, but for [#bytes()] and [#messages()].
final class Spill {
  private static final int SEGMENTS = 16;
  private static final int SEGMENT_BYTES_MIN = 64 << 10;
  private static final int READ_BYTES = 64 << 10;
  private static final int WRITE_BYTES = 256 << 10; // a taker waits no longer than for that
  private static final int HEAD_BYTES = 8;

  /// Makes files.
  interface Files {
    /// A new, empty file.
    File create() throws IOException;
  }

  /// A file, which may be gone when it is closed.
  interface File {
    /// Writes all of some bytes.
    void write(long at, byte[] bytes, int length) throws IOException;

    /// Reads as many bytes.
    ///
    /// @throws IOException also when there are fewer
    void read(long at, byte[] into, int length) throws IOException;

    void close();
  }

  /// What is read is not what was written.
  static final class Damaged extends IOException {
    private static final long serialVersionUID = 1;

    Damaged(String what) {
      super(what);
    }
  }

  private static final class Segment {
    final File file;
    long written;
    long read;

    Segment(File file) {
      this.file = file;
    }
  }

  private final Files files;
  private final long bytesMax;
  private final long segmentBytes;
  private final ArrayDeque<Segment> segments = new ArrayDeque<>();
  private byte[] ahead = new byte[READ_BYTES]; // of the first segment, what was read last
  private long aheadFrom;
  private int aheadLength;
  private long writtenNext; // numbers of records
  private long readNext;
  private volatile long bytes;
  private volatile long messages;

  /// Begins without a file.
  ///
  /// @param files    makes segments
  /// @param bytesMax how long they may be together
  Spill(Files files, long bytesMax) {
    this.files = files;
    this.bytesMax = bytesMax;
    this.segmentBytes = Math.max(SEGMENT_BYTES_MIN, bytesMax / SEGMENTS);
  }

  /// How much room all segments take up.
  long bytes() {
    return bytes;
  }

  /// How many messages are in it.
  long messages() {
    return messages;
  }

  boolean isEmpty() {
    return readNext == writtenNext;
  }

  /// How much room all segments may take up.
  long bytesMax() {
    return bytesMax;
  }

  /// Where they are.
  Files files() {
    return files;
  }

  /// Records that are to be written together.
  final class Draft {
    private byte[] bytes = new byte[READ_BYTES];
    private int length;
    private int records;
    private long messages;

    /// Whether it is as long as what is written at once.
    boolean isFull() {
      return length >= Math.min(WRITE_BYTES, segmentBytes);
    }

    int records() {
      return records;
    }

    /// Adds a batch.
    ///
    /// @return whether the bound leaves room for it
    boolean add(QueuedEvent.Delivered delivered) {
      byte[] record = record(writtenNext + records, delivered);
      if (Spill.this.bytes + length + record.length > bytesMax) {
        return false;
      }
      if (length + record.length > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + record.length));
      }
      System.arraycopy(record, 0, bytes, length, record.length);
      length += record.length;
      records++;
      messages += delivered.batch().count();
      return true;
    }
  }

  private static byte[] record(long number, QueuedEvent.Delivered delivered) {
    Batch batch = delivered.batch();
    var out = new WireWriter();
    out.fixed(number);
    out.u8(delivered.place().ordinal());
    out.count(delivered.position() + 1);
    out.member(batch.sender());
    batch.write(out);
    out.raw(batch.payload());
    byte[] record = new byte[HEAD_BYTES + out.length()];
    ByteBuffer into = ByteBuffer.wrap(record).position(HEAD_BYTES);
    out.copyTo(into);
    into.putInt(0, out.length()).putInt(Integer.BYTES, checksum(record, HEAD_BYTES, out.length()));
    return record;
  }

  private static int checksum(byte[] bytes, int from, int length) {
    var checksum = new CRC32C();
    checksum.update(bytes, from, length);
    return (int) checksum.getValue();
  }

  /// Writes a draft behind what is there.
  ///
  /// @throws IOException when that fails: then nothing of it is in the spill
  void write(Draft draft) throws IOException {
    Segment last = segments.peekLast();
    if (last == null || last.written >= segmentBytes) {
      last = new Segment(files.create());
      segments.addLast(last);
    }
    last.file.write(last.written, draft.bytes, draft.length);
    last.written += draft.length;
    writtenNext += draft.records;
    bytes = bytes + draft.length;
    messages = messages + draft.messages;
  }

  /// Reads the oldest batch, which is not in the spill any more then. Only when there is one.
  ///
  /// @throws IOException when it cannot be read, or is not what was written: nothing more can be read then
  QueuedEvent.Delivered read() throws IOException {
    closeRead();
    Segment first = segments.getFirst();
    long left = first.written - first.read;
    int at = load(first, HEAD_BYTES);
    ByteBuffer head = ByteBuffer.wrap(ahead, at, HEAD_BYTES);
    int length = head.getInt();
    int checksum = head.getInt();
    if (length < 0 || length > left - HEAD_BYTES) {
      throw new Damaged("a record has a length of " + length + " bytes, where " + (left - HEAD_BYTES) + " are left");
    }
    at = load(first, HEAD_BYTES + length) + HEAD_BYTES;
    if (checksum(ahead, at, length) != checksum) {
      throw new Damaged("a record does not have its checksum");
    }
    QueuedEvent.Delivered delivered = delivered(ByteBuffer.wrap(ahead, at, length).slice());
    first.read += HEAD_BYTES + length;
    readNext++;
    messages = messages - delivered.batch().count();
    closeRead();
    return delivered;
  }

  /// Sees to it that the next bytes of a segment are in memory.
  ///
  /// @return where
  private int load(Segment first, int length) throws IOException {
    long from = first.read - aheadFrom;
    if (from < 0 || from + length > aheadLength) {
      long more = Math.min(Math.max(length, READ_BYTES), first.written - first.read);
      if (more < length) {
        throw new Damaged("a record ends behind its segment");
      }
      if (ahead.length < more) {
        ahead = new byte[(int) more];
      }
      aheadLength = 0;
      first.file.read(first.read, ahead, (int) more);
      aheadFrom = first.read;
      aheadLength = (int) more;
      from = 0;
    }
    return (int) from;
  }

  private QueuedEvent.Delivered delivered(ByteBuffer record) throws Damaged {
    try {
      var in = new WireReader(record);
      long number = in.fixed();
      if (number != readNext) {
        throw new Damaged("record " + number + " is where " + readNext + " should be");
      }
      QueuedEvent.Place place = QueuedEvent.Place.values()[in.u8()];
      long position = in.count() - 1;
      MemberId sender = in.member();
      return new QueuedEvent.Delivered(place, Batch.copy(sender, in), position, true);
    } catch (Malformed | ArrayIndexOutOfBoundsException impossible) {
      throw new Damaged("a record is none, although it has its checksum: " + impossible);
    }
  }

  /// Closes the first segment if all in it was read; the last one only when nothing is left.
  private void closeRead() {
    Segment first = segments.peekFirst();
    if (first != null && first.read == first.written && (segments.size() > 1 || isEmpty())) {
      close(segments.removeFirst());
    }
  }

  private void close(Segment segment) {
    segment.file.close();
    bytes = bytes - segment.written;
    aheadFrom = 0;
    aheadLength = 0;
    if (ahead.length > READ_BYTES) {
      ahead = new byte[READ_BYTES];
    }
  }

  /// Forgets all that is in it.
  void clear() {
    segments.forEach(this::close);
    segments.clear();
    readNext = writtenNext;
    messages = 0;
  }

  /// Begins a draft.
  Draft draft() {
    return new Draft();
  }
}
