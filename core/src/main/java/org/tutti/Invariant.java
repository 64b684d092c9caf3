package org.tutti;

/// Checks what must hold. A failed check is a bug of Tutti: it stops the node loudly and is never caught to go
/// on.
public final class Invariant {
  private Invariant() {}

  /// Fails when a condition does not hold.
  ///
  /// @param condition what must be true
  /// @param what      the broken rule, in words
  public static void check(boolean condition, String what) {
    if (!condition) {
      throw new Broken(what);
    }
  }

  /// A broken invariant.
  public static final class Broken extends Error {
    private static final long serialVersionUID = 1;

    /// Names the broken rule.
    ///
    /// @param what the rule
    public Broken(String what) {
      super(what);
    }
  }
}
