package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.ServiceException;

/// A client of three replicas, whose words the test says.
class ClientProtocolTest {
  private static final Policy POLICY =
      new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);

  private final ScriptedReplicas replicas = new ScriptedReplicas(POLICY);
  private final ClientProtocol client = replicas.client;

  private static final class Call extends ClientProtocol.Request {
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
}
