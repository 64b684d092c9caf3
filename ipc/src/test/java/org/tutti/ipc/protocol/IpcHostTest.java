package org.tutti.ipc.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;

/// A host whose transport has no connection yet.
class IpcHostTest {
  private static final long ROUND = 1_000_000;
  private static final Address HERE = new Address("here");
  private static final Address THERE = new Address("there");

  private final Connecting transport = new Connecting();
  private final IpcHost host =
      new IpcHost(
          new MemberId("a", HERE, 1),
          "home",
          transport,
          List.of(THERE),
          new IpcHost.Times(ROUND, 10 * ROUND, new IpcProtocol.Times(5 * ROUND, 2 * ROUND)));

  /// Refuses frames until it is connected.
  private static final class Connecting implements FrameSender {
    final List<Address> sent = new ArrayList<>();
    boolean connected;

    @Override
    public @Nullable ByteBuffer claim(Address to, int length) {
      if (connected) {
        sent.add(to);
      }
      return connected ? ByteBuffer.allocate(length) : null;
    }

    @Override
    public void commit() {}

    @Override
    public Traits traits() {
      return new Traits(Traits.FRAME_BYTES_MIN, Duration.ofNanos(ROUND), false);
    }
  }

  @Test
  void aContactIsGreetedAsSoonAsThereIsAConnection() {
    host.begin(0);
    host.turn();
    assertThat(transport.sent).as("there is no connection yet").isEmpty();
    transport.connected = true;
    host.ready(THERE);
    assertThat(transport.sent).containsExactly(THERE);
    host.ready(THERE);
    assertThat(transport.sent).as("a round has one greeting").hasSize(1);
  }

  @Test
  void whoIsNoContactIsNotGreeted() {
    host.begin(0);
    host.turn();
    transport.connected = true;
    host.ready(new Address("elsewhere"));
    assertThat(transport.sent).isEmpty();
  }
}
