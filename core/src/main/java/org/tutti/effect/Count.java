package org.tutti.effect;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What the core counts, from the links upwards: the sentence of each says what.
@SuppressWarnings("doclint:missing") // it would be said twice
public enum Count implements Counts.Counted {
  // ---- link ------------------------------------------------------------------------------------------------------
  PACKETS_REPEATED(Metric.counter("link.packets.repeated", "Packets were sent again because they seemed to be lost.")),
  PACKETS_DUPLICATE(Metric.counter("link.packets.duplicate", "Duplicate packets came.")),
  TIMEOUTS_EXPIRED(
      Metric.counter("link.timeouts.expired", "No acknowledgement came in time, so packets were sent again.")),
  STREAMS_RESET(
      Metric.counter("link.streams.reset", "A peer had forgotten a stream, which was sent again as a new one.")),
  CLAIMS_REFUSED(Metric.counter("link.claims.refused", "The transport had no room for a packet to a peer.")),
  STRANGERS_CLOSED(
      Metric.counter("link.strangers.closed", "Links to nodes without a common group were closed for newer ones.")),
  PACKET_OF_OTHER_CLUSTER(packet("other-cluster", "Packets came from a node of another cluster.")),
  PACKET_OF_OTHER_VERSION(packet("other-version", "Packets of a version came that this node does not understand.")),
  PACKET_FOR_OTHER_LIFE(packet("other-incarnation", "Packets for another process at this address came.")),
  PACKET_OF_OWN(packet("own-packet", "This node's own packets came back to it.")),
  PACKET_OF_UNKNOWN(packet("unknown-sender", "Packets of a node that has not introduced itself came.")),
  PACKET_OF_CHANGED(packet("identity-changed", "A node changed its name or address.")),
  PACKET_OF_STALE_STREAM(packet("stale-stream", "Late packets of a stream that a newer one has replaced came.")),
  PACKET_OF_CLOSED_STREAM(packet("closed-stream", "Packets of a stream that is closed here came.")),
  PACKET_OF_FORGOTTEN_STREAM(packet("forgotten-stream", "Packets of a stream that this node has forgotten came.")),
  PACKET_BEYOND_WINDOW(packet("beyond-window", "Packets beyond the sender's window came.")),
  PACKET_TOO_MUCH(packet("too-much-of-a-stranger", "A node without a common group sent more than is kept.")),
  MESSAGE_FRAGMENT(
      Metric.counter("link.messages.dropped", "Parts came without their beginning.").tagged("reason", "fragment")),
  MESSAGE_TOO_LONG(
      Metric.counter("link.messages.dropped", "Messages exceeded the maximum length.").tagged("reason", "too-long")),

  // ---- engine ----------------------------------------------------------------------------------------------------
  LOOP_STALLS(
      Metric.counter("loop.stalls.seen", "A listener, or a callback of a future, blocked the engine thread too long.")),
  LOOP_TURNS(Metric.counter("loop.turns.made", "Turns of the engine thread.")),
  LOOP_WAITS(Metric.counter("loop.waits.made", "Turns in which the engine thread waited because it was idle.")),
  BATCHES_SENT(Metric.counter("engine.batches.sent", "Batches of this node's own messages were sent.")),
  BATCHES_CHAINED(Metric.counter("engine.batches.chained", "Batches of this node were sent along a chain of members.")),
  BATCHES_RELAYED(
      Metric.counter("engine.batches.relayed", "Batches of this node were sent through the most senior member.")),
  BATCHES_FORWARDED(
      Metric.counter("engine.batches.forwarded", "Batches of other members were forwarded, in a chain or as a relay.")),
  REQUEST_OF_NO_MEMBER(
      Metric.counter("engine.requests.dropped", "The application used a group that it had left.")
          .tagged("reason", "not-a-member")),
  REFUSED_BY_CLUSTER(
      Metric.counter("engine.refusals.received", "A node of another cluster refused this one.")
          .tagged("reason", "other-cluster")),
  REFUSED_FOR_VERSION(
      Metric.counter("engine.refusals.received", "A node that speaks other versions refused this one.")
          .tagged("reason", "other-version")),
  OBSERVERS_DROPPED(
      Metric.counter("engine.observers.dropped", "Observers were dropped because their applications were too slow.")),
  LEFT_BEHIND(
      Metric.counter(
          "engine.members.behind", "Memberships of this node ended because their applications were too far behind.")),
  MESSAGE_EARLY(message("early", "More early messages came than are kept; the sender is excluded.")),
  MESSAGE_WHILE_WEDGED(message("wedged", "Messages came while a view change had stopped this view.")),
  MESSAGE_OF_CUT_OFF(message("cut-off", "Messages came from a member that is being excluded.")),
  MESSAGE_OF_OTHER_VIEW(message("other-view", "Messages of a past or unexpected view came.")),
  MESSAGE_WHILE_DEPARTING(message("departing", "Messages came while this member was leaving the group.")),
  MESSAGE_FOR_NEWCOMER(message("newcomer", "Messages came for a group that this node is about to join.")),
  MESSAGE_FOR_UNKNOWN_GROUP(message("unknown-group", "Messages came for a group that this node is not in.")),
  STANDSTILL_OF_VIEW_CHANGE(standstill("view-change", "A view change did not end in time.")),
  STANDSTILL_OF_ORDER(standstill("order", "Messages waited for their places for too long.")),
  STANDSTILL_OF_MESSAGE(standstill("message", "A message with a known place was missing for too long.")),
  STANDSTILL_OF_ACKNOWLEDGEMENT(standstill("acknowledgement", "A member acknowledged nothing for too long.")),
  STANDSTILL_OF_CONSUMPTION(standstill("consumption", "The application of a member consumed nothing for too long.")),
  STANDSTILL_OF_OTHER(standstill("other", "The group waited for a quorum, the state or the storage for too long.")),

