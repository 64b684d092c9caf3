package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.protocol.Frame;

/// When a client that sends to the request manager, and to all while it suspects it, may send to others and when it has
/// to; seen from outside, by the frames. It may from when its first connection ends while it waits, or brings nothing
/// for the time of suspicion although a command has no reply, until a reply comes over the first connection. In the
/// second case it has to, as [SentToAll] says.
final class SentOnSuspicion {
  private final long afterNanos;
  private final TreeMap<Long, Long> unanswered = new TreeMap<>(); // when commands were sent first, by number
  private final TreeSet<Long> answered = new TreeSet<>(); // who collects several replies may send these again
  private long session; // of the last command
  private long heardAt;
  private boolean lost; // the first connection
  private boolean suspected; // or may be
  private @Nullable String untimely;

  /// @param afterNanos the time of suspicion
  SentOnSuspicion(long afterNanos) {
    this.afterNanos = afterNanos;
  }

  /// Time has passed.
  ///
  /// @param waits whether the client waits for the outcome of a command, also of one that it has not sent
  void passes(long now, boolean waits) {
    suspected |= lost && (waits || !unanswered.isEmpty()) || silentNanos(now) >= afterNanos;
  }

  private long silentNanos(long now) {
    Map.Entry<Long, Long> oldest = unanswered.firstEntry();
    return oldest == null ? 0 : now - Math.max(heardAt, oldest.getValue());
  }

  /// The client sends a frame.
  ///
  /// @param first whether over its first connection
  void sends(boolean first, ByteBuffer frame, long now) {
    if (!(SentToAll.decoded(frame.duplicate().position(frame.position() + Integer.BYTES).slice())
        instanceof Frame.Call call)) {
      return;
    }
    if (call.session() != session) {
      session = call.session();
      unanswered.clear();
      answered.clear();
    }
    passes(now, true);
    if (!first && !suspected && untimely == null) {
      untimely = "it has sent " + call.number() + " to others at " + now + ", the manager was heard at " + heardAt;
    }
    if (!answered.contains(call.number())) {
      unanswered.putIfAbsent(call.number(), now);
    }
  }

  /// The client hears a frame.
  ///
  /// @param first whether over its first connection
  void hears(boolean first, ByteBuffer bare, long now) {
    heardAt = first ? now : heardAt;
    switch (SentToAll.decoded(bare.duplicate())) {
      case Frame.Welcome _ when first -> lost = false;
      case Frame.Replied replied when replied.session() == session -> {
        unanswered.remove(replied.number());
        answered.add(replied.number());
        suspected &= !first;
      }
      case null, default -> {}
    }
  }

  /// The first connection has ended.
  void ends() {
    lost = true;
  }

  /// Whether what has no reply has to be with all others.
  boolean isDue(long now) {
    return silentNanos(now) > afterNanos;
  }

  /// What it has sent to others without a reason, first; in words, or null.
  @Nullable String untimely() {
    return untimely;
  }
}
