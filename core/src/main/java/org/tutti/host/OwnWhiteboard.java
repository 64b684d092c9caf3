package org.tutti.host;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Whiteboard;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.user.Request;

/// A member's side of the whiteboard: readers look at what the engine showed last, writers replace what the engine will
/// take; nobody waits for anybody. One request on the way is enough, because it takes the latest.
final class OwnWhiteboard implements Whiteboard {
  private static final String NO_NAME = "";

  private final String group;
  private final MemberId self;
  private final Inbox inbox;
  private final ReentrantLock writers = new ReentrantLock();
  private final AtomicBoolean posted = new AtomicBoolean();
  private volatile SortedMap<String, Long> own = Collections.emptySortedMap(); // replaced, never changed
  private volatile Map<MemberId, SortedMap<String, Long>> others = Map.of(); // likewise

  OwnWhiteboard(String group, MemberId self, Inbox inbox) {
    this.group = group;
    this.self = self;
    this.inbox = inbox;
  }

  @Override
  public void put(long value) {
    write(NO_NAME, value);
  }

  @Override
  public void put(String name, long value) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("a name has 1 to " + NAME_BYTES_MAX + " bytes, not " + length);
    }
    write(name, value);
  }

  private void write(String name, long value) {
    writers.lock();
    try {
      var next = new TreeMap<>(own);
      next.put(name, value);
      if (next.size() - (next.containsKey(NO_NAME) ? 1 : 0) > NAMES_MAX) {
        throw new IllegalStateException("a member shows at most " + NAMES_MAX + " names; one more would be " + name);
      }
      own = Collections.unmodifiableSortedMap(next);
    } finally {
      writers.unlock();
    }
    if (posted.compareAndSet(false, true)) {
      inbox.post(new Request.Whiteboard(group)); // refused only when the node has ended
    }
  }

  @Override
  public OptionalLong get(MemberId member) {
    return read(member, NO_NAME);
  }

  @Override
  public OptionalLong get(MemberId member, String name) {
    return name.isEmpty() ? OptionalLong.empty() : read(member, name);
  }

  private OptionalLong read(MemberId member, String name) {
    SortedMap<String, Long> values = member.equals(self) ? own : others.get(member);
    @Nullable Long value = values == null ? null : values.get(name);
    return value == null ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /// The engine takes what was put.
  SortedMap<String, Long> take() {
    posted.set(false);
    return own;
  }

  /// The engine shows what it knows.
  void show(Map<MemberId, SortedMap<String, Long>> values) {
    others = values;
  }
}
