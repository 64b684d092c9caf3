package org.tutti.ipc;

import java.util.concurrent.CompletableFuture;
import org.tutti.MemberId;

/// What carries the calls of processes to their host: the host's thread in its own program, a socket in another one.
interface Carrier {
  /// The host.
  MemberId host();

  /// Has the host do what a process asks for.
  ///
  /// @param <T>     what it yields
  /// @param process the number of a process that came from here
  /// @param request what it asks for
  /// @return completes on a virtual thread
  /// @throws IllegalStateException when this program has closed what carries the calls
  <T> CompletableFuture<Result<T>> call(int process, Request<T> request);
}
