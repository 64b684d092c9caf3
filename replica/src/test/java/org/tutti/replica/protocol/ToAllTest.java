package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.ServiceException;

/// A client that sends its commands to all of three replicas, whose words the test says.
class ToAllTest {
  private static final Policy POLICY =
      new Policy(Policy.Dissemination.ALL, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);

  private final ScriptedReplicas replicas = new ScriptedReplicas(POLICY);
  private final ScriptedReplicas.Line first = replicas.first;
  private final List<ScriptedReplicas.Line> lines = replicas.lines;
  private final ClientProtocol client = replicas.client;
  private int outcomes;

  private final class Call extends ClientRequest {
    Call() {
      super(ByteBuffer.allocate(1), null, Long.MAX_VALUE);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      outcomes++;
    }

    @Override
    protected void failed(ServiceException why) {
      throw new IllegalStateException(why);
    }
  }

  @BeforeEach
  void begin() {
    call();
    replicas.opened();
    assertThat(lines).hasSize(2);
  }

  private void call() {
    client.request(new Call());
    client.work();
  }

  private static Frame reply(long number) {
    return ScriptedReplicas.reply(number, 0);
  }

  @Test
  void aCommandGoesToAllUnderOneNumberAndTheFirstReplyCounts() {
    lines.forEach(ScriptedReplicas.Line::welcome);
    call();
    assertThat(lines).extracting(line -> line.at).doesNotContainNull().doesNotContain(first.at).doesNotHaveDuplicates();
    assertThat(first.calls()).containsExactly(1L, 2L);
    assertThat(lines).allSatisfy(line -> assertThat(line.calls()).containsExactly(1L, 2L));
    lines.getFirst().hears(reply(1));
    assertThat(outcomes).isEqualTo(1);
    first.hears(reply(1));
    lines.getLast().hears(reply(1));
    assertThat(outcomes).as("the others' replies are nothing new").isEqualTo(1);
  }

  @Test
  void aReplicaThatComesLaterGetsWhatHasNoReplyInOrder() {
    lines.forEach(ScriptedReplicas.Line::welcome);
    call();
    call();
    first.hears(reply(1));
    first.hears(new Frame.Replicas(List.of("r0:1", "r1:1", "r2:1", "r3:1")));
    assertThat(lines).hasSize(3);
    ScriptedReplicas.Line late = lines.getLast();
    assertThat(late.at).isEqualTo("r3:1");
    late.welcome();
    assertThat(late.calls()).containsExactly(2L, 3L);
  }

  @Test
  void aReplicaThatDoesNotServeYetIsAskedAgainWithinASecond() {
    lines.forEach(ScriptedReplicas.Line::welcome);
    ScriptedReplicas.Line late = lines.getLast();
    late.hears(new Frame.Away(List.of()));
    assertThat(late.at).isNull();
    replicas.now += 1_000_000_000;
    client.work();
    assertThat(late.at).as("although a silent one would be waited for longer").isNotNull();
    late.welcome();
    assertThat(late.calls()).as("what has no reply").containsExactly(1L, 1L);
  }

  @Test
  void aReplicaThatHasGoneIsLeft() {
    lines.forEach(ScriptedReplicas.Line::welcome);
    ScriptedReplicas.Line gone = lines.getFirst();
    String address = gone.at;
    first.hears(new Frame.Replicas(ScriptedReplicas.ADDRESSES.stream().filter(each -> !each.equals(address)).toList()));
    assertThat(gone.at).isNull();
    call();
    assertThat(gone.calls()).containsExactly(1L);
    assertThat(lines.getLast().calls()).containsExactly(1L, 2L);
  }

  @Test
  void aCommandIsAnsweredByAnotherReplicaWhenTheFirstOneSaysNothing() {
    lines.forEach(ScriptedReplicas.Line::welcome);
    client.disconnected("reset");
    lines.getLast().hears(reply(1));
    assertThat(outcomes).isEqualTo(1);
  }
}
