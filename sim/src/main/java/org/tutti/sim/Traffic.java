package org.tutti.sim;

/// What members sent: messages by protocol, each counted once per destination, and the frames that carried them.
///
/// @param batches          batches of the senders
/// @param orders           messages of the ordering: numbers, proposals, decisions, null messages
/// @param progress         messages that say who holds how much, for uniform delivery, the window and the log
/// @param acknowledgements frames that only acknowledge frames; most acknowledgements travel in other frames
/// @param datagrams        signs of life and calls to other views
/// @param others           messages of view agreement and state transfer
/// @param frames           all frames
/// @param bytes            their bytes, headers of the links included, those of TCP not
public record Traffic(
    long batches,
    long orders,
    long progress,
    long acknowledgements,
    long datagrams,
    long others,
    long frames,
    long bytes) {
  /// Nothing.
  public static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0, 0, 0);

  /// The messages of the cost model.
  ///
  /// @return batches and messages of the ordering
  public long protocol() {
    return batches + orders;
  }

  /// Adds up.
  ///
  /// @param other more
  /// @return the sums
  public Traffic plus(Traffic other) {
    return new Traffic(
        batches + other.batches,
        orders + other.orders,
        progress + other.progress,
        acknowledgements + other.acknowledgements,
        datagrams + other.datagrams,
        others + other.others,
        frames + other.frames,
        bytes + other.bytes);
  }
}
