package org.tutti.cli;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads times such as `50us`, `500ms`, `10s` or `2m`.
public final class TimeConverter implements ITypeConverter<Duration> {
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(us|ms|s|m)");

  /// For picocli.
  TimeConverter() {}

  @Override
  public Duration convert(String text) {
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      throw new TypeConversionException("'" + text + "' is not a time such as 500ms, 10s or 2m");
    }
    long amount = Long.parseLong(time.group(1));
    return switch (time.group(2)) {
      case "us" -> Duration.of(amount, ChronoUnit.MICROS);
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      default -> Duration.ofMinutes(amount);
    };
  }

  static String show(Duration time) {
    return time.toMillisPart() == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
