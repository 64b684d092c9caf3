package org.tutti.spi;

import java.util.ServiceLoader;
import org.tutti.Node;
import org.tutti.storage.StorageException;
import org.tutti.transport.TransportException;

/// Runs nodes. The host that comes with Tutti gives each node a thread of this process, a transport and the clock of
/// the machine; another one may run them in simulated time. It is found by [ServiceLoader], or used directly:
///
/// {@snippet class="ApiExamplesTest" region="host"}
///
/// May be used by any thread.
public interface NodeHost {
  /// Starts a node.
  ///
  /// @param settings as they were checked by the builder; a transport and a storage among them belong to the node from
  ///                 now on, unless this method throws
  /// @return the running node
  /// @throws IllegalArgumentException when no transport has the name that was given, or it has no TLS, or name and
  ///                                  address are too long for a member or for the transport's frames
  /// @throws IllegalStateException when there is no stable storage among the modules
  /// @throws StorageException when the storage cannot be opened
  /// @throws TransportException when the transport cannot be opened
  Node start(NodeSettings settings);

  /// The host of this process.
  ///
  /// @return the first that is found; the core has one
  static NodeHost installed() {
    return ServiceLoader.load(NodeHost.class, NodeHost.class.getClassLoader()).findFirst().orElseThrow();
  }
}
