package org.tutti.verify.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Station.until;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.fixture.Station;
import org.tutti.fixture.Told;
import org.tutti.fixture.TransportContract;
import org.tutti.net.udp.UdpConfig;

/// A transport to which nothing comes any more, while all that it says arrives.
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UdpDeafTest {
  private static final byte[] LONG = new byte[8000];
  private static final byte[] SHORT = new byte[300];

  private LossyNetwork network;
  private Station deaf;
  private Station other;

  @BeforeEach
  void begin() throws IOException {
    network = new LossyNetwork(1, 0);
    deaf = new Station(network.open(UdpConfig.lan()));
    other = new Station(network.open(UdpConfig.lan()));
    TransportContract.exchange(deaf, other);
  }

  @AfterEach
  void end() throws IOException {
    deaf.close();
    other.close();
    network.close();
  }

  private long probes() {
    return Told.of(deaf.transport.metrics(), "probes.sent{kind=peer}");
  }

  private long heard(byte[] frame) {
    return other.frames.stream().filter(one -> one.length == frame.length).count();
  }

  /// Says as much as queue and window take, until it has asked for an answer.
  private void fill() {
    network.deafen(deaf.address());
    until("questions", () -> !deaf.offer(other.address(), LONG) && probes() > 0, deaf, other);
  }

  @Test
  void whatIsShortDoesNotWaitForAWindowThatNobodyFrees() {
    fill();
    long before = heard(LONG);
    for (int i = 1; i <= 5; i++) {
      deaf.send(other.address(), SHORT, other);
      int count = i;
      until("a short frame", () -> heard(SHORT) == count, deaf, other);
    }
    assertThat(heard(LONG)).as("the window").isEqualTo(before);
  }

  /// Beside the window leaves a datagram in 30 ms, so that a network that loses everything is not filled.
  @Test
  void littleGoesBesideTheWindow() {
    fill();
    long before = Told.of(deaf.transport.metrics(), "datagrams.sent");
    long begin = System.nanoTime();
    until(
        "many short frames",
        () -> {
          while (deaf.offer(other.address(), SHORT)) {
            // as many as it takes
          }
          return heard(SHORT) >= 10;
        },
        deaf,
        other);
    long most = 2 + (System.nanoTime() - begin) / 30_000_000;
    assertThat(Told.of(deaf.transport.metrics(), "datagrams.sent") - before).isBetween(9L, most);
  }
}
