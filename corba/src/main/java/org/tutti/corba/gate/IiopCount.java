package org.tutti.corba.gate;

/// What a [Gate] counts; users see `CLOSED_BAD_LENGTH` as `closed-bad-length`, and what the transport over TCP counts
/// as well has the same name.
public enum IiopCount {
  /// Connections of others.
  ACCEPTED_IIOP,
  /// Something else than GIOP: random bytes, HTTP.
  CLOSED_FOREIGN_PROTOCOL,
  /// GIOP, but not 1.2.
  CLOSED_OTHER_VERSION,
  /// A type of message that GIOP does not have or nobody may send here, or a request that no peer makes.
  CLOSED_BAD_MESSAGE,
  /// A peer that says that its object is elsewhere, or a connection to somebody whom nobody has dialled.
  CLOSED_FORWARDED,
  /// A message longer than any that peers send.
  CLOSED_BAD_LENGTH,
  /// Something else than TLS, where certificates are asked for.
  CLOSED_NOT_TLS,
  /// No certificate; and what [org.tutti.net.tls.Credentials#refusals] counts under this name: one of another
  /// authority.
  CLOSED_WRONG_CERTIFICATE,
  /// The peer did not believe the own certificate, or hung up within the handshake.
  CLOSED_REFUSED_BY_PEER,
  /// TLS went wrong otherwise.
  CLOSED_TLS_BROKEN,
  /// A request for an operation that a peer does not have.
  DROP_UNKNOWN_OPERATION,
  /// A request whose bytes are fewer than it says.
  DROP_BAD_SEQUENCE,
  /// A thread of the ORB has ended by an exception: there was a request that it does not survive. If it was one that
  /// all requests need, the node stops.
  ORB_THREAD_ENDED
}
