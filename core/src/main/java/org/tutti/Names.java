package org.tutti;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// What names may be made of, and how text of others is shown.
///
/// Names of nodes, groups, clusters and domains have 1 to [#BYTES_MAX] bytes of UTF-8 and only characters that can be
/// seen: no control characters, no marks that turn the direction of text, nothing that ends a line, nothing that is not
/// assigned. So a name cannot do anything to a terminal or a log in which it is printed. The name of a node has no
/// blanks either, as lists of members are separated by them.
public final class Names {
  /// The longest name, in bytes of UTF-8.
  public static final int BYTES_MAX = 255;

  private Names() {}

  /// What is wrong with the name of a node.
  ///
  /// @param name any text
  /// @return words that follow "a name", or null when nothing is
  public static @Nullable String faultOfNode(String name) {
    String fault = fault(name);
    return fault == null && hasBlank(name) ? "has no blanks" : fault;
  }

  /// What is wrong with another name.
  ///
  /// @param name any text
  /// @return words that follow "a name", or null when nothing is
  public static @Nullable String fault(String name) {
    if (isPlain(name)) {
      return null; // nearly all are, and every message names members
    }
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > BYTES_MAX) {
      return "has 1 to " + BYTES_MAX + " bytes, not " + bytes;
    }
    return name.codePoints().allMatch(Names::isVisible) ? null : "has no control characters";
  }

  private static boolean hasBlank(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (Character.isSpaceChar(name.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  /// Whether a name is of a length that is allowed and has only characters of ASCII that can be seen.
  private static boolean isPlain(String name) {
    if (name.isEmpty() || name.length() > BYTES_MAX) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) < ' ' || name.charAt(i) > '~') {
        return false;
      }
    }
    return true;
  }

  /// Refuses a wrong name.
  ///
  /// @param what  whose name it is, as "a group's"
  /// @param name  any text
  /// @param fault of [#fault] or [#faultOfNode]
  /// @return the name
  /// @throws IllegalArgumentException when there is a fault
  public static String require(String what, String name, @Nullable String fault) {
    if (fault != null) {
      String shown = name.isEmpty() || fault.contains("bytes") ? "" : ": \"" + printable(name) + "\"";
      throw new IllegalArgumentException(what + " name " + fault + shown);
    }
    return name;
  }

  /// A text of somebody else as it may be printed in a line or logged: what cannot be seen is written as `\u001b`.
  ///
  /// @param text any text
  /// @return the same when all of it can be seen
  public static String printable(String text) {
    if (text.codePoints().allMatch(Names::isVisible)) {
      return text;
    }
    var shown = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(c -> {
          if (isVisible(c)) {
            shown.appendCodePoint(c);
          } else {
            for (char unit : Character.toChars(c)) {
              shown.append("\\u%04x".formatted((int) unit));
            }
          }
        });
    return shown.toString();
  }

  /// A blank counts as seen.
  private static boolean isVisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
