package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tutti.End;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.fixture.ManualMembership;
import org.tutti.user.Request;

/// The hand-over from any thread to the engine thread.
class InboxTest {
  private final AtomicInteger wakeups = new AtomicInteger();
  private final Inbox inbox = new Inbox(wakeups::incrementAndGet);

  private static Request leave(String group) {
    return new Request.Leave(group, new End(End.Cause.LEFT, "left"));
  }

  private ArrayList<Request> drain(int max) {
    var all = new ArrayList<Request>();
    assertThat(inbox.drain(all::add, max)).isEqualTo(all.size());
    return all;
  }

  @Test
  void keepsTheOrderAcrossPartialDrains() {
    inbox.post(leave("a"));
    inbox.post(leave("b"));
    inbox.post(leave("c"));
    assertThat(drain(2)).containsExactly(leave("a"), leave("b"));
    inbox.post(leave("d"));
    assertThat(inbox.doze()).isFalse();
    assertThat(drain(9)).containsExactly(leave("c"), leave("d"));
    assertThat(drain(9)).isEmpty();
  }

  @Test
  void onlyTheFirstRequestWakesAndOnlyWhenAsleep() {
    inbox.post(leave("a"));
    assertThat(inbox.doze()).isFalse();
    drain(9);
    assertThat(wakeups).hasValue(0);
    assertThat(inbox.doze()).isTrue();
    inbox.post(leave("b"));
    inbox.post(leave("c"));
    assertThat(wakeups).hasValue(1);
    inbox.awake();
    assertThat(drain(9)).containsExactly(leave("b"), leave("c"));
    assertThat(inbox.doze()).isTrue();
    inbox.awake();
    inbox.post(leave("d"));
    assertThat(wakeups).hasValue(1);
  }

  @Test
  void boundsWhatNobodyElseBounds() {
    for (int i = 0; i < Inbox.ASKED_MAX; i++) {
      inbox.ask(new Request.Suspect(ManualMembership.OTHER));
    }
    assertThatThrownBy(() -> inbox.ask(new Request.Suspect(ManualMembership.OTHER)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the node does not keep up: 1024 requests wait");
    assertThat(inbox.post(leave("a"))).isTrue();
    drain(1);
    assertThat(inbox.ask(new Request.Suspect(ManualMembership.OTHER))).isTrue();
  }

  @Test
  void takesNothingOnceClosed() {
    inbox.post(leave("a"));
    inbox.close();
    assertThat(inbox.post(leave("b"))).isFalse();
    assertThat(drain(9)).isEmpty();
    assertThat(inbox.doze()).isFalse();
  }

  @Test
  void losesNothingBetweenThreadsAndKeepsEachOnesOrder() throws Exception {
    int producers = 4;
    int each = 100_000;
    var threads = new ArrayList<Thread>();
    for (int p = 0; p < producers; p++) {
      String group = "g" + p;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < each; i++) {
                  inbox.post(new Request.Propagate(group, ByteBuffer.allocate(4).putInt(0, i)));
                }
              }));
    }
    var next = new int[producers];
    int total = 0;
    while (total < producers * each) {
      total +=
          inbox.drain(
              request -> {
                var propagate = (Request.Propagate) request;
                int producer = propagate.group().charAt(1) - '0';
                assertThat(propagate.payload().getInt(0)).isEqualTo(next[producer]++);
              },
              1000);
      int before = wakeups.get();
      if (inbox.doze()) {
        while (total < producers * each && wakeups.get() == before) {
          Thread.onSpinWait();
        }
        inbox.awake();
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(next).containsOnly(each);
  }
}
