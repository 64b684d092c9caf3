package org.tutti.corba.gate;

import static org.tutti.Metric.counter;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a [Gate] counts: the sentence of each says what. Certificates that are wrong its credentials count.
@SuppressWarnings("doclint:missing") // it would be said twice
public enum IiopCount implements Counts.Counted {
  ACCEPTED_IIOP(counter("iiop.connections.accepted", "Connections of others.")),
  CLOSED_FOREIGN_PROTOCOL(closed("foreign-protocol", "Something else than GIOP came: random bytes, HTTP.")),
  CLOSED_OTHER_VERSION(closed("other-version", "GIOP came, but not 1.2.")),
  CLOSED_BAD_MESSAGE(
      closed(
          "bad-message",
          "A type of message came that GIOP does not have or nobody may send here, or a request that no peer makes.")),
  CLOSED_FORWARDED(
      closed(
          "forwarded",
          "A peer said that its object is elsewhere, or somebody was connected to whom nobody has dialled.")),
  CLOSED_BAD_LENGTH(closed("bad-length", "A message was longer than any that peers send.")),
  CLOSED_NOT_TLS(closed("not-tls", "The peer does not speak TLS, and this node does.")),
  CLOSED_WRONG_CERTIFICATE(closed("wrong-certificate", "The peer has no certificate.")),
  CLOSED_REFUSED_BY_PEER(
      closed("refused-by-peer", "The peer refused this node's certificate, or hung up within the handshake.")),
  CLOSED_TLS_BROKEN(closed("tls-broken", "The rules of TLS were broken.")),
  DROP_UNKNOWN_OPERATION(
      counter("iiop.requests.dropped", "An operation was asked for that a peer does not have.")
          .tagged("reason", "unknown-operation")),
  DROP_BAD_SEQUENCE(
      counter("iiop.requests.dropped", "A request had fewer bytes than it says.").tagged("reason", "bad-sequence")),
  ORB_THREAD_ENDED(
      counter("iiop.threads.ended", "A thread of the ORB ended by an exception; the node stops if it was vital."));

  private final Metric metric;

  IiopCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  private static Metric closed(String reason, String about) {
    return counter("iiop.connections.closed", about).tagged("reason", reason);
  }
}
