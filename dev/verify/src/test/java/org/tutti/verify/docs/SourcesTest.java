package org.tutti.verify.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Tree;

/// The page of sources names every requirement once, and what it names exists.
class SourcesTest {
  private static final Map<String, Integer> REQUIREMENTS =
      new TreeMap<>(Map.of("H", 15, "R", 11, "N", 12, "B", 12, "T", 13));
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([HRNBT]\\d+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]*)\\|$");
  // H2 is also the name of a database.
  private static final Pattern ID =
      Pattern.compile("(?<![\\w.#-])([RNBT]\\d{1,2}|H(1[0-5]?|[3-9])|[Ss]pec [HRNBT])(?!\\w|\\.\\w)");
  private static final Pattern NAME = Pattern.compile("`([A-Z]\\w+)`");

  private static List<MatchResult> rows() throws IOException {
    return ROW.matcher(Files.readString(Tree.root().resolve("docs/sources.md"))).results().toList();
  }

  @Test
  void everyRequirementHasItsRow() throws IOException {
    List<String> expected = new ArrayList<>();
    for (String source : List.of("H", "R", "N", "B", "T")) {
      IntStream.rangeClosed(1, REQUIREMENTS.get(source)).forEach(number -> expected.add(source + number));
    }
    assertThat(rows()).extracting(row -> row.group(1)).containsExactlyElementsOf(expected);
  }

  @Test
  void whatIsNamedExists() throws IOException {
    Set<String> named = new TreeSet<>();
    for (MatchResult row : rows()) {
      NAME.matcher(row.group()).results().forEach(name -> named.add(name.group(1)));
    }
    assertThat(named).hasSizeGreaterThan(80);
    assertThat(classes()).containsAll(named);
  }

  /// Whoever says that something is there says which test shows it.
  @Test
  void whatIsThereIsShown() throws IOException {
    for (MatchResult row : rows()) {
      boolean missing = row.group(3).equals("not yet");
      assertThat(row.group(4).isBlank()).as(row.group(1)).isEqualTo(missing);
      assertThat(NAME.matcher(row.group(3)).find()).as(row.group(1)).isEqualTo(!missing);
    }
  }

  /// Elsewhere the papers are cited: an id says nothing to whoever has not read this page.
  @Test
  void requirementsAreCalledByTheirIdsOnThisPageOnly() throws IOException {
    List<String> elsewhere = new ArrayList<>();
    for (Path file : Tree.files().stream().filter(SourcesTest::isProse).toList()) {
      boolean code = file.toString().endsWith(".java");
      Files.readString(file)
          .lines()
          .map(String::strip)
          .filter(line -> (!code || line.startsWith("//")) && ID.matcher(line).find())
          .forEach(line -> elsewhere.add(Tree.root().relativize(file) + ": " + line));
    }
    assertThat(elsewhere).isEmpty();
  }

  private static boolean isProse(Path file) {
    String name = file.toString();
    boolean text = name.endsWith(".java") || name.endsWith(".md");
    return text && !name.endsWith("/sources.md") && !name.endsWith("/CHANGELOG.md");
  }

  private static Set<String> classes() throws IOException {
    return Tree.files().stream()
        .map(path -> path.getFileName().toString())
        .filter(name -> name.endsWith(".java"))
        .map(name -> name.substring(0, name.length() - ".java".length()))
        .collect(Collectors.toSet());
  }
}
