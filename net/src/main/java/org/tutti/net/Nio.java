package org.tutti.net;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What transports do alike with selectors and channels.
public final class Nio {
  private static final long WAIT_MILLIS_MAX = TimeUnit.HOURS.toMillis(1);

  private Nio() {}

  /// Waits for input, a wakeup or the end of a time.
  ///
  /// @param selector  of the transport
  /// @param dispatch  gets the keys that are ready
  /// @param waitNanos the longest wait, rounded up to whole milliseconds; 0 or less does not wait
  public static void select(Selector selector, Consumer<SelectionKey> dispatch, long waitNanos) {
    try {
      if (waitNanos <= 0) {
        selector.selectNow(dispatch);
      } else {
        // The selector counts in whole milliseconds; rounding down would spin through the last one.
        long millis = TimeUnit.NANOSECONDS.toMillis(waitNanos - 1) + 1;
        selector.select(dispatch, Math.min(millis, WAIT_MILLIS_MAX));
      }
    } catch (IOException e) {
      // Not a peer's trouble: without its selector the node is deaf and must not go on.
      throw new UncheckedIOException(e);
    }
  }

  /// Closes what may have been opened.
  ///
  /// @param resource a channel, a socket or a selector; null for none
  public static void close(@Nullable Closeable resource) {
    try {
      if (resource != null) {
        resource.close();
      }
    } catch (IOException _) {
      // The descriptor is released in any case.
    }
  }
}
