package org.tutti;

import java.io.IOException;
import java.io.OutputStream;

/// Takes the application's state for a newcomer; see [Event.StateRequest].
///
/// Only [#complete] says that all of the state was written. [#close] without it gives the state up, so that an
/// exception between the two never makes a newcomer start from half a state:
///
/// {@snippet class="ApiExamplesTest" region="state-sink"}
///
/// One thread at a time writes and completes; any thread may close, which makes a writer that waits throw.
public abstract class StateSink extends OutputStream {
  /// For the engine's use.
  protected StateSink() {}

  /// What the newcomer's application has of the state already, as it said by [StateSource#resume]: something that only
  /// the applications understand. It may be left out of what is written, if the state says so. Waits until the newcomer
  /// begins to read, so an application that does not use it had better not ask.
  ///
  /// @return the token; empty when the newcomer said nothing
  /// @throws IOException           when the newcomer has gone, the state was given up, or this thread was interrupted
  /// @throws IllegalStateException when it would block the engine thread; see [GroupListener]
  public abstract byte[] token() throws IOException;

  /// Says that all of the state was written, and sends the rest of it, which blocks while the newcomer does not keep
  /// up. Afterwards writing throws [IOException]; flushing, closing and completing again do nothing.
  ///
  /// Returning does not mean that the newcomer has got the state; should this node fail first, another member gives it.
  ///
  /// @throws IOException           when the newcomer has gone, the state was given up, or this thread was interrupted;
  ///                               the newcomer, if it is there, does not take the state for whole
  /// @throws IllegalStateException when it would block the engine thread; see [GroupListener]
  public abstract void complete() throws IOException;

  /// Ends writing. Unless the state was completed, this gives it up: the newcomer's reading fails, and it gets an offer
  /// from another member, or asks again. Never blocks and never throws; does nothing when called again, or when the
  /// newcomer has gone.
  @Override
  public abstract void close();
}
