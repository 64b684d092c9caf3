package org.tutti.micro;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// What it takes to read the metrics of a node and of its membership in a group of three: at most so long a reading
/// occupies the engine thread. It includes the way there and back, and waking the thread, as the group is idle.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class MetricsBenchmark {
  private static final int MEMBERS = 3;
  private static final Duration WAIT = Duration.ofSeconds(10);

  private final List<Node> nodes = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();

  /// Made by JMH.
  public MetricsBenchmark() {}

  /// Makes the group.
  ///
  /// @throws InterruptedException never
  /// @throws TimeoutException     when the members do not come together
  @Setup
  public void make() throws InterruptedException, TimeoutException {
    var network = new InProcess();
    for (int i = 1; i <= MEMBERS; i++) {
      String name = "n" + i;
      Node node = Node.named(name).contacts("n1").transport(network.open(new Address(name))).start();
      nodes.add(node);
      Group group = i == 1 ? node.create("bank", GroupConfig.standard()) : node.join("bank");
      groups.add(group);
      group.awaitServing(WAIT);
    }
  }

  /// Ends it.
  @TearDown
  public void close() {
    nodes.forEach(Node::close);
  }

  /// The node's numbers, in a turn of the engine thread.
  ///
  /// @return how many there are
  /// @throws InterruptedException never
  @Benchmark
  public int node() throws InterruptedException {
    return nodes.getFirst().metrics().size();
  }

  /// The membership's, which do not need the engine thread.
  ///
  /// @return how many there are
  @Benchmark
  public int group() {
    return groups.getFirst().metrics().list().size();
  }
}
