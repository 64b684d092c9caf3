package org.tutti.lab;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A line of the file in which a lab's clients write their calls, in JSON: that one is about to be made, or how it
/// ended. A call without an end has an unknown outcome. Keys are keys of one map, values are above 0; 0 is no value.
///
/// ```
/// {"at":812,"call":7,"client":2,"op":"cas","key":"k3","value":61,"expected":58}
/// {"at":815,"call":7,"outcome":"told","result":1,"version":0}
/// ```
///
/// The result of `get`, `put` and `remove` is the value that was there, with its version if the client was told it,
/// else 0; that of `cas`, which puts `value` if the value is `expected`, is 1 when it was put, else 0.
sealed interface CallEntry {
  /// What is asked of a map.
  enum Kind {
    /// Reads.
    GET,
    /// Puts a value.
    PUT,
    /// Puts a value where another one is.
    CAS,
    /// Removes the value.
    REMOVE
  }

  /// What a client knows in the end.
  enum Outcome {
    /// The result.
    TOLD,
    /// Nothing: the call may have been executed, or may be later.
    UNKNOWN,
    /// That the call was not executed and will not be.
    REFUSED
  }

  /// When, by the clock that all processes of a host share.
  long at();

  /// The call's number.
  long call();

  /// A call is about to be made.
  record Made(long at, long call, int client, Kind kind, String key, long value, long expected) implements CallEntry {}

  /// A call has ended.
  record Ended(long at, long call, Outcome outcome, long result, long version) implements CallEntry {}

  /// One member of an object.
  Pattern FIELD = Pattern.compile("\"(\\w+)\":(?:\"(\\w*)\"|(-?\\d+))[,}]");

  /// The line, without its end.
  default String text() {
    return switch (this) {
      case Made made ->
          "{\"at\":%d,\"call\":%d,\"client\":%d,\"op\":\"%s\",\"key\":\"%s\",\"value\":%d,\"expected\":%d}"
              .formatted(made.at, made.call, made.client, name(made.kind), made.key, made.value, made.expected);
      case Ended ended ->
          "{\"at\":%d,\"call\":%d,\"outcome\":\"%s\",\"result\":%d,\"version\":%d}"
              .formatted(ended.at, ended.call, name(ended.outcome), ended.result, ended.version);
    };
  }

  private static String name(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT);
  }

  /// Reads a line.
  ///
  /// @return the entry, or null when the line was torn
  /// @throws IllegalArgumentException when the line is whole and makes no sense
  static @Nullable CallEntry parse(String line) {
    if (!line.endsWith("}")) {
      return null;
    }
    Map<String, String> fields = new HashMap<>();
    for (Matcher field = FIELD.matcher(line); field.find(); ) {
      fields.put(field.group(1), field.group(2) == null ? field.group(3) : field.group(2));
    }
    try {
      long at = number(fields, "at");
      long call = number(fields, "call");
      if (fields.containsKey("op")) {
        Kind kind = Kind.valueOf(word(fields, "op").toUpperCase(Locale.ROOT));
        int client = (int) number(fields, "client");
        return new Made(
            at, call, client, kind, word(fields, "key"), number(fields, "value"), number(fields, "expected"));
      }
      Outcome outcome = Outcome.valueOf(word(fields, "outcome").toUpperCase(Locale.ROOT));
      return new Ended(at, call, outcome, number(fields, "result"), number(fields, "version"));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("not a line of calls: " + line, e);
    }
  }

  private static long number(Map<String, String> fields, String name) {
    return Long.parseLong(word(fields, name));
  }

  private static String word(Map<String, String> fields, String name) {
    String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no " + name);
    }
    return value;
  }
}
