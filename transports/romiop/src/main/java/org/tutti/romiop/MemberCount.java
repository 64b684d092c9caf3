package org.tutti.romiop;

import static org.tutti.Metric.counter;
import static org.tutti.Metric.gauge;

import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a member of a group of objects counts.
enum MemberCount implements Counts.Counted {
  WAITING(gauge("romiop.waiting.requests", "Requests of clients wait for those before them.")),
  KEPT(gauge("romiop.kept.replies", "Replies are kept for calls that may come again.")),
  EXECUTED(counter("romiop.requests.executed", "The objects here have executed requests of clients.")),
  REPEATED(counter("romiop.requests.repeated", "A call came again and was answered with the reply that was kept.")),
  EXPIRED(refused("expired", "The call came after its expiration.")),
  TOO_MANY_KEPT(refused("too-many-kept", "No more replies can be kept.")),
  UNUSABLE(refused("unusable-ft-request", "The call expires too late, or came again by another version of GIOP.")),
  NO_SUCH_OBJECT(refused("no-such-object", "The group has no such object.")),
  MALFORMED(counter("romiop.messages.refused", "A message in the group was none that members and clients send."));

  private final Metric metric;

  MemberCount(Metric metric) {
    this.metric = metric;
  }

  @Override
  public Metric metric() {
    return metric;
  }

  /// What is counted when a call with an FT_REQUEST is not executed.
  static MemberCount of(RomiopFailure refusal) {
    return switch (refusal) {
      case EXPIRED -> EXPIRED;
      case TOO_MANY_KEPT -> TOO_MANY_KEPT;
      default -> UNUSABLE;
    };
  }

  private static Metric refused(String reason, String about) {
    return counter("romiop.requests.refused", about).tagged("reason", reason);
  }
}
