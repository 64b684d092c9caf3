package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;
import org.tutti.transport.memory.InProcess;

/// Every ordering over every transport, through the crash of a member: the algorithms do not know what carries them.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransportMatrixTest {
  private static final Address HERE = new Address("127.0.0.1:0");
  private static final Duration SUSPECT = Duration.ofMillis(1500); // most of what a combination takes
  private static final int EACH = 60;

  /// Who crashes.
  enum Crash {
    SENIOR,
    JUNIOR
  }

  private final List<Node> nodes = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();
  private final InProcess hub = new InProcess();
  private final AtomicInteger opened = new AtomicInteger();

  static Stream<Arguments> combinations() {
    Stream.Builder<Arguments> all = Stream.builder();
    for (String transport : transports().toList()) {
      for (Ordering ordering : Ordering.values()) {
        for (Crash crash : Crash.values()) {
          all.add(Arguments.of(transport, ordering, crash));
        }
      }
    }
    return all.build();
  }

  /// All that can be chosen by name, those that one name stands for, and memory.
  private static Stream<String> transports() {
    return Stream.concat(Stream.of("memory", "unix"), TransportProvider.installed().keySet().stream());
  }

  private Transport open(String transport) {
    return switch (transport) {
      case "memory" -> hub.open(new Address("here:" + opened.incrementAndGet()));
      case "unix" -> TcpTransport.open(HERE, TcpConfig.lan());
      case "tcp" -> TcpTransport.open(HERE, TcpConfig.lan().withSocketDirectory(null));
      default -> TransportProvider.named(transport).open(TransportSettings.at(HERE));
    };
  }

  @AfterEach
  void end() throws IOException {
    for (Node node : nodes) {
      assertThat(node.failure()).isNull();
      node.close();
    }
  }

  @ParameterizedTest(name = "{0}, {1}, {2} crashes")
  @MethodSource("combinations")
  @Tag("deep")
  void survivorsDeliverTheSameAndGoOnInAnyCombination(String transport, Ordering ordering, Crash crash)
      throws Exception {
    survivorsDeliverTheSameAndGoOn(transport, ordering, crash);
  }

  /// Each ordering and each crash, and transports that differ most.
  @ParameterizedTest(name = "{0}, {1}, {2} crashes")
  @CsvSource({"memory, SKEEN, SENIOR", "unix, CONSENSUS, JUNIOR", "tcp, SYMMETRIC, JUNIOR", "udp, SEQUENCER, SENIOR"})
  void survivorsDeliverTheSameAndGoOn(String transport, Ordering ordering, Crash crash) throws Exception {
    begin(transport, ordering);
    Group victim = crash == Crash.SENIOR ? groups.getFirst() : groups.getLast();
    for (int i = 0; i < EACH; i++) {
      for (Group group : groups) {
        if (i < EACH / 2 || group != victim) {
          group.multicast(message(i));
        }
      }
      if (i == EACH / 2) {
        crash(nodes.remove(groups.indexOf(victim)));
      }
    }
    List<Group> survivors = groups.stream().filter(group -> group != victim).toList();
    var orders = new ArrayList<List<String>>();
    for (Group group : survivors) {
      orders.add(deliveries(group, survivors));
    }
    assertThat(orders.get(0)).as("one order").isEqualTo(orders.get(1));
  }

  private void begin(String transport, Ordering ordering) throws Exception {
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    for (int i = 1; i <= 3; i++) {
      List<Address> contacts = nodes.stream().map(node -> node.self().address()).toList();
      NodeBuilder how = Node.named("n" + i).contacts(contacts).times(Duration.ofMillis(100), SUSPECT);
      Node node = how.transport(open(transport)).start();
      nodes.add(node);
      groups.add(i == 1 ? node.create("bank", config) : node.join("bank"));
      for (Group group : groups) {
        untilViewOf(group, i);
      }
    }
  }

  /// Ends a node without a farewell of its groups, as `close` does when it is interrupted.
  private static void crash(Node node) throws InterruptedException {
    Thread end =
        new Thread(() -> {
          Thread.currentThread().interrupt();
          node.close();
        });
    end.start();
    end.join();
  }

  /// What a member delivers until it is in a view of the survivors and has a last message of each of them.
  private static List<String> deliveries(Group group, List<Group> survivors) throws InterruptedException {
    var order = new ArrayList<String>();
    var next = new long[survivors.size()];
    boolean alone = false;
    while (!alone || Arrays.stream(next).sum() < (long) EACH * survivors.size()) {
      switch (next(group)) {
        case Event.ViewChange(View view) -> alone = view.primary() && view.size() == survivors.size();
        case Event.Delivery one -> {
          long number = one.payload().getLong(0);
          order.add(one.position() + " " + one.sender().name() + " " + number);
          for (int i = 0; i < next.length; i++) {
            if (one.sender().equals(survivors.get(i).self())) {
              assertThat(number).as("first in, first out").isEqualTo(next[i]++);
            }
          }
        }
        default -> throw new AssertionError("only views and deliveries");
      }
    }
    return order;
  }

  private static byte[] message(long number) {
    return ByteBuffer.allocate(100).putLong(number).array();
  }
}
