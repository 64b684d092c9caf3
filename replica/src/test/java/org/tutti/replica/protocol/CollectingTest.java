package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.ViewId;
import org.tutti.replica.Answer;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.RepliesDifferException;
import org.tutti.replica.ServiceException;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Reply;
import org.tutti.transport.Address;

/// A client that collects the replies of three replicas, whose words the test says.
class CollectingTest {
  private static final List<MemberId> MEMBERS =
      Stream.of("r0", "r1", "r2").map(name -> new MemberId(name, new Address(name + ":9"), 1)).toList();

  private final List<Consolidated<Answer>> outcomes = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private ScriptedReplicas replicas = begin(Policy.Dissemination.MANAGER, Policy.Collection.ALL);

  private final class Call extends ClientRequest {
    private final boolean collects;

    Call(long deadline, boolean collects) {
      super(ByteBuffer.allocate(1), null, deadline);
      this.collects = collects;
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      failures.add("none, but " + reply.get() + " at " + position);
    }

    @Override
    protected void failed(ServiceException why) {
      failures.add(why.getClass().getSimpleName() + ": " + why.getMessage());
    }

    @Override
    protected void collected(Consolidated<Answer> outcome) {
      if (collects) {
        outcomes.add(outcome);
      } else {
        super.collected(outcome);
      }
    }
  }

  private ScriptedReplicas begin(Policy.Dissemination dissemination, Policy.Collection collection) {
    return new ScriptedReplicas(new Policy(dissemination, collection, Replication.ACTIVE, Ordering.SEQUENCER));
  }

  private void call(long deadline, boolean collects) {
    replicas.client.request(new Call(deadline, collects));
    replicas.client.work();
    if (replicas.client.session() == 0) {
      replicas.opened();
      replicas.lines.forEach(ScriptedReplicas.Line::welcome);
    }
  }

  private List<ScriptedReplicas.Line> all() {
    return Stream.concat(Stream.of(replicas.first), replicas.lines.stream()).toList();
  }

  private static MemberId member(ScriptedReplicas.Line line) {
    return MEMBERS.stream().filter(one -> (one.name() + ":1").equals(line.at)).findFirst().orElseThrow();
  }

  /// The replica of a connection tells its view.
  private static Frame live(long view, @Nullable ScriptedReplicas.Line at, List<MemberId> members) {
    MemberId self = at == null ? members.getFirst() : member(at);
    return new Frame.Live(new ViewId(view, 1), self, members, members);
  }

  private void answers(ScriptedReplicas.Line line, int value) {
    line.hears(live(1, line, MEMBERS));
    line.hears(ScriptedReplicas.reply(1, value));
  }

  private static Set<MemberId> departed(Consolidated<Answer> outcome) {
    return outcome instanceof Consolidated.ReducedMembership<Answer> less ? less.departed() : Set.of();
  }

  private static Set<MemberId> silent(Consolidated<Answer> outcome) {
    return outcome instanceof Consolidated.Timeout<Answer> late ? late.silent() : Set.of();
  }

  @Test
  void theManagerGetsTheCommandAndAllAnswer() {
    call(Long.MAX_VALUE, true);
    assertThat(replicas.first.calls()).containsExactly(1L);
    assertThat(replicas.lines).hasSize(2).allSatisfy(line -> assertThat(line.calls()).isEmpty());
    assertThat(replicas.lines)
        .allSatisfy(line ->
            assertThat(line.said.getFirst())
                .as("any replica serves who wants its reply")
                .isInstanceOfSatisfying(
                    Frame.Hello.class, hello -> assertThat(Policy.of(hello.policy())).hasToString("D2 C2 R2 O1")));
    answers(all().get(0), 5);
    answers(all().get(2), 5);
    assertThat(outcomes).isEmpty();
    assertThat(replicas.client.awaitsCommands()).isTrue();
    answers(all().get(1), 5);
    assertThat(outcomes)
        .singleElement()
        .isInstanceOf(Consolidated.Success.class)
        .satisfies(outcome -> assertThat(outcome.replies()).hasSize(3));
    assertThat(replicas.client.awaitsCommands()).isFalse();
  }

