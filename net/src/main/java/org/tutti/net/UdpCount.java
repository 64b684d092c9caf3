package org.tutti.net;

import static org.tutti.Metric.counter;
import static org.tutti.Metric.gauge;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a [UdpTransport] counts: traffic first, then events with their reasons.
enum UdpCount implements Counts.Counted {
  FRAMES_SENT(counter("udp.frames.sent", "Frames were taken for a peer.")),
  FRAMES_RECEIVED(counter("udp.frames.received", "Frames came whole.")),
  DATAGRAMS_SENT(counter("udp.datagrams.sent", "Datagrams with frames were sent.")),
  DATAGRAMS_RECEIVED(counter("udp.datagrams.received", "Datagrams were read, of any kind and from anybody.")),
  BYTES_SENT(counter("udp.bytes.sent", "Bytes of datagrams were sent.")),
  BYTES_RECEIVED(counter("udp.bytes.received", "Bytes of datagrams were read.")),
  SENDS(counter("udp.sends.made", "Calls of the kernel that sent.")),
  READS(counter("udp.reads.made", "Calls of the kernel that read.")),
  TRAINS_SENT(counter("udp.trains.sent", "Calls that sent several datagrams at once.")),
  TRAINS_RECEIVED(counter("udp.trains.received", "Calls that read several datagrams at once.")),
  TRAINS_REFUSED(counter("udp.trains.refused", "The kernel or the device could not send several datagrams at once.")),
  SEGMENTS_SENT(counter("udp.segments.sent", "Datagrams that were sent together with others.")),
  ECHOES_SENT(counter("udp.echoes.sent", "Answers that only tell what has arrived.")),
  PROBES_SENT(counter("udp.probes.sent", "Questions to a peer what has arrived.").tagged("kind", "peer")),
  SIZE_PROBES_SENT(
      counter("udp.probes.sent", "Datagrams that tried whether a longer one passes.").tagged("kind", "size")),
  PATH_BYTES_LEAST(
      gauge("udp.path.bytes", "The longest datagram that passes on the narrowest path to a peer; 0 when unknown.")),
  DATAGRAMS_CUT(counter("udp.datagrams.cut", "Datagrams were cut into pieces, as they were too long for the path.")),
  PIECES_SENT(counter("udp.pieces.sent", "Pieces of such datagrams were sent.")),
  PIECES_RECEIVED(counter("udp.pieces.received", "Pieces came.")),
  PIECES_JOINED(counter("udp.pieces.joined", "Datagrams whose pieces had all come were put together.")),
  HELLOS_SENT(counter("udp.hellos.sent", "Greetings to addresses that may be peers.")),
  CASTS_SENT(counter("udp.casts.sent", "Datagrams were sent to the multicast address.")),
  CASTS_COPIES(counter("udp.copies.replaced", "Datagrams to single peers that those took the place of.")),
  CASTS_RECEIVED(counter("udp.casts.received", "Multicast datagrams came with something for this node.")),
  CASTS_ASKED(counter("udp.asks.sent", "Questions to the multicast address who hears it.")),
  CASTS_MISSED(counter("udp.casts.missed", "Multicast datagrams of peers did not come.")),
  CASTS_GIVEN_UP(
      counter("udp.casts.abandoned", "Missing ones were not waited for any more; the link repeats what was in them.")),
  CASTS_REPEATED(counter("udp.casts.repeated", "Multicast datagrams came again.")),
  CASTS_ALONE(counter("udp.peers.lagging", "Multicast waited for a peer in vain, which then got its own copies.")),
  NAKS_SENT(counter("udp.naks.sent", "Missing multicast datagrams were asked for.")),
  NAKS_SUPPRESSED(counter("udp.naks.suppressed", "Another node had asked for the same already.")),
  NAKS_WITHHELD(counter("udp.naks.withheld", "More was missing than may be asked for at once.")),
  NAKS_RECEIVED(counter("udp.naks.received", "Others asked for what they miss.")),
  NAKS_IN_VAIN(counter("udp.naks.unanswered", "Others asked for what is not here.")),
  REPAIRS_SENT(counter("udp.repairs.sent", "Own multicast datagrams were sent again.").tagged("of", "own")),
  REPAIRS_SENT_FOR_OTHERS(
      counter("udp.repairs.sent", "Multicast datagrams of other nodes were sent again.").tagged("of", "others")),
  REPAIRS_SUPPRESSED(counter("udp.repairs.suppressed", "Another node was faster.")),
  REPAIRS_WITHHELD(counter("udp.repairs.withheld", "More was asked for than may be repaired at once.")),
  REPAIRS_RECEIVED(counter("udp.repairs.received", "Missing multicast datagrams came after all.")),
  REPAIRS_NOT_NEEDED(counter("udp.repairs.unneeded", "What others repaired was not missing here.")),
  WAKEUPS(counter("udp.wakeups.made", "Another thread woke the engine thread up.")),
  RECEIVE_BUFFER_ASKED(gauge("udp.buffer.asked.bytes", "The socket's receive buffer as the settings ask for it.")),
  RECEIVE_BUFFER_GRANTED(
      gauge("udp.buffer.granted.bytes", "The socket's receive buffer as the kernel grants it.")
          .tagged("socket", "peers")),
  RECEIVE_BUFFER_GRANTED_MULTICASTS(
      gauge("udp.buffer.granted.bytes", "The receive buffer of the socket for multicast as granted; 0 without one.")
          .tagged("socket", "casts")),
  CLAIMS_REFUSED(counter("udp.claims.refused", "There was no room for a frame, or the peer is not known yet.")),
  CONNECTED_UDP(counter("udp.peers.connected", "Peers were greeted and answered.")),
  LIFE_REPLACED(ended("replaced", "A later life of the peer was heard.")),
  ENDED_BY_PEER(ended("by-peer", "The peer said farewell.")),
  ENDED_SILENT(ended("silent", "The peer was heard no more.")),
  ENDED_FORGOTTEN(ended("forgotten", "Nobody sent to the peer for long, or it made room for another one.")),
  ADDRESS_UNUSABLE(counter("udp.addresses.unusable", "What should have been the address of a peer is none.")),
  REFUSALS_SENT(counter("udp.refusals.sent", "Datagrams were answered by the reason why they are not taken.")),
  REFUSALS_RECEIVED(counter("udp.refusals.received", "Such answers came.")),
  SEND_FAILED(
      counter("udp.datagrams.unsent", "The kernel did not send a datagram, for want of a route for example.")
          .tagged("reason", "failed")),
  SEND_TOO_LONG(
      counter("udp.datagrams.unsent", "A datagram was longer than the path, or its first hop, lets through.")
          .tagged("reason", "too-long")),
  SOCKET_FULL(counter("udp.sends.blocked", "The kernel had no room for a datagram, which was sent later.")),
  RECEIVE_FAILED(
      counter("udp.reads.failed", "A call that read failed; some systems tell so that nobody listens elsewhere.")),
  KEYS_CHANGED(counter("udp.keys.changed", "Changed keys were taken into use.")),
  KEYS_UNUSABLE(counter("udp.keys.unusable", "The file with the keys had changed and cannot be used.")),
  OPENED_WITH_OTHER_KEY(
      counter("udp.datagrams.opened", "Datagrams were sealed with another key than the first one here.")
          .tagged("key", "other")),
  DROP_UNSEALED(dropped("unsealed", "Datagrams without a seal came, and this node has keys.")),
  DROP_UNKNOWN_KEY(dropped("unknown-key", "Datagrams were sealed with a key that is not known here.")),
  DROP_FORGED(dropped("forged", "Datagrams whose seal is wrong were damaged or forged.")),
  DROP_REPLAYED(dropped("replayed", "Datagrams came that had come before, or much too late.")),
  DROP_FOREIGN_PROTOCOL(dropped("foreign-protocol", "Datagrams of something else than Tutti came.")),
  DROP_OTHER_VERSION(dropped("other-version", "Datagrams of another version came.")),
  DROP_OTHER_LIFE(dropped("other-life", "Datagrams were meant for an earlier life at this address.")),
  DROP_OLD_LIFE(dropped("old-life", "Datagrams came of a life of the peer that is over.")),
  DROP_UNASKED(dropped("unasked", "Answers came to what this node had not asked.")),
  DROP_FOR_OTHERS(dropped("for-others", "Multicast datagrams came with nothing for this node.")),
  DROP_TOO_MANY_PEERS(counter("udp.addresses.forgotten", "A peer that was not in use made room for another one.")),
  DROP_BAD_LENGTH(dropped("bad-length", "A frame was longer than its datagram, or empty.")),
  DROP_BAD_PIECE(counter("udp.pieces.dropped", "Pieces came that belong to nothing.").tagged("reason", "bad")),
  DROP_LATE_PIECE(counter("udp.pieces.dropped", "Pieces came twice, or too late.").tagged("reason", "late")),
  DROP_INCOMPLETE(dropped("incomplete", "Pieces of a datagram did not come before those of later ones."));

  private final Metric metric;

  UdpCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  private static Metric dropped(String reason, String about) {
    return counter("udp.datagrams.dropped", about).tagged("reason", reason);
  }

  private static Metric ended(String reason, String about) {
    return counter("udp.peers.ended", about).tagged("reason", reason);
  }
}
