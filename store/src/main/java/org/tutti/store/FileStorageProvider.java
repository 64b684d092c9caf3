package org.tutti.store;

import java.nio.file.Path;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageProvider;

/// Offers [FileStorage].
public final class FileStorageProvider implements StorageProvider {
  /// For the service loader.
  public FileStorageProvider() {}

  @Override
  public StableStorage open(Path directory) {
    return FileStorage.open(directory);
  }
}
