package org.tutti.verify.transport;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.Assertions;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Refused;
import org.tutti.transport.Transport;

/// A transport and what it handed over; several stations are driven by one test thread.
final class Station implements Receiver, AutoCloseable {
  private static final long DEADLINE_NANOS = Duration.ofSeconds(20).toNanos();
  private static final long TURN_NANOS = Duration.ofMillis(1).toNanos();

  final Transport transport;
  final List<byte[]> frames = new ArrayList<>();
  final List<Address> ready = new ArrayList<>();
  final List<Address> gone = new ArrayList<>();
  final List<Refused> refused = new ArrayList<>();

  /// What happens on each frame, besides keeping it.
  Runnable reaction = () -> {};

  Station(Transport transport) {
    this.transport = transport;
    transport.start(this);
  }

  @Override
  public void onFrame(ByteBuffer frame) {
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    frames.add(bytes);
    reaction.run();
  }

  @Override
  public void onReady(Address peer) {
    ready.add(peer);
  }

  @Override
  public void onGone(Address peer) {
    gone.add(peer);
  }

  @Override
  public void onRefused(Refused by) {
    refused.add(by);
  }

  @Override
  public void close() {
    transport.close();
  }

  Address address() {
    return transport.address();
  }

  /// Tries once.
  boolean offer(Address to, byte[] frame) {
    ByteBuffer room = transport.claim(to, frame.length);
    if (room == null) {
      return false;
    }
    room.put(frame);
    transport.commit();
    return true;
  }

  /// Tries until the frame is accepted; the others are polled meanwhile.
  void send(Address to, byte[] frame, Station... others) {
    until("room towards " + to, () -> offer(to, frame), with(others));
  }

  /// Polls stations in turn until something holds.
  static void until(String what, BooleanSupplier condition, Station... stations) {
    long end = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        Assertions.fail("timed out: " + what);
      }
      turns(1, stations);
    }
  }

  /// Polls stations a number of times.
  static void turns(int count, Station... stations) {
    for (int i = 0; i < count; i++) {
      for (Station station : stations) {
        station.transport.poll(TURN_NANOS);
      }
    }
  }

  private Station[] with(Station... others) {
    List<Station> all = new ArrayList<>(List.of(others));
    all.addFirst(this);
    return all.toArray(Station[]::new);
  }
}
