package org.tutti.cli;

import java.util.Locale;
import org.tutti.PrimaryViews;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads which views are primary, in lower case and with hyphens.
final class PrimaryViewsConverter implements ITypeConverter<PrimaryViews> {
  static final String NAMES = "dynamic-linear, static-majority, both";

  @Override
  public PrimaryViews convert(String text) {
    for (PrimaryViews choice : PrimaryViews.values()) {
      if (choice.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text)) {
        return choice;
      }
    }
    throw new TypeConversionException("'" + text + "' is none of: " + NAMES);
  }
}
