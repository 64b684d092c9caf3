package org.tutti.storage;

import org.tutti.TuttiException;

/// Stable storage cannot be used: it is damaged, in use by another process, open to other users, or the disk fails. The
/// message says which, for whoever runs the node.
public final class StorageException extends TuttiException {
  private static final long serialVersionUID = 1L;

  /// Says what is wrong.
  ///
  /// @param message in words that name the storage
  public StorageException(String message) {
    super(message, null);
  }

  /// Says what is wrong, and what it comes from.
  ///
  /// @param message in words that name the storage
  /// @param cause   the failure below
  public StorageException(String message, Throwable cause) {
    super(message, cause);
  }
}
