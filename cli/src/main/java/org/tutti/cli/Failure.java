package org.tutti.cli;

import java.io.Serial;

/// Something that the user must know and that is not a bug: one clear line on standard error, exit code 1.
public final class Failure extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /// Something without a cause that was thrown.
  ///
  /// @param line what the user must know
  public Failure(String line) {
    super(line);
  }

  /// Something that came of an exception.
  ///
  /// @param line what the user must know
  /// @param cause what `--verbose` prints besides
  public Failure(String line, Throwable cause) {
    super(line, cause);
  }

  /// A setting that only the node can judge: the user has given an option.
  ///
  /// @param wrong names the setting as programs call it
  /// @return names the option
  static Failure ofSetting(Exception wrong) {
    String line = String.valueOf(wrong.getMessage());
    return new Failure(line.replaceFirst("^groupVersionMax is ", "--group-version-max is "), wrong);
  }
}
