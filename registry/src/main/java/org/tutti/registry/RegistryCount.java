package org.tutti.registry;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a registry counts: requests that were answered, then those that were refused, with their reasons.
enum RegistryCount implements Counts.Counted {
  ANNOUNCED(200, answered("announce", "Members said that they are there.")),
  LOOKED(200, answered("look", "Somebody looked who is there, or at these numbers.")),
  LEFT(200, answered("leave", "Members said that they go.")),
  OUTLIVED(409, refused("outlived", "A later life of the member is registered.")),
  FULL(503, refused("full", "There are as many groups or members as there may be, or the registry ends.")),
  MALFORMED(400, refused("malformed", "What came is no request of this protocol.")),
  NO_LENGTH(411, refused("no-length", "A request did not tell the length of its content.")),
  TOO_LONG(413, refused("too-long", "A request was longer than any may be.")),
  WRONG_METHOD(405, refused("wrong-method", "A request was no POST.")),
  UNKNOWN_PATH(404, refused("unknown-path", "This version has no such request."));

  /// The status of the answer, as in HTTP.
  final int status;

  private final Metric metric;

  RegistryCount(int status, Metric metric) {
    this.status = status;
    this.metric = metric;
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
