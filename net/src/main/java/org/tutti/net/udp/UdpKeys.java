package org.tutti.net.udp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.tls.SecretFile;

/// The keys that a cluster's members have in force, of which there are several while they are changed: with the first
/// one a member seals, and it opens what was sealed with any of them.
///
/// Keys are changed while the cluster runs, in three steps, each at all members before the next one begins: the new key
/// becomes the second, then the first, then the old one goes.
///
/// A file is looked at again while there is traffic, every half second, on a thread of its own. When it cannot be read,
/// or holds something else, the earlier keys stay in force ([#problem]). So that nobody reads half of it, replace it by
/// renaming another one. All threads may use all of this.
public final class UdpKeys {
  /// How many keys can be in force; as many must be tried for a datagram in the worst case.
  public static final int MOST = 4;

  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int BYTES_MAX = 1 << 12;
  private static final System.Logger LOG = System.getLogger(UdpKeys.class.getName());

  private final @Nullable Path file;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicBoolean looking = new AtomicBoolean();
  private final AtomicLong reloads = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile List<UdpKey> current;
  private volatile @Nullable String problem;
  private volatile long lookedNanos = System.nanoTime();

  private UdpKeys(@Nullable Path file, List<UdpKey> current) {
    this.file = file;
    this.current = current;
  }

  /// One key that does not change.
  ///
  /// @param key what all members share
  /// @return the key alone
  public static UdpKeys of(UdpKey key) {
    return new UdpKeys(null, List.of(key));
  }

  /// Reads a file with one to [#MOST] keys, each a line of 64 hexadecimal digits as `openssl rand -hex 32` makes them.
  ///
  /// @param file that only its owner may read
  /// @return keys that follow changes of the file
  /// @throws IOException when they cannot be used, with the reason in one line that names the file
  public static UdpKeys follow(Path file) throws IOException {
    List<UdpKey> first = read(file);
    SecretFile.warn(file);
    return new UdpKeys(file, first);
  }

  private static List<UdpKey> read(Path file) throws IOException {
    byte[] bytes;
    try (var in = Files.newInputStream(file)) {
      bytes = in.readNBytes(BYTES_MAX);
    } catch (NoSuchFileException e) {
      throw new IOException("no file " + file, e);
    } catch (AccessDeniedException e) {
      throw new IOException(file + " may not be read", e);
    }
    List<String> lines =
        new String(bytes, StandardCharsets.ISO_8859_1)
            .lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .distinct()
            .toList();
    if (lines.isEmpty() || lines.size() > MOST) {
      throw new IOException(file + " holds " + lines.size() + " keys, not 1 to " + MOST);
    }
    try {
      return lines.stream().map(UdpKey::parse).toList();
    } catch (IllegalArgumentException _) { // its text would tell digits
      throw new IOException(file + " has a line that is not " + 2 * UdpKey.BYTES + " hexadecimal digits");
    }
  }

  /// What is in force.
  ///
  /// @return the key to seal with first; the same list until something changes
  public List<UdpKey> current() {
    return current;
  }

  /// How often changed keys were taken into use.
  ///
  /// @return 0 at first
  public long reloads() {
    return reloads.get();
  }

  /// How often the file could not be used when it was looked at.
  ///
  /// @return 0 at first
  public long failures() {
    return failures.get();
  }

  /// Why the file as it is now cannot be used.
  ///
  /// @return one line, or null when what it says is in force
  public @Nullable String problem() {
    return problem;
  }

  /// Takes changed keys into use now; transports follow in their next turn. Reads the file; otherwise that happens by
  /// itself.
  ///
  /// @return whether there were usable ones
  public boolean reload() {
    if (file == null) {
      return false;
    }
    lock.lock();
    try {
      List<UdpKey> fresh = read(file);
      problem = null;
      if (fresh.equals(current)) {
        return false;
      }
      SecretFile.warn(file);
      current = fresh;
      reloads.incrementAndGet();
      LOG.log(System.Logger.Level.INFO, "UDP keys: {0} in use, from {1}", fresh.size(), file);
      return true;
    } catch (IOException e) {
      String why = e.getMessage() + "; the previous keys stay in use";
      failures.incrementAndGet();
      if (!why.equals(problem)) { // once for each, and not twice a second
        LOG.log(System.Logger.Level.WARNING, "UDP keys: {0}", why);
      }
      problem = why;
      return false;
    } finally {
      lookedNanos = System.nanoTime();
      lock.unlock();
    }
  }

  /// Has the file looked at again, if it is time, by another thread: a file may be slow, and the engine must not wait.
  void follow(long nowNanos) {
    if (file != null && nowNanos - lookedNanos > LOOK_AGAIN_NANOS && looking.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("tutti-udp-keys")
          .start(() -> {
            try {
              reload();
            } finally {
              looking.set(false);
            }
          });
    }
  }
}
