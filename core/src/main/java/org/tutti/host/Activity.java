package org.tutti.host;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupMetrics;
import org.tutti.Status;
import org.tutti.View;

/// What a membership has done, in numbers, for any thread. The engine thread tells of views and peers.
final class Activity {
  /// Messages that were given to the application: one thread at a time adds, others read.
  static final class Delivered {
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /// Some more; without a fence, as that is done for each message.
    void add(long more, long theirBytes) {
      messages.setRelease(messages.getPlain() + more);
      bytes.setRelease(bytes.getPlain() + theirBytes);
    }

    GroupMetrics.Traffic traffic() {
      return new GroupMetrics.Traffic(messages.get(), bytes.get());
    }
  }

  private long primaryViews;
  private long otherViews;
  private long primaryNanos; // until `since`
  private long since;
  private @Nullable View view;
  private List<GroupMetrics.Peer> peers = List.of();

  /// A view was installed.
  synchronized void installed(View installed) {
    turn(installed);
    if (installed.primary()) {
      primaryViews++;
    } else {
      otherViews++;
    }
  }

  /// The membership has ended.
  synchronized void closed() {
    turn(null);
  }

  private void turn(@Nullable View next) {
    long now = System.nanoTime();
    primaryNanos += isPrimary() ? now - since : 0;
    since = now;
    view = next;
  }

  private boolean isPrimary() {
    return view != null && view.primary();
  }

  /// How the others stand.
  synchronized void peers(List<GroupMetrics.Peer> seen) {
    peers = seen;
  }

  /// All of it.
  synchronized GroupMetrics metrics(
      GroupMetrics.Traffic delivered, Window.Use window, Status status, Duration behind, Duration eventHeld) {
    long nanos = primaryNanos + (isPrimary() ? System.nanoTime() - since : 0);
    View here = view;
    return new GroupMetrics(
        status.group(),
        delivered,
        window.sent(),
        status.position(),
        window.used(),
        window.bytes(),
        window.undecided(),
        primaryViews,
        otherViews,
        Duration.ofNanos(nanos),
        behind,
        eventHeld,
        window.latency(),
        status.spilled(),
        here == null ? List.of() : peers.stream().filter(peer -> here.contains(peer.member())).toList());
  }
}
