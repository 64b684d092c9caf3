package org.tutti.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.bench.member.BenchTarget;
import org.tutti.bench.member.BenchTarget.SendingThread;

class AeronTest {
  private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(50);

  @TempDir Path scratch;

  @Test
  void benchFindsIt() {
    assertThat(ServiceLoader.load(BenchTarget.class)).extracting(BenchTarget::name).contains("aeron-cluster");
  }

  @Test
  void stacksThatDoNotExistAreRefused() {
    try (var member = new AeronTarget()) {
      assertThatThrownBy(() -> member.open(Map.of("stack", "carrier-pigeon")))
          .hasMessage("there is no stack carrier-pigeon of Aeron Cluster");
    }
  }

  @Tag("socket")
  @Test
  void threeMembersFloodAndAnswerAndLeaveNothingBehind() throws Exception {
    var members = new ArrayList<AeronTarget>();
    try {
      var addresses = new ArrayList<String>();
      for (int rank = 0; rank < 3; rank++) {
        members.add(new AeronTarget());
        addresses.add(members.getLast().open(Map.of("stack", "tuned", "scratch", scratch.toString())));
      }
      for (int rank = 0; rank < 3; rank++) {
        members.get(rank).form(rank, addresses);
      }
      ready(members);
      members.forEach(member -> member.turn(true));
      long sent = members.getFirst().flood(100, MOMENT) + members.getLast().flood(100, MOMENT);
      for (AeronTarget member : members) {
        while (member.delivered() < sent) {
          LockSupport.parkNanos(MOMENT / 10);
        }
      }
      assertThat(members.getFirst().closedLoop(100, MOMENT, SendingThread.THREAD).getTotalCount()).isPositive();
      assertThat(members.getLast().closedLoop(100, MOMENT, SendingThread.THREAD).getTotalCount()).isPositive();
      var calls = new BenchTarget.Calls(BenchTarget.Operation.CALL, 8, 1, 100, MOMENT, SendingThread.LISTENER);
      assertThat(members.getFirst().calls(calls).times().getTotalCount()).isGreaterThanOrEqualTo(8);
      assertThatThrownBy(() -> members.getFirst().flood(1 << 20, MOMENT)).hasMessageContaining("at most 131008 bytes");
    } finally {
      members.forEach(AeronTarget::close);
    }
    try (Stream<Path> left = Files.list(scratch)) {
      assertThat(left).isEmpty();
    }
  }

  /// All at once: each waits for the others.
  private static void ready(List<AeronTarget> members) throws Exception {
    var waiting = new ArrayList<CompletableFuture<Void>>();
    for (AeronTarget member : members) {
      var there = new CompletableFuture<Void>();
      Thread.ofPlatform()
          .start(() -> {
            try {
              member.ready();
              there.complete(null);
            } catch (Exception failure) {
              there.completeExceptionally(failure);
            }
          });
      waiting.add(there);
    }
    for (CompletableFuture<Void> there : waiting) {
      there.get();
    }
  }
}
