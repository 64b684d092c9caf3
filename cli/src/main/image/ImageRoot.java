import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Makes what a container image needs beside Java and Tutti's modules, where no base image brings it: the C library
/// that this Java is linked with, as it is on the machine that builds, and the files that name users and where hosts
/// are looked up.
///
/// ```
/// java ImageRoot.java RUNTIME ROOT
/// ```
///
/// RUNTIME is what jlink has made; ROOT is made.
final class ImageRoot {
  public static void main(String[] args) throws IOException, InterruptedException {
    Path runtime = Path.of(args[0]).toRealPath();
    Path root = Path.of(args[1]);
    for (Path library : libraries(runtime)) {
      Path copy = root.resolve(library.toString().substring(1));
      Files.createDirectories(copy.getParent());
      if (!Files.exists(copy)) {
        Files.copy(library.toRealPath(), copy);
      }
    }
    Path etc = Files.createDirectories(root.resolve("etc"));
    Files.writeString(etc.resolve("passwd"), "tutti:x:65532:65532::/nonexistent:/nologin\n");
    Files.writeString(etc.resolve("group"), "tutti:x:65532:\n");
    Files.writeString(etc.resolve("nsswitch.conf"), "hosts: files dns\n");
  }

  /// What programs and libraries of the runtime are linked with and do not bring, the loader among it.
  private static Set<Path> libraries(Path runtime) throws IOException, InterruptedException {
    Set<Path> found = new TreeSet<>();
    Pattern line = Pattern.compile("(?m)^\\s+(?:.* => )?(/.+) \\(0x"); // a path may have spaces
    try (Stream<Path> files = Files.walk(runtime)) {
      for (Path file : files.filter(ImageRoot::isLinked).toList()) {
        Process ldd = new ProcessBuilder("ldd", file.toString()).redirectErrorStream(true).start();
        String text = new String(ldd.getInputStream().readAllBytes());
        if (ldd.waitFor() != 0) {
          throw new IOException("ldd " + file + ": " + text);
        }
        for (Matcher matcher = line.matcher(text); matcher.find(); ) {
          Path library = Path.of(matcher.group(1));
          if (!library.startsWith(runtime)) {
            found.add(library);
          }
        }
      }
    }
    return found;
  }

  private static boolean isLinked(Path file) {
    return file.toString().endsWith(".so") || file.endsWith("bin/java");
  }
}
