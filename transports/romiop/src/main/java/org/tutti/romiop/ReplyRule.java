package org.tutti.romiop;

import java.time.Duration;
import java.util.List;
import org.tutti.replica.consolidation.Consistency;
import org.tutti.replica.consolidation.Consolidation;

/// A [Consolidation] as text, in a property or a reference: a quorum, then options, separated by `~`.
///
/// | quorum | `first`, `last`, `all`, `majority`, `percent51`, `equal2` |
/// | --- | --- |
/// | options | `any`, `all-equal`, `all-different`, `majority-equal`; `key:s1+s2`; a deadline, `5000ms` |
final class ReplyRule {
  /// When neither the reference nor a property says anything.
  static final String DEFAULT = "majority";

  private ReplyRule() {}

  /// Reads a rule.
  ///
  /// @throws IllegalArgumentException when it is none, with the part that is wrong
  static Consolidation of(String text) {
    String[] parts = text.split("~", -1);
    Consolidation rule = quorum(parts[0]);
    for (int i = 1; i < parts.length; i++) {
      rule = option(rule, parts[i]);
    }
    return rule;
  }

  private static Consolidation quorum(String text) {
    return switch (text) {
      case "first" -> Consolidation.first();
      case "last" -> Consolidation.last();
      case "all" -> Consolidation.all();
      case "majority" -> Consolidation.majority();
      default -> {
        if (text.startsWith("percent")) {
          yield Consolidation.percentage(number(text, text.substring("percent".length())));
        } else if (text.startsWith("equal")) {
          yield Consolidation.equal(number(text, text.substring("equal".length())));
        }
        throw new IllegalArgumentException(
            "\"" + text + "\" is no quorum: first, last, all, majority, percent51, equal2");
      }
    };
  }

  private static Consolidation option(Consolidation rule, String text) {
    for (Consistency each : Consistency.values()) {
      if (each.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-').equals(text)) {
        return rule.consistent(each);
      }
    }
    if (text.startsWith("key:")) {
      return rule.keyMembers(List.of(text.substring("key:".length()).split("\\+")));
    } else if (text.endsWith("ms")) {
      return rule.within(Duration.ofMillis(number(text, text.substring(0, text.length() - 2))));
    }
    throw new IllegalArgumentException("\"" + text + "\" is no option of a rule for replies");
  }

  private static int number(String of, String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException("\"" + of + "\" has no number");
    }
  }
}
