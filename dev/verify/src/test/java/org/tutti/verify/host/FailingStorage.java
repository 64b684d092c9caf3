package org.tutti.verify.host;

import java.nio.file.Path;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;
import org.tutti.store.FileStorage;

/// Stable storage in files that a test can let fail, which stops its node without a word.
final class FailingStorage implements StableStorage {
  private final StableStorage files;
  private volatile boolean failing;

  FailingStorage(Path directory) {
    files = FileStorage.open(directory);
  }

  /// From now on nothing is kept any more.
  void fail() {
    failing = true;
  }

  @Override
  public Region region(String group) {
    return files.region(group);
  }

  @Override
  public void commit(boolean force) {
    if (failing) {
      throw new StorageException("the disk fails");
    }
    files.commit(force);
  }

  @Override
  public void close() {
    files.close();
  }
}
