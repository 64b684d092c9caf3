package org.tutti.cli;

import java.util.Locale;
import org.tutti.Partitions;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads what a group does in parts that are not primary, in lower case.
final class PartitionsConverter implements ITypeConverter<Partitions> {
  static final String NAMES = "continue, suspend";

  @Override
  public Partitions convert(String text) {
    for (Partitions partitions : Partitions.values()) {
      if (partitions.name().toLowerCase(Locale.ROOT).equals(text)) {
        return partitions;
      }
    }
    throw new TypeConversionException("'" + text + "' is none of: " + NAMES);
  }
}
