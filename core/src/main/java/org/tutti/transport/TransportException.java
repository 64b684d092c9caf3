package org.tutti.transport;

import java.io.IOException;
import java.util.Locale;
import org.tutti.TuttiException;

/// A transport cannot be opened; the message says what and why in one line.
public final class TransportException extends TuttiException {
  private static final long serialVersionUID = 1;

  /// Names what failed.
  ///
  /// @param what what was tried and why it cannot be, for example `cannot listen on 0.0.0.0:7001: ...`
  public TransportException(String what) {
    super(what, null);
  }

  /// Names what failed and takes the reason from the operating system's words.
  ///
  /// @param what  what was tried, for example `cannot listen on 127.0.0.1:7001`
  /// @param cause the failure
  public TransportException(String what, IOException cause) {
    super(what + ": " + reason(cause), cause);
  }

  private static String reason(IOException cause) {
    String message = cause.getMessage();
    if (message == null) {
      return cause.getClass().getSimpleName();
    }
    return message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
  }
}
