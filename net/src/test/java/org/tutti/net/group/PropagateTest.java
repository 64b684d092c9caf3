package org.tutti.net.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;
import static org.tutti.fixture.ManualMembership.OTHER;
import static org.tutti.fixture.ManualMembership.SELF;
import static org.tutti.fixture.ManualMembership.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Outcome;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.ManualMembership;
import org.tutti.fixture.StartedNodes;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.pack.Batch;
import org.tutti.transport.Address;
import org.tutti.user.Exchange;
import org.tutti.user.Request;

/// Exchanges among all members of a view, over TCP; and what one member does, without an engine.
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PropagateTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final GroupConfig CONFIG = GroupConfig.standard();

  @AutoClose private final StartedNodes nodes = new StartedNodes();

  private Group enter(GroupConfig config) throws IOException {
    return enter(config, MemberConfig.standard());
  }

  private Group enter(GroupConfig config, MemberConfig member) throws IOException {
    Node node = nodes.start(TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan().withSocketDirectory(null)));
    return nodes.all.size() == 1 ? node.create("bank", config, member) : node.join("bank", member);
  }

  private static byte[] array(int... bytes) {
    var array = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      array[i] = (byte) bytes[i];
    }
    return array;
  }

  private static Event.Propagated propagated(Group group) throws InterruptedException {
    return next(group, Event.Propagated.class);
  }

  private static List<Integer> said(Event.Propagated all) {
    return said(all.messages());
  }

  private static List<Integer> said(Map<MemberId, ByteBuffer> messages) {
    return messages.values().stream().map(message -> (int) message.get(0)).toList();
  }

  /// The deliveries before the end of an exchange, and the end.
  private static List<Event> untilPropagated(Group group) throws InterruptedException {
    var events = new ArrayList<Event>();
    do {
      events.add(next(group));
    } while (!(events.getLast() instanceof Event.Propagated));
    return events;
  }

  private static List<Long> positions(List<Event> events) {
    return events.stream()
        .filter(Event.Delivery.class::isInstance)
        .map(event -> ((Event.Delivery) event).position())
        .toList();
  }

  @Test
  void everybodyGetsWhatEverybodySaidAtTheSamePlace() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    View view = untilViewOf(first, 2);
    untilViewOf(second, 2);
    assertThat(first.propagate(array(1))).isTrue();
    for (int i = 0; i < 50; i++) {
      first.multicast(new byte[1]).get(SOON.toSeconds(), TimeUnit.SECONDS);
    }
    assertThat(second.propagate(array(2))).isTrue();
    List<Event> one = untilPropagated(first);
    List<Event> other = untilPropagated(second);
    assertThat(positions(one)).hasSize(50);
    assertThat(one).isEqualTo(other);
    Event.Propagated all = (Event.Propagated) one.getLast();
    assertThat(all.view()).isEqualTo(view);
    assertThat(List.<MemberId>copyOf(all.messages().keySet())).isEqualTo(view.members());
    assertThat(said(all)).containsExactly(1, 2);
    // Once more in the same view; what is propagated takes no position.
    first.propagate(array(3));
    second.propagate(array(4));
    assertThat(said(propagated(first))).containsExactly(3, 4);
    assertThat(said(propagated(second))).containsExactly(3, 4);
    assertThat(first.multicast(new byte[1]).get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(50));
  }

  @Test
  void aViewChangeStartsItAgain() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    untilViewOf(second, 2);
    untilViewOf(first, 2);
    first.propagate(array(1));
    Group third = enter(CONFIG);
    View view = untilViewOf(third, 3);
    third.propagate(array(3));
    second.propagate(array(2));
    List<Event> events = untilPropagated(first);
    assertThat(events).contains(new Event.ViewChange(view));
    Event.Propagated all = (Event.Propagated) events.getLast();
    assertThat(all.view()).isEqualTo(view);
    assertThat(said(all)).containsExactly(1, 2, 3);
    assertThat(propagated(second)).isEqualTo(all);
    assertThat(propagated(third)).isEqualTo(all);
  }

  @Test
  void membersThatCallAtEachViewChangeAreInOneExchange() throws Exception {
    var groups = new ArrayList<Group>();
    for (int i = 0; i < 4; i++) {
      groups.add(enter(CONFIG));
    }
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var ends = new ArrayList<Future<List<Integer>>>();
      for (Group group : groups) {
        ends.add(threads.submit(() -> lastOf(group, groups.size(), groups.indexOf(group))));
      }
      for (Future<List<Integer>> end : ends) {
        assertThat(end.get()).containsExactlyInAnyOrder(0, 1, 2, 3);
      }
    }
  }

  /// Calls at each view change, until all have spoken.
  private static List<Integer> lastOf(Group group, int members, int says) throws InterruptedException {
    while (true) {
      switch (next(group)) {
        case Event.ViewChange _ -> group.propagate(array(says));
        case Event.Propagated(View view, var messages) when view.size() == members -> {
          return said(messages);
        }
        default -> {}
      }
    }
  }

  @Test
  void itWaitsForAPrimaryView() throws Exception {
    GroupConfig config = CONFIG.toBuilder().electorate("n1", "n2", "n3").build();
    Group first = enter(config);
    first.propagate(array(1));
    Group second = enter(config);
    second.propagate(array(2));
    Event.Propagated all = propagated(second);
    assertThat(said(all)).containsExactly(1, 2);
    assertThat(all.view().primary()).isTrue();
    assertThat(propagated(first)).isEqualTo(all);
  }

  @Test
  void theEndIsSaid() throws Exception {
    Group first = enter(CONFIG);
    Group second = enter(CONFIG);
    untilViewOf(second, 2);
    second.propagate(array(1));
    second.leave().get(SOON.toSeconds(), TimeUnit.SECONDS);
    assertThat(next(second)).isInstanceOf(Event.Closed.class);
    assertThatThrownBy(() -> second.propagate(array(1))).isInstanceOf(GroupClosedException.class);
    assertThatThrownBy(() -> first.propagate(new byte[Group.PROPAGATE_BYTES_MAX + 1]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /// Begins an exchange at each view change.
  private static final class Propagator implements GroupListener {
    final CompletableFuture<Group> group = new CompletableFuture<>();
    final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      events.add(position);
    }

    @Override
    public void install(View view) {
      group.join().propagate(array(7));
    }

    @Override
    public void propagated(View view, Map<MemberId, ByteBuffer> messages) {
      if (messages.size() == 2) {
        events.add(said(messages));
      }
    }
  }

  @Test
  void aListenerTakesPart() throws Exception {
    Group first = enter(CONFIG);
    var listener = new Propagator();
    Group second = enter(CONFIG, MemberConfig.builder().listener(listener).build());
    listener.group.complete(second);
    untilViewOf(first, 2);
    first.multicast(new byte[1]).get(SOON.toSeconds(), TimeUnit.SECONDS);
    first.propagate(array(1));
    assertThat(said(propagated(first))).containsExactly(1, 7);
    first.multicast(new byte[1]);
    assertThat(listener.events.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(0L);
    assertThat(listener.events.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(List.of(1, 7));
    assertThat(listener.events.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1L);
  }

  // ---- one member, whose engine is the test ----------------------------------------------------------------------

  private final ManualMembership hand = new ManualMembership(false);
  private final Exchange other = new Exchange(OTHER);
  private long index;

  private void install(int epoch, boolean primary) {
    var view = new View(new ViewId(epoch, 1), List.of(SELF, OTHER), primary, List.of());
    other.begin(view);
    hand.group.install(view);
  }

  private List<ByteBuffer> spoken() {
    return hand.asked(Request.Propagate.class).stream().map(Request.Propagate::payload).toList();
  }

  /// A message gets its place, and is consumed by all.
  private void place(MemberId sender, ByteBuffer message) {
    Batch batch = ManualMembership.batch(Batch.Kind.PROPAGATED, index, bytes(message.duplicate()));
    var sent = new Batch(sender, index, batch.kind(), 0, batch.past(), 1, batch.payload());
    hand.group.deliver(index, sent, 0);
    index++;
  }

  private void placeThatOfOther(int said) {
    place(OTHER, other.message(array(said)));
  }

  @Test
  void oneIsUnderWayUntilTheApplicationHasTakenItsEvent() throws Exception {
    install(1, true);
    assertThat(hand.group.propagate(array(1))).isTrue();
    assertThat(hand.group.propagate(array(2))).isFalse();
    place(SELF, spoken().getFirst());
    placeThatOfOther(5);
    install(2, true);
    assertThat(spoken()).as("the exchange is over").isEmpty();
    assertThat(hand.group.propagate(array(3))).as("its event was not taken").isFalse();
    assertThat(hand.group.receive()).isInstanceOf(Event.ViewChange.class);
    Event.Propagated all = (Event.Propagated) hand.group.receive();
    assertThat(said(all)).containsExactly(1, 5);
    assertThat(all.view().id()).isEqualTo(new ViewId(1, 1));
    assertThat(hand.group.propagate(array(4))).isTrue();
    place(SELF, spoken().getFirst());
    placeThatOfOther(6);
    assertThat(hand.group.receive()).isInstanceOf(Event.ViewChange.class);
    assertThat(said((Event.Propagated) hand.group.receive())).containsExactly(4, 6);
    assertThat(hand.group.consumed()).isEqualTo(index);
  }

  @Test
  void theSamePayloadIsSaidInEachPrimaryViewUntilItIsOver() throws Exception {
    byte[] payload = array(1);
    assertThat(hand.group.propagate(payload)).isTrue();
    payload[0] = 9;
    assertThat(spoken()).as("without a view").isEmpty();
    install(1, false);
    assertThat(spoken()).as("in a view that is not primary").isEmpty();
    install(2, true);
    ByteBuffer late = spoken().getFirst();
    install(3, true);
    place(SELF, late);
    placeThatOfOther(5);
    place(SELF, spoken().getFirst());
    for (int i = 0; i < 3; i++) {
      assertThat(hand.group.receive()).isInstanceOf(Event.ViewChange.class);
    }
    Event.Propagated all = (Event.Propagated) hand.group.receive();
    assertThat(all.view().id()).isEqualTo(new ViewId(3, 1));
    assertThat(said(all)).containsExactly(1, 5);
  }

  @Test
  void withAFullWindowItWaitsForRoomAndNotInTheLine() throws Exception {
    install(1, true);
    hand.group.post(ByteBuffer.allocate(ManualMembership.WINDOW));
    Thread waits =
        Thread.startVirtualThread(() -> {
          try {
            hand.group.post(ByteBuffer.allocate(ManualMembership.WINDOW));
          } catch (InterruptedException | GroupClosedException _) {
            // The test is over.
          }
        });
    ManualMembership.untilBlocked(waits);
    assertThat(hand.group.propagate(array(1))).isTrue();
    assertThat(spoken()).isEmpty();
    hand.group.released(ManualMembership.WINDOW + 16);
    assertThat(spoken()).hasSize(1);
    hand.group.closed(new End(End.Cause.LEFT, "left"));
    waits.join();
  }
}