  // ---- views, state, storage -------------------------------------------------------------------------------------
  SUSPECTED_BY_REFUSAL(suspected("connection-refused", "The host of a member refused a connection.")),
  SUSPECTED_BY_SILENCE(suspected("silence", "A member of a group was not heard for the time of suspicion.")),
  SUSPECTED_UNCONFIRMED(suspected("not-confirmed", "Coordinator and member did not confirm each other's view.")),
  SUSPECTED_ENDED(suspected("ended", "A member said that its membership had ended.")),
  SUSPECTED_UNHEARD(suspected("unheard", "A member said that it does not hear this one.")),
  SUSPICIONS_REFUTED(
      Metric.counter("view.suspicions.refuted", "A member was silent here, and others had heard it later.")),
  BALLOTS_REFUSED(Metric.counter("view.ballots.refused", "View changes of others were refused for a later one.")),
  BALLOT_OUTBID_BY_MEMBER(outbid("member", "A view change of this node gave way to one of a member.")),
  BALLOT_OUTBID_BY_STRANGER(outbid("stranger", "A view change of this node gave way to one from outside of the view.")),
  PROPOSALS_OUTDATED(
      Metric.counter("view.proposals.outdated", "Proposals were refused that rest on outdated knowledge.")),
  STALE_SUPPLY(stale("supply", "Batches for a past view change came.")),
  STALE_ACCEPT(stale("accept", "A proposal of a past view change came.")),
  STALE_INSTALL(stale("install", "The announcement of a view that this member has not accepted came.")),
  STALE_AGREED(stale("agreed", "An agreed view of a past view change came.")),
  JOIN_OF_NAME_IN_USE(
      Metric.counter("view.joins.refused", "A node with the name of a live member was refused.")
          .tagged("reason", "name-in-use")),
  JOIN_OF_OTHER_VERSION(
      Metric.counter("view.joins.refused", "A node without the version that the group speaks was refused.")
          .tagged("reason", "other-version")),
  JOIN_OF_OBSERVER(
      Metric.counter("view.joins.refused", "A node whose certificate is only for observers was refused as a voter.")
          .tagged("reason", "observer-certificate")),
  HISTORIES_DIFFERENT(
      Metric.counter("view.histories.different", "A group with the same name and another history was found.")),
  STATE_STALE(Metric.counter("state.messages.stale", "Parts of a state came that are not expected any more.")),
  COMMITS_FORCED(Metric.counter("storage.commits.forced", "Writes to stable storage that waited for the disk.")),
  COMMITS_UNFORCED(Metric.counter("storage.commits.unforced", "Writes to stable storage that did not wait."));

  private final Metric metric;

  Count(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  private static Metric packet(String reason, String about) {
    return Metric.counter("link.packets.dropped", about).tagged("reason", reason);
  }

  private static Metric message(String reason, String about) {
    return Metric.counter("engine.messages.dropped", about).tagged("reason", reason);
  }

  private static Metric standstill(String reason, String about) {
    return Metric.counter("engine.standstills.begun", about).tagged("reason", reason);
  }

  private static Metric suspected(String reason, String about) {
    return Metric.counter("view.members.suspected", about).tagged("reason", reason);
  }

  private static Metric outbid(String by, String about) {
    return Metric.counter("view.ballots.outbid", about).tagged("by", by);
  }

  private static Metric stale(String kind, String about) {
    return Metric.counter("view.messages.stale", about).tagged("kind", kind);
  }
}
