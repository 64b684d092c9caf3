package org.tutti.replica.protocol;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The commands of a service that is replicated passively that have their place in the history, and no outcome yet.
/// Part of the replicated state: a function of the group's messages, as [SessionTable], which keeps it.
///
/// ```
///  CALL at p, CALL at p+1, ...          commands in the order of their positions
///  CHANGE(p, version, reply, change)    counts if p is the first of them and version that of the state now
/// ```
///
/// **Why it does not matter who is primary.** An outcome counts only for the first command that has none, and only in
/// the state in which that command was executed. Then it is the outcome of an execution of that command on that state,
/// whoever said it: also a primary that was cut off, or crashed, meanwhile. All that comes later finds another first
/// command or another version, and changes nothing, at any replica. So no agreement on the primary is needed, and views
/// are not asked: when two replicas believe to be it, one of them works in vain.
final class PendingCommands {
  /// How many bytes may wait; more are refused as [SessionTable.Refusal#FULL].
  static final long BYTES_MAX = 64L << 20;

  private static final int OVERHEAD = 64; // bytes, for each

  /// A command without an outcome.
  ///
  /// @param position its place
  /// @param session  whose
  /// @param number   its number in the session
  /// @param skip     whether its client has given it up
  /// @param payload  the client's bytes; never changed
  record Pending(long position, long session, long number, boolean skip, ByteBuffer payload) {
    private long cost() {
      return payload.remaining() + (long) OVERHEAD;
    }
  }

  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private long version; // the position behind the message that changed the service last
  private long bytes;

  /// The first command without an outcome: the one that the primary executes next.
  @Nullable Pending first() {
    return pending.peek();
  }

  /// Which state the service is in: the position behind the message that changed it last.
  long version() {
    return version;
  }

  boolean isFull() {
    return bytes >= BYTES_MAX;
  }

  /// A command has got its place.
  void add(Pending command) {
    pending.add(command);
    bytes += command.cost();
  }

  /// The service has changed.
  ///
  /// @param position by the message there
  void changed(long position) {
    version = position + 1;
  }

  /// Takes the first command, for which there is an outcome, out of those that wait.
  ///
  /// @param position which one is meant
  /// @param on       the version of the state in which it was executed
  /// @return the command; null when the outcome does not count
  @Nullable Pending decide(long position, long on) {
    Pending first = pending.peek();
    return first != null && counts(first, position, on) ? poll() : null;
  }

  private boolean counts(Pending first, long position, long on) {
    return first.position == position && on == version;
  }

  /// Takes the first command out if it is one to skip.
  @Nullable Pending pollSkipped() {
    Pending first = pending.peek();
    return first != null && first.skip ? poll() : null;
  }

  private Pending poll() {
    Pending first = pending.remove();
    bytes -= first.cost();
    return first;
  }

  /// A session has ended: nothing of it is executed any more.
  void forget(long session) {
    pending.removeIf(one -> {
      if (one.session == session) {
        bytes -= one.cost();
        return true;
      }
      return false;
    });
  }

  /// What waits now, for a newcomer; payloads never change, so only references are copied.
  Copy copy() {
    return new Copy(version, List.copyOf(pending));
  }

  /// Replaces all by what [Copy#write] has written.
  ///
  /// @param each told of each command
  void restore(DataInputStream in, Consumer<Pending> each) throws IOException {
    pending.clear();
    bytes = 0;
    version = in.readLong();
    for (int left = in.readInt(); left > 0; left--) {
      long position = in.readLong();
      long session = in.readLong();
      long number = in.readLong();
      boolean skip = in.readBoolean();
      byte[] payload = SessionTable.bytes(in, Frame.PAYLOAD_BYTES_MAX, "a command");
      var one = new Pending(position, session, number, skip, ByteBuffer.wrap(payload).asReadOnlyBuffer());
      add(one);
      each.accept(one);
    }
  }

  /// What waited at one moment.
  record Copy(long version, List<Pending> pending) {
    void write(DataOutputStream out) throws IOException {
      out.writeLong(version);
      out.writeInt(pending.size());
      for (Pending one : pending) {
        out.writeLong(one.position);
        out.writeLong(one.session);
        out.writeLong(one.number);
        out.writeBoolean(one.skip);
        byte[] payload = new byte[one.payload.remaining()];
        one.payload.duplicate().get(payload);
        out.writeInt(payload.length);
        out.write(payload);
      }
    }
  }
}
