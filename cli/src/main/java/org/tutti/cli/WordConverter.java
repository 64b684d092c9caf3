package org.tutti.cli;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads a constant of an enum by its word: the name in lower case, with hyphens. An option that names it as its
/// `completionCandidates`, too, has these words in its help and in the completion of shells.
///
/// @param <E> the enum
public abstract class WordConverter<E extends Enum<E>> implements ITypeConverter<E>, Iterable<String> {
  private final List<E> values;

  /// For the class of one enum.
  ///
  /// @param values those that may be given
  protected WordConverter(List<E> values) {
    this.values = List.copyOf(values);
  }

  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public final E convert(String text) {
    for (E value : values) {
      if (word(value).equals(text)) {
        return value;
      }
    }
    String words = values.stream().map(WordConverter::word).collect(Collectors.joining(", "));
    throw new TypeConversionException("'" + text + "' is none of: " + words);
  }

  @Override
  public final Iterator<String> iterator() {
    return values.stream().map(WordConverter::word).iterator();
  }
}
