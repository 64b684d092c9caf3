package org.tutti.ipc;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// The file of a Unix domain socket on which a host listens. Only its owner can connect, at no moment anybody else: the
/// socket is made in a directory of its own, which only the owner enters, and gets its name when its permissions are
/// right.
///
/// A name is given by a link, which never replaces anything; a file that a dead host has left is removed before.
/// Whoever does that holds the lock of an empty file beside it, which stays: so of two hosts that begin
/// at a time neither removes the other's file.
final class SocketFile implements AutoCloseable {
  /// The shortest limit among the systems we run on (104 bytes with the final zero; Linux has 108).
  static final int PATH_BYTES_MAX = 103;

  private static final int DIRECTORY_BYTES_MAX = PATH_BYTES_MAX - "/.0123abcd/s".length();
  private static final int BACKLOG = 128; // programs that attach at a time and were not accepted yet
  private static final int TYPE = 0170000; // of a file, in its mode
  private static final int SOCKET = 0140000;

  private static final Set<StandardOpenOption> CREATE_OR_OPEN =
      EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  private static final FileAttribute<?> OWNER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final Object LOCK = new Object(); // of this program, as the lock of a file is that of a program

  private final ServerSocketChannel server;
  private final Path path;
  private final @Nullable Object key; // which file it is, should another one have its name later

  private SocketFile(ServerSocketChannel server, Path path, @Nullable Object key) {
    this.server = server;
    this.path = path;
    this.key = key;
  }

  /// Listens.
  ///
  /// @param path where
  /// @throws IOException when that cannot be; the message says why, with the path
  static SocketFile listen(Path path) throws IOException {
    requireShort(path);
    Path parent = path.getParent() == null ? Path.of("") : path.getParent();
    Path room = parent.resolve("." + String.format("%08x", ThreadLocalRandom.current().nextInt()));
    if (room.toString().getBytes(StandardCharsets.UTF_8).length > DIRECTORY_BYTES_MAX + "/.0123abcd".length()) {
      throw new IOException(
          "the path of the directory of a socket has " + DIRECTORY_BYTES_MAX + " bytes at most: " + path);
    }
    try {
      Files.createDirectory(room, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (NoSuchFileException e) {
      throw new IOException("there is no directory " + parent, e);
    } catch (AccessDeniedException e) {
      throw new IOException("not allowed to make files in " + parent.toAbsolutePath(), e);
    } catch (UnsupportedOperationException e) {
      throw new IOException("files have no permissions here, so anybody could connect to " + path, e);
    }
    Path made = room.resolve("s");
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    boolean done = false;
    try {
      server.bind(UnixDomainSocketAddress.of(made), BACKLOG);
      Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-------"));
      name(made, path);
      done = true;
      return new SocketFile(server, path, key(path));
    } finally {
      if (!done) {
        server.close();
      }
      Files.deleteIfExists(made);
      Files.delete(room);
    }
  }

  private static void name(Path made, Path path) throws IOException {
    Path beside = path.resolveSibling("." + path.getFileName() + ".lock");
    synchronized (LOCK) {
      try (FileChannel lock = FileChannel.open(beside, CREATE_OR_OPEN, OWNER)) {
        lock.lock();
        removeDead(path);
        Files.createLink(path, made);
      } catch (AccessDeniedException e) {
        throw new IOException("not allowed to lock " + beside, e);
      }
    }
  }

  private static void removeDead(Path path) throws IOException {
    try {
      requireSocket(path);
      if (isHeard(path)) {
        throw new IOException("another host listens at " + path);
      }
      Files.delete(path);
    } catch (NoSuchFileException _) {
      // There is none, or its host has removed it now.
    }
  }

  /// Connects to the host that listens at a path.
  ///
  /// @param path where
  /// @return connected, and blocking
  /// @throws IOException when that cannot be; the message says why, with the path
  static SocketChannel connect(Path path) throws IOException {
    requireShort(path);
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    boolean done = false;
    try {
      requireSocket(path);
      channel.configureBlocking(false); // a host that does not accept would make us wait
      if (!channel.connect(UnixDomainSocketAddress.of(path))) {
        throw new IOException("the host at " + path + " does not answer");
      }
      channel.configureBlocking(true);
      done = true;
      return channel;
    } catch (NoSuchFileException e) {
      throw new IOException("no host listens at " + path + ": there is no such file", e);
    } catch (ConnectException e) {
      throw new IOException("no host listens at " + path + ": it has ended", e);
    } catch (AccessDeniedException e) {
      throw new IOException("not allowed to enter the directory of " + path, e);
    } catch (SocketException e) {
      throw new IOException("cannot connect to " + path + ": " + e.getMessage(), e);
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  private static void requireShort(Path path) throws IOException {
    int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > PATH_BYTES_MAX) {
      throw new IOException(
          "the path of a socket has " + PATH_BYTES_MAX + " bytes at most, not " + length + ": " + path);
    }
  }

  private static void requireSocket(Path path) throws IOException {
    int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    if ((mode & TYPE) != SOCKET) {
      throw new IOException("this is no socket: " + path);
    }
  }

  private static boolean isHeard(Path socket) throws IOException {
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false); // a listener whose backlog is full would make us wait
      probe.connect(UnixDomainSocketAddress.of(socket));
      return true;
    } catch (ConnectException _) {
      return false;
    } catch (SocketException _) {
      return true; // it is somebody else's
    }
  }

  private static @Nullable Object key(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
  }

  Path path() {
    return path;
  }

  /// Waits for the next program.
  ///
  /// @throws IOException when the socket is closed, or there are no descriptors left
  SocketChannel accept() throws IOException {
    return server.accept();
  }

  /// Listens no longer, and removes the file, unless it is another one by now. Idempotent.
  @Override
  public void close() {
    try (server) {
      // As long as the socket is open, no other file has this key.
      if (server.isOpen() && key != null && key.equals(key(path))) {
        Files.delete(path);
      }
    } catch (IOException _) {
      // It is gone, or stays as that of a dead host, which the next one replaces.
    }
  }
}