  @Test
  void aMajorityIsEnoughAndTheLastReplyIsNothingNew() {
    replicas = begin(Policy.Dissemination.ALL, Policy.Collection.MAJORITY);
    call(Long.MAX_VALUE, true);
    assertThat(all()).allSatisfy(line -> assertThat(line.calls()).containsExactly(1L));
    answers(all().get(1), 5);
    assertThat(outcomes).isEmpty();
    answers(all().get(2), 5);
    answers(all().get(0), 5);
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Success.class);
  }

  @Test
  void aReplyThatComesAgainCountsOnce() {
    call(Long.MAX_VALUE, true);
    answers(all().get(0), 5);
    answers(all().get(0), 5);
    answers(all().get(1), 5);
    assertThat(outcomes).isEmpty();
  }

  @Test
  void whoLeavesIsNotWaitedForAndNamed() {
    call(Long.MAX_VALUE, true);
    ScriptedReplicas.Line gone = all().get(2);
    MemberId departed = member(gone);
    answers(all().get(0), 5);
    answers(all().get(1), 5);
    List<MemberId> left = MEMBERS.stream().filter(one -> !one.equals(departed)).toList();
    replicas.first.hears(live(2, replicas.first, left));
    assertThat(outcomes)
        .singleElement()
        .satisfies(outcome -> assertThat(departed(outcome)).isEqualTo(Set.of(departed)));
  }

  @Test
  void aViewThatWasToldLateTakesNobodyAway() {
    call(Long.MAX_VALUE, true);
    ScriptedReplicas.Line late = all().get(2);
    replicas.first.hears(live(3, replicas.first, MEMBERS));
    late.hears(live(2, late, List.of(member(late))));
    replicas.first.hears(ScriptedReplicas.reply(1, 5));
    assertThat(outcomes).as("the view of one member is older").isEmpty();
  }

  @Test
  void aCommandThatIsGivenUpWithSomeRepliesLeavesTheWindow() {
    call(Long.MAX_VALUE, true);
    var second = new Call(Long.MAX_VALUE, true);
    replicas.client.request(second);
    answers(all().get(0), 5);
    replicas.first.hears(ScriptedReplicas.reply(2, 5));
    replicas.client.cancel(second);
    answers(all().get(1), 5);
    answers(all().get(2), 5);
    assertThat(outcomes).as("of the first one").hasSize(1);
    assertThat(replicas.client.isIdle()).as("nobody will answer to the second one any more").isTrue();
  }

  @Test
  void whoHasLeftBeforeTheFirstReplyCameIsNotWaitedFor() {
    call(Long.MAX_VALUE, true);
    ScriptedReplicas.Line survivor = all().get(1);
    survivor.hears(live(2, survivor, List.of(member(survivor))));
    answers(all().get(0), 5); // in the view before
    assertThat(outcomes).isEmpty();
    survivor.hears(ScriptedReplicas.reply(1, 5));
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.ReducedMembership.class);
  }

  @Test
  void viewsOfReplicasThatHaveLostTheirStateAreNotOlder() {
    call(Long.MAX_VALUE, true);
    replicas.first.hears(live(9, replicas.first, MEMBERS));
    replicas.first.hears(new Frame.Refused(ScriptedReplicas.SESSION, 0, SessionTable.Refusal.EXPIRED));
    assertThat(failures).singleElement().asString().startsWith("SessionExpiredException");
    replicas.client.request(new Call(Long.MAX_VALUE, true));
    replicas.opened();
    List<MemberId> alone = List.of(member(replicas.first));
    replicas.first.hears(live(2, replicas.first, alone));
    replicas.first.hears(ScriptedReplicas.reply(1, 5));
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Success.class);
  }

  @Test
  void whoDoesNotServeIsNotAsked() {
    call(Long.MAX_VALUE, true);
    MemberId self = member(replicas.first);
    replicas.first.hears(new Frame.Live(new ViewId(1, 1), self, MEMBERS, List.of(self)));
    replicas.first.hears(ScriptedReplicas.reply(1, 5));
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Success.class);
  }

  @Test
  void theDeadlineForcesAnOutcome() {
    call(1000, true);
    answers(all().get(1), 5);
    replicas.now = 1000;
    replicas.client.work();
    assertThat(outcomes)
        .singleElement()
        .satisfies(outcome -> {
          assertThat(outcome.replies()).hasSize(1);
          assertThat(silent(outcome)).hasSize(2);
        });
    assertThat(replicas.client.awaitsCommands()).as("it was executed").isFalse();
  }

  @Test
  void aCommandWithoutAnyReplyIsSentAsOneToSkipWhenItsTimeIsOver() {
    call(1000, true);
    replicas.now = 1000;
    replicas.client.work();
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Timeout.class);
    assertThat(replicas.client.awaitsCommands()).isTrue();
    replicas.first.hears(new Frame.Refused(ScriptedReplicas.SESSION, 1, SessionTable.Refusal.FULL));
    replicas.now += 10_000_000;
    replicas.client.work();
    assertThat(replicas.first.said)
        .last()
        .isInstanceOfSatisfying(Frame.Call.class, again -> assertThat(again.skip()).isTrue());
    answers(all().get(1), 5);
    assertThat(replicas.client.awaitsCommands()).isFalse();
    assertThat(outcomes).hasSize(1);
  }

  @Test
  void aCallGetsTheReplyThatWasChosen() {
    call(Long.MAX_VALUE, false);
    answers(all().get(0), 5);
    answers(all().get(1), 6);
    answers(all().get(2), 6);
    assertThat(failures).containsExactly("none, but 6 at 1");
  }

  @Test
  void aCallFailsWhenRepliesDifferOrAreMissing() {
    call(1000, false);
    answers(all().get(0), 5);
    answers(all().get(1), 6);
    answers(all().get(2), 7);
    assertThat(failures).singleElement().asString().startsWith(RepliesDifferException.class.getSimpleName());
    replicas.client.request(new Call(2000, false));
    replicas.first.hears(ScriptedReplicas.reply(2, 5));
    replicas.now = 2000;
    replicas.client.work();
    assertThat(failures)
        .last()
        .asString()
        .startsWith(CallTimeoutException.class.getSimpleName() + ": the deadline came with replies of [")
        .contains("none of [");
  }

  // ---- in bundles --------------------------------------------------------------------------------------------------

  private void bundled(Policy.Collection collection) {
    replicas =
        ScriptedReplicas.bundled(
            new Policy(Policy.Dissemination.MANAGER, collection, Replication.ACTIVE, Ordering.SEQUENCER));
  }

  /// A bundle of the replies of as many members as there are values.
  private static Frame bundle(long number, List<MemberId> gone, int... values) {
    List<Reply<CommandReply>> replies = new ArrayList<>();
    for (int value : values) {
      ByteBuffer payload = ByteBuffer.allocate(1).put(0, (byte) value);
      var reply = new CommandReply(CommandReply.Status.DONE, number, payload);
      replies.add(new Reply<>(MEMBERS.get(replies.size()), reply));
    }
    return new Frame.Bundle(ScriptedReplicas.SESSION, number, MEMBERS, gone, replies);
  }

  @Test
  void theManagerIsTheOnlyOneWhoseBundlesAreWanted() {
    bundled(Policy.Collection.ALL);
    call(Long.MAX_VALUE, true);
    assertThat(replicas.lines).isEmpty();
    assertThat(replicas.first.said.getFirst())
        .isInstanceOfSatisfying(
            Frame.Hello.class,
            hello -> {
              assertThat(hello.policy() & Frame.BUNDLED).isNotZero();
              assertThat(Policy.of(hello.policy() & ~Frame.BUNDLED)).hasToString("D1 C2 R2 O1");
            });
    replicas.first.hears(bundle(1, List.of(), 5, 5, 5));
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Success.class);
    assertThat(outcomes.getFirst().replies()).extracting(Reply::member).isEqualTo(MEMBERS);
    assertThat(replicas.client.awaitsCommands()).isFalse();
  }

  @Test
  void aBundleSaysWhoHasLeftAndWhetherRepliesDiffer() {
    bundled(Policy.Collection.ALL);
    call(Long.MAX_VALUE, true);
    replicas.first.hears(bundle(1, List.of(MEMBERS.get(2)), 5, 5));
    assertThat(departed(outcomes.getFirst())).containsExactly(MEMBERS.get(2));
    call(Long.MAX_VALUE, true);
    replicas.first.hears(bundle(2, List.of(), 5, 6, 7));
    assertThat(outcomes.get(1)).isInstanceOf(Consolidated.Inconsistent.class);
    call(Long.MAX_VALUE, false);
    replicas.first.hears(bundle(3, List.of(), 5, 6, 7));
    assertThat(failures).singleElement().asString().startsWith(RepliesDifferException.class.getSimpleName());
  }

  @Test
  void aBundleThatIsNotCompleteAndAReplyOfTheManagerAloneAreNoOutcome() {
    bundled(Policy.Collection.MAJORITY);
    call(Long.MAX_VALUE, true);
    replicas.first.hears(ScriptedReplicas.reply(1, 5));
    replicas.first.hears(bundle(1, List.of(), 5));
    assertThat(outcomes).isEmpty();
    replicas.first.hears(bundle(1, List.of(), 5, 5));
    replicas.first.hears(bundle(1, List.of(), 5, 5));
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Success.class);
  }

  @Test
  void withoutABundleTheDeadlineComesWithoutReplies() {
    bundled(Policy.Collection.ALL);
    call(1000, true);
    replicas.now = 1000;
    replicas.client.work();
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Timeout.class);
    assertThat(replicas.client.awaitsCommands()).as("it keeps its number").isTrue();
    replicas.first.hears(bundle(1, List.of(), 5, 5, 5));
    assertThat(outcomes).hasSize(1);
    assertThat(replicas.client.awaitsCommands()).isFalse();
  }

  @Test
  void whoSendsToAllOrCollectsOneGetsNoBundles() {
    for (Policy policy : Policy.all()) {
      if (policy.dissemination() == Policy.Dissemination.ALL || !policy.collectsSeveral()) {
        assertThatIllegalStateException().isThrownBy(() -> ScriptedReplicas.bundled(policy));
      }
    }
  }
}
