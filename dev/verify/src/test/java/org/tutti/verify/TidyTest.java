package org.tutti.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Tree;

/// The rules of docs/style.md that can be read off the text of the repository.
class TidyTest {
  private static final int MAIN_LINES = 1000;
  private static final int TEST_LINES = 1000;
  private static final int METHOD_LINES = 70;
  private static final int PAGE_LINES = 250;
  private static final int COLUMNS = 120;
  private static final Pattern BANNED_NAME = Pattern.compile(".*(Impl|Manager|Utils?|Helper)");
  private static final Pattern BANNED_WORD = Pattern.compile("\\b(FIX" + "ME|XX" + "X|TO" + "DO)\\b");
  private static final String FOREIGN_WORD = "far" + "m-";
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)[^)]*\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*)$");
  private static final Pattern TITLE = Pattern.compile("(?m)^(?:# +|Class: *)`?(?:\\w+\\.)*(\\w+)");
  private static final Set<String> TEXT =
      Set.of(
          "java", "md", "xml", "txt", "sh", "yml", "yaml", "json", "properties", "idl", "proto", "html", "css", "js");

  private static Path root;
  private static List<Path> files;
  private static List<JavaSource> sources;

  @BeforeAll
  static void read() throws IOException {
    root = Tree.root();
    files = Tree.files();
    sources = JavaSource.read(root, files.stream().filter(file -> file.toString().endsWith(".java")).toList());
    assertThat(sources).as("Java sources below " + root).hasSizeGreaterThan(5);
  }

  @Test
  void filesAreShort() {
    clean(source ->
        source.lines().size() > (source.isTest() ? TEST_LINES : MAIN_LINES)
            ? Stream.of(source.file() + " has " + source.lines().size() + " lines")
            : Stream.empty());
  }

  @Test
  void methodsAreShort() {
    clean(source ->
        source.methods().stream()
            .filter(method -> method.length() > METHOD_LINES)
            .map(method ->
                source.file() + ":" + method.line() + " " + method.name() + " has " + method.length() + " lines"));
  }

  @Test
  void linesAreShort() {
    clean(source -> linesThat(source, line -> line.codePointCount(0, line.length()) > COLUMNS));
  }

  @Test
  void namesSayWhatAClassDoes() {
    clean(source ->
        source.classes().stream()
            .filter(name -> BANNED_NAME.matcher(name).matches())
            .map(name -> source.file() + ": " + name));
  }

  @Test
  void testsDoNotSleep() {
    clean(source ->
        source.calls().stream()
            .filter(call -> source.isTest() && (call.equals("sleep") || call.endsWith(".sleep")))
            .map(call -> source.file() + ": " + call));
  }

  @Test
  void nothingIsPutOff() {
    clean(source -> linesThat(source, line -> BANNED_WORD.matcher(line).find()));
  }

  @Test
  void nothingForeignIsMentioned() throws IOException {
    var found = new ArrayList<Path>();
    for (Path file : files) {
      if (isText(file) && Files.readString(file).contains(FOREIGN_WORD)) {
        found.add(root.relativize(file));
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void protocolPagesNameTheirClass() throws IOException {
    var classes = new TreeSet<String>();
    sources.stream().filter(source -> !source.isTest()).forEach(source -> classes.addAll(source.classes()));
    var found = new ArrayList<Path>();
    for (Path page : pages()) {
      Matcher names = TITLE.matcher(Files.readString(page));
      if (page.getParent().endsWith("docs/protocols") && names.results().noneMatch(n -> classes.contains(n.group(1)))) {
        found.add(root.relativize(page));
      }
    }
    assertThat(found).as("pages whose title or `Class:` line names no class").isEmpty();
  }

  /// The changelog grows with every release.
  @Test
  void pagesAreShort() throws IOException {
    var found = new ArrayList<String>();
    for (Path page : pages()) {
      int lines = Files.readAllLines(page).size();
      if (lines > PAGE_LINES && !page.endsWith("CHANGELOG.md")) {
        found.add(root.relativize(page) + " has " + lines + " lines");
      }
    }
    assertThat(found).isEmpty();
  }

  /// The index of the pages names each of them.
  @Test
  void theIndexListsAllPages() throws IOException {
    Path index = root.resolve("docs/README.md");
    Set<Path> listed =
        LINK.matcher(Files.readString(index))
            .results()
            .map(link -> index.resolveSibling(link.group(1).replaceFirst("#.*", "")).normalize())
            .collect(Collectors.toSet());
    List<Path> unlisted =
        pages().stream()
            .filter(page -> page.startsWith(index.getParent()) && !page.equals(index) && !listed.contains(page))
            .map(root::relativize)
            .toList();
    assertThat(unlisted).isEmpty();
  }

  @Test
  void linksAreAlive() throws IOException {
    var dead = new ArrayList<String>();
    for (Path page : pages()) {
      LINK.matcher(withoutCode(Files.readString(page)))
          .results()
          .map(link -> link.group(1))
          .filter(link -> !link.matches("(https?|mailto):.*"))
          .filter(link -> !leads(page, link))
          .forEach(link -> dead.add(root.relativize(page) + ": " + link));
    }
    assertThat(dead).as("links to files or sections that do not exist").isEmpty();
  }

  private static boolean leads(Path page, String link) {
    String[] parts = link.split("#", 2);
    Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
    if (parts.length == 1 || !target.toString().endsWith(".md")) {
      return Files.exists(target);
    }
    return Files.exists(target) && anchors(target).contains(parts[1]);
  }

  /// The names of a page's sections, as forges make them from the headings.
  private static Set<String> anchors(Path page) {
    try {
      return HEADING
          .matcher(Files.readString(page).replaceAll("(?s)```.*?```", ""))
          .results()
          .map(heading ->
              heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void clean(Function<JavaSource, Stream<String>> offences) {
    assertThat(sources.stream().flatMap(offences)).isEmpty();
  }

  private static Stream<String> linesThat(JavaSource source, Predicate<String> offend) {
    var found = new ArrayList<String>();
    for (int i = 0; i < source.lines().size(); i++) {
      if (offend.test(source.lines().get(i))) {
        found.add(source.file() + ":" + (i + 1) + " " + source.lines().get(i).strip());
      }
    }
    return found.stream();
  }

  private static List<Path> pages() {
    return files.stream().filter(file -> file.toString().endsWith(".md")).toList();
  }

  private static boolean isText(Path file) {
    String name = file.getFileName().toString();
    return name.indexOf('.') <= 0 || TEXT.contains(name.substring(name.lastIndexOf('.') + 1));
  }

  private static String withoutCode(String markdown) {
    return markdown.replaceAll("(?s)```.*?```", "").replaceAll("`[^`\n]*`", "");
  }
}
