package org.tutti.corba.gate;

import java.io.IOException;

/// Who was dialled answers something else than is spoken here, by the first bytes.
public final class ForeignAnswerException extends IOException {
  private static final long serialVersionUID = 1L;

  private static final int TLS_FIRST = 20; // the range of types of TLS's records
  private static final int TLS_LAST = 23;

  private final Answer answer;

  /// What it was.
  public enum Answer {
    /// A record of TLS, where none is spoken.
    TLS,

    /// Something else than a record of TLS, where it is spoken.
    NOT_TLS,

    /// Something else than GIOP.
    NOT_GIOP
  }

  ForeignAnswerException(Answer answer) {
    super("a foreign answer: " + answer);
    this.answer = answer;
  }

  static boolean isTls(byte first) {
    return first >= TLS_FIRST && first <= TLS_LAST;
  }

  /// What it was.
  ///
  /// @return what it was
  public Answer answer() {
    return answer;
  }
}
