package org.tutti.storage;

import java.nio.file.Path;
import java.util.ServiceLoader;

/// Opens stable storage in a directory, for programs that do not name a class for it. Found by [ServiceLoader]; the
/// module `org.tutti.store` has one.
public interface StorageProvider {
  /// Opens the storage in a directory; makes both when they are not there.
  ///
  /// @param directory where; it holds nothing else
  /// @return the storage, which belongs to this process until it is closed
  /// @throws StorageException when it is in use, damaged, no storage, or open to other users; the message is for
  ///                          whoever runs the node
  StableStorage open(Path directory);

  /// The provider of this process.
  ///
  /// @return the first that is found
  /// @throws IllegalStateException when there is none
  static StorageProvider installed() {
    return ServiceLoader.load(StorageProvider.class, StorageProvider.class.getClassLoader())
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no stable storage is there: add the module org.tutti.store"));
  }
}
