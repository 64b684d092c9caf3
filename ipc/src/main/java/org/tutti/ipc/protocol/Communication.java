package org.tutti.ipc.protocol;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.protocol.IpcMessage.Key;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;

/// A communication with a group at its sender, from the send until it is over.
final class Communication {
  final Key key;
  int wanted; // replies; 0 until it is set
  final Map<ProcessId, ByteBuffer> queued = new LinkedHashMap<>();
  final Set<ProcessId> taken = new LinkedHashSet<>();
  final Set<MemberId> hosts = new LinkedHashSet<>(); // others that may have members that got it
  final Set<MemberId> asked = new LinkedHashSet<>(); // hosts that have not answered
  int count;
  boolean refused; // somewhere a queue was full
  @Nullable Waiting<Sent> send; // null when it has returned
  @Nullable Waiting<TakenReply> reply;

  Communication(Key key) {
    this.key = key;
  }
}
