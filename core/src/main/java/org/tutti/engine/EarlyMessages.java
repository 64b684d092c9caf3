package org.tutti.engine;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.Group;
import org.tutti.MemberId;
import org.tutti.ViewId;

/// Messages for a view that this member has accepted and not installed yet. Each sender is bounded by its window:
/// whoever sends more breaks the rules.
final class EarlyMessages {
  private static final int SPARE_BYTES = 2 * Group.MESSAGE_BYTES_MAX;
  private static final long OVERHEAD_BYTES = 128; // of a message in memory, however short it is

  /// A message that waits.
  ///
  /// @param from    who sent it
  /// @param channel whose it is
  /// @param view    the view that it is for
  /// @param bytes   a copy
  record Early(MemberId from, Channel channel, ViewId view, ByteBuffer bytes) {}

  private final long bytesMax;
  private final ArrayDeque<Early> waiting = new ArrayDeque<>();
  private final Map<MemberId, Long> bytesFrom = new TreeMap<>();

  EarlyMessages(int windowBytes) {
    this.bytesMax = (long) windowBytes + SPARE_BYTES;
  }

  /// Keeps a message.
  ///
  /// @return whether the sender is within its bounds
  boolean keep(MemberId from, Channel channel, ViewId view, ByteBuffer bytes) {
    if (bytesFrom.merge(from, OVERHEAD_BYTES + bytes.remaining(), Long::sum) > bytesMax) {
      return false;
    }
    waiting.add(new Early(from, channel, view, ByteBuffer.allocate(bytes.remaining()).put(bytes).flip()));
    return true;
  }

  /// Takes everything, in the order in which it came.
  List<Early> take() {
    List<Early> taken = List.copyOf(waiting);
    waiting.clear();
    bytesFrom.clear();
    return taken;
  }
}
