package org.tutti.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import picocli.CommandLine.Option;

/// How a command that only visits a group finds it.
final class ContactOptions {
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
