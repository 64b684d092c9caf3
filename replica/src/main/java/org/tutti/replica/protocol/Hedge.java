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
public final class Hedge extends QuietConnection {
  private static final int SAMPLES = 100;
  private static final int SAMPLES_MIN = 10;
  private static final int LATE_PERCENT = 95;
  private static final int SORT_EVERY = 10; // answers
  private static final int CALLS_PER_HEDGE = 20;
  private static final int HEDGES_AT_ONCE = 4;
  private static final int WINS = 3; // in a row, until the client goes there

  private final long[] samples = new long[SAMPLES];
  private long answers;
  private long lateNanos = Long.MAX_VALUE;
  private long credit = (long) HEDGES_AT_ONCE * CALLS_PER_HEDGE;
  private long calls;
  private long hedges;
  private int wins;

  Hedge(ClientProtocol client, ClientProtocol.Host host, long silenceNanos) {
    super(client, host, silenceNanos);
  }

  @Override
  @Nullable String chosen() {
    List<String> others = client.candidates().stream().filter(each -> !client.isAt(each)).toList();
    return others.isEmpty() ? null : others.get(host.random().nextInt(others.size()));
  }

  @Override
  void left() {
    wins = 0;
  }

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
    if (isReady()) {
      send(frame);
    }
  }

  @Override
  void ready(long now) {
    for (ClientRequest late = late(); late != null && now - late.sentAt >= lateNanos; late = late()) {
      credit -= CALLS_PER_HEDGE;
      hedges++;
      late.hedged = true;
      send(client.again(late));
    }
    String faster = at();
    if (wins >= WINS && faster != null) {
      end();
      client.moveTo(faster, "another replica is faster");
    }
  }

  /// The oldest request that may be asked here and was not.
  private @Nullable ClientRequest late() {
    return credit < CALLS_PER_HEDGE || lateNanos == Long.MAX_VALUE ? null : client.oldest(isJoined());
  }

  @Override
  long dueNanos() {
    ClientRequest late = late();
    return late == null ? Long.MAX_VALUE : late.sentAt + lateNanos;
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
