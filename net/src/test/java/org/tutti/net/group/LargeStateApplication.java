package org.tutti.net.group;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.zip.CRC32C;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.MemberId;
import org.tutti.Outcome;
import org.tutti.StateSink;
import org.tutti.StateSource;

/// An application whose state is a row of large parts, each filled with a number. Its token is the digests of the parts
/// that it has; as donor it writes only parts whose digest is not in the token.
final class LargeStateApplication {
  static final int COUNT = 64;
  private static final int BYTES = 64 << 10;

  final CompletableFuture<Void> current = new CompletableFuture<>(); // once all parts are here
  final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private final Group group;
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final int[] parts = new int[COUNT]; // guarded by itself
  private final boolean[] here = new boolean[COUNT];
  private volatile int stopAfter = Integer.MAX_VALUE;
  private volatile MemberId donor;
  private volatile int lost = -1; // what had come from a donor that was lost
  private volatile int received; // from the last donor

  LargeStateApplication(Group group, boolean creator) {
    this.group = group;
    donor = group.self();
    if (creator) {
      for (int i = 0; i < COUNT; i++) {
        parts[i] = 1000 + i;
      }
      Arrays.fill(here, true);
      current.complete(null);
    }
  }

  Group group() {
    return group;
  }

  MemberId self() {
    return group.self();
  }

  /// Who offered the last state.
  MemberId donor() {
    return donor;
  }

  /// How many parts came from a donor that was lost then, or -1.
  int lost() {
    return lost;
  }

  int received() {
    return received;
  }

  List<Integer> parts() {
    synchronized (parts) {
      return Arrays.stream(parts).boxed().toList();
    }
  }

  /// Reading pauses after some parts.
  void stopAfter(int count) {
    stopAfter = count;
  }

  void goOn() {
    goOn.countDown();
  }

  CompletableFuture<Outcome> change(int part, int value) throws InterruptedException {
    return group.multicast(ByteBuffer.allocate(8).putInt(part).putInt(value).array());
  }

  /// Waits until a part has a value.
  void await(int part, int value) throws InterruptedException {
    synchronized (parts) {
      while (parts[part] != value) {
        parts.wait();
      }
    }
  }

  Void run() throws InterruptedException {
    while (true) {
      switch (group.receive()) {
        case Event.Delivery delivery -> {
          synchronized (parts) {
            parts[delivery.payload().getInt(0)] = delivery.payload().getInt(4);
            parts.notifyAll();
          }
        }
        case Event.StateRequest(_, StateSink sink) -> give(sink);
        case Event.StateOffer offer -> take(offer);
        case Event.ViewChange _, Event.CaughtUp _, Event.Propagated _, Event.LocalCall _ -> {}
        case Event.Closed _ -> {
          return null;
        }
      }
    }
  }

  private void give(StateSink sink) {
    List<Integer> now = parts();
    Thread.startVirtualThread(() -> {
      try (sink) {
        ByteBuffer token = ByteBuffer.wrap(sink.token());
        var known = new ArrayList<Long>();
        while (token.hasRemaining()) {
          known.add(token.getLong());
        }
        var out = new DataOutputStream(sink);
        for (int i = 0; i < COUNT; i++) {
          byte[] bytes = bytes(now.get(i));
          if (!known.contains(digest(i, bytes))) {
            out.writeInt(i);
            out.write(bytes);
          }
        }
        out.writeInt(COUNT); // the end
        sink.complete();
      } catch (IOException gone) {
        // The newcomer or this member is cut off.
      }
    });
  }

  private void take(Event.StateOffer offer) throws InterruptedException {
    donor = offer.donor();
    received = 0;
    try (StateSource source = offer.source()) {
      var token = ByteBuffer.allocate(COUNT * Long.BYTES);
      for (int i = 0; i < COUNT; i++) {
        if (here[i]) {
          token.putLong(digest(i, bytes(parts[i])));
        }
      }
      source.resume(Arrays.copyOf(token.array(), token.position()));
      var in = new DataInputStream(source);
      for (int part = in.readInt(); part < COUNT; part = in.readInt()) {
        int value = ByteBuffer.wrap(in.readNBytes(BYTES)).getInt();
        synchronized (parts) {
          parts[part] = value;
        }
        here[part] = true;
        received++;
        if (received == stopAfter) {
          stopped.complete(null);
          goOn.await();
        }
      }
      current.complete(null);
    } catch (IOException gone) {
      lost = received;
    }
  }

  private static byte[] bytes(int value) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    while (bytes.hasRemaining()) {
      bytes.putInt(value);
    }
    return bytes.array();
  }

  private static long digest(int part, byte[] bytes) {
    var crc = new CRC32C();
    crc.update(bytes);
    return (long) part << 32 | crc.getValue();
  }
}
