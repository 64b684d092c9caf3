package org.tutti.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.tutti.storage.Region;

/// What a stable storage should hold, in memory.
final class StorageModel {
  /// One group's part.
  private record Part(TreeMap<String, byte[]> records, TreeMap<Long, byte[]> log) {
    Part copy() {
      return new Part(new TreeMap<>(records), new TreeMap<>(log));
    }
  }

  private Map<String, Part> parts = new TreeMap<>();
  private Map<String, Part> committed = new TreeMap<>();

  private static Map<String, Part> copy(Map<String, Part> of) {
    var copy = new TreeMap<String, Part>();
    of.forEach((name, part) -> copy.put(name, part.copy()));
    return copy;
  }

  void commit() {
    committed = copy(parts);
  }

  void undo() {
    parts = copy(committed);
  }

  private Part part(String group) {
    return parts.computeIfAbsent(group, _ -> new Part(new TreeMap<>(), new TreeMap<>()));
  }

  /// Changes a region and the model of it alike.
  void change(SplittableRandom random, String group, Region region) {
    Part part = part(group);
    byte[] bytes = new byte[random.nextInt(random.nextInt(10) == 0 ? 2000 : 50)];
    random.nextBytes(bytes);
    boolean empty = part.log.isEmpty();
    switch (random.nextInt(8)) {
      case 0 -> {
        String name = "r" + random.nextInt(3);
        region.record(name, bytes);
        part.records.put(name, bytes);
      }
      case 1 -> {
        if (!empty) {
          long to = random.nextLong(part.log.firstKey(), part.log.lastKey() + 2);
          region.dropBefore(to);
          part.log.headMap(to).clear();
        }
      }
      case 2 -> {
        if (!empty && random.nextInt(4) == 0) {
          long to = random.nextLong(part.log.firstKey(), part.log.lastKey() + 2);
          region.truncate(to);
          part.log.tailMap(to).clear();
        }
      }
      default -> {
        long index = empty ? random.nextLong(1000) : part.log.lastKey() + 1;
        region.append(index, bytes);
        part.log.put(index, bytes);
      }
    }
  }

  void check(String group, Region region) {
    Part part = part(group);
    part.records.forEach((name, value) -> assertThat(region.record(name)).isEqualTo(value));
    if (part.log.isEmpty()) {
      assertThat(region.first()).isEqualTo(region.next());
    } else {
      assertThat(region.first()).isEqualTo(part.log.firstKey());
      assertThat(region.next()).isEqualTo(part.log.lastKey() + 1);
      part.log.forEach((index, entry) -> assertThat(region.read(index)).isEqualTo(entry));
    }
  }
}
