import org.jspecify.annotations.NullMarked;

/// Stable storage for nodes: a write-ahead log in a directory, which `FileStorage` opens.
@NullMarked
module org.tutti.store {
  requires transitive org.tutti;
  requires static org.jspecify;

  exports org.tutti.store;

  provides org.tutti.storage.StorageProvider with
      org.tutti.store.FileStorage.Provider;
}
