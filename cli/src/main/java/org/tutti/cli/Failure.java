package org.tutti.cli;

import java.io.Serial;

/// Something that the user must know and that is not a bug: one clear line on standard error, exit code 1.
final class Failure extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  Failure(String line) {
    super(line);
  }

  Failure(String line, Throwable cause) {
    super(line, cause);
  }
}
