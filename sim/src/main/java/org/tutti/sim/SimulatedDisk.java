package org.tutti.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;

/// One place's disk: it survives the processes there. What was not committed is lost with the process; of what was not
/// forced, a power failure may take any number of the last commits; and it may come in the middle of a commit, which is
/// then as if it had never begun. Beside what Tutti keeps, it keeps the application's own durable state.
final class SimulatedDisk {
  /// The machine has lost its power in the middle of a commit.
  static final class PowerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /// What is thrown when there is no room for what was written.
  static final StorageException FULL = new StorageException("the disk is full");

  /// What an application has made durable.
  ///
  /// @param life    which life did
  /// @param summary its state
  /// @param whole   whether the state contains the history from its beginning
  record Saved(int life, HistoryEvent.Summary summary, boolean whole) {}

  private final SimulatedFiles files = new SimulatedFiles();
  private ArrayDeque<TreeMap<String, Contents>> commits = new ArrayDeque<>(); // the last forced one, and all since
  private @Nullable Mount mounted;
  private @Nullable MemberId lastLife;
  private @Nullable Saved saved;
  private long commitsUntilFailure = Long.MAX_VALUE;
  private long commitsUntilFull = Long.MAX_VALUE;
  private boolean knowsGroup;
  private int wipes;

  SimulatedDisk() {
    commits.add(new TreeMap<>());
  }

  /// Opens the disk for an operator, while no process is there.
  ///
  /// @param how works on it, and commits what it changes
  <T> T inspect(Function<StableStorage, T> how) {
    if (mounted != null) {
      throw new StorageException("the disk is in use");
    }
    mounted = new Mount(copy(commits.getLast()));
    T found = how.apply(mounted);
    unmount();
    return found;
  }

  /// An operator has forced what is here: as if a life had been here.
  void lived(MemberId life) {
    lastLife = life;
  }

  /// What one region holds.
  private static final class Contents {
    final TreeMap<String, byte[]> records = new TreeMap<>();
    final List<byte[]> log = new ArrayList<>();
    long first;

    Contents copy() {
      var copy = new Contents();
      copy.records.putAll(records);
      copy.log.addAll(log);
      copy.first = first;
      return copy;
    }
  }

  private static TreeMap<String, Contents> copy(TreeMap<String, Contents> regions) {
    var copy = new TreeMap<String, Contents>();
    regions.forEach((name, contents) -> copy.put(name, contents.copy()));
    return copy;
  }

  /// Opens the disk for a process.
  StableStorage mount(MemberId life) {
    if (mounted != null) {
      throw new StorageException("the disk is in use");
    }
    lastLife = life;
    mounted = new Mount(copy(commits.getLast()));
    return mounted;
  }

  /// The process has ended.
  void unmount() {
    mounted = null;
    commitsUntilFailure = Long.MAX_VALUE;
    commitsUntilFull = Long.MAX_VALUE; // somebody makes room before the next process
  }

  /// The power fails after the process has ended, or ends it.
  void loseUnforced(SplittableRandom random) {
    for (int lost = random.nextInt(commits.size()); lost > 0; lost--) {
      commits.removeLast();
    }
    files.loseUnforced(random);
  }

  /// The disk is replaced by an empty one.
  void wipe() {
    commits.clear();
    commits.add(new TreeMap<>());
    files.clear();
    lastLife = null;
    saved = null;
    knowsGroup = false;
    wipes++;
  }

  /// Whether a group that was founded here is not on it.
  boolean isBlank(String group) {
    Contents region = commits.getLast().get(group);
    return region == null || region.records.isEmpty() && region.log.isEmpty();
  }

  /// Where a replica of a service keeps its snapshots.
  SimulatedFiles files() {
    return files;
  }

  boolean wasWiped() {
    return wipes > 0;
  }

  /// The last life that used the disk, whose knowledge is on it.
  @Nullable MemberId lastLife() {
    return lastLife;
  }

  /// A process here has been in a primary view: its disk must know.
  void learnGroup() {
    knowsGroup = true;
  }

  boolean knowsGroup() {
    return knowsGroup;
  }

  void failAfter(int commitsMore) {
    commitsUntilFailure = commitsMore;
  }

  void fullAfter(int commitsMore) {
    commitsUntilFull = commitsMore;
  }

  void save(@Nullable Saved state) {
    saved = state;
  }

  @Nullable Saved saved() {
    return saved;
  }

  private final class Mount implements StableStorage {
    private final TreeMap<String, Contents> now;

    Mount(TreeMap<String, Contents> now) {
      this.now = now;
    }

    @Override
    public Region region(String group) {
      return new Part(now.computeIfAbsent(group, _ -> new Contents()));
    }

    @Override
    public void commit(boolean force) {
      if (mounted != this) {
        throw new IllegalStateException("a process that has ended writes");
      }
      if (commitsUntilFailure-- <= 0) {
        throw new PowerFailure();
      }
      if (commitsUntilFull-- <= 0) {
        throw FULL;
      }
      if (force) {
        commits.clear();
      }
      commits.add(copy(now));
    }

    @Override
    public void close() {
      unmount();
    }
  }

  private record Part(Contents contents) implements Region {
    @Override
    public byte @Nullable [] record(String name) {
      return contents.records.get(name);
    }

    @Override
    public void record(String name, byte[] value) {
      contents.records.put(name, value);
    }

    @Override
    public long first() {
      return contents.first;
    }

    @Override
    public long next() {
      return contents.first + contents.log.size();
    }

    @Override
    public void append(long index, byte[] entry) {
      if (contents.log.isEmpty()) {
        contents.first = index;
      }
      if (index != next()) {
        throw new IllegalArgumentException("the log goes on at " + next() + ", not at " + index);
      }
      contents.log.add(entry);
    }

    @Override
    public byte[] read(long index) {
      return contents.log.get((int) (index - contents.first));
    }

    @Override
    public void dropBefore(long index) {
      if (index > next()) {
        throw new IllegalArgumentException("the log ends at " + next() + ", before " + index);
      }
      int dropped = (int) Math.max(0, index - contents.first);
      contents.log.subList(0, dropped).clear();
      contents.first += dropped;
    }

    @Override
    public void truncate(long index) {
      if (index < contents.first) {
        throw new IllegalArgumentException("the log begins at " + contents.first + ", behind " + index);
      }
      if (index < next()) {
        contents.log.subList((int) (index - contents.first), contents.log.size()).clear();
      }
    }
  }
}
