package org.tutti.verify.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Nodes of one process, `n1`, `n2` and so on, of which each asks the first one.
final class InProcessNodes implements AutoCloseable {
  private static final Duration HEARTBEAT = Duration.ofMillis(20);
  private static final Duration SUSPECT = Duration.ofSeconds(10); // a busy machine suspects nobody

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();

  Node start() {
    int number = nodes.size() + 1;
    NodeBuilder config = Node.named("n" + number).contacts(List.of(new Address("here:1"))).times(HEARTBEAT, SUSPECT);
    nodes.add(config.transport(hub.open(new Address("here:" + number))).start());
    return nodes.getLast();
  }

  @Override
  public void close() {
    nodes.reversed().forEach(Node::close);
  }
}
