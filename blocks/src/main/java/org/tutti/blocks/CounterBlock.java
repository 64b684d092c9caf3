package org.tutti.blocks;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// All counters. One that is 0 takes no memory.
final class CounterBlock implements Block {
  static final int GET = 0;
  static final int ADD = 1; // i64 what; replies what it is then
  static final int SET = 2; // i64 to what; replies what it was
  static final int COMPARE_AND_SET = 3; // i64 what it has to be, i64 to what; replies what it was

  private final TreeMap<String, Long> values = new TreeMap<>();

  @Override
  public ByteBuffer apply(long session, String name, int action, ByteBuffer in) {
    long before = values.getOrDefault(name, 0L);
    long first = in.getLong();
    long after =
        switch (action) {
          case ADD -> before + first;
          case SET -> first;
          case COMPARE_AND_SET -> before == first ? in.getLong() : before;
          default -> throw new IllegalArgumentException("a counter does not " + action);
        };
    if (after == 0) {
      values.remove(name);
    } else {
      values.put(name, after);
    }
    return Message.number(action == ADD ? after : before);
  }

  @Override
  public @Nullable ByteBuffer query(String name, int action, ByteBuffer in) {
    return Message.number(values.getOrDefault(name, 0L));
  }

  @Override
  public Picture picture() {
    var copy = new TreeMap<>(values);
    return out -> {
      out.writeInt(copy.size());
      for (Map.Entry<String, Long> counter : copy.entrySet()) {
        out.writeUTF(counter.getKey());
        out.writeLong(counter.getValue());
      }
    };
  }

  @Override
  public void restore(DataInputStream in) throws IOException {
    values.clear();
    for (int left = in.readInt(); left > 0; left--) {
      values.put(in.readUTF(), in.readLong());
    }
  }
}
