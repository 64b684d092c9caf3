package org.tutti.lab.network;

import java.io.Serial;

/// Network namespaces cannot be had here; the message says why, in one line.
public final class Unavailable extends Exception {
  @Serial private static final long serialVersionUID = 1;

  Unavailable(String why) {
    super(why);
  }

  Unavailable(String why, Throwable cause) {
    super(why, cause);
  }
}
