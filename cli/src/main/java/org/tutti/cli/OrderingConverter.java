package org.tutti.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.tutti.Ordering;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads the names of orderings, in lower case.
public final class OrderingConverter implements ITypeConverter<Ordering> {
  /// All names, for descriptions of options.
  public static final String NAMES = "sequencer, skeen, consensus, symmetric";

  /// For picocli, and for lists in which `all` is a name, too.
  public OrderingConverter() {}

  @Override
  public Ordering convert(String text) {
    for (Ordering ordering : Ordering.values()) {
      if (show(ordering).equals(text)) {
        return ordering;
      }
    }
    String names = Arrays.stream(Ordering.values()).map(OrderingConverter::show).collect(Collectors.joining(", "));
    throw new TypeConversionException("'" + text + "' is not an ordering: " + names);
  }

  static String show(Ordering ordering) {
    return ordering.name().toLowerCase(Locale.ROOT);
  }
}
