package org.tutti.cli;

import java.util.Locale;
import org.tutti.Durability;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// What is forced to the disk: `each` or `views`.
public final class FsyncConverter implements ITypeConverter<Durability> {
  static final String NAMES = "each, views";

  /// For picocli.
  FsyncConverter() {}

  @Override
  public Durability convert(String text) {
    for (Durability durability : Durability.values()) {
      if (durability != Durability.NONE && show(durability).equals(text)) {
        return durability;
      }
    }
    throw new TypeConversionException("'" + text + "' is not one of " + NAMES);
  }

  static String show(Durability durability) {
    return durability.name().toLowerCase(Locale.ROOT);
  }
}
