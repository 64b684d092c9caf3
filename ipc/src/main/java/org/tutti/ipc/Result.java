package org.tutti.ipc;

/// What came of a call.
///
/// @param <T> what a call yields that was not aborted
public sealed interface Result<T> {
  /// The call did what it says.
  ///
  /// @param <T>   what it yields
  /// @param value what it yielded
  record Done<T>(T value) implements Result<T> {}

  /// The call was aborted.
  ///
  /// @param <T>    what it would have yielded
  /// @param status why
  record Aborted<T>(Status status) implements Result<T> {}
}
