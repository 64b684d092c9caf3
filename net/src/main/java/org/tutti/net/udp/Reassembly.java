package org.tutti.net.udp;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.spi.BufferPool;
import org.tutti.transport.Counts;

/// Puts the pieces of one peer's datagrams ([UnicastPiece]) together again.
///
/// Two datagrams at a time, as the network may swap a few of their pieces; when a third one comes the older one is
/// dropped. So a peer holds two buffers here at most, whatever it sends, each while something is missing; and where a
/// piece belongs follows from its index, so that pieces do not overlap.
final class Reassembly {
  private static final int WHOLE_BYTES_MAX = (1 << 16) - DatagramHeader.BYTES;
  private static final ByteBuffer NONE = ByteBuffer.allocate(0);

  /// One datagram.
  private final class Whole {
    long first; // the number of its first piece; 0: none
    int count;
    int unit;
    ByteBuffer bytes = NONE;
    int length;
    final BitSet missing = new BitSet(UnicastPiece.COUNT_MAX);

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

  /// A piece has come.
  ///
  /// @param piece what was read of it
  /// @param in    the rest
  /// @return whether this was the last piece that was missing
  boolean add(UnicastPiece piece, ByteBuffer in) {
    counters.add(UdpCount.PIECES_RECEIVED);
    if (piece.count * piece.unit > WHOLE_BYTES_MAX) {
      counters.add(UdpCount.DROP_BAD_PIECE);
      return false;
    }
    Whole whole = whole(piece);
    if (whole == null) {
      return false;
    }
    int length = in.remaining();
    whole.bytes.put(piece.index * piece.unit, in, in.position(), length);
    whole.missing.clear(piece.index);
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
  private @Nullable Whole whole(UnicastPiece piece) {
    long first = piece.first();
    boolean swapped = wholes[0].first > wholes[1].first;
    Whole older = wholes[swapped ? 1 : 0];
    Whole newer = wholes[swapped ? 0 : 1];
    if (first == older.first || first == newer.first) {
      Whole whole = first == older.first ? older : newer;
      if (!whole.missing.get(piece.index)) {
        counters.add(UdpCount.DROP_LATE_PIECE); // the network has doubled it
        return null;
      }
      if (whole.count != piece.count || whole.unit != piece.unit) {
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
    older.begin(first, piece.count, piece.unit);
    return older;
  }
}
