package org.tutti.middleware;

import static org.tutti.Metric.counter;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a [MiddlewareTransport] counts over any middleware: traffic first, then events with their reasons.
enum MiddlewareCount implements Counts.Counted {
  FRAMES_SENT(counter("middleware.frames.sent", "Frames were accepted for a peer.")),
  FRAMES_RECEIVED(counter("middleware.frames.received", "Complete frames were received.")),
  BYTES_SENT(counter("middleware.bytes.sent", "Bytes of batches were sent.")),
  BYTES_RECEIVED(counter("middleware.bytes.received", "Bytes of batches came.")),
  BATCHES_SENT(counter("middleware.batches.sent", "Remote calls with one batch of frames each were made.")),
  BATCHES_RECEIVED(counter("middleware.batches.received", "Batches of peers came.")),
  WAKEUPS(counter("middleware.wakeups.made", "Another thread woke the engine thread up.")),
  CLAIMS_REFUSED(counter("middleware.claims.refused", "There was no room for a frame, or no connection.")),
  CONNECTED(counter("middleware.peers.connected", "Calls to peers were established.")),
  CONNECT_FAILED(counter("middleware.dials.failed", "A peer could not be reached.")),
  ADDRESS_UNUSABLE(counter("middleware.addresses.unusable", "The address of a peer was invalid.")),
  ADDRESS_FORGOTTEN(counter("middleware.addresses.forgotten", "An unreachable peer was forgotten for another one.")),
  CALL_BROKEN(counter("middleware.calls.ended", "A call failed and is made again.").tagged("reason", "broken")),
  CALL_IDLE(counter("middleware.calls.ended", "The call was unused for a long time.").tagged("reason", "idle")),
  DROP_FOREIGN_PROTOCOL(dropped("foreign-protocol", "Something other than a batch of Tutti came.")),
  DROP_OTHER_VERSION(dropped("other-version", "A batch of another version came.")),
  DROP_BAD_PREAMBLE(dropped("bad-preamble", "The addresses in a batch are damaged.")),
  DROP_WRONG_IDENTITY(dropped("wrong-identity", "A batch for another node came.")),
  DROP_BAD_LENGTH(dropped("bad-length", "The lengths of the frames do not match the batch, or one is too long.")),
  DROP_INBOX_FULL(dropped("inbox-full", "The engine thread was too slow for the arriving batches."));

  private final Metric metric;

  MiddlewareCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  private static Metric dropped(String reason, String about) {
    return counter("middleware.batches.dropped", about).tagged("reason", reason);
  }
}
