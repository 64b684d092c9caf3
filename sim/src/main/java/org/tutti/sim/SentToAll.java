package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.protocol.Frame;

/// What a client that sends to all replicas says over its connections. Over each one beside the first on which its
/// session was resumed, it has to send every command that has no reply yet; seen from outside, by the frames.
final class SentToAll {
  /// One connection beside the first.
  static final class Connection {
    final String replica;
    private final TreeSet<Long> numbers = new TreeSet<>(); // of commands that were sent over it
    private long session; // which was resumed on it; 0: none

    Connection(String replica) {
      this.replica = replica;
    }

    boolean hasResumed(long which) {
      return session == which;
    }
  }

  private final TreeSet<Long> unanswered = new TreeSet<>(); // numbers of commands that were sent in the session
  private final TreeSet<Long> answered = new TreeSet<>(); // who collects several replies may send these again
  private long session; // of the last command
  private long copies;

  /// The client sends a frame.
  ///
  /// @param over null for the first connection
  void sends(@Nullable Connection over, ByteBuffer frame) {
    switch (decoded(frame.duplicate().position(frame.position() + Integer.BYTES).slice())) {
      case Frame.Resume resume when over != null -> over.session = resume.session();
      case Frame.Call call -> {
        if (call.session() != session) {
          session = call.session();
          unanswered.clear();
          answered.clear();
        }
        if (!answered.contains(call.number())) {
          unanswered.add(call.number());
        }
        if (over != null) {
          over.numbers.add(call.number());
          copies++;
        }
      }
      case null, default -> {}
    }
  }

  /// The client hears a frame, over any connection.
  void hears(ByteBuffer bare) {
    if (decoded(bare.duplicate()) instanceof Frame.Replied replied && replied.session() == session) {
      unanswered.remove(replied.number());
      answered.add(replied.number());
    }
  }

  static @Nullable Frame decoded(ByteBuffer bare) {
    try {
      return Frame.decode(bare);
    } catch (Frame.MalformedException _) {
      return null; // whoever gets it refuses it
    }
  }

  /// What is missing when the client has done what it had to do.
  ///
  /// @param open its connections beside the first
  /// @return in words; null when nothing is
  @Nullable String missing(Collection<Connection> open) {
    for (Connection one : open) {
      if (session > 0 && one.hasResumed(session) && !one.numbers.containsAll(unanswered)) {
        return "of " + unanswered + " without a reply it has sent " + one.numbers + " to " + one.replica;
      }
    }
    return null;
  }

  /// How many commands were sent beside the first connection, each one as often as it was.
  long copies() {
    return copies;
  }
}
