package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.tutti.replica.protocol.CommandReply;
import org.tutti.replica.protocol.Frame;
import org.tutti.replica.protocol.SessionTable;

/// What a client that sends to all owes its connections, with frames written by hand; and that there are such clients.
class SentToAllTest {
  private static final int SEEDS_MAX = 100;
  private static final long SESSION = 7;

  private final SentToAll client = new SentToAll();
  private final SentToAll.Connection b = new SentToAll.Connection("b");
  private final SentToAll.Connection c = new SentToAll.Connection("c");

  private static Frame call(long session, long number) {
    return new Frame.Call(session, number, 1, false, ByteBuffer.allocate(0));
  }

  private static Frame resume(long session) {
    return new Frame.Resume(session, new SessionTable.Secret(1, 2), true);
  }

  private void replies(long number) {
    var reply = new CommandReply(CommandReply.Status.DONE, number, ByteBuffer.allocate(0));
    client.hears(new Frame.Replied(SESSION, number, reply).encode().position(Integer.BYTES).slice());
  }

  @Test
  void aCommandThatWentToSomeOnlyIsMissing() {
    client.sends(b, resume(SESSION).encode());
    client.sends(c, resume(SESSION).encode());
    client.sends(null, call(SESSION, 1).encode());
    client.sends(b, call(SESSION, 1).encode());
    assertThat(client.missing(List.of(b))).isNull();
    assertThat(client.missing(List.of(b, c))).isEqualTo("of [1] without a reply it has sent [] to c");
    client.sends(c, call(SESSION, 1).encode());
    assertThat(client.missing(List.of(b, c))).isNull();
    assertThat(client.copies()).isEqualTo(2);
  }

  @Test
  void aReplicaThatComesLaterNeedsOnlyWhatHasNoReply() {
    client.sends(null, call(SESSION, 1).encode());
    client.sends(null, call(SESSION, 2).encode());
    assertThat(client.missing(List.of(b))).as("it has not resumed the session yet").isNull();
    replies(1);
    client.sends(b, resume(SESSION).encode());
    assertThat(client.missing(List.of(b))).isEqualTo("of [2] without a reply it has sent [] to b");
    client.sends(b, call(SESSION, 2).encode());
    assertThat(client.missing(List.of(b))).isNull();
  }

  @Test
  void aSessionOwesNothingToConnectionsOfAnother() {
    client.sends(b, resume(SESSION).encode());
    client.sends(null, call(SESSION + 1, 1).encode());
    assertThat(client.missing(List.of(b))).isNull();
  }

  @Test
  void someClientsOfSimulatedServicesSendToAll() {
    assertThat(LongStream.rangeClosed(1, SEEDS_MAX))
        .as("first seeds with a service")
        .anyMatch(seed -> Simulation.run(RunKind.REPLICA.of(Plan.draw(seed))).copies() > 0);
  }
}
