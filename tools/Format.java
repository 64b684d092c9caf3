import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.JavaFormatterOptions.Style;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Checks or fixes the format of every Java source below a directory: two spaces, 120 columns, comments as written.
///
/// Usage: `java -cp <google-java-format and its dependencies> tools/Format.java check|fix <directory>`.
/// It is a program of its own because the formatter's command line can neither walk a tree nor say how to repair it.
class Format {
  private static final int COLUMNS = 120;
  private static final Style STYLE = new Style(1, COLUMNS, false, Style.GOOGLE.importOrder());
  private static final Formatter FORMATTER =
      new Formatter(JavaFormatterOptions.builder().style(STYLE).formatJavadoc(false).build());

  private record Outcome(Path file, String before, String after, String error) {
    boolean differs() {
      return !before.equals(after);
    }
  }

  public static void main(String[] args) throws IOException {
    boolean fix =
        switch (args[0]) {
          case "fix" -> true;
          case "check" -> false;
          default -> throw new IllegalArgumentException("expected check or fix, not " + args[0]);
        };
    Path root = Path.of(args[1]).toAbsolutePath().normalize();
    List<Outcome> outcomes = sources(root).parallelStream().map(Format::format).toList();
    boolean bad = false;
    for (Outcome outcome : outcomes) {
      Path name = root.relativize(outcome.file());
      if (outcome.error() != null) {
        System.err.println(name + ": " + outcome.error());
        bad = true;
      } else if (outcome.differs() && fix) {
        Files.writeString(outcome.file(), outcome.after());
        System.err.println("formatted " + name);
      } else if (outcome.differs()) {
        System.err.println("not formatted: " + name + ":" + firstDifference(outcome));
        bad = true;
      }
    }
    boolean tooLong = reportLongLines(root, outcomes);
    if (bad && !fix) {
      System.err.println("Run tools/format to format these files (google-java-format, 2 spaces, 120 columns).");
    }
    System.exit(bad || tooLong ? 1 : 0);
  }

  /// Tells the lines that stay too long: comments, and strings, which the formatter leaves as they are.
  private static boolean reportLongLines(Path root, List<Outcome> outcomes) {
    boolean any = false;
    for (Outcome outcome : outcomes) {
      List<String> lines = outcome.after().lines().toList();
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).codePointCount(0, lines.get(i).length()) > COLUMNS) {
          System.err.println("longer than " + COLUMNS + ": " + root.relativize(outcome.file()) + ":" + (i + 1));
          any = true;
        }
      }
    }
    return any;
  }

  private static List<Path> sources(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> isSource(root.relativize(file).toString())).sorted().toList();
    }
  }

  private static boolean isSource(String name) {
    boolean ours = name.contains("src/") || name.startsWith("tools/");
    return ours && name.endsWith(".java") && !name.startsWith("target/") && !name.contains("/target/");
  }

  private static Outcome format(Path file) {
    try {
      String before = Files.readString(file);
      try {
        String once = pass(before);
        return new Outcome(file, before, once.equals(before) ? once : settle(once), null);
      } catch (FormatterException e) {
        return new Outcome(file, before, before, e.getMessage());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String pass(String source) throws FormatterException {
    String used = RemoveUnusedImports.removeUnusedImports(source);
    return FORMATTER.formatSource(ImportOrderer.reorderImports(used, STYLE));
  }

  /// Repeats the pass, because a long trailing comment may need two: otherwise a fixed file would fail the next check.
  private static String settle(String source) throws FormatterException {
    for (int i = 0; i < 3; i++) {
      String next = pass(source);
      if (next.equals(source)) {
        return source;
      }
      source = next;
    }
    return source;
  }

  private static int firstDifference(Outcome outcome) {
    List<String> before = outcome.before().lines().toList();
    List<String> after = outcome.after().lines().toList();
    int line = 0;
    while (line < before.size() && line < after.size() && before.get(line).equals(after.get(line))) {
      line++;
    }
    return line + 1;
  }
}
