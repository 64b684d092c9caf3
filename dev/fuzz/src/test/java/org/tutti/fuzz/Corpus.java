package org.tutti.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.tutti.fixture.Tree;

/// The recorded inputs of a target, a file of text: an input a line, in hexadecimal digits, and behind a `#` what it
/// once broke. Inputs with such words stay; the others may give way to fewer ones that reach the same code.
///
/// @param file where they are
record Corpus(Path file) {
  private static final String WORDS = " *#.*";

  /// The corpus of a target.
  static Corpus of(String target) {
    return new Corpus(Tree.root().resolve("dev/fuzz/src/test/resources/corpus/" + target + ".hex"));
  }

  /// All inputs.
  List<byte[]> inputs() throws IOException {
    List<byte[]> inputs = new ArrayList<>();
    for (String line : lines()) {
      inputs.add(HexFormat.of().parseHex(line.replaceFirst(WORDS, "")));
    }
    return inputs;
  }

  private List<String> lines() throws IOException {
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  /// Puts each input into a file of its own.
  void unpack(Path directory) throws IOException {
    int number = 0;
    for (byte[] input : inputs()) {
      Files.write(directory.resolve("recorded-" + number++), input);
    }
  }

  /// Keeps an input for good, with what it breaks.
  void add(byte[] input, String words) throws IOException {
    List<String> lines = new ArrayList<>(lines());
    lines.add(HexFormat.of().formatHex(input) + " # " + words);
    write(List.of(), lines);
  }

  /// Replaces the inputs by those of a directory, but for those with words.
  ///
  /// @return how many there are now
  int pack(Path directory) throws IOException {
    List<String> fresh = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path each : files.toList()) {
        fresh.add(HexFormat.of().formatHex(Files.readAllBytes(each)));
      }
    }
    List<String> kept = lines().stream().filter(line -> line.contains("#")).toList();
    return write(fresh, kept);
  }

  /// Writes the lines in the order of their inputs, each input once.
  private int write(List<String> without, List<String> with) throws IOException {
    var lines = new TreeMap<String, String>();
    without.forEach(line -> lines.put(line, line));
    with.forEach(line -> lines.put(line.replaceFirst(WORDS, ""), line));
    Files.write(file, lines.values());
    return lines.size();
  }
}
