package org.tutti.verify.scenario;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A scenario as it is written, in the format of CockroachDB's `datadriven`, which the interaction tests of etcd's Raft
/// use: blocks of commands, a line `----`, and what they are to show, up to an empty line.
///
/// ```
/// # What the reader sees next.
/// multicast n2 "a"
/// run 5ms
/// ----
///    705ms n1 delivers 0 "a" of n2
///
/// ```
///
/// @param file   its name, for messages
/// @param blocks all of it but the end
/// @param end    the lines behind the last block: comments
record Script(String file, List<Block> blocks, List<String> end) {
  static final String SEPARATOR = "----";

  /// A command.
  ///
  /// @param line which line of the file it is, from 1
  /// @param text the line
  record Command(int line, String text) {}

  /// Commands and what they show.
  ///
  /// @param head     the lines before the separator: comments, empty ones, commands
  /// @param commands those of them that are commands, at least one
  /// @param line     the line of the first one that is expected, from 1
  /// @param expected what they are to show
  record Block(List<String> head, List<Command> commands, int line, List<String> expected) {}

  /// Reads a script.
  ///
  /// @throws ScriptException when it has another format
  static Script read(String file, List<String> lines) {
    List<Block> blocks = new ArrayList<>();
    List<String> head = new ArrayList<>();
    List<Command> commands = new ArrayList<>();
    for (int at = 0; at < lines.size(); at++) {
      String line = lines.get(at);
      if (line.equals(SEPARATOR)) {
        if (commands.isEmpty()) {
          throw new ScriptException(file, at + 1, "no command stands before " + SEPARATOR);
        }
        int first = at + 1;
        int end = first;
        while (end < lines.size() && !lines.get(end).isEmpty()) {
          refuseSeparator(file, end, lines.get(end));
          end++;
        }
        blocks.add(new Block(head, commands, first + 1, List.copyOf(lines.subList(first, end))));
        head = new ArrayList<>();
        commands = new ArrayList<>();
        at = end;
        continue;
      }
      if (!line.isBlank() && !line.startsWith("#")) {
        commands.add(new Command(at + 1, line));
      }
      head.add(line);
    }
    if (!commands.isEmpty()) {
      throw new ScriptException(file, commands.getFirst().line, "no line " + SEPARATOR + " follows this command");
    }
    return new Script(file, blocks, head);
  }

  private static void refuseSeparator(String file, int at, String line) {
    if (line.equals(SEPARATOR)) {
      throw new ScriptException(file, at + 1, "an empty line is missing before the commands above this line");
    }
  }

  /// Where the expectations differ from what is shown.
  ///
  /// @param shown what each block shows, in their order
  /// @return file, line, and both versions of the line; null when nothing differs
  @Nullable String difference(List<List<String>> shown) {
    for (int i = 0; i < blocks.size(); i++) {
      Block block = blocks.get(i);
      List<String> now = shown.get(i);
      for (int at = 0; at < Math.max(now.size(), block.expected.size()); at++) {
        String expected = at < block.expected.size() ? block.expected.get(at) : "(the end of the block)";
        String actual = at < now.size() ? now.get(at) : "(the end of the block)";
        if (!expected.equals(actual)) {
          return "%s:%d: here the trace is another one%n  expected: %s%n  was:      %s"
              .formatted(file, block.line + at, expected, actual);
        }
      }
    }
    return null;
  }

  /// The lines of the file with other expectations.
  ///
  /// @param shown what each block shows, in their order
  List<String> with(List<List<String>> shown) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      lines.addAll(blocks.get(i).head);
      lines.add(SEPARATOR);
      lines.addAll(shown.get(i));
      lines.add("");
    }
    lines.addAll(end);
    if (end.isEmpty()) {
      lines.removeLast(); // the end of the file ends the last block, too
    }
    return lines;
  }
}
