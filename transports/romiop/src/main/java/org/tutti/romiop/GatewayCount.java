package org.tutti.romiop;

import static org.tutti.Metric.counter;
import static org.tutti.Metric.gauge;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a gateway counts, besides the failures of calls ([Gateway#metrics]).
enum GatewayCount implements Counts.Counted {
  CONNECTIONS(gauge("gateway.open.connections", "Clients are connected.")),
  UNDER_WAY(gauge("gateway.open.calls", "Calls of clients are not answered yet.")),
  ACCEPTED(counter("gateway.connections.accepted", "Clients have connected.")),
  AWAY(closed("away", "The server was not in the group; clients go to the next gateway.")),
  MALFORMED(closed("malformed", "What came was no GIOP, or more than allowed.")),
  SLOW(closed("slow", "A message was not complete in time, or the client did not read its replies.")),
  SILENT(closed("silent", "The client was silent for too long.")),
  TWO_WAY(counter("gateway.requests.received", "Requests that wait for a reply came.").tagged("kind", "two-way")),
  ONE_WAY(counter("gateway.requests.received", "One-way requests came.").tagged("kind", "one-way")),
  CANCELLED(counter("gateway.requests.cancelled", "Clients did not wait for a reply any more.")),
  FORWARDED(answered("forwarded", "Clients with an old reference were given the newest one.")),
  RESULT(answered("result", "Calls ended by a result.")),
  USER_EXCEPTION(answered("user-exception", "Calls ended by an exception of their interface.")),
  SYSTEM_EXCEPTION(answered("system-exception", "Calls ended by a system exception of the servant or its ORB."));

  private final Metric metric;

  GatewayCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  private static Metric closed(String reason, String about) {
    return counter("gateway.connections.closed", about).tagged("reason", reason);
  }

  private static Metric answered(String outcome, String about) {
    return counter("gateway.requests.answered", about).tagged("outcome", outcome);
  }
}
