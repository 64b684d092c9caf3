package org.tutti.middleware;

import java.io.IOException;
import java.util.List;
import org.tutti.Metric;
import org.tutti.transport.Address;

/// A system that calls remote operations: all that a [MiddlewareTransport] needs of it. It knows nothing of frames; it
/// carries arrays of bytes, each of which arrives whole or not at all.
///
/// ```
///   sender of A's peer queue to B                         B's middleware thread
///   dial(B)  ------- connect, look up ------------>
///   send(batch) ---- one remote operation --------> Arrivals.take(batch)     false: dropped
///            <------ done (or flow control) -------
/// ```
///
/// An implementation trusts nobody: it takes byte arrays of at most [MiddlewareConfig#batchBytesMax] bytes and nothing
/// else, and counts what it refuses.
public interface Middleware extends AutoCloseable {
  /// A short name in lower case, such as `rmi`; part of the names of threads.
  ///
  /// @return the name
  String name();

  /// Where peers reach this node; known before [#start].
  ///
  /// @return the address
  Address address();

  /// Lets peers call from now on. Called once.
  ///
  /// @param arrivals takes what they send
  void start(Arrivals arrivals);

  /// Connects to a peer; blocks, for a bounded time, on a thread of the caller. An interrupt ends it.
  ///
  /// @param peer where the peer says that it is; may be any text
  /// @return a way to call it, that has proved to work: somebody is there
  /// @throws UnusableAddressException when the text is no address of this middleware
  /// @throws RefusedException         when somebody is there, and it is known why no call can be made
  /// @throws IOException              when the peer cannot be reached now; whatever the middleware throws by itself is
  ///                                  turned into this
  Call dial(Address peer) throws IOException;

  /// What the middleware has counted by itself, such as calls that it refused; read by the engine thread.
  ///
  /// @return a copy, each [Metric#key] once
  default List<Metric> metrics() {
    return List.of();
  }

  /// Ends listening, connections and threads, and frees the address before it returns. Called once, from any thread,
  /// after the last [Call] was closed.
  @Override
  void close();
}
