package org.tutti.verify.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.tutti.Node;
import org.tutti.NodeConfig;
import org.tutti.transport.Address;
import org.tutti.transport.InProcess;

/// Nodes of one process, `n1`, `n2` and so on, of which each asks the first one.
final class InProcessNodes implements AutoCloseable {
  private static final Duration HEARTBEAT = Duration.ofMillis(20);
  private static final Duration SUSPECT = Duration.ofSeconds(10); // a busy machine suspects nobody

  private final InProcess hub = new InProcess();
  private final List<Node> nodes = new ArrayList<>();

  Node start() {
    int number = nodes.size() + 1;
    NodeConfig config =
        NodeConfig.lan("n" + number).withContacts(List.of(new Address("here:1"))).withTimes(HEARTBEAT, SUSPECT);
    nodes.add(Node.start(config, hub.open(new Address("here:" + number))));
    return nodes.getLast();
  }

  @Override
  public void close() {
    nodes.reversed().forEach(Node::close);
  }
}
