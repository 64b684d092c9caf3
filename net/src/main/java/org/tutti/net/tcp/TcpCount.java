package org.tutti.net.tcp;

import static org.tutti.Metric.counter;

import org.tutti.Metric;
import org.tutti.tls.TlsWire;
import org.tutti.transport.Counts;

/// What a [TcpTransport] counts: traffic first, then events with their reasons.
enum TcpCount implements Counts.Counted {
  FRAMES_SENT(counter("tcp.frames.sent", "Frames were written to a connection.")),
  FRAMES_RECEIVED(counter("tcp.frames.received", "Complete frames were received.")),
  BYTES_SENT(counter("tcp.bytes.sent", "Bytes were written to sockets.")),
  BYTES_RECEIVED(counter("tcp.bytes.received", "Bytes were read from sockets.")),
  WRITES(counter("tcp.writes.made", "System calls that wrote.")),
  READS(counter("tcp.reads.made", "System calls that read.")),
  READS_DEFERRED(
      counter("tcp.reads.deferred", "The rest of a long frame came so slowly that it was waited for, up to 4 ms.")),
  WAKEUPS(counter("tcp.wakeups.made", "Another thread woke the engine thread up.")),
  CLAIMS_REFUSED(counter("tcp.claims.refused", "There was no room for a frame, or no connection.")),
  CONNECTED_TCP(
      counter("tcp.peers.connected", "Connections that were opened here were complete.").tagged("over", "tcp")),
  CONNECTED_UNIX(counter("tcp.peers.connected", "Those over a Unix domain socket.").tagged("over", "unix")),
  ACCEPTED_TCP(
      counter("tcp.connections.accepted", "Connections that peers opened were complete.").tagged("over", "tcp")),
  ACCEPTED_UNIX(counter("tcp.connections.accepted", "Those over a Unix domain socket.").tagged("over", "unix")),
  ACCEPT_FAILED(
      counter("tcp.accepts.failed", "A connection could not be accepted, usually for lack of file descriptors.")),
  CONNECT_FAILED(counter("tcp.dials.failed", "A connection could not be opened.")),
  ADDRESS_UNUSABLE(counter("tcp.addresses.unusable", "The address of a peer was invalid.")),
  ADDRESS_FORGOTTEN(counter("tcp.addresses.forgotten", "A peer without a connection was forgotten for another one.")),
  CLOSED_BY_PEER(closed("by-peer", "The peer closed the connection.")),
  CLOSED_BROKEN(closed("broken", "The connection broke.")),
  CLOSED_REPLACED(closed("replaced", "The peer opened a newer one.")),
  CLOSED_SILENT(closed("silent", "The peer was silent for too long.")),
  CLOSED_AT_END(closed("at-end", "This node ended.")),
  CLOSED_TOO_MANY(closed("too-many", "The maximum of accepted connections was reached.")),
  CLOSED_CROWDED_OUT(closed("crowded-out", "A connection without a preamble was closed for a newer one.")),
  CLOSED_PREAMBLE_TIMEOUT(closed("preamble-timeout", "The handshake did not end in time.")),
  CLOSED_FOREIGN_PROTOCOL(closed("foreign-protocol", "The other side is not a node of Tutti.")),
  CLOSED_OTHER_VERSION(closed("other-version", "The peer has another protocol version.")),
  CLOSED_BAD_PREAMBLE(closed("bad-preamble", "The preamble of the peer was damaged.")),
  CLOSED_WRONG_IDENTITY(closed("wrong-identity", "Another node than the expected one answered.")),
  CLOSED_BAD_LENGTH(closed("bad-length", "A frame was empty, or longer than allowed.")),
  CLOSED_IS_TLS(closed("is-tls", "The peer uses TLS, and this node does not.")),
  CLOSED_NOT_TLS(closed("not-tls", "The peer does not use TLS, and this node does.")),
  CLOSED_WRONG_CERTIFICATE(closed("wrong-certificate", "The peer has no certificate, or one of another authority.")),
  CLOSED_EXPIRED_CERTIFICATE(closed("expired-certificate", "The peer's certificate has expired, or is not valid yet.")),
  CLOSED_WRONG_CLUSTER(closed("wrong-cluster", "The peer's certificate is for another cluster.")),
  CLOSED_WRONG_ROLE(closed("wrong-role", "The peer's certificate is for other roles.")),
  CLOSED_REFUSED_BY_PEER(closed("refused-by-peer", "The peer refused this node's certificate.")),
  CLOSED_TLS_BROKEN(closed("tls-broken", "The peer violated the TLS protocol."));

  private final Metric metric;

  TcpCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  static TcpCount of(TlsWire.Failure why) {
    return switch (why) {
      case NOT_TLS -> CLOSED_NOT_TLS;
      case OTHER_CLUSTER -> CLOSED_WRONG_CLUSTER;
      case OTHER_ROLE -> CLOSED_WRONG_ROLE;
      case EXPIRED_CERTIFICATE -> CLOSED_EXPIRED_CERTIFICATE;
      case WRONG_CERTIFICATE -> CLOSED_WRONG_CERTIFICATE;
      case REFUSED_BY_PEER -> CLOSED_REFUSED_BY_PEER;
      case TLS_BROKEN -> CLOSED_TLS_BROKEN;
      case BROKEN -> CLOSED_BROKEN;
    };
  }

  private static Metric closed(String reason, String about) {
    return counter("tcp.connections.closed", about).tagged("reason", reason);
  }
}
