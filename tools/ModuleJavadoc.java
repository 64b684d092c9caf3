import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What the Javadoc archive of one module has: the documentation of the packages that it exports to all, and of no
/// others; a page that says so where there is none.
///
/// Usage: `java tools/ModuleJavadoc.java <module's directory> <output> <class path>`, after the module was compiled. A
/// warning is a failure, which exit code 1 tells. The same sources give the same bytes, whatever the locale and the
/// time zone are.
class ModuleJavadoc {
  private static final String NOTHING =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><title>%1$s</title></head>
      <body><p>The module %1$s exports no package to programs, so it has no documentation of an API.</p></body>
      </html>
      """;

  public static void main(String[] args) throws IOException {
    Locale.setDefault(Locale.ENGLISH);
    Path module = Path.of(args[0]);
    Path output = Path.of(args[1]);
    ModuleDescriptor descriptor;
    try (InputStream in = Files.newInputStream(module.resolve("target/classes/module-info.class"))) {
      descriptor = ModuleDescriptor.read(in);
    }
    clear(output);
    copyLicence(module, output);
    if (descriptor.exports().stream().allMatch(ModuleDescriptor.Exports::isQualified)) {
      Files.writeString(output.resolve("index.html"), NOTHING.formatted(descriptor.name()));
      return;
    }
    int status =
        javadoc().run(System.out, new PrintStream(System.err, true), options(module, output, args[2], descriptor));
    if (status != 0) {
      System.exit(1);
    }
  }

  private static void copyLicence(Path module, Path output) throws IOException {
    Path directory = Files.createDirectories(output.resolve("META-INF"));
    Files.copy(root(module).resolve("LICENSE"), directory.resolve("LICENSE"));
  }

  private static ToolProvider javadoc() {
    return ToolProvider.findFirst("javadoc").orElseThrow(() -> new IllegalStateException("this Java has no javadoc"));
  }

  /// Nothing of an earlier run stays.
  private static void clear(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }

  private static String[] options(Path module, Path output, String classPath, ModuleDescriptor descriptor)
      throws IOException {
    String title = "Tutti: " + descriptor.name();
    var options = new ArrayList<String>();
    options.addAll(List.of("-quiet", "-Werror", "-Xdoclint:all", "-Xmaxwarns", "1000", "--release", "25"));
    options.addAll(List.of("-locale", "en", "-encoding", "UTF-8", "-docencoding", "UTF-8", "-charset", "UTF-8"));
    options.addAll(List.of("-notimestamp", "-windowtitle", title, "-doctitle", title, "-d", output.toString()));
    // Examples are regions of a test.
    options.addAll(List.of("--snippet-path", root(module) + "/dev/verify/src/test/java/org/tutti/verify/docs"));
    options.addAll(List.of("--module-path", classPath, "--module", descriptor.name()));
    options.addAll(List.of("--module-source-path", descriptor.name() + "=" + sources(module)));
    return options.toArray(String[]::new);
  }

  private static Path root(Path module) {
    Path root = module;
    while (!Files.exists(root.resolve("mvnw"))) {
      root = root.getParent();
    }
    return root;
  }

  /// Those that were written and those that were generated.
  private static String sources(Path module) throws IOException {
    var found = new ArrayList<Path>(List.of(module.resolve("src/main/java")));
    Path generated = module.resolve("target/generated-sources");
    if (Files.isDirectory(generated)) {
      try (Stream<Path> directories = Files.list(generated)) {
        directories.sorted().forEach(found::add);
      }
    }
    return found.stream().map(Path::toString).collect(Collectors.joining(System.getProperty("path.separator")));
  }
}
