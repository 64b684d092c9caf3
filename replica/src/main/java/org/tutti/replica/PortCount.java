package org.tutti.replica;

import static org.tutti.Metric.counter;

import java.io.EOFException;
import java.io.IOException;
import org.tutti.Metric;
import org.tutti.tls.TlsWire;
import org.tutti.transport.Counts;

/// What a port for clients counts.
enum PortCount implements Counts.Counted {
  ACCEPTED(counter("replica.connections.accepted", "Clients have connected.")),
  ACCEPT_FAILED(
      counter("replica.accepts.failed", "A connection could not be accepted, usually for lack of file descriptors.")),
  BY_CLIENT(closed("by-client", "The client closed the connection.")),
  BROKEN(closed("broken", "The connection broke.")),
  AWAY(closed("away", "The replica was getting a state; clients go to another one.")),
  SLOW(closed("slow", "The client did not read its replies.")),
  UNFINISHED(closed("unfinished", "A long frame was not finished, and others needed the room.")),
  BAD_LENGTH(closed("bad-length", "A frame was empty, or longer than allowed.")),
  MALFORMED(closed("malformed", "The client said what no client says.")),
  OTHER_VERSION(closed("other-version", "The client speaks another version of the clients' protocol.")),
  POLICY(closed("policy", "The client wanted a policy that there is not, or not with this service.")),
  FOREIGN_SESSION(closed("foreign-session", "A session was used that was not opened on the connection.")),
  GREEDY(closed("greedy", "Most of too many questions that waited were of the client.")),
  IS_TLS(closed("is-tls", "The client uses TLS, and this port does not.")),
  NOT_TLS(closed("not-tls", "The client does not use TLS, and this port does.")),
  WRONG_CERTIFICATE(closed("wrong-certificate", "The client has no certificate, or one of another authority.")),
  EXPIRED_CERTIFICATE(closed("expired-certificate", "The client's certificate has expired, or is not valid yet.")),
  WRONG_CLUSTER(closed("wrong-cluster", "The client's certificate is for another cluster.")),
  WRONG_ROLE(closed("wrong-role", "The client's certificate is for other roles.")),
  REFUSED_BY_CLIENT(closed("refused-by-peer", "The client refused this replica's certificate.")),
  TLS_BROKEN(closed("tls-broken", "The client violated the TLS protocol.")),
  AT_END(closed("at-end", "The replica ended."));

  private final Metric metric;

  PortCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  /// Why a connection ended.
  static PortCount of(IOException failure) {
    return switch (failure) {
      case EOFException _ -> BY_CLIENT;
      case FrameChannel.BadLengthException wrong -> wrong.isTls ? IS_TLS : BAD_LENGTH;
      default ->
          switch (TlsWire.Failure.of(failure)) {
            case NOT_TLS -> NOT_TLS;
            case OTHER_CLUSTER -> WRONG_CLUSTER;
            case OTHER_ROLE -> WRONG_ROLE;
            case EXPIRED_CERTIFICATE -> EXPIRED_CERTIFICATE;
            case WRONG_CERTIFICATE -> WRONG_CERTIFICATE;
            case REFUSED_BY_PEER -> REFUSED_BY_CLIENT;
            case TLS_BROKEN -> TLS_BROKEN;
            case BROKEN -> BROKEN;
          };
    };
  }

  private static Metric closed(String reason, String about) {
    return counter("replica.connections.closed", about).tagged("reason", reason);
  }
}
