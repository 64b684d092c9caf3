package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.replica.Policy;
import org.tutti.replica.Read;
import org.tutti.replica.Replication;
import org.tutti.replica.ServiceException;
import org.tutti.replica.StateComparison;

/// A client of three replicas, whose words the test says.
class ClientProtocolTest {
  private static final Policy POLICY =
      new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);

  private final ScriptedReplicas replicas = new ScriptedReplicas(POLICY);
  private final ClientProtocol client = replicas.client;

  private static final class Call extends ClientRequest {
    Call() {
      super(ByteBuffer.allocate(1), null, Long.MAX_VALUE);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {}

    @Override
    protected void failed(ServiceException why) {
      throw new IllegalStateException(why);
    }
  }

  /// Goes on until the client connects once more.
  ///
  /// @return after how much of the time of silence
  private double untilItConnects() {
    long begun = replicas.now;
    for (replicas.first.at = null; replicas.first.at == null; client.work()) {
      replicas.now = Math.max(replicas.now, client.deadlineNanos());
    }
    return (double) (replicas.now - begun) / ScriptedReplicas.SILENCE_NANOS;
  }

  /// The replica that it was at is cut off, and so are, for a while, all others.
  @Test
  void whoHasLeftASilentReplicaAsksTheOthersForAShorterTimeFirst() {
    client.request(new Call());
    client.work();
    replicas.opened();
    assertThat(untilItConnects()).as("to be silent with a call open").isBetween(0.99, 1.01);
    List<Double> patience = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      patience.add(untilItConnects());
    }
    assertThat(patience.subList(0, 2)).allSatisfy(one -> assertThat(one).isBetween(0.24, 0.27));
    assertThat(patience.subList(2, 5)).allSatisfy(one -> assertThat(one).isBetween(0.49, 0.53));
    assertThat(patience.subList(5, 9)).allSatisfy(one -> assertThat(one).isBetween(0.99, 1.03));
    replicas.first.welcome();
    assertThat(replicas.first.calls()).as("asked again").endsWith(1L);
  }

  /// A client that nobody has told of a replica.
  private static final class Lonely implements ClientProtocol.Host, ClientProtocol.Line {
    final List<String> tried = new ArrayList<>();
    final ClientProtocol client = new ClientProtocol("service", List.of(), ScriptedReplicas.SILENCE_NANOS, this);
    long now;
    int lookUps;

    @Override
    public ClientProtocol.Line first() {
      return this;
    }

    @Override
    public void lookUp() {
      lookUps++;
    }

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public RandomGenerator random() {
      return new SplittableRandom(1);
    }

    @Override
    public void connect(String address) {
      tried.add(address);
    }

    @Override
    public void disconnect() {}

    @Override
    public void send(ByteBuffer frame) {}

    void goOn() {
      now = Math.max(now, client.deadlineNanos());
      client.work();
    }
  }

  @Test
  void whoKnowsNobodyLooksUpAndGoesWhereItIsTold() {
    var lonely = new Lonely();
    lonely.client.work();
    assertThat(lonely.lookUps).as("at the start").isEqualTo(1);
    lonely.goOn();
    assertThat(lonely.lookUps).as("again, after a while").isEqualTo(2);
    assertThat(lonely.tried).isEmpty();
    lonely.client.found(List.of("a:1", "b:1"));
    lonely.client.work();
    assertThat(lonely.tried).as("at once").containsExactly("a:1");
  }

  @Test
  void whoHasTriedAllLooksUpAgainAndGoesToWhoIsNew() {
    var lonely = new Lonely();
    lonely.client.found(List.of("a:1", "b:1"));
    lonely.client.work();
    lonely.client.disconnected("refused");
    lonely.goOn();
    assertThat(lonely.tried).containsExactly("a:1", "b:1");
    assertThat(lonely.lookUps).as("one is left to be tried").isEqualTo(1);
    lonely.client.disconnected("refused");
    lonely.goOn();
    assertThat(lonely.lookUps).as("all were tried").isEqualTo(2);
    lonely.client.disconnected("refused");
    lonely.client.found(List.of("b:1", "c:1"));
    lonely.client.work();
    assertThat(lonely.tried).last().isEqualTo("c:1");
    assertThat(lonely.client.candidates()).as("the answer before is void").containsExactly("b:1", "c:1");
    lonely.client.connected();
    lonely.client.found(List.of("d:1"));
    lonely.client.work();
    assertThat(lonely.tried).as("no reason to leave").last().isEqualTo("c:1");
  }

  private static final class Comparison extends ClientRequest {
    @Nullable StateComparison found;

    Comparison() {
      super(ByteBuffer.allocate(0), Read.LINEARIZABLE, Long.MAX_VALUE);
      compares();
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      throw new IllegalStateException("the service was not asked");
    }

    @Override
    protected void compared(StateComparison outcome) {
      found = outcome;
    }

    @Override
    protected void failed(ServiceException why) {
      throw new IllegalStateException(why);
    }
  }

  @Test
  void aComparisonIsAskedForAgainElsewhereAndHasOneOutcome() {
    var comparison = new Comparison();
    client.request(comparison);
    assertThat(replicas.first.said).endsWith(new Frame.Compare(1));
    replicas.first.said.clear();
    untilItConnects();
    replicas.first.welcome();
    assertThat(replicas.first.said).contains(new Frame.Compare(1));
    replicas.first.hears(new Frame.Answer(1, false, 3, ByteBuffer.allocate(1))); // of nothing that was asked
    assertThat(comparison.found).isNull();
    var outcome = new StateComparison(7, new TreeMap<>(Map.of("n1", 3L)), List.of("n2"));
    replicas.first.hears(new Frame.Compared(1, outcome));
    assertThat(comparison.found).isEqualTo(outcome);
    comparison.found = null;
    replicas.first.hears(new Frame.Compared(1, outcome));
    assertThat(comparison.found).isNull();
  }

  @Test
  void aComparisonThatIsNotWantedAnyMoreIsWithdrawn() {
    var comparison = new Comparison();
    client.request(comparison);
    assertThat(client.cancel(comparison)).isTrue();
    assertThat(replicas.first.said).endsWith(new Frame.Compare(1), new Frame.Forget(1));
  }

  @Test
  void eightComparisonsAreAskedForAtOnceAndOthersWhenOneOfTheseIsOver() {
    List<Comparison> comparisons = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      comparisons.add(new Comparison());
      client.request(comparisons.getLast());
    }
    assertThat(replicas.first.said).filteredOn(Frame.Compare.class::isInstance).hasSize(8);
    replicas.first.hears(new Frame.Compared(3, new StateComparison(7, new TreeMap<>(), List.of())));
    assertThat(replicas.first.said).last().isEqualTo(new Frame.Compare(9));
    client.cancel(comparisons.getFirst());
    assertThat(replicas.first.said).endsWith(new Frame.Forget(1), new Frame.Compare(10));
    client.cancel(comparisons.getLast()); // which was not asked for
    for (long id = 1; id < 20; id++) {
      replicas.first.hears(new Frame.Compared(id, new StateComparison(8, new TreeMap<>(), List.of())));
    }
    assertThat(comparisons.subList(1, 19)).allMatch(comparison -> comparison.found != null);
  }
}
