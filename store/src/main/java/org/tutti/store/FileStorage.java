package org.tutti.store;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.Serial;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.storage.OwnerOnly;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;
import org.tutti.storage.StorageProvider;

/// A node's stable storage in a directory: one write-ahead log for all its groups, in files that are written from front
/// to back (Rosenblum and Ousterhout, "The design and implementation of a log-structured file system", 1992).
///
/// A commit is one frame with a checksum, appended to the last file by one write: it is there as a whole or not at all.
/// A forced commit forces that file, which holds all commits that are not forced yet: a file that is full is forced
/// before the next one begins. Each file begins with what the ones before it come to, so that they can go once none of
/// the entries in them is needed: then they are deleted, from the front. When many are kept for the sake of few
/// entries, each commit moves some of these to the end, as many as fit a bounded time.
///
/// What is found when it is opened is compared with the [Mark]: a commit that was cut short is dropped, anything else
/// that is missing or different is refused. Files: `lock`, `mark`, and the log in `0000000000000001.log` and so on.
public final class FileStorage implements StableStorage {
  private static final int SEGMENT_BYTES = 16 << 20; // a force of a full file that was not forced takes well below 1 s
  private static final int SPARE = 4; // as many files of garbage are no reason to move anything
  private static final Metric FREE =
      Metric.gauge("storage.free.bytes", "How much room the file system of the stable storage has for this user.");
  private static final int MOVE_BYTES = 256 << 10; // per commit: some milliseconds

  private final Path directory;
  private final int segmentBytes;
  private final @Nullable Possession possession; // null while it is only looked at
  private final Mark mark;
  private final Map<String, FileRegion> regions = new TreeMap<>();
  private final Deque<Segment> segments;
  private final Draft draft = new Draft();
  private final Compaction compaction = new Compaction(this, MOVE_BYTES);
  private int ids; // given to regions
  private long commit; // the last one written
  private long forced; // the last one forced
  private @Nullable String unusable;

  private FileStorage(Path directory, int segmentBytes, @Nullable Possession possession, Mark mark) throws IOException {
    this.directory = directory;
    this.segmentBytes = segmentBytes;
    this.possession = possession;
    this.mark = mark;
    var found = new Recovery(directory, mark, this);
    segments = found.segments();
    try {
      found.read();
      commit = found.commit();
      for (FileRegion region : found.regions().values()) {
        region.declared = true;
        regions.put(region.name, region);
        ids = Math.max(ids, region.id + 1);
      }
      if (possession != null) {
        if (!segments.isEmpty()) {
          segments.getLast().cut();
        }
        // Always a new file: the end of the one before stays what this life found it to be.
        begin();
        deleteOthers();
      }
    } catch (IOException | RuntimeException e) {
      closeFiles();
      throw e;
    }
  }

  /// Opens the storage in a directory; makes both when they are not there. A directory that is there and empty becomes
  /// its owner's alone (mode 0700). One that holds a storage and that other users may use is refused: they may have
  /// read or changed what is in it. File systems without such permissions are taken as they are.
  ///
  /// @param directory where; it holds nothing else
  /// @return the storage, which belongs to this process until it is closed
  /// @throws StorageException when it is in use, damaged, no storage, or open to other users; the message is for
  ///                          whoever runs the node
  public static FileStorage open(Path directory) {
    return open(directory, SEGMENT_BYTES);
  }

  /// Opens the storage in a directory, with files of another size.
  ///
  /// @param directory    where; it holds nothing else
  /// @param segmentBytes from which size on a file is full
  /// @return the storage, which belongs to this process until it is closed
  /// @throws StorageException when it is in use, damaged, no storage, or open to other users; the message is for
  ///                          whoever runs the node
  public static FileStorage open(Path directory, int segmentBytes) {
    try {
      if (!Mark.exists(directory)) {
        refuseOthers(directory);
        OwnerOnly.make(directory);
      }
      OwnerOnly.require(directory, "stable storage " + directory);
      Possession possession = Possession.take(directory);
      try {
        return new FileStorage(directory, segmentBytes, possession, mark(directory));
      } catch (IOException | RuntimeException e) {
        possession.release();
        throw e;
      }
    } catch (Damaged e) {
      throw damaged(directory, e);
    } catch (IOException e) {
      throw new StorageException("stable storage " + directory + " cannot be opened: " + why(e), e);
    }
  }

  /// What [#examine] finds in a directory.
  public enum Found {
    /// No storage, and nothing else: the first [#open] makes one.
    NOTHING,
    /// A storage that is whole, as far as its files say.
    STORAGE,
    /// One that a process uses.
    IN_USE
  }

