package org.tutti.net.udp.multicast;

import static org.tutti.Metric.counter;
import static org.tutti.Metric.gauge;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a transport over UDP counts of its multicasts.
public enum MulticastCount implements Counts.Counted {
  /// Datagrams were sent to the multicast address.
  CASTS_SENT(counter("udp.casts.sent", "Datagrams were sent to the multicast address.")),
  /// Long multicasts left as one datagram, which the network breaks.
  CASTS_WHOLE(counter("udp.casts.whole", "Long multicasts left as one datagram, which the network breaks.")),
  /// Datagrams to single peers that multicasts replaced.
  CASTS_COPIES(counter("udp.copies.replaced", "Datagrams to single peers that multicasts replaced.")),
  /// Multicast datagrams with a share for this node came.
  CASTS_RECEIVED(counter("udp.casts.received", "Multicast datagrams with a share for this node came.")),
  /// Questions to the multicast address which peers receive it.
  CASTS_ASKED(counter("udp.asks.sent", "Questions to the multicast address which peers receive it.")),
  /// Peers that are asked whether they receive multicasts.
  PEERS_ASKED(
      gauge("udp.multicast.peers", "Peers that are asked whether they receive multicasts.").tagged("kind", "asked")),
  /// Peers that have said to receive multicasts.
  PEERS_RECEIVING(
      gauge("udp.multicast.peers", "Peers that receive multicasts, as they say.").tagged("kind", "receiving")),
  /// Peers whose own multicasts have come.
  PEERS_HEARD(gauge("udp.multicast.peers", "Peers whose own multicasts have come.").tagged("kind", "heard")),
  /// Multicast datagrams of peers were missing.
  CASTS_MISSED(counter("udp.casts.missed", "Multicast datagrams of peers were missing.")),
  /// Missing multicasts were given up; the link repeats their content.
  CASTS_GIVEN_UP(counter("udp.casts.abandoned", "Missing multicasts were given up; the link repeats their content.")),
  /// Duplicate multicast datagrams came.
  CASTS_REPEATED(counter("udp.casts.repeated", "Duplicate multicast datagrams came.")),
  /// A peer was too slow for multicast, and got datagrams of its own.
  CASTS_ALONE(counter("udp.peers.lagging", "A peer was too slow for multicast, and got datagrams of its own.")),
  /// Missing multicast datagrams were asked for.
  NAKS_SENT(counter("udp.naks.sent", "Missing multicast datagrams were asked for.")),
  /// A question was not sent because another node had asked.
  NAKS_SUPPRESSED(counter("udp.naks.suppressed", "A question was not sent because another node had asked.")),
  /// More multicasts were missing than may be asked for at once.
  NAKS_WITHHELD(counter("udp.naks.withheld", "More multicasts were missing than may be asked for at once.")),
  /// Others asked for multicasts that they miss.
  NAKS_RECEIVED(counter("udp.naks.received", "Others asked for multicasts that they miss.")),
  /// Others asked for multicasts that are not kept here.
  NAKS_IN_VAIN(counter("udp.naks.unanswered", "Others asked for multicasts that are not kept here.")),
  /// Own multicast datagrams were sent again.
  REPAIRS_SENT(counter("udp.repairs.sent", "Own multicast datagrams were sent again.").tagged("of", "own")),
  /// Multicast datagrams of other nodes were sent again.
  REPAIRS_SENT_FOR_OTHERS(
      counter("udp.repairs.sent", "Multicast datagrams of other nodes were sent again.").tagged("of", "others")),
  /// A repair was not sent because another node was faster.
  REPAIRS_SUPPRESSED(counter("udp.repairs.suppressed", "A repair was not sent because another node was faster.")),
  /// More repairs were requested than may be sent at once.
  REPAIRS_WITHHELD(counter("udp.repairs.withheld", "More repairs were requested than may be sent at once.")),
  /// Missing multicast datagrams were repaired.
  REPAIRS_RECEIVED(counter("udp.repairs.received", "Missing multicast datagrams were repaired.")),
  /// Repairs came for multicasts that were not missing here.
  REPAIRS_NOT_NEEDED(counter("udp.repairs.unneeded", "Repairs came for multicasts that were not missing here."));

  private final Metric metric;

  MulticastCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }
}
