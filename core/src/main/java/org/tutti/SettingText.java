package org.tutti;

import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/// Settings as a text for people: what differs from the defaults first.
final class SettingText {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB"};
  private static final int UNIT = 1024;

  private SettingText() {}

  /// Writes settings.
  ///
  /// @param type     whose they are
  /// @param settings by name, in order
  /// @param defaults the same names
  /// @return for example `GroupConfig{ordering=SKEEN; guarantee=UNIFORM, domain=none}`
  static String of(String type, Map<String, Object> settings, Map<String, Object> defaults) {
    var changed = new StringJoiner(", ");
    var usual = new StringJoiner(", ");
    settings.forEach((name, value) -> (value.equals(defaults.get(name)) ? usual : changed).add(name + "=" + value));
    boolean both = changed.length() > 0 && usual.length() > 0;
    return type + "{" + changed + (both ? "; " : "") + usual + "}";
  }

  static Object orNone(@Nullable Object value) {
    return value == null ? "none" : value;
  }

  /// Writes a number of bytes in the largest unit that divides it.
  ///
  /// @param value the number
  /// @return for example `4 MiB`
  static String bytes(int value) {
    int unit = 0;
    int left = value;
    while (left != 0 && left % UNIT == 0 && unit < UNITS.length - 1) {
      left /= UNIT;
      unit++;
    }
    return left + " " + UNITS[unit];
  }
}