  /// Looks whether [#open] would open the storage in a directory, for this user, and changes nothing there: all commits
  /// are read, and their checksums compared. It is locked for a moment only, so that whoever begins to use it is not
  /// held up. Not for the process that uses it: on some systems that would lose its lock.
  ///
  /// @param directory where; need not exist
  /// @return what is there
  /// @throws StorageException when it would not be opened; the message is for whoever runs the node
  public static Found examine(Path directory) {
    try {
      if (!Mark.exists(directory)) {
        refuseOthers(directory);
        return Found.NOTHING;
      }
      OwnerOnly.require(directory, "stable storage " + directory);
      if (Possession.isTaken(directory)) {
        return Found.IN_USE;
      }
      try {
        new FileStorage(directory, SEGMENT_BYTES, null, Mark.open(directory)).close();
        return Found.STORAGE;
      } catch (IOException | RuntimeException e) {
        if (Possession.isTaken(directory)) {
          return Found.IN_USE; // what was read was just being written
        }
        throw e;
      }
    } catch (Damaged e) {
      throw damaged(directory, e);
    } catch (IOException e) {
      throw new StorageException("stable storage " + directory + " cannot be opened: " + why(e), e);
    }
  }

  /// In words, where the message of the exception is only the file's name.
  private static String why(IOException e) {
    return switch (e) {
      case FileAlreadyExistsException there -> there.getFile() + " is no directory";
      case AccessDeniedException closed -> "no permission for " + closed.getFile();
      default -> e.toString();
    };
  }

  private static StorageException damaged(Path directory, Damaged how) {
    return new StorageException("stable storage " + directory + " is damaged: " + how.getMessage(), how);
  }

