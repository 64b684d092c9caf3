package org.tutti.store;

import java.io.IOException;
import java.io.Serial;

/// What is found is not what was written; the message says what is wrong where.
final class Damaged extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  Damaged(String message) {
    super(message);
  }
}
