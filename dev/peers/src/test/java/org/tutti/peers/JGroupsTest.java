package org.tutti.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.tutti.bench.member.BenchTarget;
import org.tutti.bench.member.BenchTarget.SendingThread;

class JGroupsTest {
  private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(50);

  @Test
  void benchFindsIt() {
    assertThat(ServiceLoader.load(BenchTarget.class)).extracting(BenchTarget::name).contains("jgroups");
  }

  /// Only when asked for: now and then the sequencer's protocol drops a member's message as a duplicate soon after the
  /// start, also when one has come back before, and a closed loop waits for it for ever. That is nothing that a build
  /// of Tutti should fail for.
  @EnabledIfSystemProperty(named = "peers", matches = "true")
  @Tag("socket")
  @Test
  void twoMembersFloodAndAnswerOverTcp() throws Exception {
    try (var first = new JGroups();
        var second = new JGroups()) {
      List<String> addresses = List.of(first.open(Map.of("stack", "tcp")), second.open(Map.of("stack", "tcp")));
      first.form(0, addresses);
      second.form(1, addresses);
      first.ready();
      long sent = second.flood(100, MOMENT);
      while (first.delivered() < sent || second.delivered() < sent) {
        LockSupport.parkNanos(MOMENT / 10);
      }
      assertThat(first.closedLoop(100, MOMENT, SendingThread.THREAD).getTotalCount()).isPositive();
      assertThat(second.closedLoop(100, MOMENT, SendingThread.LISTENER).getTotalCount()).isPositive();
    }
  }

  /// As rarely as the others.
  @EnabledIfSystemProperty(named = "peers", matches = "true")
  @Tag("socket")
  @Test
  void membersCallAllMembersOverTcp() throws Exception {
    try (var first = new JGroups();
        var second = new JGroups()) {
      Map<String, String> settings = Map.of("stack", "tcp", "calls", "true");
      List<String> addresses = List.of(first.open(settings), second.open(settings));
      first.form(0, addresses);
      second.form(1, addresses);
      first.ready();
      var calls = new BenchTarget.Calls(BenchTarget.Operation.CALL, 8, 1, 100, MOMENT, SendingThread.THREAD);
      assertThat(first.calls(calls).times().getTotalCount()).isGreaterThanOrEqualTo(8);
      assertThat(second.delivered()).isGreaterThanOrEqualTo(8);
    }
  }

  /// As rarely as the others.
  @EnabledIfSystemProperty(named = "peers", matches = "true")
  @Tag("socket")
  @Test
  void membersCallAllOthersWithoutASequencer() throws Exception {
    try (var first = new JGroups();
        var second = new JGroups();
        var third = new JGroups()) {
      Map<String, String> settings = Map.of("stack", "tcp", "calls", "others", "sequencer", "false");
      List<JGroups> all = List.of(first, second, third);
      List<String> addresses = new ArrayList<>();
      for (JGroups member : all) {
        addresses.add(member.open(settings));
      }
      for (int rank = 0; rank < all.size(); rank++) {
        all.get(rank).form(rank, addresses);
      }
      first.ready();
      for (SendingThread sendingThread : SendingThread.values()) {
        var calls = new BenchTarget.Calls(BenchTarget.Operation.CALL, 8, 1, 32, MOMENT, sendingThread);
        assertThat(first.calls(calls).times().getTotalCount()).isGreaterThanOrEqualTo(8);
      }
      assertThat(first.delivered()).isZero();
      assertThat(second.delivered()).isGreaterThanOrEqualTo(16).isEqualTo(third.delivered());
    }
  }

  @Test
  void stacksThatDoNotExistAreRefused() throws Exception {
    try (var member = new JGroups()) {
      List<String> addresses = List.of(member.open(Map.of("stack", "carrier-pigeon")));
      assertThatThrownBy(() -> member.form(0, addresses)).hasMessage("JGroups ships no stack carrier-pigeon");
    }
  }
}
