package org.tutti.bench.trial;

import java.util.Locale;

/// What is measured in a round.
enum Measure {
  /// Messages per second from the first send until the slowest process has the last message.
  RATE("messages/s", 1, 0),

  /// Calls per second that are answered, of all callers together.
  CALLS("calls/s", 1, 0),

  /// Which part of what was sent does not reach the process that gets least of it.
  LOST("lost", 1, 4),

  /// CPU seconds of all processes of a process group per million messages.
  CPU("CPU s/M", 1, 2),

  /// The same of those processes that have no callers, where there are such: what calls cost who serves them.
  SERVER_CPU("CPU s/M servers", 1, 2),

  /// Times in microseconds.
  P50("p50 us", 1e-3, 1),

  /// As [#P50].
  P90("p90 us", 1e-3, 1),

  /// As [#P50].
  P99("p99 us", 1e-3, 1),

  /// As [#P50].
  P999("p99.9 us", 1e-3, 0),

  /// As [#P50].
  MAX("max us", 1e-3, 0),

  /// The longest time that a JVM of the process group stood still at a safepoint.
  PAUSE("pause ms", 1e-6, 2),

  /// What the thread that calls the listener allocates for each message delivered, at the worst of the processes that
  /// do not send.
  ENGINE_BYTES("B/msg engine", 1, 2),

  /// What all threads of all processes allocate for each message.
  ALL_BYTES("B/msg all", 1, 0),

  /// How often an engine thread was woken from its wait by another thread, per message, all processes.
  WAKEUPS("wakeups/msg", 1, 4),

  /// How often an engine thread had nothing to do and waited, per message, all processes.
  WAITS("waits/msg", 1, 4),

  /// The largest live heap of a process.
  HEAP("live heap MiB", 1.0 / (1 << 20), 1),

  /// The largest amount of memory in buffers outside of the heap of a process.
  DIRECT("direct MiB", 1.0 / (1 << 20), 1),

  /// The rate of the slowest member while one is ten times slower, over the rate before.
  SLOWED("slowed to", 1, 3),

  /// How long it takes from when the slow one is fast again until the rate is what it was, nine tenths of it.
  RECOVERY("recovery ms", 1e-6, 0),

  /// How many views were installed by all members together.
  VIEWS("views", 1, 0),

  /// The packing degree at the end, of a policy that has one.
  DEGREE("degree", 1, 0),

  /// How long it takes a packing policy that begins until the rate is that of one that has learned, nine tenths of it.
  SETTLED("settled ms", 1e-6, 0),

  /// Bytes of messages per second that the slowest member delivers.
  PAYLOAD("MB/s", 1e-6, 2),

  /// The same over the rate of a line.
  OF_LINE("of the line", 1, 2),

  /// The same over the most that lines of this rate allow.
  OF_OPTIMUM("of the optimum", 1, 2),

  /// Bytes per second that were sent again, by whatever layer.
  REPEATED("again MB/s", 1e-6, 2),

  /// Packets per second that queues before lines had no room for.
  DROPPED("lost/s", 1, 0),

  /// Bytes that left all hosts over the bytes of messages.
  UP("sent/payload", 1, 2),

  /// CPU seconds of all processes of a process group per second.
  CPU_TIME("CPU s/s", 1, 2),

  /// Bytes per second of a TCP stream that competes for a line.
  STREAM("stream MB/s", 1e-6, 2);

  private final String title;
  private final double scale;
  private final int decimals;

  Measure(String title, double scale, int decimals) {
    this.title = title;
    this.scale = scale;
    this.decimals = decimals;
  }

  /// Whether it makes sense to divide one target's by another's.
  boolean hasRatio() {
    return switch (this) {
      case RATE, CALLS, CPU, SERVER_CPU, P50, P90, P99, P999, MAX -> true;
      case LOST,
          PAUSE,
          ENGINE_BYTES,
          ALL_BYTES,
          WAKEUPS,
          WAITS,
          HEAP,
          DIRECT,
          SLOWED,
          RECOVERY,
          VIEWS,
          DEGREE,
          SETTLED,
          PAYLOAD,
          OF_LINE,
          OF_OPTIMUM,
          REPEATED,
          DROPPED,
          UP,
          CPU_TIME,
          STREAM ->
          false;
    };
  }

  /// Its name and unit.
  String title() {
    return title;
  }

  /// A value in the unit that it is printed in.
  String show(double value) {
    return String.format(Locale.ROOT, "%,." + decimals + "f", value * scale);
  }
}
