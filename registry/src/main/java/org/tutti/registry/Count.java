package org.tutti.registry;

import java.util.Locale;

/// What a registry counts: requests that were answered, then those that were refused, with their reasons.
enum Count {
  ANNOUNCED(200),
  LOOKED(200),
  LEFT(200),
  OUTLIVED(409),
  FULL(503),
  MALFORMED(400),
  NO_LENGTH(411),
  TOO_LONG(413),
  WRONG_METHOD(405),
  UNKNOWN_PATH(404);

  /// The status of the answer, as in HTTP.
  final int status;

  Count(int status) {
    this.status = status;
  }

  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
