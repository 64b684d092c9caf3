package org.tutti.cli;

import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

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

  /// A file that cannot be used as was asked.
  ///
  /// @param cause names the file, as those of Java do
  /// @return names the file and says why
  public static Failure ofFile(IOException cause) {
    String file = cause instanceof FileSystemException about ? about.getFile() : null;
    return new Failure((file != null ? file + ": " : "") + reason(cause), cause);
  }

  /// Why a file cannot be used, in words: the message of such an exception is often only the file's name.
  ///
  /// @param cause the exception, or an unchecked one around it
  /// @return the reason without the file's name, or the message of an exception of another kind
  public static String reason(Exception cause) {
    Exception thrown = cause instanceof UncheckedIOException unchecked ? unchecked.getCause() : cause;
    return switch (thrown) {
      case NoSuchFileException _ -> "no such file";
      case AccessDeniedException _ -> "permission denied";
      case FileAlreadyExistsException _ -> "it exists and is no directory";
      case NotDirectoryException _ -> "no directory";
      case FileSystemException about when about.getReason() instanceof String reason ->
          reason.substring(0, 1).toLowerCase(Locale.ROOT) + reason.substring(1);
      default -> String.valueOf(thrown.getMessage());
    };
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
