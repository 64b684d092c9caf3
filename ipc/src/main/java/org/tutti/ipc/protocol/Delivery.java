package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.Result;
import org.tutti.ipc.protocol.IpcMessage.Deliver;
import org.tutti.ipc.protocol.IpcMessage.Key;

/// A message to a group, at one member.
final class Delivery {
  final long id;
  final LocalProcess member;
  final MemberId host; // of the sender
  final Key key;
  final int tag;
  final ByteBuffer payload;
  boolean received;
  boolean over; // while it waited in the queue
  long probeAt;
  @Nullable ByteBuffer reply;
  @Nullable Consumer<Result<Integer>> replied;

  Delivery(long id, LocalProcess member, MemberId host, Deliver message) {
    this.id = id;
    this.member = member;
    this.host = host;
    this.key = message.key();
    this.tag = message.tag();
    this.payload = message.payload();
  }

  /// When the sender's host is asked whether the communication goes on; never about one that is over.
  long probeAt() {
    return over ? Long.MAX_VALUE : probeAt;
  }
}
