package org.tutti.wire;

/// Input that is not what the format says. Whoever receives bytes catches it, counts the reason and drops the input;
/// being checked, it cannot be forgotten. It carries no stack trace, because hostile peers may cause many.
public final class Malformed extends Exception {
  private static final long serialVersionUID = 1;

  /// Names what is wrong.
  ///
  /// @param reason from a small fixed set, as it becomes the name of a counter
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
