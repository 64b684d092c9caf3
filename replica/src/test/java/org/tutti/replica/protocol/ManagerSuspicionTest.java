package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.ViewId;
import org.tutti.replica.Policy;
import org.tutti.replica.Policy.Collection;
import org.tutti.replica.Policy.Dissemination;
import org.tutti.replica.Replication;
import org.tutti.replica.ServiceException;
import org.tutti.transport.Address;

/// A client that sends its commands to the manager of three replicas, and to all while it suspects the manager. The
/// test says the replicas' words.
class ManagerSuspicionTest {
  private static final long SECOND = 1_000_000_000;
  private static final long AFTER = 10 * SECOND; // pings are further apart

  private static final List<MemberId> MEMBERS =
      Stream.of("r0", "r1", "r2").map(name -> new MemberId(name, new Address(name + ":9"), 1)).toList();

  private final List<Call> answered = new ArrayList<>();
  private final ScriptedReplicas replicas = begin(Collection.FIRST);
  private final ScriptedReplicas.Line first = replicas.first;
  private final List<ScriptedReplicas.Line> lines = replicas.lines;
  private final ClientProtocol client = replicas.client;

  private ScriptedReplicas begin(Collection collection) {
    var begun = new ScriptedReplicas(policy(Dissemination.MANAGER, collection), AFTER);
    begun.client.request(new Call());
    begun.client.work();
    begun.opened();
    assertThat(begun.lines).hasSize(2);
    begun.lines.forEach(ScriptedReplicas.Line::welcome);
    return begun;
  }

  private static Policy policy(Dissemination dissemination, Collection collection) {
    return new Policy(dissemination, collection, Replication.ACTIVE, Ordering.SEQUENCER);
  }

  private final class Call extends ClientRequest {
    Call() {
      super(ByteBuffer.allocate(1), null, Long.MAX_VALUE);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      answered.add(this);
    }

    @Override
    protected void failed(ServiceException why) {
      throw new IllegalStateException(why);
    }
  }

  private Call call() {
    var call = new Call();
    client.request(call);
    client.work();
    return call;
  }

  private static Frame reply(long number) {
    return ScriptedReplicas.reply(number, 0);
  }

  private void passes(long nanos) {
    replicas.now += nanos;
    client.work();
  }

  private void breaks() {
    client.disconnected("reset");
    client.work();
  }

  private void othersHave(Long... numbers) {
    assertThat(lines).allSatisfy(line -> assertThat(line.calls()).containsExactly(numbers));
  }

  private static void breaks(ScriptedReplicas.Line line) {
    Objects.requireNonNull(line.of).disconnected();
  }

  private void silent() {
    assertThat(client.deadlineNanos()).isLessThanOrEqualTo(replicas.now + AFTER);
    passes(AFTER);
  }

  @Test
  void othersAreConnectedAndGetNothingWhileTheManagerAnswers() {
    for (long number = 1; number <= 5; number++) {
      passes(AFTER - 1);
      first.hears(reply(number));
      call();
    }
    othersHave();
    assertThat(client.suspicions()).isZero();
    int anyway = policy(Dissemination.ALL, Collection.FIRST).code();
    assertThat(lines)
        .as("whoever is the manager takes them")
        .allSatisfy(line -> assertThat(line.said.getFirst()).isEqualTo(new Frame.Hello("service", anyway)));
  }

  @Test
  void whatHasNoReplyAndEachLaterCommandGoesToAllWhenTheManagerIsSilent() {
    call();
    call();
    first.hears(reply(1));
    silent();
    othersHave(2L, 3L);
    call();
    othersHave(2L, 3L, 4L);
    assertThat(first.calls()).as("also to the manager, once").containsExactly(1L, 2L, 3L, 4L);
    lines.getLast().hears(reply(2));
    lines.getFirst().hears(reply(2));
    assertThat(answered).hasSize(2);
    assertThat(client.suspicions()).isOne();
  }

  @Test
  void whoHasNothingToAnswerIsNotSilent() {
    first.hears(reply(1));
    passes(AFTER + SECOND);
    call();
    passes(AFTER - 1);
    othersHave();
    first.hears(new Frame.Pong());
    passes(AFTER - 1);
    othersHave();
    passes(1);
    othersHave(2L);
  }

  @Test
  void theManagerIsAloneAgainWhenItHasAnsweredOne() {
    silent();
    call();
    othersHave(1L, 2L);
    lines.getFirst().hears(reply(1));
    first.hears(new Frame.Pong());
    call();
    othersHave(1L, 2L, 3L);
    first.hears(reply(2));
    call();
    othersHave(1L, 2L, 3L);
    assertThat(client.suspicions()).isOne();
    silent();
    othersHave(1L, 2L, 3L, 3L, 4L);
    assertThat(client.suspicions()).isEqualTo(2);
  }

