package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.BufferPool;
import org.tutti.transport.Counts;

/// Puts the pieces of one peer's datagrams together again.
///
/// ```
///  0       the header of a datagram; its number is that of this piece
/// 48  u16  which piece it is, from 0; the pieces of one datagram have numbers one after another
/// 50  u16  how many there are
/// 52  u16  how long each of them is; only the last one may be shorter
/// 54       bytes 48 + index * length and on of the datagram
/// ```
///
/// Two datagrams at a time, as the network may swap a few of their pieces; when a third one comes the older one is
/// dropped. So a peer holds two buffers here at most, whatever it sends, each while something is missing; and where a
/// piece belongs follows from its index, so that pieces do not overlap.
final class Reassembly {
  /// Where a piece begins.
  static final int AT = DatagramHeader.BYTES + 6;

  private static final int COUNT_MAX = 256;
  private static final int WHOLE_BYTES_MAX = (1 << 16) - DatagramHeader.BYTES;
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);

  /// One datagram.
  private final class Whole {
    long first; // the number of its first piece; 0: none
    int count;
    int unit;
    ByteBuffer bytes = NONE;
    int length;
    final BitSet missing = new BitSet(COUNT_MAX);

    boolean isDone() {
      return missing.isEmpty();
    }

    void begin(long number, int pieces, int each) {
      first = number;
      count = pieces;
      unit = each;
      length = 0;
      if (bytes.capacity() < pieces * each) {
        giveBack(bytes);
        bytes = buffers.take();
      }
      if (bytes.capacity() < pieces * each) { // the peer's datagrams are longer than any of this node
        giveBack(bytes);
        bytes = ByteBuffer.allocate(pieces * each);
      }
      missing.clear(); // what was missing of a longer one that is dropped is not missed any more
      missing.set(0, pieces);
    }

    /// Gives up what it holds.
    ByteBuffer take() {
      ByteBuffer taken = bytes;
      bytes = NONE;
      missing.clear();
      return taken;
    }
  }

  private final Counts<UdpCount> counters;
  private final BufferPool buffers; // direct ones
  private final Consumer<ByteBuffer> frames;
  private final Whole[] wholes = {new Whole(), new Whole()};

  /// Without any piece.
  ///
  /// @param buffers where pieces wait for others
  /// @param frames  takes what was put together, without the header, and has it until it returns. It is in a buffer of
  ///                its own, as behind a piece may be others that were read together with it.
  Reassembly(Counts<UdpCount> counters, BufferPool buffers, Consumer<ByteBuffer> frames) {
    this.counters = counters;
    this.buffers = buffers;
    this.frames = frames;
  }

  /// No more pieces come from this life: those that wait for others are dropped.
  void end() {
    for (Whole whole : wholes) {
      whole.first = 0;
      giveBack(whole.take());
    }
  }

  private void giveBack(ByteBuffer bytes) {
    if (bytes.isDirect()) {
      buffers.giveBack(bytes);
    }
  }

  static void writeHeader(ByteBuffer out, int index, int count, int unit) {
    out.putShort(DatagramHeader.BYTES, (short) index);
    out.putShort(DatagramHeader.BYTES + 2, (short) count).putShort(DatagramHeader.BYTES + 4, (short) unit);
  }

  /// A piece has come.
  ///
  /// @param number its number
  /// @param in     behind the common header
  /// @return whether this was the last piece that was missing
  boolean add(long number, ByteBuffer in) {
    counters.add(UdpCount.PIECES_RECEIVED);
    if (in.remaining() <= AT - DatagramHeader.BYTES) {
      counters.add(UdpCount.DROP_BAD_PIECE);
      return false;
    }
    int index = in.getShort() & 0xffff;
    int count = in.getShort() & 0xffff;
    int unit = in.getShort() & 0xffff;
    int length = in.remaining();
    boolean last = index == count - 1;
    if (count < 2
        || count > COUNT_MAX
        || index >= count
        || number <= index
        || (last ? length > unit : length != unit)
        || count * unit > WHOLE_BYTES_MAX) {
      counters.add(UdpCount.DROP_BAD_PIECE);
      return false;
    }
    Whole whole = whole(number - index, index, count, unit);
    if (whole == null) {
      return false;
    }
    whole.bytes.put(index * unit, in, in.position(), length);
    whole.missing.clear(index);
    whole.length += length;
    if (!whole.isDone()) {
      return false;
    }
    counters.add(UdpCount.PIECES_JOINED);
    ByteBuffer bytes = whole.take();
    frames.accept(bytes.limit(whole.length).position(0));
    giveBack(bytes);
    return true;
  }

  /// Where a piece belongs, if it is still wanted.
  private @Nullable Whole whole(long first, int index, int count, int unit) {
    boolean swapped = wholes[0].first > wholes[1].first;
    Whole older = wholes[swapped ? 1 : 0];
    Whole newer = wholes[swapped ? 0 : 1];
    if (first == older.first || first == newer.first) {
      Whole whole = first == older.first ? older : newer;
      if (!whole.missing.get(index)) {
        counters.add(UdpCount.DROP_LATE_PIECE); // the network has doubled it
        return null;
      }
      if (whole.count != count || whole.unit != unit) {
        counters.add(UdpCount.DROP_BAD_PIECE);
        return null;
      }
      return whole;
    }
    if (first < older.first) {
      counters.add(UdpCount.DROP_LATE_PIECE);
      return null;
    }
    if (!older.isDone()) {
      counters.add(UdpCount.DROP_INCOMPLETE);
    }
    older.begin(first, count, unit);
    return older;
  }
}
