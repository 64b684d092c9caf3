package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.replica.Answer;
import org.tutti.replica.consolidation.Consistency;
import org.tutti.replica.consolidation.Consolidated;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.protocol.GroupCallProtocol.Execution;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;

/// One member's side of calls, with the events of the group by hand.
class GroupCallProtocolTest {
  private static final MemberId A = member("a");
  private static final MemberId B = member("b");
  private static final MemberId C = member("c");
  private static final Consolidation ALL = Consolidation.all().consistent(Consistency.ANY);

  private final List<ByteBuffer> replies = new ArrayList<>();
  private final List<GroupCallMessage> announced = new ArrayList<>();
  private final List<Consolidated<Answer>> outcomes = new ArrayList<>();
  private final GroupCallProtocol protocol = of(A);

  private static MemberId member(String name) {
    return new MemberId(name, new Address(name), 1);
  }

  private GroupCallProtocol of(MemberId self) {
    return new GroupCallProtocol(
        self,
        new GroupCallProtocol.Port() {
          @Override
          public void reply(ByteBuffer message) {
            replies.add(message);
          }

          @Override
          public void announce(ByteBuffer message) {
            announced.add(read(message));
          }
        });
  }

  private static GroupCallMessage read(ByteBuffer message) {
    try {
      return GroupCallMessage.read(message.duplicate());
    } catch (Malformed malformed) {
      throw new AssertionError(malformed);
    }
  }

  private static View view(long number, int voters, MemberId... members) {
    return new View(new ViewId(number, 1), List.of(members), voters, true, List.of(new ViewId(number - 1, 1)));
  }

  private static Answer answer(int value, long position) {
    return new Answer(false, ByteBuffer.wrap(new byte[] {(byte) value}), position);
  }

  private long call(Consolidation rule) {
    return protocol.begin(rule, 0, outcomes::add);
  }

  private static ByteBuffer request(long number) {
    return new GroupCallMessage.Call(number, ByteBuffer.wrap(new byte[] {7})).encode();
  }

  private void reply(MemberId by, long number, Answer answer) {
    assertThat(protocol.delivered(by, -1, new GroupCallMessage.Reply(A, number, answer).encode())).isNull();
  }

  private void execute(long number, long position) {
    Execution execution = protocol.delivered(A, position, request(number));
    assertThat(execution).isNotNull();
    protocol.answered(execution, answer(1, position));
  }

  @Test
  void messagesComeBackAsTheyWere() {
    for (GroupCallMessage message :
        List.of(
            new GroupCallMessage.Call(3, ByteBuffer.wrap(new byte[] {1, 2})),
            new GroupCallMessage.Call(0, ByteBuffer.allocate(0)),
            new GroupCallMessage.Reply(B, 9, answer(4, -1)),
            new GroupCallMessage.Reply(B, 9, new Answer(true, ByteBuffer.allocate(0), 12)),
            new GroupCallMessage.Skipped(0, 7))) {
      assertThat(read(message.encode())).isEqualTo(message);
    }
  }

