package org.tutti.examples.spring;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.metrics.NodeMeters;
import org.tutti.replica.Client;
import org.tutti.replica.Replica;

/// The replica of this application, from before its port for HTTP opens until after that has closed.
///
/// ```
/// start:  node, replica, client, meters -> port for HTTP; ready as soon as the replica serves
/// stop:   not ready -> requests that are open are answered -> client, replica (leaves the group), meters, node
/// ```
@Component
class SeatReplica implements SmartLifecycle {
  static final String SERVICE = "seats";

  /// All that is closed again, in this order.
  private record Running(Node node, Replica replica, Client client, NodeMeters meters) {
    void close() {
      try (node;
          meters;
          replica;
          client) { // the last one is closed first
      }
    }
  }

  private final ReplicaProperties settings;
  private final MeterRegistry registry;
  private volatile @Nullable Running running;

  SeatReplica(ReplicaProperties settings, MeterRegistry registry) {
    this.settings = settings;
    this.registry = registry;
  }

  /// Lower than the phases of the port for HTTP: this starts before it and stops after it.
  @Override
  public int getPhase() {
    return 0;
  }

  /// Does not wait for the other replicas, which may be started later: until they are there this one is not ready.
  @Override
  public void start() {
    Node node = startNode();
    try {
      Replica replica = startReplica(node);
      Client.Builder builder = Client.of(SERVICE).at(replica.clients()).deadline(settings.callDeadline());
      if (settings.clientsTls() != null) {
        builder.tls(settings.clientsTls());
      }
      Client client = builder.connect();
      running = new Running(node, replica, client, NodeMeters.bind(registry, node, replica.group()));
    } catch (RuntimeException e) {
      node.close(); // ends the replica, too
      throw e;
    }
  }

  private Node startNode() {
    NodeBuilder builder =
        Node.named(settings.name())
            .listen(settings.listen())
            .contacts(settings.contacts().toArray(String[]::new))
            .suspectAfter(settings.suspectAfter());
    if (settings.tls() != null) {
      builder.tls(settings.tls());
    }
    if (settings.data() != null) {
      builder.data(settings.data().resolve("log"));
    }
    return builder.start();
  }

  private Replica startReplica(Node node) {
    List<String> founders = settings.expecting();
    Replica.Builder builder =
        Replica.of(SERVICE, new Seats()).clients(settings.clients()).expecting(founders.toArray(String[]::new));
    if (settings.clientsTls() != null) {
      builder.tls(settings.clientsTls());
    }
    if (settings.data() != null) {
      builder.data(settings.data().resolve("snapshots"));
    }
    return builder.start(node);
  }

  /// Leaves the group, some seconds at most; the others have the next view at once. On a thread of its own, as Spring
  /// waits for `spring.lifecycle.timeout-per-shutdown-phase`, and no longer.
  @Override
  public void stop(Runnable callback) {
    Thread.ofPlatform()
        .name("tutti-leaves")
        .start(() -> {
          try {
            stop();
          } finally {
            callback.run();
          }
        });
  }

  @Override
  public void stop() {
    Running closing = running;
    running = null;
    if (closing != null) {
      closing.close();
    }
  }

  @Override
  public boolean isRunning() {
    return running != null;
  }

  Node node() {
    return at().node;
  }

  Replica replica() {
    return at().replica;
  }

  Client client() {
    return at().client;
  }

  private Running at() {
    Running now = running;
    if (now == null) {
      throw new IllegalStateException("the replica is not running");
    }
    return now;
  }
}
