package org.tutti.net.udp.multicast;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The last multicasts that were sent or heard, of each life, so that who missed one can get it of anybody.
///
/// Bounded: so many multicasts of each life, so many bytes of all together, where the life with the most gives its
/// oldest, and nothing for longer than the links need to repeat it themselves. So a flood of one sender does not cost
/// the others what is kept for them.
final class MulticastStore {
  /// How many multicasts of a life are kept.
  static final int MULTICASTS_MAX = 1024;

  static final int BYTES_MAX = 4 << 20;
  static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /// A multicast that can be said again.
  static final class Kept {
    final long life;
    final long number;
    final int length;
    private final Supplier<byte[]> datagram;
    private final long sinceNanos;

    // What [Repairs] knows about saying it again.
    boolean wanted;
    long repairAt;
    int repairs;
    long repairedNanos; // when it was said again last, by anybody; only if `repairs` or `heard`
    boolean heard;
    boolean repaired; // it came because it was said again

    Kept(long life, long number, int length, Supplier<byte[]> datagram, long now) {
      this.life = life;
      this.number = number;
      this.length = length;
      this.datagram = datagram;
      this.sinceNanos = now;
    }

    byte[] datagram() {
      return datagram.get();
    }
  }

  private static final class Speaker {
    private final @Nullable Kept[] ring = new Kept[MULTICASTS_MAX];
    private long highest;
    private long lowest = 1; // nothing below is kept
    private long bytes;

    @Nullable Kept get(long number) {
      Kept kept = number < lowest || number > highest ? null : ring[slot(number)];
      return kept == null || kept.number != number ? null : kept;
    }

    boolean put(Kept kept) {
      long number = kept.number;
      if (number > highest) {
        if (number - highest >= MULTICASTS_MAX) {
          Arrays.fill(ring, null);
          bytes = 0;
        } else {
          for (long next = highest + 1; next <= number; next++) {
            drop(next);
          }
        }
        highest = number;
        lowest = Math.max(lowest, highest - MULTICASTS_MAX + 1);
      } else if (number < lowest || ring[slot(number)] != null) {
        return false;
      }
      ring[slot(number)] = kept;
      bytes += kept.length;
      return true;
    }

    private void drop(long number) {
      Kept old = ring[slot(number)];
      if (old != null) {
        bytes -= old.length;
        ring[slot(number)] = null;
      }
    }

    /// Gives up its oldest multicast.
    void shrink() {
      long before = bytes;
      while (lowest <= highest && bytes == before) {
        drop(lowest++);
      }
    }

    void age(long now) {
      while (lowest <= highest) {
        Kept oldest = ring[slot(lowest)];
        if (oldest != null && now - oldest.sinceNanos <= KEPT_NANOS) {
          return;
        }
        drop(lowest++);
      }
    }

    private static int slot(long number) {
      return (int) number & MULTICASTS_MAX - 1;
    }
  }

  private final Map<Long, Speaker> speakers = new LinkedHashMap<>();
  private long bytes;

  /// Keeps a multicast unless it is older than what is kept, or kept already.
  void keep(Kept multicast) {
    if (multicast.number <= 0) {
      return;
    }
    Speaker speaker = speakers.computeIfAbsent(multicast.life, _ -> new Speaker());
    long before = speaker.bytes;
    speaker.put(multicast);
    bytes += speaker.bytes - before;
    while (bytes > BYTES_MAX) {
      Speaker largest = speaker;
      for (Speaker other : speakers.values()) {
        largest = other.bytes > largest.bytes ? other : largest;
      }
      before = largest.bytes;
      largest.shrink();
      bytes += largest.bytes - before;
    }
  }

  /// A multicast that is still kept.
  @Nullable Kept get(long life, long number) {
    Speaker speaker = speakers.get(life);
    return speaker == null ? null : speaker.get(number);
  }

  /// Drops what is too old to help anybody.
  void age(long now) {
    Iterator<Speaker> all = speakers.values().iterator();
    while (all.hasNext()) {
      Speaker speaker = all.next();
      long before = speaker.bytes;
      speaker.age(now);
      bytes += speaker.bytes - before;
      if (speaker.bytes == 0) {
        all.remove();
      }
    }
  }

  /// A life is over.
  void forget(long life) {
    Speaker speaker = speakers.remove(life);
    bytes -= speaker == null ? 0 : speaker.bytes;
  }

  long bytes() {
    return bytes;
  }
}
