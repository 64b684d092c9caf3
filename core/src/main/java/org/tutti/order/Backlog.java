package org.tutti.order;

/// How much of a view's history was delivered here from an index on: by that it can be told, in bytes, how far somebody
/// is behind whose progress is known as an index.
public final class Backlog {
  private static final int BATCH_OVERHEAD = 64; // what an empty batch counts: it is kept, too

  private final Sequence<Long> before; // by index, the bytes delivered before it in the view
  private long bytes;

  /// Begins with a view.
  ///
  /// @param indexFirst the index of the view's first place
  public Backlog(long indexFirst) {
    this.before = new Sequence<>(indexFirst);
  }

  /// A batch was delivered, the next one.
  ///
  /// @param length of its payload, in bytes
  public void delivered(int length) {
    before.append(bytes);
    bytes += length + BATCH_OVERHEAD;
  }

  /// How much was delivered from an index on.
  ///
  /// @param index behind what somebody has
  /// @return the bytes that it has not, of this view
  public long from(long index) {
    long at = Math.max(index, before.first());
    return at < before.next() ? bytes - before.get(at) : 0;
  }

  /// Forgets what nobody will be asked about any more.
  ///
  /// @param index the lowest that matters
  public void dropBefore(long index) {
    before.dropBefore(index);
  }
}
