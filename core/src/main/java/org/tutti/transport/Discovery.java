package org.tutti.transport;

import java.io.IOException;
import java.util.List;

/// Tells who may be there: a list that somebody wrote, a name service, a registry. It is asked again and again, on a
/// thread that may block, never on the engine thread.
///
/// An answer is a hint, not a membership: who is in a group is what its members agree on. Addresses at which nobody is,
/// or this node itself, do no harm; an address that is missing is only found later, through another member.
@FunctionalInterface
public interface Discovery extends AutoCloseable {
  /// How many addresses of an answer are used, the first ones; each may cost a connection attempt.
  int FOUND_MAX = 256;

  /// Looks who may be there now. May block for some seconds.
  ///
  /// @return addresses in the form that the node's transport understands; may be empty
  /// @throws IOException          when that cannot be told now; the message says why, in one line that names the source
  /// @throws InterruptedException when interrupted; nobody wants to know any more
  List<Address> find() throws IOException, InterruptedException;

  /// Releases what the discovery holds, and tells others, where it can, that this node is gone. Called once, never
  /// while [#find] runs. May block for some seconds.
  @Override
  default void close() {}
}
