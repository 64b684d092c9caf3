package org.tutti.cli;

import org.jspecify.annotations.Nullable;
import org.tutti.Names;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Takes names of groups and clusters as they may be ([Names]).
final class NameConverter implements ITypeConverter<String> {
  @Override
  public String convert(String text) {
    return checked(text, Names.fault(text));
  }

  private static String checked(String text, @Nullable String fault) {
    if (fault != null) {
      throw new TypeConversionException("a name " + fault);
    }
    return text;
  }

  /// Takes names of nodes.
  static final class OfNode implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      return checked(text, Names.faultOfNode(text));
    }
  }
}
