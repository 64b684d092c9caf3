package org.tutti.membership;

import org.tutti.MemberId;
import org.tutti.ViewId;

/// A state that this member gives.
final class OutgoingTransfer {
  final MemberId newcomer;
  final ViewId since;
  int onTheWay; // chunks that the newcomer has not taken
  boolean isKnown; // what it has already
  boolean cutOff; // broken off, but the newcomer still needs this member

  OutgoingTransfer(MemberId newcomer, ViewId since) {
    this.newcomer = newcomer;
    this.since = since;
  }
}
