package org.tutti.cli;

import java.util.Iterator;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The option by which commands choose what carries frames between members.
final class Carrier {
  /// The names of those that are there, for `--help`.
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return TransportProvider.installed().navigableKeySet().iterator();
    }
  }

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = "tcp",
      converter = Converter.class,
      completionCandidates = Names.class,
      description =
          "What carries frames, the same at all members: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
  private String transport = "tcp";

  /// The chosen provider's name.
  String transport() {
    return transport;
  }

  /// Opens the chosen transport.
  Transport open(Address listen) throws TransportException {
    return TransportProvider.named(transport).open(TransportSettings.at(listen));
  }

  /// Takes the names of installed providers only.
  static final class Converter implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      try {
        return TransportProvider.named(text).name();
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
