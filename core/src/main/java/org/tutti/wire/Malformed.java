package org.tutti.wire;

/// Input that is not what the format says. Whoever receives bytes catches it, counts the reason and drops the input;
/// being checked, it cannot be forgotten. It carries no stack trace, because hostile peers may cause many.
public final class Malformed extends Exception {
  private static final long serialVersionUID = 1;

  /// Names what is wrong.
  ///
  /// @param reason lower case words, a constant of the code, as counters have it as a tag ([org.tutti.effect.Counters])
  public Malformed(String reason) {
    super(reason, null, false, false);
  }

  /// What is wrong.
  ///
  /// @return the reason
  public String reason() {
    return String.valueOf(getMessage());
  }
}