  /// A directory that is used for something else is not taken for a new storage.
  private static void refuseOthers(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      Optional<String> other =
          files
              .map(file -> file.getFileName().toString())
              .filter(file -> !Possession.isName(file) && !file.endsWith(".tmp"))
              .min(Comparator.naturalOrder());
      if (other.isPresent()) {
        throw new StorageException(
            "directory " + directory + " is no stable storage: it holds " + other.get() + ", but no mark");
      }
    }
  }

  private static Mark mark(Path directory) throws IOException {
    return Mark.exists(directory) ? Mark.open(directory) : Mark.create(directory);
  }

  // ---- for the node ----------------------------------------------------------------------------------------------

  @Override
  public Region region(String group) {
    refuseIfUnusable();
    return regions.computeIfAbsent(group, name -> new FileRegion(ids++, name, this));
  }

  @Override
  public void commit(boolean force) {
    refuseIfUnusable();
    unusable = "failed before"; // unless all of this is done
    try {
      if (segments.size() > SPARE + 2 * live() / segmentBytes) {
        compaction.step(segments.getFirst(), regions.values());
      }
      if (!draft.isEmpty()) {
        segments.getLast().append(draft.frame(segments.getLast().number, commit + 1));
        commit++;
        draft.clear();
      }
      if (force && forced < commit) {
        segments.getLast().force();
        forced = commit;
      }
      if (segments.getLast().end() >= segmentBytes) {
        segments.getLast().force();
        begin();
      }
      mark.write(commit, forced);
      if (forced == commit) {
        sweep();
      }
    } catch (IOException e) {
      throw new StorageException("stable storage " + directory + " cannot be written: " + e, e);
    }
    unusable = null;
  }

  @Override
  public List<Metric> metrics() {
    try {
      return List.of(FREE.with(Files.getFileStore(directory).getUsableSpace()));
    } catch (IOException _) {
      return List.of(); // the directory is gone: the next commit says it
    }
  }

  @Override
  public void close() {
    if (!"is closed".equals(unusable)) {
      unusable = "is closed";
      closeFiles();
      try {
        if (possession != null) {
          possession.release();
        }
      } catch (IOException e) {
        throw new StorageException("stable storage " + directory + " cannot be released: " + e, e);
      }
    }
  }

  private void closeFiles() {
    try {
      mark.close();
      for (Segment segment : segments) {
        segment.close();
      }
    } catch (IOException e) {
      throw new StorageException("stable storage " + directory + " cannot be closed: " + e, e);
    }
  }

  // ---- for its regions -------------------------------------------------------------------------------------------

  void refuseIfUnusable() {
    if (unusable != null) {
      throw new StorageException("stable storage " + directory + " " + unusable);
    }
  }

  /// Where a region writes what is to be committed.
  Draft draft(FileRegion region) {
    if (!region.declared) {
      draft.region(region.id, region.name);
      region.declared = true;
    }
    return draft;
  }

  FileRegion.Place write(byte op, FileRegion region, long index, byte[] entry) {
    int checksum = Draft.checksum(entry);
    int at = draft(region).entry(op, region.id, index, checksum, entry);
    Segment segment = segments.getLast();
    return new FileRegion.Place(segment, segment.end() + at, entry.length, checksum);
  }

  byte[] read(FileRegion region, long index, FileRegion.Place place) {
    Segment segment = place.segment();
    if (place.at() >= segment.end()) {
      return draft.read((int) (place.at() - segment.end()), place.length());
    }
    try {
      byte[] entry = segment.read(place.at(), place.length()).array();
      if (Draft.checksum(entry) != place.checksum()) {
        throw new Damaged("entry " + index + " of group \"" + region.name + "\" is damaged");
      }
      return entry;
    } catch (IOException e) {
      throw new StorageException(
          "stable storage " + directory + " is damaged: " + segment.file.getFileName() + ": " + e.getMessage(), e);
    }
  }

  // ---- files -----------------------------------------------------------------------------------------------------

  private long live() {
    return segments.stream().mapToLong(segment -> segment.live).sum();
  }

  /// Begins the next file with what all before it come to. They are forced.
  private void begin() throws IOException {
    for (FileRegion region : regions.values()) {
      if (region.declared) {
        draft.region(region.id, region.name);
        region.records().forEach((name, value) -> draft.record(region.id, name, value));
        draft.range(region.id, region.first(), region.next());
      }
    }
    long number = segments.isEmpty() ? 1 : segments.getLast().number + 1;
    segments.add(Segment.create(directory, mark.storage, number, draft.frame(number, commit + 1)));
    draft.clear();
    commit++;
    forced = commit;
    mark.write(commit, forced);
  }

  /// Deletes files that nobody needs, as of what is forced, so that no power failure brings back a need for them.
  private void sweep() throws IOException {
    while (segments.size() > 1 && segments.getFirst().live == 0) {
      segments.removeFirst().delete();
    }
  }

  /// Deletes what an earlier life was about to delete or to begin.
  private void deleteOthers() throws IOException {
    sweep();
    long first = segments.getFirst().number;
    List<Path> others;
    try (Stream<Path> files = Files.list(directory)) {
      others =
          files
              .filter(file -> Segment.isName(file) && file.getFileName().toString().compareTo(Segment.name(first)) < 0)
              .toList();
    }
    for (Path other : others) {
      Files.delete(other);
    }
  }

  /// Empties the first file of the log, a little with each commit: the entries in it that are needed are written again.
  static final class Compaction {
    private record Item(FileRegion region, long index) {}

    private final FileStorage storage;
    private final int bytes; // per step
    private @Nullable Segment victim;
    private final Deque<Item> items = new ArrayDeque<>(); // what may be in it

    Compaction(FileStorage storage, int bytes) {
      this.storage = storage;
      this.bytes = bytes;
    }

    /// Moves some entries into the next commit.
    void step(Segment first, Collection<FileRegion> regions) {
      if (victim != first) {
        victim = first;
        items.clear();
        regions.forEach(region -> region.in(first, index -> items.add(new Item(region, index))));
      }
      int moved = 0;
      while (moved < bytes && !items.isEmpty()) {
        Item item = items.remove();
        moved += item.region.rewrite(item.index, first);
      }
    }
  }

  /// That this process, and it alone, uses a directory: a locked file with the process's id in it. The operating system
  /// releases the lock when the process ends, however it ends.
  static final class Possession {
    private static final String NAME = "lock";
    private static final int ID_MAX = 20;

    private final FileChannel channel;

    private Possession(FileChannel channel) {
      this.channel = channel;
    }

    static boolean isName(String file) {
      return file.equals(NAME);
    }

    static Possession take(Path directory) throws IOException {
      FileChannel channel = OwnerOnly.open(directory.resolve(NAME), Set.of(CREATE, READ, WRITE));
      FileLock lock;
      try {
        lock = channel.tryLock();
      } catch (OverlappingFileLockException e) {
        channel.close();
        throw new StorageException("stable storage " + directory + " is in use by this process already", e);
      }
      if (lock == null) {
        String holder = holder(channel);
        channel.close();
        throw new StorageException(
            "stable storage "
                + directory
                + " is in use by "
                + (holder == null ? "another process" : "process " + holder));
      }
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
      return new Possession(channel);
    }

    /// Whether a process has it; takes nothing.
    static boolean isTaken(Path directory) throws IOException {
      Path file = directory.resolve(NAME);
      if (!Files.exists(file)) {
        return false;
      }
      try (FileChannel channel = FileChannel.open(file, READ, WRITE);
          FileLock lock = channel.tryLock()) {
        return lock == null;
      } catch (OverlappingFileLockException e) {
        return true;
      }
    }

    /// Who says in the file to be its user; null while that is not known.
    private static @Nullable String holder(FileChannel channel) throws IOException {
      ByteBuffer text = ByteBuffer.allocate(ID_MAX);
      channel.read(text, 0);
      String id = StandardCharsets.US_ASCII.decode(text.flip()).toString();
      return id.matches("[0-9]+") ? id : null;
    }

    void release() throws IOException {
      channel.close();
    }
  }

  /// What is wrong with a file of another version.
  static String otherVersion(long its, long own) {
    return " is of version "
        + its
        + ", this node reads version "
        + own
        + (its > own ? ": a newer Tutti has written it, which is to open it again" : ": an older Tutti has written it");
  }

  /// What is found is not what was written; the message says what is wrong where.
  static final class Damaged extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    Damaged(String message) {
      super(message);
    }
  }

  /// Offers [FileStorage].
  public static final class Provider implements StorageProvider {
    /// For the service loader.
    public Provider() {}

    @Override
    public StableStorage open(Path directory) {
      return FileStorage.open(directory);
    }
  }
}
