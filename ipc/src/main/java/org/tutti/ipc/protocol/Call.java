package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.ipc.protocol.PairMessage.Pair;

/// A communication with one process, at its sender.
final class Call {
  final Pair pair;
  final ProcessId to;
  final boolean isRequest; // over when its call ends
  @Nullable Outgoing payload; // until it is in the receiver's queue
  @Nullable Waiting<Sent> send;
  @Nullable Waiting<TakenReply> take;
  int replyLength = -1;
  @Nullable ByteBuffer replyFirst; // as long as there is no room for the reply
  @Nullable Incoming reply;
  @Nullable Status fault; // nobody was told
  long askAt;

  Call(Pair pair, ProcessId to, ByteBuffer payload, boolean isRequest) {
    this.pair = pair;
    this.to = to;
    this.payload = new Outgoing(payload);
    this.isRequest = isRequest;
  }
}
