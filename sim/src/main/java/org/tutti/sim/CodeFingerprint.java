package org.tutti.sim;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/// Which code this is: a hash over all classes of some modules. Two builds of one commit have the same, whenever and
/// wherever they were made; a source that was changed and not committed shows, as it changes what a seed means.
final class CodeFingerprint {
  private static final int DIGITS = 16;

  private CodeFingerprint() {}

  /// Hashes the modules that some classes are in.
  static String of(Class<?>... oneOfEach) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Class<?> type : oneOfEach) {
        Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(place)) {
          add(place, digest);
        } else {
          try (FileSystem jar = FileSystems.newFileSystem(place)) {
            add(jar.getPath("/"), digest);
          }
        }
      }
      return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
    } catch (NoSuchAlgorithmException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void add(Path root, MessageDigest digest) throws IOException {
    List<Path> classes;
    try (Stream<Path> files = Files.walk(root)) {
      classes = files.filter(file -> file.toString().endsWith(".class")).sorted().toList();
    }
    for (Path file : classes) {
      try (InputStream bytes = Files.newInputStream(file)) {
        digest.update(bytes.readAllBytes());
      }
    }
  }
}
