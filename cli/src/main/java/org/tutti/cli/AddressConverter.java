package org.tutti.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads `HOST:PORT` and replaces a host's name by its literal address, which is what nodes call each other.
final class AddressConverter implements ITypeConverter<Address> {
  private static final int PORT_MAX = 0xffff;

  @Override
  public Address convert(String text) {
    int colon = text.lastIndexOf(':');
    if (colon <= 0 || !text.substring(colon + 1).matches("\\d{1,5}")) {
      throw new TypeConversionException("'" + text + "' is not of the form HOST:PORT");
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    if (port > PORT_MAX) {
      throw new TypeConversionException("'" + text + "' has a port above " + PORT_MAX);
    }
    return of(host(text.substring(0, colon)), port);
  }

  /// The same of what is asked for again and again: null when the host is not known now, and may be later.
  @Nullable Address convertOrWait(String text) {
    try {
      return convert(text);
    } catch (UnknownHost now) {
      return null;
    }
  }

  private static final class UnknownHost extends TypeConversionException {
    private static final long serialVersionUID = 1;

    UnknownHost(String host) {
      super("unknown host '" + host + "'");
    }
  }

  private static InetAddress host(String text) {
    boolean bracketed = text.startsWith("[") && text.endsWith("]");
    try {
      return InetAddress.getByName(bracketed ? text.substring(1, text.length() - 1) : text);
    } catch (UnknownHostException unknown) {
      throw new UnknownHost(text);
    }
  }

  static Address of(InetAddress host, int port) {
    String literal = host.getHostAddress();
    return new Address((literal.indexOf(':') < 0 ? literal : "[" + literal + "]") + ":" + port);
  }
}
