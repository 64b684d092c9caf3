package org.tutti.cli;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.net.discovery.FileDiscovery;
import org.tutti.net.discovery.HostDiscovery;
import org.tutti.net.discovery.MulticastDiscovery;
import org.tutti.net.discovery.ServiceDiscovery;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.DiscoveryProvider;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// Where a group may be found: what `--join` takes.
sealed interface Contact {
  /// How contacts are written, for help texts.
  String FORMS =
      "HOST:PORT; file:PATH, one HOST:PORT a line; dns:NAME:PORT, all addresses of a name; srv:NAME[@HOST:PORT],"
          + " a service in DNS, asked of that name server; registry:HOST:PORT, as `tutti registry` says;"
          + " rmiregistry:HOST:PORT, a registry of Java RMI; naming:HOST:PORT, CORBA's naming service;"
          + " multicast:GROUP:PORT@INTERFACE, members of one segment.";

  /// As the user wrote it.
  String text();

  /// An address that does not change.
  record At(String text, Address address) implements Contact {}

  /// Something that is asked again and again.
  record Source(String text, Discovery discovery) implements Contact {}

  /// A registry, which is told of members too.
  record Registry(String text, String address) implements Contact {}

  /// A registry of a middleware, which is told of members too.
  record Foreign(String text, DiscoveryProvider kind, Address at) implements Contact {}

  /// Members of a segment that tell each other of themselves.
  record Multicast(String text, Address group, String device) implements Contact {}

  /// Reads contacts.
  final class Converter implements ITypeConverter<Contact> {
    private static final int PORT_MAX = 0xffff;

    @Override
    public Contact convert(String text) {
      int colon = text.indexOf(':');
      String form = text.substring(0, Math.max(0, colon));
      String rest = text.substring(colon + 1);
      return switch (form) {
        case "file" -> new Source(text, new FileDiscovery(Path.of(named(text, rest, "file:PATH"))));
        case "dns" -> new Source(text, host(text, rest));
        case "srv" -> new Source(text, service(text, rest));
        case "registry" -> registry(text, rest);
        case "multicast" -> multicast(text, rest);
        case "rmiregistry", "naming" -> foreign(text, form, rest);
        default -> at(text);
      };
    }

    private static Contact at(String text) {
      Address address = new AddressConverter().convertOrWait(text);
      return address != null ? new At(text, address) : new Source(text, host(text, text));
    }

    private static Discovery host(String text, String rest) {
      String form = text.equals(rest) ? "HOST:PORT" : "dns:NAME:PORT";
      int colon = rest.lastIndexOf(':');
      return new HostDiscovery(
          named(text, rest.substring(0, Math.max(0, colon)), form), port(text, rest.substring(colon + 1), form));
    }

    private static Discovery service(String text, String rest) {
      int at = rest.indexOf('@');
      String form = "srv:NAME or srv:NAME@HOST:PORT";
      @Nullable String server = at < 0 ? null : named(text, rest.substring(at + 1), form);
      if (server != null) {
        port(text, server.substring(server.lastIndexOf(':') + 1), form);
      }
      return new ServiceDiscovery(named(text, at < 0 ? rest : rest.substring(0, at), form), server);
    }

    private static Contact multicast(String text, String rest) {
      int at = rest.indexOf('@');
      String form = "multicast:GROUP:PORT@INTERFACE";
      Address group = new Address(named(text, rest.substring(0, Math.max(0, at)), form));
      String device = named(text, rest.substring(at + 1), form);
      try {
        MulticastDiscovery.onlooker(group, device, "");
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException("'" + text + "' is not of the form " + form + ": " + e.getMessage());
      }
      return new Multicast(text, group, device);
    }

    private static Contact registry(String text, String rest) {
      int colon = rest.lastIndexOf(':');
      named(text, rest.substring(0, Math.max(0, colon)), "registry:HOST:PORT");
      port(text, rest.substring(colon + 1), "registry:HOST:PORT");
      return new Registry(text, rest);
    }

    private static Contact foreign(String text, String form, String rest) {
      DiscoveryProvider kind = DiscoveryProvider.installed().get(form);
      if (kind == null) {
        String module = form.equals("naming") ? "org.tutti.corba" : "org.tutti.rmi";
        throw new TypeConversionException("'" + text + "' needs the module " + module + ", which is not here");
      }
      int colon = rest.lastIndexOf(':');
      named(text, rest.substring(0, Math.max(0, colon)), form + ":HOST:PORT");
      port(text, rest.substring(colon + 1), form + ":HOST:PORT");
      return new Foreign(text, kind, new AddressConverter().convert(rest));
    }

    private static String named(String text, String name, String form) {
      if (name.isBlank()) {
        throw new TypeConversionException("'" + text + "' is not of the form " + form);
      }
      return name;
    }

    private static int port(String text, String port, String form) {
      if (!port.matches("\\d{1,5}") || Integer.parseInt(port) < 1 || Integer.parseInt(port) > PORT_MAX) {
        throw new TypeConversionException("'" + text + "' is not of the form " + form);
      }
      return Integer.parseInt(port);
    }
  }

  /// How a command that only visits a group finds it.
  static final class Options {
    @Option(
        names = "--join",
        required = true,
        arity = "1..*",
        split = ",",
        paramLabel = "WHERE",
        converter = Contact.Converter.class,
        description = {"Addresses of members; one that answers is enough. " + Contact.FORMS})
    List<Contact> join = List.of();

    @Option(
        names = "--listen",
        paramLabel = "HOST:PORT",
        converter = AddressConverter.class,
        description = "Where members reach this one; default: a free port towards the first contact that is found.")
    @Nullable Address listen;
  }
}
