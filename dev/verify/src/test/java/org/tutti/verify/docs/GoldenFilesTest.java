package org.tutti.verify.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Tree;

/// `docs/protocols/versions.md` lists each format that is sent or kept, and the golden files of its examples.
class GoldenFilesTest {
  private static final Pattern GOLDEN = Pattern.compile(".*/src/test/resources/golden/([a-z-]+)\\.txt");
  private static final Pattern CODED =
      Pattern.compile(
          "(?m)^import org\\.tutti\\.wire\\.Codec;(?s:.*?)(new Codec<|implements Codec<|Codec<.*> CODEC =)");
  private static final Pattern VERSIONED = Pattern.compile("\\b(int|long|byte|char) (VERSION|FORMAT) = ");
  private static final List<String> WITHOUT = List.of("/dev/", "/examples/", "/sim/");

  private static String table() throws IOException {
    String page = Files.readString(Tree.root().resolve("docs/protocols/versions.md"));
    return page.substring(page.indexOf("## Formats"), page.indexOf("## When versions differ"));
  }

  /// All words in code style of the table.
  private static TreeSet<String> listed() throws IOException {
    var words = new TreeSet<String>();
    Pattern.compile("`([^`]+)`").matcher(table()).results().forEach(found -> words.add(found.group(1)));
    return words;
  }

  private static boolean isShipped(String file) {
    return file.contains("/src/main/java/") && WITHOUT.stream().noneMatch(file::contains);
  }

  @Test
  void eachCodecAndEachVersionIsInTheTable() throws IOException {
    var missing = new TreeSet<String>();
    int formats = 0;
    for (Path file : Tree.files()) {
      String path = "/" + Tree.root().relativize(file);
      if (path.endsWith(".java") && isShipped(path)) {
        String source = Files.readString(file);
        if (CODED.matcher(source).find() || VERSIONED.matcher(source).find()) {
          formats++;
          missing.add(file.getFileName().toString().replace(".java", ""));
        }
      }
    }
    missing.removeAll(listed());
    assertThat(formats).isGreaterThan(25);
    assertThat(missing).as("formats to add to docs/protocols/versions.md, with golden files").isEmpty();
  }

  @Test
  void theTableNamesTheGoldenFilesThatThereAre() throws IOException {
    var files = new TreeSet<String>();
    for (Path file : Tree.files()) {
      var found = GOLDEN.matcher(file.toString());
      if (found.matches()) {
        assertThat(files.add(found.group(1))).as("two files %s", file.getFileName()).isTrue();
      }
    }
    var named = new TreeSet<String>();
    for (String line : table().split("\n")) {
      if (line.startsWith("| ") && !line.startsWith("| ---")) {
        String last = line.substring(line.lastIndexOf('|', line.length() - 2));
        Pattern.compile("`([^`]+)`").matcher(last).results().forEach(name -> named.add(name.group(1)));
      }
    }
    assertThat(files).hasSizeGreaterThan(40).isEqualTo(named);
  }
}
