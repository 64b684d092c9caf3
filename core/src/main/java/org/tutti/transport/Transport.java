package org.tutti.transport;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;

/// Carries opaque frames between nodes: message-agnostic, non-blocking, non-throwing, and allowed to lose, repeat or
/// reorder frames. Every transport passes one contract suite.
///
/// Threading: [#start], [#poll], [#claim] and [#commit] belong to the node's engine thread, which does input, output
/// and protocol in one loop; [#wakeup] and [#close] may be called from any thread. A transport with threads of its own
/// queues what arrives (bounded, dropping beyond the bound) and hands it over in [#poll].
public interface Transport extends FrameSender, AutoCloseable {
  /// The address at which peers reach this node; known before [#start].
  ///
  /// @return this node's own address
  Address address();

  /// Begins to deliver to a receiver.
  ///
  /// @param receiver called within [#poll] only
  void start(Receiver receiver);

  /// Writes what was committed, waits for input for a time at most, and hands what arrived to the receiver.
  ///
  /// @param waitNanosMax the longest wait in nanoseconds; 0 or less does not wait
  void poll(long waitNanosMax);

  /// Makes a [#poll] that waits, or the next one, return at once. May be called from any thread.
  void wakeup();

  /// Why this node may only observe groups. Peers would refuse it as a member that votes: it is told before it asks
  /// them. May be called from any thread.
  ///
  /// @return a sentence that says what to do, as `the certificate in certs/o1 is for the role observer ...`; null when
  ///     it may vote, or when nothing authenticates nodes
  default @Nullable String votingObjection() {
    return null;
  }

  /// What this transport has counted, refused and dropped frames among it, each [Metric#key] once ([Counts]). Called by
  /// the engine thread.
  ///
  /// @return a copy; empty for a transport that does not count
  default List<Metric> metrics() {
    return List.of();
  }

  /// Releases sockets and threads after a last attempt to write what was committed. Idempotent.
  @Override
  void close();
}
