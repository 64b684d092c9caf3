package org.tutti.ipc.protocol;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.protocol.PairMessage.Offer;
import org.tutti.ipc.protocol.PairMessage.Pair;

/// A message to one process, at its receiver, until it is replied to or over.
final class Letter {
  /// How far it is.
  enum State {
    WAITING,
    COMING,
    QUEUED,
    RECEIVED
  }

  final MemberId host; // of the sender
  final Pair pair;
  final int tag;
  final int length;
  State state = State.WAITING;
  boolean over; // and still to be received
  long id; // since it is in the queue
  long askAt;
  @Nullable Incoming in;
  @Nullable Outgoing reply;
  @Nullable Consumer<Result<Integer>> replied;

  Letter(MemberId host, Offer offer) {
    this.host = host;
    this.pair = offer.pair();
    this.tag = offer.tag();
    this.length = offer.length();
  }

  ProcessId sender() {
    return new ProcessId(host, pair.process());
  }
}
