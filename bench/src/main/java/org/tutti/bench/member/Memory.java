package org.tutti.bench.member;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;

/// What this process has allocated, and what of it lives.
final class Memory {
  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Memory() {}

  /// What a thread has allocated since it started, or -1.
  static long allocated(long thread) {
    return thread < 0 ? -1 : THREADS.getThreadAllocatedBytes(thread);
  }

  /// What all threads have allocated since the start.
  static long allocatedByAll() {
    return THREADS.getTotalThreadAllocatedBytes();
  }

  /// Collects garbage and tells what was left of the heap, and what is held outside of it in buffers. Not what is used
  /// afterwards: under a flood that is mostly new garbage.
  static Map<String, Long> live() {
    ManagementFactory.getMemoryMXBean().gc();
    long live = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      MemoryUsage afterwards = pool.getCollectionUsage();
      if (pool.getType() == MemoryType.HEAP && afterwards != null) {
        live += afterwards.getUsed();
      }
    }
    long direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    return Map.of("live", live, "direct", direct);
  }
}