  @Test
  void damagedMessagesAreRefusedOrRead() {
    var random = new Random(1);
    byte[] whole = new GroupCallMessage.Reply(B, 9, answer(4, 3)).encode().array();
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      ByteBuffer some = ByteBuffer.wrap(damaged, 0, random.nextInt(damaged.length + 1)).slice();
      try {
        GroupCallMessage.read(some);
      } catch (Malformed _) {
        // As it should be.
      }
    }
    assertThatThrownBy(() -> GroupCallMessage.read(ByteBuffer.wrap(new byte[] {4}))).isInstanceOf(Malformed.class);
  }

  @Test
  void repliesBeforeTheOwnDeliveryCount() {
    protocol.installed(view(1, 2, A, B));
    long number = call(ALL);
    reply(B, number, answer(2, 0));
    assertThat(outcomes).isEmpty();
    execute(number, 0);
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Success.class);
    assertThat(protocol.open()).isZero();
    assertThat(protocol.deadline()).isNull();
  }

  @Test
  void observersAreNotAskedAndDoNotAnswer() {
    protocol.installed(view(1, 1, A, B));
    long number = call(ALL);
    execute(number, 0);
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.Success.class);

    GroupCallProtocol observer = of(B);
    observer.installed(view(1, 1, A, B));
    Execution execution = observer.delivered(A, 0, request(1));
    assertThat(execution).isNotNull();
    observer.answered(execution, answer(1, 0));
    observer.resumed(9);
    assertThat(replies).isEmpty();
    assertThat(announced).isEmpty();
  }

  @Test
  void whoSkipsACallIsNotWaitedForAndAnswersWhatComesLater() {
    protocol.installed(view(1, 3, A, B, C));
    long first = call(ALL);
    execute(first, 0);
    reply(B, first, answer(2, 0));
    long second = call(ALL);
    execute(second, 5);
    reply(B, second, answer(2, 5));
    protocol.delivered(C, 6, new GroupCallMessage.Skipped(0, 5).encode());
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.ReducedMembership.class);
    reply(C, second, answer(3, 5));
    assertThat(outcomes).hasSize(2).last().isInstanceOf(Consolidated.Success.class);
  }

  @Test
  void theNextViewEndsACallInABranch() {
    protocol.installed(view(1, 2, A, B));
    long inBranch = call(ALL);
    execute(inBranch, -1);
    long notDelivered = call(ALL);
    assertThat(outcomes).isEmpty();
    protocol.installed(view(2, 2, A, B));
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.ReducedMembership.class);
    execute(notDelivered, 0);
    protocol.installed(view(3, 2, A, B));
    assertThat(outcomes).hasSize(1);
    reply(B, notDelivered, answer(2, 0));
    assertThat(outcomes).hasSize(2).last().isInstanceOf(Consolidated.Success.class);
  }

  @Test
  void aMemberSaysOnceWhatItSkips() {
    protocol.installed(view(1, 2, B, A));
    protocol.resumed(5);
    protocol.resumed(5);
    protocol.delivered(B, 5, request(0));
    protocol.resumed(6);
    protocol.resumed(9);
    assertThat(announced).containsExactly(new GroupCallMessage.Skipped(0, 5), new GroupCallMessage.Skipped(6, 9));
  }

  @Test
  void whatLiesBeforeTheFirstDeliveryIsSkippedToo() {
    protocol.installed(view(1, 2, B, A));
    protocol.delivered(B, 168, request(1));
    protocol.resumed(168);
    protocol.delivered(B, 169, request(2));
    assertThat(announced).containsExactly(new GroupCallMessage.Skipped(0, 168));
  }

  @Test
  void whoComesBackToThePrimaryViewSaysThatItsAnswersMayBeLost() {
    protocol.installed(view(1, 2, B, A));
    protocol.delivered(B, 0, request(1));
    protocol.installed(view(2, 2, B, A));
    assertThat(announced).isEmpty();
    protocol.delivered(B, 1, request(2));
    protocol.installed(new View(new ViewId(3, 1), List.of(A), 1, false, List.of()));
    assertThat(announced).isEmpty();
    protocol.installed(view(4, 2, B, A));
    assertThat(announced).containsExactly(new GroupCallMessage.Skipped(0, 2));
    protocol.installed(view(5, 2, B, A));
    assertThat(announced).hasSize(1);
  }

  @Test
  void aCallerThatWasElsewhereWaitsForNobody() {
    protocol.installed(view(1, 2, B, A));
    long first = call(ALL);
    execute(first, 0);
    protocol.installed(new View(new ViewId(2, 2), List.of(B, A), 2, false, List.of(new ViewId(1, 1))));
    assertThat(outcomes).isEmpty();
    protocol.installed(view(4, 2, B, A));
    assertThat(outcomes).singleElement().isInstanceOf(Consolidated.ReducedMembership.class);

    long second = call(ALL);
    execute(second, 9);
    protocol.installed(view(5, 2, B, A));
    assertThat(outcomes).hasSize(1);
    protocol.installed(view(7, 2, B, A)); // it was not in the sixth
    assertThat(outcomes).hasSize(2).last().isInstanceOf(Consolidated.ReducedMembership.class);

    long third = call(ALL); // this one reaches the members where they are now
    protocol.installed(view(9, 2, B, A));
    execute(third, 20);
    reply(B, third, answer(1, 20));
    assertThat(outcomes).hasSize(3).last().isInstanceOf(Consolidated.Success.class);
  }

  @Test
  void anObserverThatComesBackSaysNothing() {
    GroupCallProtocol observer = of(B);
    observer.installed(view(1, 1, A, B));
    observer.delivered(A, 3, request(1));
    observer.installed(new View(new ViewId(2, 1), List.of(B), 0, false, List.of()));
    observer.installed(view(3, 1, A, B));
    assertThat(announced).isEmpty();
  }

  @Test
  void deadlinesAreKeptInTheirOrder() {
    protocol.installed(view(1, 2, A, B));
    long later = call(ALL.within(Duration.ofNanos(20)));
    call(ALL.within(Duration.ofNanos(10)));
    execute(later, 0);
    assertThat(protocol.deadline()).isEqualTo(10);
    protocol.tick(9);
    assertThat(outcomes).isEmpty();
    protocol.tick(10);
    assertThat(outcomes).singleElement().isEqualTo(new Consolidated.Timeout<>(null, List.of(), java.util.Set.of()));
    assertThat(protocol.deadline()).isEqualTo(20);
    protocol.tick(100);
    assertThat(outcomes).hasSize(2);
    assertThat(((Consolidated.Timeout<Answer>) outcomes.getLast()).silent()).containsExactly(B);
  }

  @Test
  void whatIsPostedIsExecutedWithoutAnAnswer() {
    protocol.installed(view(1, 2, A, B));
    Execution execution = protocol.delivered(B, 0, request(0));
    assertThat(execution).isNotNull();
    protocol.answered(execution, answer(1, 0));
    assertThat(replies).isEmpty();
    Execution asked = protocol.delivered(B, 1, request(1));
    assertThat(asked).isNotNull();
    protocol.answered(asked, answer(1, 1));
    assertThat(replies)
        .map(GroupCallProtocolTest::read)
        .containsExactly(new GroupCallMessage.Reply(B, 1, answer(1, 1)));
  }
}
