package org.tutti.lab;

import java.io.Serial;

/// A lab could not go on: a process ended that should not have, or what was waited for did not happen.
public final class LabException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  LabException(String message) {
    super(message);
  }

  LabException(String message, Throwable cause) {
    super(message, cause);
  }
}
