package org.tutti.verify.transport;

import org.tutti.fixture.Station;
import org.tutti.transport.Transport;

/// A transport's port, with a thread that does what a node's engine thread does.
abstract class Polled implements PortContract.OpenPort {
  final Station station;
  private final Thread engine;
  private volatile boolean ended;

  Polled(Transport transport) {
    station = new Station(transport);
    engine = Thread.ofPlatform().daemon().name("engine").start(this::run);
  }

  private void run() {
    while (!ended) {
      Station.turns(1, station);
    }
    station.close();
  }

  @Override
  public int port() {
    return Station.port(station.address());
  }

  @Override
  public void close() {
    ended = true;
    try {
      engine.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
