package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilViewOf;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.Partitions;
import org.tutti.Status;
import org.tutti.fixture.InProcessNodes;

/// Who joins takes what was decided for the group, or is refused.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EnteringTest {
  private static final GroupConfig BANK =
      GroupConfig.builder().ordering(Ordering.SKEEN).guarantee(Guarantee.AGREED).domain("banks").build();

  @AutoClose private final InProcessNodes nodes = new InProcessNodes();

  private static End untilClosed(Group group) throws InterruptedException {
    while (true) {
      if (next(group) instanceof Event.Closed(End end)) {
        return end;
      }
    }
  }

  private void isRefused(Group group, String words) throws InterruptedException {
    assertThat(untilClosed(group)).isEqualTo(new End(End.Cause.REFUSED, words));
    assertThat(group.joined()).isCompletedExceptionally();
  }

  @Test
  void whoJoinsTakesTheGroupAsItIs() throws Exception {
    Group founder = nodes.start().create("bank", BANK);
    Group group = nodes.start().join("bank");
    assertThat(group.joined().get(60, TimeUnit.SECONDS).size()).isEqualTo(2);
    assertThat(group.config()).isEqualTo(BANK);
    assertThat(founder.config()).isEqualTo(BANK);
  }

  @Test
  void whatIsAskedForBeforeTheGroupIsKnownIsDoneThen() throws Exception {
    Node first = nodes.start();
    Group group = nodes.start().join("bank");
    var sent = group.multicast(new byte[] {7});
    assertThat(group.status().phase()).isEqualTo(Status.Phase.JOINING);
    Group founder = first.create("bank", GroupConfig.standard());
    assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    assertThat(next(founder, Event.Delivery.class).payload().get(0)).isEqualTo((byte) 7);
  }

  @Test
  void whoExpectsAnotherGroupIsRefusedAndTheGroupNeverSeesIt() throws Exception {
    Group founder = nodes.start().create("bank", BANK);
    untilViewOf(founder, 1);
    GroupConfig other = BANK.toBuilder().ordering(Ordering.SEQUENCER).build();
    String words = "ordering is SKEEN in group bank, SEQUENCER was asked for";
    isRefused(nodes.start().join("bank", other, MemberConfig.standard()), words);
    isRefused(nodes.start().observe("bank", other, MemberConfig.standard()), words);
    isRefused(
        nodes.start().join("bank", BANK.toBuilder().domain(null).build(), MemberConfig.standard()),
        "domain is banks in group bank, none was asked for");
    Group right = nodes.start().join("bank", BANK, MemberConfig.standard());
    untilViewOf(right, 2);
    assertThat(next(founder, Event.ViewChange.class).view().members()).containsExactly(founder.self(), right.self());
  }

  @Test
  void whoCannotTakePartInTheGroupAsItIsIsRefused() throws Exception {
    Group stateful = nodes.start().create("bank", GroupConfig.builder().stateTransfer(true).build());
    untilViewOf(stateful, 1);
    GroupListener deaf = (sender, service, position, payload) -> {};
    Group refused = nodes.start().join("bank", MemberConfig.builder().listener(deaf).build());
    assertThat(refused.joined())
        .failsWithin(Duration.ofSeconds(60))
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("does not handle it: override requestState and offerState");
    isRefused(
        nodes.start().join("bank", MemberConfig.builder().takesState(false).build()),
        "group \"bank\" has state transfer, and a member that does without the state may only observe");
    isRefused(
        nodes.start().join("bank", MemberConfig.builder().position(3).build()),
        "position 3 has no meaning with durability NONE");
  }

  @Test
  void anObserverMayDoWithoutTheState() throws Exception {
    Group first = nodes.start().create("bank", GroupConfig.builder().stateTransfer(true).build());
    assertThat(first.multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(0));
    GroupListener shown = (sender, service, position, payload) -> {};
    Group second = nodes.start().observe("bank", MemberConfig.builder().listener(shown).takesState(false).build());
    second.awaitServing(Duration.ofSeconds(60));
    assertThat(second.multicast(new byte[1]).get(60, TimeUnit.SECONDS)).isEqualTo(new Outcome.Ordered(1));
  }

  @Test
  void ofFoundersWithDifferentSettingsTheLaterOneIsRefused() throws Exception {
    Set<String> both = Set.of("n1", "n2");
    Group first = nodes.start().joinOrCreate("bank", both, GroupConfig.standard());
    GroupConfig split = GroupConfig.builder().partitions(Partitions.CONTINUE).build();
    Group second = nodes.start().joinOrCreate("bank", both, split);
    var ended = new ArrayList<String>();
    for (Group group : List.of(first, second)) {
      Thread.startVirtualThread(() -> {
        try {
          String words = untilClosed(group).words();
          synchronized (ended) {
            ended.add(words);
            ended.notifyAll();
          }
        } catch (InterruptedException interrupt) {
          Thread.currentThread().interrupt();
        }
      });
    }
    synchronized (ended) {
      while (ended.isEmpty()) {
        ended.wait();
      }
      assertThat(ended.getFirst()).matches("partitions is (SUSPEND|CONTINUE) in group bank, .* was asked for");
    }
  }

  @Test
  void aGroupThatKeepsItsHistoryNeedsStorage() throws Exception {
    GroupConfig durable = GroupConfig.builder().durability(Durability.EACH).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> nodes.start().join("bank", durable, MemberConfig.standard()))
        .withMessage("durability EACH needs a node with stable storage");
  }

  @Test
  void whoIsTakenInByNobodySaysWhomItCalls() throws Exception {
    nodes.start(); // in no group
    Group group = nodes.start().join("bank");
    String words;
    do { // until it has begun to call
      words =
          catchThrowableOfType(TimeoutException.class, () -> group.awaitServing(Duration.ofMillis(20))).getMessage();
    } while (!words.contains("calls"));
    assertThat(words).endsWith("is not in the group yet, and calls here:1");
  }

  @Test
  void whoLeavesBeforeTheGroupIsKnownHasLeft() throws Exception {
    Group nobody = nodes.start().join("nowhere");
    assertThat(nobody.close(Duration.ofSeconds(60))).isTrue();
    assertThat(untilClosed(nobody).cause()).isEqualTo(End.Cause.LEFT);
  }
}
