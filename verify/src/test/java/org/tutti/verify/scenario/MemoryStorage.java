package org.tutti.verify.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;

/// Stable storage that outlives the lives of a node: what was not committed when one crashes is gone.
final class MemoryStorage implements StableStorage {
  private static final class Part implements Region {
    private final TreeMap<String, byte[]> records = new TreeMap<>();
    private final List<byte[]> log = new ArrayList<>();
    private long first;

    Part copy() {
      var copy = new Part();
      copy.records.putAll(records);
      copy.log.addAll(log);
      copy.first = first;
      return copy;
    }

    @Override
    public byte @Nullable [] record(String name) {
      return records.get(name);
    }

    @Override
    public void record(String name, byte[] value) {
      records.put(name, value);
    }

    @Override
    public long first() {
      return first;
    }

    @Override
    public long next() {
      return first + log.size();
    }

    @Override
    public void append(long index, byte[] entry) {
      if (log.isEmpty()) {
        first = index;
      }
      if (index != next()) {
        throw new IllegalArgumentException("the next index is " + next() + ", not " + index);
      }
      log.add(entry);
    }

    @Override
    public byte[] read(long index) {
      return log.get(Math.toIntExact(index - first));
    }

    @Override
    public void dropBefore(long index) {
      while (first < index) {
        log.removeFirst();
        first++;
      }
    }

    @Override
    public void truncate(long index) {
      while (next() > index) {
        log.removeLast();
      }
    }
  }

  private Map<String, Part> parts = new TreeMap<>();
  private Map<String, Part> committed = new TreeMap<>();

  private static Map<String, Part> copy(Map<String, Part> of) {
    var copy = new TreeMap<String, Part>();
    of.forEach((name, part) -> copy.put(name, part.copy()));
    return copy;
  }

  /// The process has ended: the next one finds what was committed.
  void crash() {
    parts = copy(committed);
  }

  @Override
  public Region region(String group) {
    return parts.computeIfAbsent(group, _ -> new Part());
  }

  @Override
  public void commit(boolean force) {
    committed = copy(parts);
  }

  @Override
  public void close() {}
}
