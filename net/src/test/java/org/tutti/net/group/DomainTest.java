package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.fixture.StartedNodes;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

/// A domain over TCP: three processes' worth of nodes, three groups that overlap in a circle, each with another
/// ordering.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DomainTest {
  private static final Ordering[] ORDERINGS = {Ordering.SEQUENCER, Ordering.SYMMETRIC, Ordering.SKEEN};
  private static final int ROUNDS = 150;

  @AutoClose private final StartedNodes nodes = new StartedNodes();

  /// What one node delivers, in all of its groups: one engine thread, so one order.
  private static final class Heard implements GroupListener {
    private final LinkedBlockingQueue<String> messages;
    private final CompletableFuture<Void> together = new CompletableFuture<>();

    Heard(LinkedBlockingQueue<String> messages) {
      this.messages = messages;
    }

    @Override
    public void deliver(MemberId sender, Service service, long position, java.nio.ByteBuffer payload) {
      messages.add(StandardCharsets.UTF_8.decode(payload).toString());
    }

    @Override
    public void install(View view) {
      if (view.size() == 2) {
        together.complete(null);
      }
    }
  }

  @Test
  void threeGroupsInACircleAreDeliveredInOneOrder() throws Exception {
    for (int i = 0; i < 3; i++) {
      nodes.start(TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null)));
    }
    List<LinkedBlockingQueue<String>> heard = new ArrayList<>();
    nodes.all.forEach(_ -> heard.add(new LinkedBlockingQueue<>()));
    List<Map<Integer, Group>> groups = new ArrayList<>();
    nodes.all.forEach(_ -> groups.add(new HashMap<>()));
    for (int g = 0; g < 3; g++) {
      int first = g;
      int second = (g + 1) % 3;
      GroupConfig config = GroupConfig.builder().domain("opera").ordering(ORDERINGS[g]).build();
      var one = new Heard(heard.get(first));
      var other = new Heard(heard.get(second));
      groups
          .get(first)
          .put(g, nodes.all.get(first).create("g" + g, config, MemberConfig.builder().listener(one).build()));
      // A node that was started before the others knows none of them: those that know it find it.
      groups
          .get(second)
          .put(g, nodes.all.get(second).join("g" + g, config, MemberConfig.builder().listener(other).build()));
      one.together.get(30, TimeUnit.SECONDS);
      other.together.get(30, TimeUnit.SECONDS);
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (int n = 0; n < 3; n++) {
        for (Map.Entry<Integer, Group> group : groups.get(n).entrySet()) {
          group.getValue().multicast((group.getKey() + "/" + n + "/" + round).getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    List<List<String>> all = new ArrayList<>();
    for (int n = 0; n < 3; n++) {
      List<String> messages = new ArrayList<>();
      while (messages.size() < 4 * ROUNDS) { // two groups, two senders in each
        String message = heard.get(n).poll(30, TimeUnit.SECONDS);
        assertThat(message).as("message %s of node %s", messages.size(), n).isNotNull();
        messages.add(message);
      }
      all.add(messages);
    }
    for (int n = 0; n < 3; n++) {
      ownOrderHolds(all.get(n));
    }
    // Any two nodes share one group only; through the third node the three orders must not form a circle.
    assertThat(hasCircle(all)).isFalse();
  }

  /// A sender's messages of round k stand before those of its round k + 1, whatever groups they are in.
  private static void ownOrderHolds(List<String> messages) {
    Map<String, Integer> rounds = new HashMap<>();
    for (String message : messages) {
      String[] parts = message.split("/");
      int round = Integer.parseInt(parts[2]);
      assertThat(round).as(message).isGreaterThanOrEqualTo(rounds.getOrDefault(parts[1], 0));
      rounds.put(parts[1], round);
    }
  }

  /// Whether the union of all orders has a circle (Kahn's algorithm on neighbours).
  private static boolean hasCircle(List<List<String>> orders) {
    Map<String, Integer> before = new HashMap<>();
    Map<String, List<String>> after = new HashMap<>();
    for (List<String> order : orders) {
      for (int i = 0; i < order.size(); i++) {
        before.putIfAbsent(order.get(i), 0);
        if (i > 0) {
          before.merge(order.get(i), 1, Integer::sum);
          after.computeIfAbsent(order.get(i - 1), _ -> new ArrayList<>()).add(order.get(i));
        }
      }
    }
    var free =
        new java.util.ArrayDeque<>(before.keySet().stream().filter(message -> before.get(message) == 0).toList());
    int seen = 0;
    while (!free.isEmpty()) {
      seen++;
      for (String next : after.getOrDefault(free.remove(), List.of())) {
        if (before.merge(next, -1, Integer::sum) == 0) {
          free.add(next);
        }
      }
    }
    return seen < before.size();
  }
}
