package org.tutti.peers;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.cluster.codecs.CloseReason;
import io.aeron.cluster.service.ClientSession;
import io.aeron.cluster.service.Cluster;
import io.aeron.cluster.service.ClusteredService;
import io.aeron.logbuffer.Header;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/// The replicated application: it counts messages, and sends those that ask for it back to the client they are from. Of
/// the replicas only the leader's really sends.
final class CountingService implements ClusteredService {
  /// The first byte of a message that is to be sent back.
  static final byte ECHO = 1;

  static final int NOBODY = -1;

  private final AtomicLong delivered = new AtomicLong(); // written by one thread
  private volatile long position;
  private volatile long thread = -1;
  private volatile int leader = NOBODY;
  private volatile int terms;
  private @Nullable Cluster cluster;

  long delivered() {
    return delivered.get();
  }

  /// How far in the log the last message was that has been delivered.
  long position() {
    return position;
  }

  /// The thread that delivers, or -1.
  long thread() {
    return thread;
  }

  /// Who was elected last, or [#NOBODY].
  int leader() {
    return leader;
  }

  /// How often somebody was elected.
  int terms() {
    return terms;
  }

  @Override
  public void onStart(Cluster started, @Nullable Image snapshotImage) {
    cluster = started;
    thread = Thread.currentThread().threadId();
  }

  @Override
  public void onSessionMessage(
      @Nullable ClientSession session, long timestamp, DirectBuffer buffer, int offset, int length, Header header) {
    if (session != null && buffer.getByte(offset) == ECHO) {
      while (session.offer(buffer, offset, length) < 0 && !session.isClosing() && cluster != null) {
        cluster.idleStrategy().idle();
      }
    }
    position = header.position();
    delivered.lazySet(delivered.getPlain() + 1);
  }

  @Override
  public void onNewLeadershipTermEvent(
      long leadershipTermId,
      long logPosition,
      long timestamp,
      long termBaseLogPosition,
      int leaderMemberId,
      int logSessionId,
      TimeUnit timeUnit,
      int appVersion) {
    terms = terms + 1;
    leader = leaderMemberId;
  }

  @Override
  public void onSessionOpen(ClientSession session, long timestamp) {
    // Whoever comes is told what it asks for.
  }

  @Override
  public void onSessionClose(ClientSession session, long timestamp, CloseReason closeReason) {
    // A client that is gone asks for nothing.
  }

  @Override
  public void onTimerEvent(long correlationId, long timestamp) {
    // No timers are set.
  }

  @Override
  public void onTakeSnapshot(ExclusivePublication snapshotPublication) {
    // Nobody asks for one: members that end do not come back.
  }

  @Override
  public void onRoleChange(Cluster.Role newRole) {
    // New terms tell more.
  }

  @Override
  public void onTerminate(Cluster ended) {
    // The process ends.
  }
}
