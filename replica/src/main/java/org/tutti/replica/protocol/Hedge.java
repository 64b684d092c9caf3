package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A client's second connection, over which it asks another replica when the first one is late (hedged requests: Dean
/// and Barroso, The Tail at Scale, CACM 2013).
///
/// ```
///  client --- CALL n ---> replica A    late: more than the 95th percentile of the last answers
///         --- CALL n ---> replica B    the same number: it is executed once, whoever multicasts it first
///         <-- REPLY n --- B            A's reply, if it comes, is nothing new
/// ```
///
/// Late is measured by the client's own recent answers. A command is asked again only when it is the oldest without a
/// reply, so that none before it is missing at the second replica. The extra load is bounded: one further request for
/// twenty that were made, and four at once. When the second replica is the faster one several times in a row, the
/// client goes there.
///
/// The second connection is *quiet*: its replica sends replies to what was asked over it and to nothing else.
public final class Hedge {
  private enum Phase {
    IDLE,
    CONNECTING,
    GREETING,
    READY
  }

  private static final int SAMPLES = 100;
  private static final int SAMPLES_MIN = 10;
  private static final int LATE_PERCENT = 95;
  private static final int SORT_EVERY = 10; // answers
  private static final int CALLS_PER_HEDGE = 20;
  private static final int HEDGES_AT_ONCE = 4;
  private static final int WINS = 3; // in a row, until the client goes there
  private static final int PINGS_PER_SILENCE = 3;

  private final ClientProtocol client;
  private final ClientProtocol.Host host;
  private final ClientProtocol.Line line;
  private final long silenceNanos;

  private final long[] samples = new long[SAMPLES];
  private long answers;
  private long lateNanos = Long.MAX_VALUE;
  private long credit = (long) HEDGES_AT_ONCE * CALLS_PER_HEDGE;
  private long calls;
  private long hedges;
  private int wins;

  private Phase phase = Phase.IDLE;
  private @Nullable String at;
  private long resumed; // the session that was said over this connection
  private long heardAt;
  private long pingAt;
  private long connectAt;

  Hedge(ClientProtocol client, ClientProtocol.Host host, long silenceNanos) {
    this.client = client;
    this.host = host;
    this.line = host.second();
    this.silenceNanos = silenceNanos;
    this.connectAt = host.nanos();
  }

  // ---- what the network tells ------------------------------------------------------------------------------------

  /// The second connection is there.
  public void connected() {
    if (phase == Phase.CONNECTING) {
      phase = Phase.GREETING;
      heardAt = host.nanos();
      line.send(client.hello());
    }
  }

  /// The second connection, or the attempt, has ended.
  public void disconnected() {
    if (phase != Phase.IDLE) {
      leave();
    }
  }

  /// A frame has come over the second connection.
  ///
  /// @param in without its length; lent
  public void received(ByteBuffer in) {
    if (phase != Phase.GREETING && phase != Phase.READY) {
      return;
    }
    heardAt = host.nanos();
    try {
      handle(Frame.decode(in));
    } catch (Frame.MalformedException _) {
      end();
    }
  }

  private void handle(Frame frame) throws Frame.MalformedException {
    switch (frame) {
      case Frame.Welcome _ -> {
        phase = Phase.READY;
        pingAt = heardAt + silenceNanos / PINGS_PER_SILENCE;
        resume();
      }
      case Frame.Replied _, Frame.Answer _, Frame.Replicas _ -> client.handle(frame, this);
      case Frame.Refused(_, _, SessionTable.Refusal why) -> {
        if (why == SessionTable.Refusal.EXPIRED) {
          client.handle(frame, this);
        }
      }
      case Frame.Pong(), Frame.Move _ -> {}
      case Frame.Away _, Frame.Wrong _ -> end();
      default -> throw new Frame.MalformedException("not for a second connection");
    }
  }

  private void resume() {
    if (phase == Phase.READY && resumed == 0 && client.session() > 0) {
      resumed = client.session();
      line.send(new Frame.Resume(resumed, client.secret(), true).encode());
    }
  }

  private void end() {
    line.disconnect();
    leave();
  }

