package org.tutti.lab.network;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// Carries Ethernet frames between TAP devices, each on the [LinkDirection] of its pair: what a switch does, with the
/// delays, losses and cuts of a whole network. One thread, which also opens and closes the devices.
///
/// Nodes are told apart by the last byte of their hardware address ([#macOf]). A frame for all goes to each other node
/// on a way of its own.
final class VirtualSwitch implements Runnable {
  private static final int FRAME_BYTES_MAX = 1536; // MTU 1500 with its header
  private static final int FLIGHTS_MAX = 8192; // 12 MiB; what comes beyond is lost, as in any queue
  private static final int BURST = 32;
  private static final long WAIT_MAX_NANOS = 20_000_000; // to see that it is to end
  private static final int NICE = -15;
  private static final int POLLFD_BYTES = 8;
  private static final short POLLIN = 1;
  private static final int HEADER_BYTES = 14;

  /// A frame on its way.
  private record Flight(LinkDirection way, int era, MemorySegment frame, long length, long dueNanos, long number) {}

  private final List<TapDevice> taps;
  private final LinkDirection[][] ways;
  private final Kernel kernel;
  private final Arena arena;
  private final PriorityQueue<Flight> flights =
      new PriorityQueue<>(Comparator.comparingLong(Flight::dueNanos).thenComparingLong(Flight::number));
  private final Deque<MemorySegment> free = new ArrayDeque<>();
  private final MemorySegment incoming;
  private final MemorySegment forged;
  private long number;
  private volatile boolean ended;
  private volatile @Nullable Throwable failure;

  VirtualSwitch(Kernel kernel, Arena arena, List<TapDevice> taps, LinkDirection[][] ways) {
    this.kernel = kernel;
    this.arena = arena;
    this.taps = taps;
    this.ways = ways;
    incoming = arena.allocate(FRAME_BYTES_MAX);
    forged = arena.allocate(Reset.BYTES);
  }

  static String macOf(int node) {
    return "02:74:75:74:74:%02x".formatted(node);
  }

  void end() {
    ended = true;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public void run() {
    try {
      kernel.hurry(NICE);
      MemorySegment descriptors = arena.allocate((long) POLLFD_BYTES * taps.size());
      for (int i = 0; i < taps.size(); i++) {
        descriptors.set(ValueLayout.JAVA_INT, (long) i * POLLFD_BYTES, taps.get(i).descriptor());
        descriptors.set(ValueLayout.JAVA_SHORT, (long) i * POLLFD_BYTES + 4, POLLIN);
      }
      while (!ended) {
        turn(descriptors);
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
  }

  private void turn(MemorySegment descriptors) throws IOException {
    land();
    Flight next = flights.peek();
    long wait = next == null ? WAIT_MAX_NANOS : Math.clamp(next.dueNanos - System.nanoTime(), 0, WAIT_MAX_NANOS);
    if (kernel.poll(descriptors, taps.size(), wait) == 0) {
      return;
    }
    for (int from = 0; from < taps.size(); from++) {
      if (descriptors.get(ValueLayout.JAVA_SHORT, (long) from * POLLFD_BYTES + 6) != 0) {
        take(from);
      }
    }
  }

  private void take(int from) {
    for (int i = 0; i < BURST; i++) {
      long length = kernel.read(taps.get(from).descriptor(), incoming);
      if (length < HEADER_BYTES) {
        return;
      }
      if ((incoming.get(ValueLayout.JAVA_BYTE, 0) & 1) != 0) {
        for (int to = 0; to < taps.size(); to++) {
          offer(from, to, length);
        }
      } else {
        offer(from, incoming.get(ValueLayout.JAVA_BYTE, 5) & 0xff, length);
      }
    }
  }

  private void offer(int from, int to, long length) {
    if (from == to || to >= taps.size()) {
      return;
    }
    LinkDirection way = ways[from][to];
    long now = System.nanoTime();
    long due = way.offer(now);
    Reset reset = way.reset(now);
    if (due == LinkDirection.LOST || flights.size() >= FLIGHTS_MAX) {
      return;
    }
    if (reset != null && reset.strikes(incoming, length)) {
      Reset.forReceiver(incoming, forged);
      kernel.write(taps.get(to).descriptor(), forged, Reset.BYTES);
      Reset.forSender(incoming, forged);
      kernel.write(taps.get(from).descriptor(), forged, Reset.BYTES);
      way.struck();
    } else if (due <= now) {
      kernel.write(taps.get(to).descriptor(), incoming, length);
    } else {
      MemorySegment copy = free.isEmpty() ? arena.allocate(FRAME_BYTES_MAX) : free.pop();
      MemorySegment.copy(incoming, 0, copy, 0, length);
      flights.add(new Flight(way, way.era(), copy, length, due, number++));
    }
  }

  /// Delivers what is due.
  private void land() {
    long now = System.nanoTime();
    for (Flight flight = flights.peek(); flight != null && flight.dueNanos <= now; flight = flights.peek()) {
      flights.remove();
      if (flight.way.brings(flight.era)) {
        kernel.write(taps.get(flight.way.to).descriptor(), flight.frame, flight.length);
      }
      free.push(flight.frame);
    }
  }
}
