package org.tutti.store;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Reads what the files of a directory come to. Changes nothing.
final class Recovery {
  private final Path directory;
  private final FileStorage storage;
  private final Mark mark;
  private final Map<Integer, FileRegion> regions = new TreeMap<>(); // by id
  private final Deque<Segment> segments = new ArrayDeque<>();
  private long commit; // the last one

  Recovery(Path directory, Mark mark, FileStorage storage) {
    this.directory = directory;
    this.mark = mark;
    this.storage = storage;
  }

  /// The numbers of the files of a log, those behind the last gap: what is before a gap was to be deleted.
  static TreeSet<Long> numbers(Path directory) throws IOException {
    var all = new TreeSet<Long>();
    try (Stream<Path> files = Files.list(directory)) {
      files.filter(Segment::isName).forEach(file -> all.add(Long.parseLong(file.getFileName().toString(), 0, 16, 10)));
    }
    while (!all.isEmpty() && all.last() - all.first() >= all.size()) {
      all.pollFirst();
    }
    return all;
  }

  void read() throws IOException {
    for (long number : numbers(directory)) {
      Segment segment = Segment.open(directory, mark.storage, number);
      segments.add(segment);
      ByteBuffer first = segment.next(commit == 0 ? 0 : commit + 1);
      if (first == null) {
        throw new FileStorage.Damaged(Segment.name(number) + " does not continue the log after commit " + commit);
      }
      boolean start = commit == 0;
      commit = first.getLong(Long.BYTES);
      if (start) {
        redo(segment, first);
      }
      for (ByteBuffer frame = segment.next(commit + 1); frame != null; frame = segment.next(commit + 1)) {
        commit++;
        redo(segment, frame);
      }
    }
    if (commit < mark.required()) {
      throw new FileStorage.Damaged(
          (segments.isEmpty() ? "no log" : segments.getLast().file.getFileName() + " at " + segments.getLast().end())
              + ": the last commit that is whole is "
              + commit
              + ", but "
              + mark.required()
              + " was made");
    }
    for (FileRegion region : regions.values()) {
      region.refuseGaps();
    }
  }

  private void redo(Segment segment, ByteBuffer frame) throws FileStorage.Damaged {
    long start = segment.end() - frame.limit();
    try {
      frame.position(Draft.HEADER);
      while (frame.hasRemaining()) {
        redoOne(segment, start, frame);
      }
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new FileStorage.Damaged(
          segment.file.getFileName() + " at " + start + ": commit " + commit + " makes no sense");
    }
  }

  private void redoOne(Segment segment, long start, ByteBuffer frame) throws FileStorage.Damaged {
    byte op = frame.get();
    int id = frame.getInt();
    if (op == Draft.REGION) {
      regions.put(id, new FileRegion(id, text(frame), storage));
      return;
    }
    FileRegion region = regions.get(id);
    if (region == null) {
      throw new IllegalArgumentException("no region " + id);
    }
    switch (op) {
      case Draft.RECORD -> region.keep(text(frame), bytes(frame));
      case Draft.APPEND, Draft.MOVE -> {
        long index = frame.getLong();
        int checksum = frame.getInt();
        int length = length(frame);
        var place = new FileRegion.Place(segment, start + frame.position(), length, checksum);
        frame.position(frame.position() + length);
        if (op == Draft.APPEND) {
          region.add(index, place);
        } else {
          region.move(index, place);
        }
      }
      case Draft.DROP -> region.drop(frame.getLong());
      case Draft.TRUNCATE -> region.cut(frame.getLong());
      case Draft.RANGE -> region.range(frame.getLong(), frame.getLong());
      default ->
          throw new FileStorage.Damaged(segment.file.getFileName() + " at " + start + ": unknown operation " + op);
    }
  }

  private static byte[] bytes(ByteBuffer from) {
    byte[] bytes = new byte[length(from)];
    from.get(bytes);
    return bytes;
  }

  /// How long something is that has its length before it: no longer than what is left.
  private static int length(ByteBuffer from) {
    int length = from.getInt();
    if (length < 0 || length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    return length;
  }

  private static String text(ByteBuffer from) {
    return new String(bytes(from), StandardCharsets.UTF_8);
  }

  Map<Integer, FileRegion> regions() {
    return regions;
  }

  Deque<Segment> segments() {
    return segments;
  }

  long commit() {
    return commit;
  }
}
