package org.tutti.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Ordering;

class PolicyTest {
  @Test
  void thereAreTwentyFour() {
    assertThat(Policy.all()).hasSize(24).doesNotHaveDuplicates();
    assertThat(Policy.all().stream().map(Policy::toString)).contains("D1 C1 R1 O1", "D2 C3 R2 O2");
  }

  @ParameterizedTest
  @EnumSource(names = {"ALL", "MAJORITY"})
  void passiveReplicationDoesNotGiveSeveralReplies(Policy.Collection several) {
    assertThatThrownBy(() -> new Policy(Policy.Dissemination.MANAGER, several, Replication.PASSIVE, Ordering.SEQUENCER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("passive replication gives one reply, of the primary: a client cannot collect " + several);
  }

  @Test
  void whatIsSentIsRead() {
    assertThat(Policy.all()).allSatisfy(policy -> assertThat(Policy.of(policy.code())).isEqualTo(policy));
  }

  @ParameterizedTest
  @ValueSource(ints = {-2, 0x02000000, 0x00040000, 0x00000200, 0x00000004, Integer.MIN_VALUE})
  void whatIsNoPolicyIsRefused(int code) {
    assertThatThrownBy(() -> Policy.of(code)).hasMessageStartingWith("there is no policy");
  }

  @Test
  void severalRepliesOfPassiveReplicasCannotBeAgreedOn() {
    var all = new Policy(Policy.Dissemination.ALL, Policy.Collection.ALL, Replication.ACTIVE, Ordering.SYMMETRIC);
    assertThatThrownBy(() -> all.agreed(Replication.PASSIVE, Ordering.SYMMETRIC)).hasMessageContaining("collect ALL");
  }

  @Test
  void onlyWhoCollectsSeveralGetsThem() {
    var first = new Policy(Policy.Dissemination.ALL, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER);
    try (Client client = Client.of("counter").at("127.0.0.1:1").policy(first).connect()) {
      assertThatThrownBy(() -> client.collect(ByteBuffer.allocate(1), Duration.ofSeconds(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("does not collect several");
    }
  }

  @Test
  void onlyWhoSendsToTheManagerMaySuspectIt() {
    Client.Builder client = Client.of("counter").at("127.0.0.1:1").silence(Duration.ofMillis(500));
    client.allOnSuspicion(Duration.ofMillis(100));
    assertThatThrownBy(client::connect).isInstanceOf(IllegalArgumentException.class).hasMessageEndingWith("no policy");
    client.policy(
        new Policy(Policy.Dissemination.ALL, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER));
    assertThatThrownBy(client::connect).hasMessageEndingWith("not one with D2 C1 R2 O1");
    client.policy(
        new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.ACTIVE, Ordering.SEQUENCER));
    client.allOnSuspicion(Duration.ofMillis(500));
    assertThatThrownBy(client::connect).hasMessageEndingWith("leaves it after PT0.5S, not after PT0.5S");
    client.allOnSuspicion(Duration.ofMillis(9));
    assertThatThrownBy(client::connect).hasMessageEndingWith("not after PT0.009S");
    client.allOnSuspicion(Duration.ofMillis(499));
    try (Client connected = client.connect()) {
      assertThat(connected.suspicions()).isZero();
    }
  }
}
