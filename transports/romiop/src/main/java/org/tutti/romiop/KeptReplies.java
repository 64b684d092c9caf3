package org.tutti.romiop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The replies of a member to calls with an [FtRequest], each until its call expires, so that a call that comes again
/// is answered and not executed.
///
/// **Guarantee.** A call with an FT_REQUEST is executed at most once by each member, and by all members or by none. All
/// members decide alike, as they decide at the call's place in the order and by what the order brought before it:
///
/// - **Time** is the latest that a request before said ([GroupMessage#time]), never a member's clock.
/// - A reply is forgotten only when its call has expired at that time; a call that has expired is refused.
/// - When so much is kept that no more can be, a new call is refused, and no other is forgotten for it.
///
/// Not safe for threads.
final class KeptReplies {
  /// How far ahead a call may expire: what is kept for longer could not be given back.
  static final long AHEAD_MAX = 3600 * FtRequest.SECOND;

  private static final int COUNT_MAX = 100_000;
  private static final long BYTES_MAX = 64 << 20;
  private static final int BYTES_EACH = 100; // of what is not counted exactly

  private final int countMax;
  private final Map<Id, Kept> replies = new HashMap<>();
  private final TreeSet<Kept> byExpiration =
      new TreeSet<>(
          Comparator.comparingLong(Kept::expiration)
              .thenComparing(kept -> kept.id().clientId())
              .thenComparingInt(kept -> kept.id().retentionId()));
  private long bytes;
  private long time;

  private record Id(String clientId, int retentionId) {
    static Id of(FtRequest call) {
      return new Id(call.clientId(), call.retentionId());
    }
  }

  private record Kept(Id id, long expiration, Giop reply) {
    /// The same at all members whose servants are deterministic: without the service contexts of their ORBs.
    long weight() {
      return BYTES_EACH + id.clientId().length() + reply.bodyBytes();
    }
  }

  KeptReplies() {
    this(COUNT_MAX);
  }

  /// For tests.
  KeptReplies(int countMax) {
    this.countMax = countMax;
  }

  /// It is the turn of a request that was sent at that time.
  void turn(long sent) {
    time = Math.max(time, sent);
    while (!byExpiration.isEmpty() && byExpiration.first().expiration() < time) {
      Kept over = byExpiration.removeFirst();
      replies.remove(over.id());
      bytes -= over.weight();
    }
  }

  /// What answers a call without executing it.
  ///
  /// @param call  which one it is, by its context
  /// @param minor the version of its GIOP
  /// @return null when it is to be executed
  @Nullable Giop instead(FtRequest call, int minor) {
    RomiopFailure refusal = refusal(call, minor);
    return refusal == null ? reply(call) : Giop.exception(minor, refusal);
  }

  /// The reply to a call that was executed before.
  ///
  /// @return null when none is kept
  @Nullable Giop reply(FtRequest call) {
    Kept before = replies.get(Id.of(call));
    return before == null ? null : before.reply();
  }

  /// Why a call is not answered by its reply, and not executed either.
  ///
  /// @return null when it is one of both
  @Nullable RomiopFailure refusal(FtRequest call, int minor) {
    Kept before = replies.get(Id.of(call));
    if (before != null) {
      return before.reply().minorVersion() == minor ? null : RomiopFailure.UNUSABLE_FT_REQUEST;
    } else if (call.expiration() < time) {
      return RomiopFailure.EXPIRED;
    } else if (call.expiration() - time > AHEAD_MAX) {
      return RomiopFailure.UNUSABLE_FT_REQUEST;
    }
    return replies.size() >= countMax || bytes >= BYTES_MAX ? RomiopFailure.TOO_MANY_KEPT : null;
  }

  /// A call was executed.
  void keep(FtRequest call, Giop reply) {
    Kept kept = new Kept(Id.of(call), call.expiration(), reply);
    replies.put(kept.id(), kept);
    byExpiration.add(kept);
    bytes += kept.weight();
  }

  /// What is kept now, which changes no more.
  KeptReplies copy() {
    KeptReplies copy = new KeptReplies(countMax);
    copy.become(this);
    return copy;
  }

  /// Takes what another one keeps instead of what this one does.
  void become(KeptReplies other) {
    replies.clear();
    byExpiration.clear();
    replies.putAll(other.replies);
    byExpiration.addAll(other.byExpiration);
    bytes = other.bytes;
    time = other.time;
  }

  /// How many there are.
  int size() {
    return replies.size();
  }

  /// Writes them.
  void write(DataOutputStream out) throws IOException {
    out.writeLong(time);
    out.writeInt(byExpiration.size());
    for (Kept each : byExpiration) {
      out.writeUTF(each.id().clientId());
      out.writeInt(each.id().retentionId());
      out.writeLong(each.expiration());
      out.writeInt(each.reply().bytes().length);
      out.write(each.reply().bytes());
    }
  }

  /// Reads what was written.
  ///
  /// @throws ObjectStates.OtherObjectsException when it is something else
  static KeptReplies read(DataInputStream in) throws IOException {
    KeptReplies read = new KeptReplies();
    read.time = in.readLong();
    int count = in.readInt();
    if (count < 0) {
      throw new ObjectStates.OtherObjectsException(count + " kept replies");
    }
    for (int i = 0; i < count; i++) {
      FtRequest call = new FtRequest(in.readUTF(), in.readInt(), in.readLong());
      int length = in.readInt();
      byte[] reply = length < 0 ? new byte[0] : in.readNBytes(length);
      try {
        read.keep(call, Giop.of(reply));
        if (read.replies.size() <= i || !read.byExpiration.last().id().equals(Id.of(call))) {
          throw new ObjectStates.OtherObjectsException("kept replies that are not in the order in which they expire");
        }
      } catch (Giop.BrokenGiopException e) {
        throw new ObjectStates.OtherObjectsException("a reply that is kept: " + e.getMessage());
      }
    }
    return read;
  }
}
