package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// What a caller is told of an exception of the application: its message, or else the name of its class, in UTF-8.
///
/// Messages that quote what was wrong may be longer than that was, and are cut: replies have a bound, also those that
/// are kept in the state. The same exception gives the same words at every replica.
public final class FailureWords {
  /// The longest words, in UTF-16 characters.
  public static final int CHARS_MAX = 8192;

  private static final String CUT = "...";

  private FailureWords() {}

  /// Puts it into words.
  ///
  /// @param failure the exception
  /// @return at most three bytes for each of [#CHARS_MAX]; not to be changed
  public static ByteBuffer of(Exception failure) {
    String message = failure.getMessage();
    String words = message == null ? failure.getClass().getSimpleName() : message;
    if (words.length() > CHARS_MAX) {
      words = words.substring(0, CHARS_MAX - CUT.length()) + CUT;
    }
    return StandardCharsets.UTF_8.encode(words).asReadOnlyBuffer();
  }
}
