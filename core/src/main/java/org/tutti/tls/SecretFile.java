package org.tutti.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A file with a key, which only its owner should be able to read.
public final class SecretFile {
  private static final System.Logger LOG = System.getLogger(SecretFile.class.getName());
  private static final Set<PosixFilePermission> OF_OTHERS = PosixFilePermissions.fromString("---rwxrwx");

  private SecretFile() {}

  /// Who else may read or write a file.
  ///
  /// @param file is there
  /// @return a line that says so and what to do; null when nobody else may, or the file system does not say
  public static @Nullable String exposure(Path file) {
    try {
      var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
      if (view == null) {
        return null;
      }
      Set<PosixFilePermission> given = EnumSet.noneOf(PosixFilePermission.class);
      given.addAll(view.readAttributes().permissions());
      given.retainAll(OF_OTHERS);
      return given.isEmpty() ? null : "other users may use the key in " + file + "; chmod 600 " + file;
    } catch (IOException _) {
      return null; // whoever reads it says what is wrong
    }
  }

  /// Logs a warning if somebody else may read or write a file.
  ///
  /// @param file is there
  public static void warn(Path file) {
    String exposure = exposure(file);
    if (exposure != null) {
      LOG.log(System.Logger.Level.WARNING, exposure);
    }
  }
}
