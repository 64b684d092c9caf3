package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.tutti.fixture.Awaited.next;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
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
import org.tutti.Service;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.fixture.InProcessNodes;

/// A program can wait until it is in, and until it serves, and is told how far it is when it does.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServingTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration NO_TIME = Duration.ofMillis(1);
  private static final GroupConfig STATEFUL = GroupConfig.builder().stateTransfer(true).build();

  @AutoClose private final InProcessNodes nodes = new InProcessNodes();

  @Test
  void aFounderServesAtOnceAndANewcomerWhenItHasTheState() throws Exception {
    Group founder = nodes.start().create("bank", STATEFUL);
    assertThat(founder.awaitServing(SOON).members()).containsExactly(founder.self());
    assertThat(founder.receive(SOON)).isEqualTo(new Event.ViewChange(founder.joined().get()));
    assertThat(founder.receive(SOON)).isEqualTo(new Event.CaughtUp(0));
    founder.multicast(new byte[1]).get();

    Group newcomer = nodes.start().join("bank");
    assertThat(newcomer.joined().get().primary()).isTrue();
    while (newcomer.status().phase() != Status.Phase.WAITING_FOR_STATE) {
      Thread.onSpinWait(); // told right behind the view
    }
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> newcomer.awaitServing(NO_TIME))
        .withMessageStartingWith("group bank: ")
        .withMessageContaining("its state is to come");
    next(founder, Event.StateRequest.class).sink().complete();
    Event.StateOffer offer = next(newcomer, Event.StateOffer.class);
    assertThat(offer.source().read()).isEqualTo(-1);

    View view = newcomer.awaitServing(SOON);
    assertThat(view.members()).containsExactly(founder.self(), newcomer.self());
    assertThat(newcomer.receive(SOON)).as("nothing comes between").isEqualTo(new Event.CaughtUp(offer.position()));
    assertThat(offer.position()).isEqualTo(1);
  }

  @Test
  void whoHasNoMajorityIsInButDoesNotServe() throws Exception {
    Group alone = nodes.start().create("bank", GroupConfig.builder().electorate("n1", "n2", "n3").build());
    assertThat(alone.joined().get().primary()).isFalse();
    while (alone.status().view() == null) {
      Thread.onSpinWait(); // told right behind the view
    }
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> alone.awaitServing(NO_TIME))
        .withMessageContaining("waiting for ");
    assertThat(alone.close(SOON)).isTrue();
    assertThat(alone.status().closed()).isEqualTo(new End(End.Cause.LEFT, "left"));
    assertThatExceptionOfType(GroupClosedException.class)
        .isThrownBy(() -> alone.awaitServing(SOON))
        .withMessageContaining("\"bank\"");
  }

  @Test
  void aCloseSaysWhetherTheMembershipHasEnded() throws Exception {
    var free = new CompletableFuture<Void>();
    GroupListener holding = (_, _, _, _) -> free.join();
    Group held = nodes.start().create("bank", GroupConfig.standard(), MemberConfig.builder().listener(holding).build());
    held.multicast(new byte[1]);
    assertThat(held.close(NO_TIME)).as("its delivery holds the engine thread").isFalse();
    free.complete(null);
    assertThat(held.close(SOON)).isTrue();
  }

  @Test
  void whoWasNeverInIsToldSo() {
    Node node = nodes.start();
    Group nobody = node.join("nowhere");
    CompletableFuture<View> joined = nobody.joined();
    assertThat(joined).isNotDone();
    node.close();
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(joined::get)
        .withCauseInstanceOf(GroupClosedException.class)
        .withMessageContaining("never was in group \"nowhere\"");
  }

  @Test
  void aListenerThatHandlesNoStateIsRefusedWhereThereIsSome() throws Exception {
    Node node = nodes.start();
    MemberConfig deaf = MemberConfig.builder().listener((sender, service, position, payload) -> {}).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> node.create("bank", STATEFUL, deaf))
        .withMessageStartingWith("group \"bank\" has state transfer")
        .withMessageEndingWith("override requestState and offerState");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> node.observe("bank", STATEFUL, deaf))
        .withMessageEndingWith("override offerState");
    assertThat(node.create("chat", GroupConfig.standard(), deaf).awaitServing(SOON).size()).isEqualTo(1);
  }

  @Test
  void theEngineThreadDoesNotWait() throws Exception {
    var refused = new CompletableFuture<Void>();
    var listener =
        new GroupListener() {
          private Group group;

          @Override
          public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {}

          @Override
          public synchronized void caughtUp(long position) {
            assertThatIllegalStateException().isThrownBy(() -> group.awaitServing(SOON));
            refused.complete(null);
          }
        };
    synchronized (listener) {
      listener.group =
          nodes.start().create("chat", GroupConfig.standard(), MemberConfig.builder().listener(listener).build());
    }
    refused.get();
  }
}
