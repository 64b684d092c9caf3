package org.tutti;

import java.io.IOException;
import java.io.OutputStream;

/// Takes the application's state for a newcomer; see [Event.StateRequest]. For one thread at a time.
///
/// Closing it says that the state is complete. An application that cannot go on must therefore call [#fail] *before*
/// the sink is closed, also when a `try` closes it:
///
/// ```java
/// try (var sink = request.sink()) {
///   try {
///     database.writeTo(sink);
///   } catch (SQLException broken) {
///     sink.fail();
///     throw broken;
///   }
/// }
/// ```
public abstract class StateSink extends OutputStream {
  /// For the engine's use.
  protected StateSink() {}

  /// Gives up: the newcomer gets its state from another member, or asks again. Does nothing when the sink was closed;
  /// never blocks.
  public abstract void fail();

  /// Ends the state.
  ///
  /// @throws IOException when the newcomer has gone, or the state was given up
  @Override
  public abstract void close() throws IOException;
}
