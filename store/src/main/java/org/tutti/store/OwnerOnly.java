package org.tutti.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.tutti.storage.StorageException;

/// Directories and files that only their owner may use: what a group's messages say is not for every user of the host,
/// and whoever changes it changes the group's history. Where the file system knows no such permissions they are as it
/// makes them.
final class OwnerOnly {
  private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private OwnerOnly() {}

  /// Makes a directory, and those above it, which stay as the process makes them; takes the permissions of others from
  /// one that is there, if that is allowed.
  static void make(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Path above = directory.toAbsolutePath().getParent();
      if (above != null) {
        Files.createDirectories(above);
      }
      Files.createDirectory(directory, only(directory, DIRECTORY));
      return;
    }
    var view = Files.getFileAttributeView(directory, PosixFileAttributeView.class);
    if (view != null && isExposed(view)) {
      try {
        view.setPermissions(DIRECTORY);
      } catch (IOException _) {
        // somebody else owns it: who requires it to be otherwise says what to do
      }
    }
  }

  /// Refuses a directory that others may use.
  static void require(Path directory) throws IOException {
    var view = Files.getFileAttributeView(directory, PosixFileAttributeView.class);
    if (view != null && isExposed(view)) {
      throw new StorageException(
          "other users may use stable storage %s: its permissions are %s; chmod 700 %s"
              .formatted(directory, PosixFilePermissions.toString(view.readAttributes().permissions()), directory));
    }
  }

  private static boolean isExposed(PosixFileAttributeView view) throws IOException {
    return !DIRECTORY.containsAll(view.readAttributes().permissions());
  }

  /// Opens a file, which is made with these permissions if it is not there.
  static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options, only(file, FILE));
  }

  private static FileAttribute<?>[] only(Path path, Set<PosixFilePermission> permissions) {
    boolean known = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    return known ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)} : new FileAttribute<?>[0];
  }
}
