package org.tutti.middleware;

import static org.tutti.Metric.counter;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a [MiddlewareTransport] counts over any middleware: traffic first, then events with their reasons.
enum MiddlewareCount implements Counts.Counted {
  FRAMES_SENT(counter("middleware.frames.sent", "Frames were taken for a peer.")),
  FRAMES_RECEIVED(counter("middleware.frames.received", "Frames came whole.")),
  BYTES_SENT(counter("middleware.bytes.sent", "Bytes of batches were sent.")),
  BYTES_RECEIVED(counter("middleware.bytes.received", "Bytes of batches came.")),
  BATCHES_SENT(counter("middleware.batches.sent", "Remote calls, each with one batch of frames, were made.")),
  BATCHES_RECEIVED(counter("middleware.batches.received", "Remote calls of others came.")),
  WAKEUPS(counter("middleware.wakeups.made", "Another thread woke the engine thread up.")),
  CLAIMS_REFUSED(
      counter("middleware.claims.refused", "There was no room for a frame, or the peer cannot be called now.")),
  CONNECTED(counter("middleware.peers.connected", "Peers were called for the first time, or again.")),
  CONNECT_FAILED(counter("middleware.dials.failed", "A peer could not be reached.")),
  ADDRESS_UNUSABLE(counter("middleware.addresses.unusable", "What should have been the address of a peer is none.")),
  ADDRESS_FORGOTTEN(
      counter("middleware.addresses.forgotten", "A peer that cannot be called made room for another one.")),
  CALL_BROKEN(
      counter("middleware.calls.ended", "A call failed, and the peer is called anew.").tagged("reason", "broken")),
  CALL_IDLE(
      counter("middleware.calls.ended", "Nothing was sent to the peer for a long time.").tagged("reason", "idle")),
  DROP_FOREIGN_PROTOCOL(dropped("foreign-protocol", "Something else than a batch of Tutti came.")),
  DROP_OTHER_VERSION(dropped("other-version", "A batch of another version came.")),
  DROP_BAD_PREAMBLE(dropped("bad-preamble", "The addresses in a batch are damaged.")),
  DROP_WRONG_IDENTITY(dropped("wrong-identity", "A batch was meant for another node.")),
  DROP_BAD_LENGTH(dropped("bad-length", "The frames in a batch do not fill it, or one is too long.")),
  DROP_INBOX_FULL(dropped("inbox-full", "The engine thread did not take what came fast enough."));

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
