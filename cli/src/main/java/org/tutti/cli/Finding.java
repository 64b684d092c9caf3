package org.tutti.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.TuttiException;
import picocli.CommandLine.TypeConversionException;

/// What a check of `tutti doctor` has found.
///
/// @param check  its kind
/// @param of     what was checked, as the user wrote it
/// @param grade  how bad it is
/// @param words  what was found
/// @param advice what to do; null when there is nothing to do
record Finding(String check, String of, Grade grade, String words, @Nullable String advice) {
  /// How bad it is.
  enum Grade {
    /// As it should be.
    OK,
    /// A member runs, and somebody should know.
    WARN,
    /// A member does not run so, or not with this contact.
    FAIL
  }

  static Finding ok(String check, String of, String words) {
    return new Finding(check, of, Grade.OK, words, null);
  }

  static Finding warn(String check, String of, String words, @Nullable String advice) {
    return new Finding(check, of, Grade.WARN, words, advice);
  }

  static Finding fail(String check, String of, String words, @Nullable String advice) {
    return new Finding(check, of, Grade.FAIL, words, advice);
  }

  /// Something that is looked at.
  interface Look {
    List<Finding> find() throws IOException, InterruptedException;
  }

  /// What there is to be found, or why it cannot be looked at.
  static List<Finding> of(String check, String of, Look look) {
    try {
      return look.find();
    } catch (TypeConversionException | Failure | TuttiException | IOException e) {
      return List.of(fail(check, of, String.valueOf(e.getMessage()), null));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  /// A look that did not come to an end.
  static Finding late(String check, String of, Duration timeout) {
    return fail(check, of, "no result for " + TimeConverter.show(timeout), "is a name server too slow?");
  }

  /// Prints a line.
  void print(Output out) {
    String name = WordConverter.word(grade);
    out.line(
        "%-4s %s %s: %s%s".formatted(grade == Grade.FAIL ? "FAIL" : name, check, of, words, more()),
        "check",
        "check",
        check,
        "of",
        of,
        "result",
        name,
        "words",
        words,
        "advice",
        advice);
  }

  private String more() {
    return advice == null ? "" : "; " + advice;
  }
}
