package org.tutti.cli;

import java.util.List;
import org.tutti.Durability;

/// Reads what is forced to the disk: `each` or `views`.
public final class FsyncConverter extends WordConverter<Durability> {
  /// For picocli.
  FsyncConverter() {
    super(List.of(Durability.EACH, Durability.VIEWS));
  }
}
