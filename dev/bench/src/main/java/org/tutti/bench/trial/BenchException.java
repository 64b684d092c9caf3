package org.tutti.bench.trial;

import java.io.Serial;

/// A measurement could not go on: a process ended that should not have, or what was waited for did not happen.
public final class BenchException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  BenchException(String message) {
    super(message);
  }

  BenchException(String message, Throwable cause) {
    super(message, cause);
  }
}
