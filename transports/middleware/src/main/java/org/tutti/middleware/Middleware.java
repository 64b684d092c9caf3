package org.tutti.middleware;

import java.io.IOException;
import java.util.List;
import org.tutti.Metric;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;

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

  /// One way to a peer, used by one thread.
  interface Call extends AutoCloseable {
    /// Hands over a batch; batches arrive in the order in which they are sent. Blocks while the peer, or the way to it,
    /// does not keep up, but not for ever: a peer that takes nothing for the middleware's timeout is given up. An
    /// interrupt ends it.
    ///
    /// @param batch the bytes; the middleware may keep the array
    /// @throws IOException when the peer cannot be reached any more, whether or not it got the batch; the call is
    ///                     closed then, and whatever the middleware throws by itself is turned into this
    void send(byte[] batch) throws IOException;

    /// Ends it; what was sent without an exception is still delivered, as far as the middleware can.
    @Override
    void close();
  }

  /// Where a middleware puts what peers send.
  @FunctionalInterface
  interface Arrivals {
    /// Takes a batch; called by any thread of the middleware, for each peer in the order in which it was sent. When the
    /// node does not keep up this blocks for some seconds at most, so that the source has to wait.
    ///
    /// @param batch what arrived, not to be changed any more
    /// @return false when it was dropped: the node does not keep up or ends, or it is not what a peer sends; counted
    boolean take(byte[] batch);

    /// Tells that nothing more will arrive, because something that the middleware depends on has ended that should not
    /// have. Whoever goes on would be deaf, and look alive to itself: the node stops with the next poll, and says why.
    ///
    /// @param why what happened
    default void fail(Throwable why) {}
  }

  /// A peer's address has not the form that the middleware understands: no later attempt will succeed.
  static final class UnusableAddressException extends IOException {
    private static final long serialVersionUID = 1;

    /// Names the address.
    ///
    /// @param address what was to be dialled
    public UnusableAddressException(Address address) {
      super("not an address to dial: " + address);
    }
  }

  /// A peer does not take this node in, or this node does not believe it, and why is known: told to whoever uses the
  /// transport. A later attempt may succeed.
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient Refused refused;

    /// Keeps the reason.
    ///
    /// @param refused by whom, and why
    /// @param cause   what the middleware said
    public RefusedException(Refused refused, Throwable cause) {
      super(refused.toString(), cause);
      this.refused = refused;
    }

    /// What is to be told.
    ///
    /// @return by whom, and why
    public Refused refused() {
      return refused;
    }
  }
}
