package org.tutti.verify.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.fixture.InProcessNodes;

/// The program of the guide to overlapping groups, in three processes of a shop.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OverlappingGroupsTest {
  private static final int TIMES = 20;
  private static final Duration SOON = Duration.ofSeconds(60);

  @AutoClose private final InProcessNodes nodes = new InProcessNodes();

  /// Enters a group of the domain, and notes what is delivered there, with what is delivered in the other one.
  private static Group enter(Node node, String group, BlockingQueue<String> notes) {
    GroupConfig config = GroupConfig.builder().domain("shop").build();
    GroupListener listener =
        (_, _, _, payload) -> notes.add(group + ": " + UTF_8.decode(payload)); // by the engine thread, for both groups
    return node.joinOrCreate(
        group, Set.of("n1", "n2", "n3"), config, MemberConfig.builder().listener(listener).build());
  }

  @Test
  void whoIsInBothGroupsSeesOneOrder() throws Exception {
    List<Group> all = new ArrayList<>();
    List<BlockingQueue<String>> notes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Node node = nodes.start();
      notes.add(new LinkedBlockingQueue<>());
      all.add(enter(node, "orders", notes.getLast()));
      all.add(enter(node, "stock", notes.getLast()));
    }
    for (Group each : all) {
      each.awaitServing(SOON);
    }
    Group orders = all.get(0);
    Group stock = all.get(1);

    for (int i = 0; i < TIMES; i++) {
      orders.multicast(("20 bolts for " + i).getBytes(UTF_8));
      stock.multicast(("20 bolts fewer for " + i).getBytes(UTF_8)); // nobody sees it before the order
    }

    List<String> wanted =
        IntStream.range(0, TIMES)
            .boxed()
            .flatMap(i -> Stream.of("orders: 20 bolts for " + i, "stock: 20 bolts fewer for " + i))
            .toList();
    for (BlockingQueue<String> each : notes) {
      for (String line : wanted) {
        assertThat(Objects.requireNonNull(each.poll(SOON.toSeconds(), TimeUnit.SECONDS))).isEqualTo(line);
      }
    }
  }
}
