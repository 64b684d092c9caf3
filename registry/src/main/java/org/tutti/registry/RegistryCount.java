package org.tutti.registry;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a registry counts: requests that were answered, then those that were refused, with their reasons.
enum RegistryCount implements Counts.Counted {
  ANNOUNCED(200, answered("announce", "Members announced themselves.")),
  LOOKED(200, answered("look", "Clients asked for the members, or for these numbers.")),
  LEFT(200, answered("leave", "Members announced that they leave.")),
  OUTLIVED(409, refused("outlived", "A later life of the member is registered.")),
  FULL(503, refused("full", "The maximum of groups or members was reached, or the registry is closing.")),
  MALFORMED(400, refused("malformed", "A request was malformed.")),
  NO_LENGTH(411, refused("no-length", "A request had no content length.")),
  TOO_LONG(413, refused("too-long", "A request was too long.")),
  WRONG_METHOD(405, refused("wrong-method", "A request was no POST.")),
  UNKNOWN_PATH(404, refused("unknown-path", "The path is unknown in this version."));

  /// The status of the answer, as in HTTP.
  final int status;

  private final Metric metric;

  RegistryCount(int status, Metric metric) {
    this.status = status;
    this.metric = metric;
  }

  /// Of a request that could not be read.
  static RegistryCount malformed(int status) {
    return status == NO_LENGTH.status ? NO_LENGTH : status == TOO_LONG.status ? TOO_LONG : MALFORMED;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  private static Metric answered(String kind, String about) {
    return Metric.counter("registry.requests.answered", about).tagged("kind", kind);
  }

  private static Metric refused(String reason, String about) {
    return Metric.counter("registry.requests.refused", about).tagged("reason", reason);
  }
}
