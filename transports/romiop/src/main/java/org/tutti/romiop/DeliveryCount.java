package org.tutti.romiop;

import static org.tutti.Metric.counter;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a delegate counts of the process of its servants.
enum DeliveryCount implements Counts.Counted {
  DELIVERED(counter("delivery.requests.executed", "The process of the servants has executed requests.")),
  MICROSECONDS(counter("delivery.microseconds.executed", "What the same requests took in all.")),
  REPEATED(counter("delivery.requests.repeated", "A request was sent again over another connection.")),
  CONNECTED(counter("delivery.connections.opened", "Connections to the process of the servants were opened."));

  private final Metric metric;

  DeliveryCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }
}
