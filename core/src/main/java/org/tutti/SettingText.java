package org.tutti;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// Settings as a text for people: what differs from the defaults first.
final class SettingText {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB"};
  private static final int UNIT = 1024;

  private SettingText() {}

  /// Writes settings. A number whose name tells of bytes has a unit; what is not set is `none`.
  ///
  /// @param type     whose they are
  /// @param settings by name, in order
  /// @param defaults the same names
  /// @return for example `GroupConfig{ordering=SKEEN; guarantee=UNIFORM, domain=none}`
  static String of(String type, Map<String, @Nullable Object> settings, Map<String, @Nullable Object> defaults) {
    var changed = new StringJoiner(", ");
    var usual = new StringJoiner(", ");
    settings.forEach((name, value) -> {
      boolean same = Objects.equals(value, defaults.get(name));
      (same ? usual : changed).add(name + "=" + text(name, value));
    });
    boolean both = changed.length() > 0 && usual.length() > 0;
    return type + "{" + changed + (both ? "; " : "") + usual + "}";
  }

  /// Writes the value of one setting.
  static String text(String name, @Nullable Object value) {
    return switch (value) {
      case null -> "none";
      case OptionalLong number -> number.isPresent() ? String.valueOf(number.getAsLong()) : "none";
      case Duration time -> time.isZero() ? "none" : time.toMillis() + " ms";
      case Integer number when name.contains("Bytes") -> bytes(number);
      case Long number when name.contains("Bytes") -> bytes(number);
      default -> value.toString();
    };
  }

  /// Writes a number of bytes in the largest unit that divides it, for example `4 MiB`.
  private static String bytes(long value) {
    int unit = 0;
    long left = value;
    while (left != 0 && left % UNIT == 0 && unit < UNITS.length - 1) {
      left /= UNIT;
      unit++;
    }
    return left + " " + UNITS[unit];
  }
}
