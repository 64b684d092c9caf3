package org.tutti.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.tutti.Service;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Reads the names of services, in lower case.
final class ServiceConverter implements ITypeConverter<Service> {
  static final String NAMES = "unordered, fifo, causal or total";

  @Override
  public Service convert(String text) {
    for (Service service : Service.values()) {
      if (show(service).equals(text)) {
        return service;
      }
    }
    String names = Arrays.stream(Service.values()).map(ServiceConverter::show).collect(Collectors.joining(", "));
    throw new TypeConversionException("'" + text + "' is not a service: " + names);
  }

  static String show(Service service) {
    return service.name().toLowerCase(Locale.ROOT);
  }
}