  @Test
  void aBrokenConnectionIsReasonEnough() {
    breaks();
    othersHave(1L);
    Call next = call();
    othersHave(1L, 2L);
    assertThat(first.calls()).as("nobody is there").containsExactly(1L);
    lines.getLast().hears(reply(1));
    lines.getLast().hears(reply(2));
    assertThat(answered).hasSize(2).contains(next);
  }

  @Test
  void timePassesBetweenTwoLooksAtTheClock() {
    replicas.passes = 1;
    breaks();
    othersHave(1L);
    assertThat(client.deadlineNanos()).isGreaterThan(replicas.now);
  }

  @Test
  void aConnectionThatBreaksIsNothingToWhoWaitsForNothing() {
    first.hears(reply(1));
    breaks();
    assertThat(client.suspicions()).isZero();
    first.welcome();
    call();
    othersHave();
    first.hears(reply(2));
    breaks();
    call();
    assertThat(lines)
        .as("one is to be connected to the manager before")
        .anySatisfy(line -> {
          assertThat(line.calls()).containsExactly(3L);
        });
    assertThat(client.suspicions()).isOne();
  }

  @Test
  void theNextManagerGetsWhatHasNoReplyInOrderAndIsAloneWhenItHasAnswered() {
    breaks();
    call();
    call();
    lines.getLast().hears(reply(1));
    String next = first.at;
    assertThat(lines).extracting(line -> line.at).as("as long as it is not the manager").contains(next);
    first.welcome();
    assertThat(first.calls()).containsExactly(1L, 2L, 3L);
    assertThat(lines).extracting(line -> line.at).doesNotContain(next);
    first.hears(reply(2));
    first.hears(reply(3));
    lines.forEach(line -> line.said.clear());
    call();
    othersHave();
    assertThat(answered).hasSize(3);
  }

  @Test
  void aReplicaThatComesLaterGetsCommandsOnlyWhileTheManagerIsSuspected() {
    ScriptedReplicas.Line late = lines.getLast();
    breaks(late);
    passes(SECOND);
    late.welcome();
    assertThat(late.calls()).isEmpty();
    breaks(late);
    silent();
    call();
    assertThat(late.calls()).isEmpty();
    assertThat(late.at).isNotNull();
    late.welcome();
    assertThat(late.calls()).containsExactly(1L, 2L);
  }

  @Test
  void commandsWaitWithoutANumberUntilSomebodyIsThere() {
    first.hears(reply(1));
    lines.forEach(ManagerSuspicionTest::breaks);
    breaks();
    call();
    othersHave();
    passes(SECOND);
    assertThat(lines.getFirst().at).as("although there is no first connection").isNotNull();
    lines.getFirst().welcome();
    assertThat(lines.getFirst().calls()).containsExactly(2L);
  }

  @Test
  void whatStillHasNoReplyIsSentToAllAgain() {
    breaks();
    othersHave(1L);
    lines.forEach(line -> line.hears(new Frame.Refused(ScriptedReplicas.SESSION, 1, SessionTable.Refusal.FULL)));
    passes(ScriptedReplicas.SILENCE_NANOS - 1);
    othersHave(1L);
    assertThat(client.deadlineNanos()).isLessThanOrEqualTo(replicas.now + 1);
    lines.forEach(line -> line.hears(new Frame.Pong()));
    passes(1);
    othersHave(1L, 1L);
    assertThat(client.suspicions()).isOne();
  }

  @Test
  void toBeSentToTheManagerIsNoSuspicion() {
    String manager = "r0:1".equals(first.at) ? "r1:1" : "r0:1";
    first.hears(new Frame.Redirected(manager));
    assertThat(first.at).isEqualTo(manager);
    othersHave();
    assertThat(client.suspicions()).isZero();
  }

  /// Who collects several replies waits for all, but the command has been executed.
  @Test
  void aCommandThatAnotherHasAnsweredIsNoReason() {
    ScriptedReplicas collecting = begin(Collection.ALL);
    ScriptedReplicas.Line other = collecting.lines.getFirst();
    other.hears(new Frame.Live(new ViewId(1, 1), MEMBERS.getLast(), MEMBERS, MEMBERS));
    other.hears(reply(1));
    collecting.now += 2 * AFTER;
    collecting.client.work();
    assertThat(collecting.client.suspicions()).isZero();
    collecting.client.request(new Call());
    collecting.now += AFTER;
    collecting.client.work();
    assertThat(collecting.client.suspicions()).isOne();
    assertThat(other.calls()).contains(2L);
  }

  @Test
  void onlyWhoSendsToTheManagerCanSuspectIt() {
    var all = new ScriptedReplicas(policy(Dissemination.ALL, Collection.FIRST));
    assertThatThrownBy(() -> all.client.allOnSuspicion(AFTER)).hasMessageContaining("does not send to the manager");
  }
}
