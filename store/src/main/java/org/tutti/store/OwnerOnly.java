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

/// Directories and files that only their owner may read: what a group's messages say is not for every user of the host.
/// Where the file system knows no such permissions they are as it makes them.
final class OwnerOnly {
  private static final System.Logger LOG = System.getLogger(OwnerOnly.class.getName());
  private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private OwnerOnly() {}

  /// Makes a directory, and those above it, which stay as the process makes them; takes the permissions of others from
  /// one that is there.
  static void directory(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Path above = directory.toAbsolutePath().getParent();
      if (above != null) {
        Files.createDirectories(above);
      }
      Files.createDirectory(directory, only(directory, DIRECTORY));
    } else {
      restrict(directory, DIRECTORY);
    }
  }

  /// Opens a file, which is made with these permissions if it is not there.
  static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    FileChannel channel = FileChannel.open(file, options, only(file, FILE));
    restrict(file, FILE); // an earlier version may have made it
    return channel;
  }

  /// Takes the permissions of others away; if that is not allowed, because somebody else owns it, they are as they are,
  /// and the log says so.
  private static void restrict(Path path, Set<PosixFilePermission> to) {
    var view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    try {
      if (view != null && !to.containsAll(view.readAttributes().permissions())) {
        view.setPermissions(to);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "others may read {0}: its permissions cannot be changed: {1}", path, e);
    }
  }

  private static FileAttribute<?>[] only(Path path, Set<PosixFilePermission> permissions) {
    boolean known = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    return known ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)} : new FileAttribute<?>[0];
  }
}
