package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tutti.fixture.Tree;

/// The blocks of a guide, such as `docs/guides/rehearsal.md`, that show what a rehearsal has printed, each between
/// "```text NAME" and "```". They are compared with what is printed now; with `-Dtutti.rewrite=true` they are written
/// anew instead. What differs from run to run is replaced by a word: numbers by `N`, times by `TIME`, builds by
/// `VERSION`, ports and directories by such as an operator has.
final class RehearsalPage {
  private static final int COLUMNS = 116;

  private final Path page;
  private final Map<String, String> words = new LinkedHashMap<>(); // what is replaced as it stands
  private final Map<Pattern, String> patterns = new LinkedHashMap<>();

  /// @param guide the page's name in `docs/guides`
  RehearsalPage(String guide) {
    page = Tree.root().resolve("docs/guides").resolve(guide);
    pattern("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "TIME");
    pattern("(Not(?:After|Before): ).*?\\d{4}\\)", "$1TIME)");
    pattern("\\b(tutti|Java) \\d+\\.\\d\\S*", "$1 VERSION");
    pattern("\\d+\\.\\d s\\b", "N.N s");
    pattern("\\b(view|position|process) \\d+", "$1 N");
    pattern("\\b\\d+ (batches|more wait|days)", "N $1");
    pattern("[1-9][0-9,]* MiB", "N MiB");
    pattern("(\"sinceMillis\"):\\d+", "$1:N");
  }

  private void pattern(String found, String shown) {
    patterns.put(Pattern.compile(found), shown);
  }

  /// Shows another text instead of one.
  void show(String text, String as) {
    words.put(text, as);
  }

  /// As it is on the page.
  String shown(String line) {
    String text = line;
    for (Map.Entry<String, String> word : words.entrySet()) {
      text = text.replace(word.getKey(), word.getValue());
    }
    for (Map.Entry<Pattern, String> pattern : patterns.entrySet()) {
      text = pattern.getKey().matcher(text).replaceAll(pattern.getValue());
    }
    return text;
  }

  /// A block that is written line by line.
  ///
  /// @param name of the block
  Block block(String name) {
    return new Block(name);
  }

  /// What was printed, by where.
  final class Block {
    private final String name;
    private final List<String> lines = new ArrayList<>();

    private Block(String name) {
      this.name = name;
    }

    /// Where the lines that follow were seen.
    Block of(String where) {
      return add("", where);
    }

    Block line(String line) {
      return add("  ", line);
    }

    private Block add(String indent, String line) {
      String rest = indent + RehearsalPage.this.shown(line);
      while (rest.length() > COLUMNS) {
        int end = Math.max(rest.lastIndexOf(' ', COLUMNS), rest.lastIndexOf(',', COLUMNS) + 1);
        lines.add(rest.substring(0, end).stripTrailing());
        rest = indent + "  " + rest.substring(end).stripLeading();
      }
      lines.add(rest);
      return this;
    }

    /// Compares it with the page, or writes it there.
    void check() throws IOException {
      String whole = Files.readString(page);
      Matcher found = Pattern.compile("(?s)(\n```text " + name + "\n)(.*?)(```\n)").matcher(whole);
      assertThat(found.find()).as("a block \"text %s\" in %s", name, page).isTrue();
      String text = String.join("\n", lines) + "\n";
      if (Boolean.getBoolean("tutti.rewrite")) {
        Files.writeString(page, whole.substring(0, found.start(2)) + text + whole.substring(found.end(2)));
      } else {
        assertThat(text)
            .as("block \"%s\" of %s; if you understand why, -Dtutti.rewrite=true", name, page)
            .isEqualTo(found.group(2));
      }
    }
  }
}
