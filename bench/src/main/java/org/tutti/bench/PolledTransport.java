package org.tutti.bench;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Transport;

/// A transport and the thread that polls it: where requests and replies go between clients and servers that are in no
/// group together.
final class PolledTransport implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);

  private record Letter(Address to, byte[] frame) {}

  private final Transport transport;
  private final Thread thread;
  private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();
  private final ArrayDeque<Letter> unsent = new ArrayDeque<>(); // of the thread
  private volatile boolean closing;

  /// @param transport owned from now on
  /// @param arrived   gets each frame, on this transport's thread
  PolledTransport(Transport transport, Consumer<ByteBuffer> arrived) {
    this.transport = transport;
    this.thread = Thread.ofPlatform().name("desk").start(() -> work(arrived));
  }

  Address address() {
    return transport.address();
  }

  /// Does something on this transport's thread.
  void post(Runnable work) {
    posted.add(work);
    transport.wakeup();
  }

  /// Sends a frame, as soon as there is a way; on this transport's thread.
  void send(Address to, byte[] frame) {
    if (!unsent.isEmpty() || !sent(to, frame)) {
      unsent.add(new Letter(to, frame));
    }
  }

  private boolean sent(Address to, byte[] frame) {
    ByteBuffer room = transport.claim(to, frame.length);
    if (room == null) {
      return false;
    }
    room.put(frame);
    transport.commit();
    return true;
  }

  private void work(Consumer<ByteBuffer> arrived) {
    transport.start(
        new Receiver() {
          @Override
          public void onFrame(ByteBuffer frame) {
            arrived.accept(frame);
          }

          @Override
          public void onReady(Address peer) {
            // Tried again anyway.
          }
        });
    while (!closing) {
      for (Runnable next = posted.poll(); next != null; next = posted.poll()) {
        next.run();
      }
      while (!unsent.isEmpty() && sent(unsent.getFirst().to(), unsent.getFirst().frame())) {
        unsent.removeFirst();
      }
      transport.poll(unsent.isEmpty() ? WAIT_NANOS : PAUSE_NANOS);
    }
    transport.close();
  }

  @Override
  public void close() {
    closing = true;
    transport.wakeup();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
