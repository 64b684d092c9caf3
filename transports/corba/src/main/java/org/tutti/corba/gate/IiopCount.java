package org.tutti.corba.gate;

import static org.tutti.Metric.counter;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a [Gate] counts: the sentence of each says what. Certificates that are wrong its credentials count.
@SuppressWarnings("doclint:missing") // it would be said twice
public enum IiopCount implements Counts.Counted {
  ACCEPTED_IIOP(counter("iiop.connections.accepted", "Connections of others.")),
  CLOSED_FOREIGN_PROTOCOL(closed("foreign-protocol", "Something other than GIOP came: random bytes, HTTP.")),
  CLOSED_OTHER_VERSION(closed("other-version", "GIOP came, but not 1.2.")),
  CLOSED_BAD_MESSAGE(
      closed("bad-message", "A message of an unknown or unexpected type came, or a request that no peer makes.")),
  CLOSED_FORWARDED(
      closed("forwarded", "A peer forwarded to another address, or a connection to an undialled address was opened.")),
  CLOSED_BAD_LENGTH(closed("bad-length", "A message was longer than allowed.")),
  CLOSED_NOT_TLS(closed("not-tls", "The peer does not use TLS, and this node does.")),
  CLOSED_WRONG_CERTIFICATE(closed("wrong-certificate", "The peer has no certificate.")),
  CLOSED_REFUSED_BY_PEER(
      closed("refused-by-peer", "The peer refused this node's certificate, or closed during the handshake.")),
  CLOSED_TLS_BROKEN(closed("tls-broken", "The peer violated the TLS protocol.")),
  DROP_UNKNOWN_OPERATION(
      counter("iiop.requests.dropped", "An unknown operation was requested.").tagged("reason", "unknown-operation")),
  DROP_BAD_SEQUENCE(
      counter("iiop.requests.dropped", "A request was shorter than its length says.").tagged("reason", "bad-sequence")),
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
