package org.tutti.romiop;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tutti.romiop.NamingTree.Name;

/// Names of the naming service as text: components with `/` between, `id.kind` each, and `\` before what is not meant
/// so.
///
/// Source: OMG, *Naming Service Specification*, formal/04-10-03, sections 2.4 and 2.5.
final class NameText {
  private static final String UNESCAPED = ";/:?@&=+$,-_.!~*'()"; // in URLs, besides letters and digits

  private NameText() {}

  /// The text of a name.
  static String of(List<Name> name) {
    StringBuilder text = new StringBuilder();
    for (Name each : name) {
      text.append(text.isEmpty() ? "" : "/").append(escaped(each.id()));
      if (!each.kind().isEmpty() || each.id().isEmpty()) {
        text.append('.').append(escaped(each.kind()));
      }
    }
    return text.toString();
  }

  private static String escaped(String part) {
    return part.replaceAll("[/.\\\\]", "\\\\$0");
  }

  /// Reads a name.
  ///
  /// @return null when the text is none
  static @Nullable List<Name> read(String text) {
    List<Name> name = new ArrayList<>();
    List<String> parts = new ArrayList<>(); // of this component
    StringBuilder part = new StringBuilder();
    for (int i = 0; i <= text.length(); i++) {
      char each = i == text.length() ? '/' : text.charAt(i);
      if (each == '\\') {
        i++;
        if (i == text.length() || "/.\\".indexOf(text.charAt(i)) < 0) {
          return null;
        }
        part.append(text.charAt(i));
      } else if (each == '/' || each == '.') {
        parts.add(part.toString());
        part.setLength(0);
        if (each == '/') {
          Name component = component(parts);
          if (component == null) {
            return null;
          }
          name.add(component);
          parts.clear();
        }
      } else {
        part.append(each);
      }
    }
    return name;
  }

  private static @Nullable Name component(List<String> parts) {
    String id = parts.getFirst();
    String kind = parts.size() > 1 ? parts.get(1) : "";
    boolean isNone = parts.size() == 1 && id.isEmpty(); // nothing between two strokes
    boolean isEndless = parts.size() > 2 || parts.size() == 2 && kind.isEmpty() && !id.isEmpty(); // "id."
    return isNone || isEndless ? null : new Name(id, kind);
  }

  /// A text as it stands in a URL.
  static String inUrl(String text) {
    StringBuilder url = new StringBuilder();
    for (byte each : text.getBytes(StandardCharsets.ISO_8859_1)) {
      char character = (char) (each & 0xff);
      boolean isPlain = character < 128 && (Character.isLetterOrDigit(character) || UNESCAPED.indexOf(character) >= 0);
      url.append(isPlain ? String.valueOf(character) : String.format(Locale.ROOT, "%%%02x", each & 0xff));
    }
    return url.toString();
  }
}
