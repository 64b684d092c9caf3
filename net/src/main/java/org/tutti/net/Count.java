package org.tutti.net;

import java.util.Locale;

/// What a transport counts: traffic first, then events with their reasons.
enum Count {
  FRAMES_SENT,
  FRAMES_RECEIVED,
  BYTES_SENT,
  BYTES_RECEIVED,
  WRITES,
  READS,
  WAKEUPS,
  CLAIMS_REFUSED,
  CONNECTED_TCP,
  CONNECTED_UNIX,
  ACCEPTED_TCP,
  ACCEPTED_UNIX,
  ACCEPT_FAILED,
  CONNECT_FAILED,
  ADDRESS_UNUSABLE,
  ADDRESS_FORGOTTEN,
  CLOSED_BY_PEER,
  CLOSED_BROKEN,
  CLOSED_REPLACED,
  CLOSED_SILENT,
  CLOSED_AT_END,
  CLOSED_TOO_MANY,
  CLOSED_CROWDED_OUT,
  CLOSED_PREAMBLE_TIMEOUT,
  CLOSED_FOREIGN_PROTOCOL,
  CLOSED_OTHER_VERSION,
  CLOSED_BAD_PREAMBLE,
  CLOSED_WRONG_IDENTITY,
  CLOSED_BAD_LENGTH;

  /// The name under which users see it, for example `closed-bad-length`.
  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
