package org.tutti.net.udp;

import static org.tutti.Metric.counter;
import static org.tutti.Metric.gauge;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a [UdpTransport] counts: traffic first, then events with their reasons.
enum UdpCount implements Counts.Counted {
  FRAMES_SENT(counter("udp.frames.sent", "Frames were accepted for a peer.")),
  FRAMES_RECEIVED(counter("udp.frames.received", "Complete frames were received.")),
  DATAGRAMS_SENT(counter("udp.datagrams.sent", "Datagrams with frames were sent.")),
  DATAGRAMS_RECEIVED(counter("udp.datagrams.received", "Datagrams of all kinds were read.")),
  BYTES_SENT(counter("udp.bytes.sent", "Bytes of datagrams were sent.")),
  BYTES_RECEIVED(counter("udp.bytes.received", "Bytes of datagrams were read.")),
  SENDS(counter("udp.sends.made", "System calls that sent.")),
  READS(counter("udp.reads.made", "System calls that read.")),
  TRAINS_SENT(counter("udp.trains.sent", "Calls that sent several datagrams at once.")),
  TRAINS_RECEIVED(counter("udp.trains.received", "Calls that read several datagrams at once.")),
  TRAINS_REFUSED(counter("udp.trains.refused", "The kernel or the device could not send several datagrams at once.")),
  SEGMENTS_SENT(counter("udp.segments.sent", "Datagrams that were sent as part of a train.")),
  ECHOES_SENT(counter("udp.echoes.sent", "Datagrams that only report what has arrived.")),
  PROBES_SENT(counter("udp.probes.sent", "Questions to a peer about what has arrived.").tagged("kind", "peer")),
  SIZE_PROBES_SENT(counter("udp.probes.sent", "Datagrams that tested a larger size.").tagged("kind", "size")),
  PATH_BYTES_LEAST(gauge("udp.path.bytes", "The longest datagram on the narrowest path to a peer; 0 when unknown.")),
  DATAGRAMS_CUT(counter("udp.datagrams.cut", "Datagrams, most with a long frame, went in pieces.")),
  PIECES_SENT(counter("udp.pieces.sent", "Pieces of such datagrams were sent.")),
  PIECES_RECEIVED(counter("udp.pieces.received", "Pieces came.")),
  PIECES_JOINED(counter("udp.pieces.joined", "Datagrams were reassembled from pieces.")),
  HELLOS_SENT(counter("udp.hellos.sent", "Greetings to addresses that may be peers.")),
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
  LIFE_REPLACED(ended("replaced", "The peer was restarted.")),
  ENDED_BY_PEER(ended("by-peer", "The peer has ended.")),
  ENDED_SILENT(ended("silent", "The peer was silent for too long.")),
  ENDED_FORGOTTEN(ended("forgotten", "The peer was unused for long, or was forgotten for another one.")),
  ADDRESS_UNUSABLE(counter("udp.addresses.unusable", "The address of a peer was invalid.")),
  REFUSALS_SENT(counter("udp.refusals.sent", "Refusals were sent in answer to datagrams.")),
  REFUSALS_RECEIVED(counter("udp.refusals.received", "Refusals came.")),
  SEND_FAILED(
      counter("udp.datagrams.unsent", "The kernel did not send a datagram, for example because there was no route.")
          .tagged("reason", "failed")),
  SEND_TOO_LONG(
      counter("udp.datagrams.unsent", "A datagram was too long for the path or its first hop.")
          .tagged("reason", "too-long")),
  SOCKET_FULL(counter("udp.sends.blocked", "The kernel had no room for a datagram, which was sent later.")),
  RECEIVE_FAILED(counter("udp.reads.failed", "Reading failed; some systems report unreachable ports of peers so.")),
  KEYS_CHANGED(counter("udp.keys.changed", "Changed keys were loaded.")),
  KEYS_UNUSABLE(counter("udp.keys.unusable", "The changed file with the keys is unusable.")),
  OPENED_WITH_OTHER_KEY(
      counter("udp.datagrams.opened", "Datagrams with another key than the first one of this node came.")
          .tagged("key", "other")),
  DROP_UNSEALED(dropped("unsealed", "Unencrypted datagrams came, and this node has keys.")),
  DROP_UNKNOWN_KEY(dropped("unknown-key", "Datagrams with an unknown key came.")),
  DROP_FORGED(dropped("forged", "Datagrams with a wrong seal came; they are damaged or forged.")),
  DROP_REPLAYED(dropped("replayed", "Duplicate or very late datagrams came.")),
  DROP_FOREIGN_PROTOCOL(dropped("foreign-protocol", "Datagrams of another protocol came.")),
  DROP_OTHER_VERSION(dropped("other-version", "Datagrams of another version came.")),
  DROP_OTHER_LIFE(dropped("other-life", "Datagrams for an earlier process at this address came.")),
  DROP_OLD_LIFE(dropped("old-life", "Datagrams of an earlier process of the peer came.")),
  DROP_UNASKED(dropped("unasked", "Answers without a question of this node came.")),
  DROP_FOR_OTHERS(dropped("for-others", "Multicast datagrams without a share for this node came.")),
  DROP_TOO_MANY_PEERS(counter("udp.addresses.forgotten", "An unused peer was forgotten for another one.")),
  DROP_BAD_LENGTH(dropped("bad-length", "A frame was empty, or longer than its datagram.")),
  DROP_BAD_PIECE(counter("udp.pieces.dropped", "Invalid pieces came.").tagged("reason", "bad")),
  DROP_LATE_PIECE(counter("udp.pieces.dropped", "Duplicate or late pieces came.").tagged("reason", "late")),
  DROP_INCOMPLETE(dropped("incomplete", "Pieces of a datagram were missing when those of later ones came."));

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
