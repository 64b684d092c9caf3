package org.tutti.middleware;

/// What a [MiddlewareTransport] counts: traffic first, then events with their reasons. Users see `CALL_BROKEN` as
/// `call-broken`; what other transports count as well has the same name.
enum Count {
  FRAMES_SENT,
  FRAMES_RECEIVED,
  BYTES_SENT,
  BYTES_RECEIVED,
  BATCHES_SENT,
  BATCHES_RECEIVED,
  WAKEUPS,
  CLAIMS_REFUSED,
  CONNECTED,
  CONNECT_FAILED,
  ADDRESS_UNUSABLE,
  ADDRESS_FORGOTTEN,
  CALL_BROKEN,
  CALL_IDLE,
  DROP_FOREIGN_PROTOCOL,
  DROP_OTHER_VERSION,
  DROP_BAD_PREAMBLE,
  DROP_WRONG_IDENTITY,
  DROP_BAD_LENGTH,
  DROP_INBOX_FULL
}
