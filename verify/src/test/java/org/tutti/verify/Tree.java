package org.tutti.verify;

import java.nio.file.Files;
import java.nio.file.Path;

/// The source tree that the tests run in.
public final class Tree {
  private Tree() {}

  /// Where it begins: the next directory above with the Maven wrapper.
  ///
  /// @return an absolute path
  public static Path root() {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("mvnw"))) {
      root = root.getParent();
    }
    return root;
  }
}
