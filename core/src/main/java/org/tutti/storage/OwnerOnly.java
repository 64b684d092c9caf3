package org.tutti.storage;

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

/// Directories and files that only their owner may use: what a group's messages say is not for every user of the host,
/// and whoever changes it changes the group's history. Where the file system knows no such permissions they are as it
/// makes them.
///
/// {@snippet class="ApiExamplesTest" region="owner-only"}
///
/// All threads may use it; its methods block for the file system.
public final class OwnerOnly {
  private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private OwnerOnly() {}

  /// Makes a directory if it is not there, and those above it, which stay as the process makes them. One that is there
  /// is not changed.
  ///
  /// @param directory the directory
  /// @return whether it was made
  /// @throws IOException when that fails
  public static boolean create(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return false;
    }
    Path above = directory.toAbsolutePath().getParent();
    if (above != null) {
      Files.createDirectories(above);
    }
    Files.createDirectory(directory, ofDirectory(directory));
    return true;
  }

  /// As [#create]; takes the permissions of others from a directory that is there, if that is allowed.
  ///
  /// @param directory the directory
  /// @throws IOException when it cannot be made
  public static void make(Path directory) throws IOException {
    if (create(directory)) {
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
  ///
  /// @param directory the directory
  /// @param what      what it is to be, for the sentence: `stable storage /var/lib/bank`
  /// @throws StorageException when others have any permission, with the command that takes it from them
  /// @throws IOException      when that cannot be found out
  public static void require(Path directory, String what) throws IOException {
    var view = Files.getFileAttributeView(directory, PosixFileAttributeView.class);
    if (view != null && isExposed(view)) {
      throw new StorageException(
          "other users may use %s: its permissions are %s; chmod 700 %s"
              .formatted(what, PosixFilePermissions.toString(view.readAttributes().permissions()), directory));
    }
  }

  private static boolean isExposed(PosixFileAttributeView view) throws IOException {
    return !DIRECTORY.containsAll(view.readAttributes().permissions());
  }

  /// Opens a file, which is made with these permissions if it is not there.
  ///
  /// @param file    the file
  /// @param options as for [FileChannel#open]
  /// @return the channel, which whoever asks closes
  /// @throws IOException when it cannot be opened
  public static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options, ofFile(file));
  }

  /// With which attributes a directory is made.
  ///
  /// @param path where it will be
  /// @return for [Files#createDirectory]; none where the file system knows no such permissions
  public static FileAttribute<?>[] ofDirectory(Path path) {
    return only(path, DIRECTORY);
  }

  /// With which attributes a file is made.
  ///
  /// @param path where it will be
  /// @return for [Files#createFile]; none where the file system knows no such permissions
  public static FileAttribute<?>[] ofFile(Path path) {
    return only(path, FILE);
  }

  private static FileAttribute<?>[] only(Path path, Set<PosixFilePermission> permissions) {
    boolean known = path.getFileSystem().supportedFileAttributeViews().contains("posix");
    return known ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)} : new FileAttribute<?>[0];
  }
}
