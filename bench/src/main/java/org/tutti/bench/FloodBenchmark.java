package org.tutti.bench;

import java.util.ArrayList;
import java.util.List;
import org.tutti.Group;

/// Members multicast as fast as their windows let them, each from a thread of its own.
final class FloodBenchmark {
  private FloodBenchmark() {}

  /// Runs for a time, and on until all is delivered: what is on the way then has been paid for, and with many senders
  /// it is a large part.
  ///
  /// @param localGroup the group, at rest
  /// @param senders  who multicasts
  /// @param bytes    the length of each message
  /// @param forNanos how long they multicast
  /// @return messages per second from the first multicast until the last member has the last message
  static double run(LocalGroup localGroup, List<Group> senders, int bytes, long forNanos) throws InterruptedException {
    long before = localGroup.deliveredByAll();
    long start = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (Group sender : senders) {
      threads.add(Thread.ofPlatform().name("flood").start(() -> send(sender, new byte[bytes], start + forNanos)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    localGroup.drain(senders);
    return (localGroup.deliveredByAll() - before) * 1e9 / (System.nanoTime() - start);
  }

  private static void send(Group sender, byte[] payload, long end) {
    try {
      while (System.nanoTime() < end) {
        sender.multicast(payload);
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
