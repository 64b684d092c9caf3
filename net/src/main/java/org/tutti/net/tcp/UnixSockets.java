package org.tutti.net.tcp;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.tutti.net.Nio;
import org.tutti.transport.Endpoint;

/// Where nodes of one user on one host meet without TCP: a directory with one Unix domain socket per listening node.
///
/// A socket's name holds the address and the network namespace, since a file system may be shared by namespaces in
/// which the same address means different nodes. What does not work here is no error: the node is reached by TCP then.
final class UnixSockets {
  /// The shortest limit among the systems we run on (104 bytes with the final zero; Linux has 108).
  private static final int PATH_BYTES_MAX = 103;

  private final Path directory;
  private final String namespace;

  private UnixSockets(Path directory) {
    this.directory = directory;
    this.namespace = namespace();
  }

  /// Prepares a directory that only its owner enters.
  ///
  /// @return null when the directory is null or is not safely ours
  static @Nullable UnixSockets in(@Nullable Path directory) {
    if (directory == null) {
      return null;
    }
    try {
      create(directory);
      return isOurs(directory) ? new UnixSockets(directory) : null;
    } catch (IOException | UnsupportedOperationException _) {
      return null;
    }
  }

  /// Listens for a node that holds the TCP port of this address, which makes it the only rightful owner of the file.
  ///
  /// @return null when that cannot be
  @Nullable ServerSocketChannel listen(Endpoint own) {
    Path path = path(own);
    ServerSocketChannel channel = null;
    try {
      if (path == null || !isFree(path)) {
        return null;
      }
      channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      channel.configureBlocking(false);
      return channel.bind(UnixDomainSocketAddress.of(path), Acceptor.BACKLOG);
    } catch (IOException | UnsupportedOperationException _) {
      Nio.close(channel);
      return null;
    }
  }

  /// Removes the file of a node that listened; before the node gives up its TCP port.
  void remove(Endpoint own) {
    Path path = path(own);
    try {
      if (path != null) {
        Files.deleteIfExists(path);
      }
    } catch (IOException _) {
      // It stays behind as a stale file, which the next owner of the port removes.
    }
  }

  /// Where a peer listens, if it runs on this host, in this network namespace, for this user.
  @Nullable UnixDomainSocketAddress toward(Endpoint peer) {
    Path path = path(peer);
    return path != null && Files.exists(path) && isThisHost(peer) ? UnixDomainSocketAddress.of(path) : null;
  }

  private @Nullable Path path(Endpoint endpoint) {
    String host = endpoint.host().replaceAll("[^0-9A-Za-z.]", "_");
    Path path = directory.resolve(namespace + "-" + host + "_" + endpoint.port() + ".sock");
    return path.toString().getBytes(StandardCharsets.UTF_8).length <= PATH_BYTES_MAX ? path : null;
  }

  private static boolean isThisHost(Endpoint peer) {
    try {
      return peer.inet().isLoopbackAddress() || NetworkInterface.getByInetAddress(peer.inet()) != null;
    } catch (SocketException _) {
      return false;
    }
  }

  private static boolean isFree(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return true;
    }
    // Not blocking: a listener whose backlog is full would make us wait.
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      probe.connect(UnixDomainSocketAddress.of(path));
      return false;
    } catch (ConnectException _) {
      Files.deleteIfExists(path);
      return true;
    }
  }

  private static void create(Path directory) throws IOException {
    try {
      Files.createDirectory(
          directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException _) {
      // Usual: made by an earlier node.
    }
  }

  private static boolean isOurs(Path directory) throws IOException {
    String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS));
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS) || !mode.equals("rwx------")) {
      return false;
    }
    // Java does not tell the user's id; a new file does.
    Path probe = Files.createTempFile(directory, "owner", "");
    try {
      return Files.getOwner(probe).equals(Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS));
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  private static String namespace() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString().replaceAll("[^0-9]", "");
    } catch (IOException | UnsupportedOperationException _) {
      return "0";
    }
  }
}
