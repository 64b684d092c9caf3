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
import org.tutti.bench.member.Contestant;
import org.tutti.bench.member.Contestant.Seat;

class AeronTest {
  private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(50);

  @TempDir Path scratch;

  @Test
  void benchFindsIt() {
    assertThat(ServiceLoader.load(Contestant.class)).extracting(Contestant::name).contains("aeron-cluster");
  }

  @Test
  void stacksThatDoNotExistAreRefused() {
    try (var member = new AeronContestant()) {
      assertThatThrownBy(() -> member.open(Map.of("stack", "carrier-pigeon")))
          .hasMessage("there is no stack carrier-pigeon of Aeron Cluster");
    }
  }

  @Tag("socket")
  @Test
  void threeMembersFloodAndAnswerAndLeaveNothingBehind() throws Exception {
    var members = new ArrayList<AeronContestant>();
    try {
      var addresses = new ArrayList<String>();
      for (int rank = 0; rank < 3; rank++) {
        members.add(new AeronContestant());
        addresses.add(members.getLast().open(Map.of("stack", "tuned", "scratch", scratch.toString())));
      }
      for (int rank = 0; rank < 3; rank++) {
        members.get(rank).form(rank, addresses);
      }
      ready(members);
      members.forEach(member -> member.turn(true));
      long sent = members.getFirst().flood(100, MOMENT) + members.getLast().flood(100, MOMENT);
      for (AeronContestant member : members) {
        while (member.delivered() < sent) {
          LockSupport.parkNanos(MOMENT / 10);
        }
      }
      assertThat(members.getFirst().closedLoop(100, MOMENT, Seat.THREAD).getTotalCount()).isPositive();
      assertThat(members.getLast().closedLoop(100, MOMENT, Seat.THREAD).getTotalCount()).isPositive();
      assertThatThrownBy(() -> members.getFirst().flood(1 << 20, MOMENT)).hasMessageContaining("at most 131008 bytes");
    } finally {
      members.forEach(AeronContestant::close);
    }
    try (Stream<Path> left = Files.list(scratch)) {
      assertThat(left).isEmpty();
    }
  }

  /// All at once: each waits for the others.
  private static void ready(List<AeronContestant> members) throws Exception {
    var waiting = new ArrayList<CompletableFuture<Void>>();
    for (AeronContestant member : members) {
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