  private void leave() {
    phase = Phase.IDLE;
    resumed = 0;
    wins = 0;
    connectAt = host.nanos() + silenceNanos; // there is no hurry
  }

  // ---- what the client tells -------------------------------------------------------------------------------------

  /// The client makes a call.
  void called() {
    calls++;
    credit = Math.min((long) HEDGES_AT_ONCE * CALLS_PER_HEDGE, credit + 1);
  }

  /// A request has its outcome.
  ///
  /// @param nanos  how long after it was sent first
  /// @param hedged whether it was asked here, too
  /// @param here   whether the outcome came over this connection
  void answered(long nanos, boolean hedged, boolean here) {
    samples[(int) (answers++ % SAMPLES)] = nanos;
    if (answers >= SAMPLES_MIN && answers % SORT_EVERY == 0) {
      long[] sorted = Arrays.copyOf(samples, (int) Math.min(answers, SAMPLES));
      Arrays.sort(sorted);
      lateNanos = sorted[(sorted.length - 1) * LATE_PERCENT / 100];
    }
    if (hedged) {
      wins = here ? wins + 1 : 0;
    }
  }

  /// A question that was asked here, too, is withdrawn.
  void forget(ByteBuffer frame) {
    if (phase == Phase.READY) {
      line.send(frame);
    }
  }

  /// The client has another session, or none.
  void sessionChanged() {
    if (resumed != 0) {
      end();
      connectAt = host.nanos();
    } else {
      resume();
    }
  }

  void close() {
    if (phase != Phase.IDLE) {
      line.disconnect();
      phase = Phase.IDLE;
    }
  }

  /// Does what is due.
  void work(long now) {
    switch (phase) {
      case IDLE -> {
        if (client.isReady() && now - connectAt >= 0) {
          begin(now);
        }
      }
      case CONNECTING, GREETING -> {
        if (now - heardAt > silenceNanos) {
          end();
        }
      }
      case READY -> {
        if (now - heardAt > silenceNanos || client.isAt(at)) {
          end();
        } else {
          ready(now);
        }
      }
    }
  }

  private void begin(long now) {
    List<String> others = client.candidates().stream().filter(each -> !client.isAt(each)).toList();
    if (others.isEmpty()) {
      connectAt = now + silenceNanos;
      return;
    }
    at = others.get(host.random().nextInt(others.size()));
    phase = Phase.CONNECTING;
    heardAt = now;
    line.connect(at);
  }

  private void ready(long now) {
    if (now - pingAt >= 0) {
      line.send(new Frame.Ping().encode());
      pingAt = now + silenceNanos / PINGS_PER_SILENCE;
    }
    for (ClientProtocol.Request late = late(); late != null && now - late.sentAt >= lateNanos; late = late()) {
      credit -= CALLS_PER_HEDGE;
      hedges++;
      late.hedged = true;
      line.send(client.again(late));
    }
    if (wins >= WINS && at != null) {
      String faster = at;
      end();
      client.moveTo(faster, "another replica is faster");
    }
  }

  /// The oldest request that may be asked here and was not.
  private ClientProtocol.@Nullable Request late() {
    return credit < CALLS_PER_HEDGE || lateNanos == Long.MAX_VALUE ? null : client.oldest(resumed != 0);
  }

  long deadlineNanos() {
    return switch (phase) {
      case IDLE -> client.isReady() ? connectAt : Long.MAX_VALUE;
      case CONNECTING, GREETING -> heardAt + silenceNanos + 1;
      case READY -> {
        ClientProtocol.Request late = late();
        long due = late == null ? Long.MAX_VALUE : late.sentAt + lateNanos;
        yield Math.min(due, Math.min(pingAt, heardAt + silenceNanos + 1));
      }
    };
  }

  /// How many requests were asked over the second connection, too.
  ///
  /// @return a count since the start
  public long hedges() {
    return hedges;
  }

  /// How many there may be: by how many calls were made.
  ///
  /// @return the bound now
  public long hedgesMax() {
    return HEDGES_AT_ONCE + calls / CALLS_PER_HEDGE;
  }
}
