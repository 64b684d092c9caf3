package org.tutti.middleware;

import java.io.IOException;
import org.tutti.transport.Refused;

/// A peer does not take this node in, or this node does not believe it, and why is known: told to whoever uses the
/// transport. A later attempt may succeed.
public final class RefusedException extends IOException {
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
