package org.tutti.verify;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The source tree that the tests run in.
public final class Tree {
  private static final Set<String> SKIPPED = Set.of(".git", "target", ".idea", ".vscode");

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

  /// Its files, without what a build or a tool has left there.
  ///
  /// @return absolute paths
  /// @throws IOException when the tree cannot be read
  public static List<Path> files() throws IOException {
    var found = new ArrayList<Path>();
    Files.walkFileTree(
        root(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            boolean skip = SKIPPED.contains(dir.getFileName().toString());
            return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            found.add(file);
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
