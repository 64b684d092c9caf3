package org.tutti.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads sizes such as `512M`, `10G` or `1T`, in units of 1024.
public final class SizeConverter implements ITypeConverter<Long> {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,7})([MGT])");
  private static final long MAX = 1L << 40;
  private static final int MEGA = 20;
  private static final int STEP = 10;

  /// For picocli.
  SizeConverter() {}

  @Override
  public Long convert(String text) {
    Matcher size = SIZE.matcher(text);
    long bytes = size.matches() ? Long.parseLong(size.group(1)) << MEGA + STEP * "MGT".indexOf(size.group(2)) : 0;
    if (bytes < 1 || bytes > MAX) {
      throw new TypeConversionException("'" + text + "' is not a size from 1M to 1T, such as 512M or 10G");
    }
    return bytes;
  }
}
