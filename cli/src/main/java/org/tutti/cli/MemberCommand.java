package org.tutti.cli;

import java.math.BigInteger;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.Node;
import org.tutti.transport.Address;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti member`: a member that prints views and deliveries until it is stopped.
@Command(
    name = "member",
    customSynopsis = "tutti member --group NAME --listen HOST:PORT (--create | --join WHERE...) [--name N] [OPTION...]",
    description = "Becomes a member of a group; prints views and deliveries until Ctrl-C, then leaves.")
final class MemberCommand implements Callable<Integer> {
  /// Exactly one of the two.
  static final class Beginning {
    @Option(
        names = "--create",
        required = true,
        description = "Start the group with this member alone; or go on with the history that --data knows.")
    boolean create;

    @Option(
        names = "--join",
        required = true,
        arity = "1..*",
        split = ",",
        paramLabel = "WHERE",
        converter = Contact.Converter.class,
        description = {
          "Where members of the group listen; one that answers is enough. Asked again until the group is found.",
          Contact.FORMS
        })
    List<Contact> contacts = List.of();
  }

  @Mixin MemberOptions options = new MemberOptions();

  @Mixin DurabilityOptions keeping = new DurabilityOptions();

  @ArgGroup(
      exclusive = false,
      heading =
          "%nWhat the group is like. Who creates it decides; who joins need not say, and is refused where it"
              + " differs:%n")
  @Nullable GroupOptions founding;

  @Spec private CommandSpec spec = CommandSpec.create();

  @ArgGroup(multiplicity = "1")
  Beginning beginning = new Beginning();

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where other members reach this one; port 0 lets the kernel choose.")
  Address listen = new Address("-");

  @Option(
      names = "--advertise",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description =
          "By which address others reach this member, if not by the one it listens on: behind a forwarded"
              + " port, or with --listen 0.0.0.0:PORT.")
  @Nullable Address advertise;

  @Option(
      names = "--expect",
      split = ",",
      paramLabel = "NAMES",
      description = {
        "With --join: the names of the members that found the group together, this one's among them; or a number,"
            + " 1 to 1000.",
        "Founded when more than half of those named, or as many as the number says, are there and none knows a history"
            + " of it; else this member joins it.",
        "The same at all of them, at the first start and at every later one. A number has to be more than half of all"
            + " members that are ever started so."
      })
  Set<String> expected = Set.of();

  @Option(
      names = "--announce",
      split = ",",
      paramLabel = "WHERE",
      converter = Contact.Converter.class,
      description =
          "Be found there, by a registry of any kind or by multicast; who joins by one of these is found by it anyway.")
  List<Contact> announce = List.of();

  @Override
  public Integer call() throws InterruptedException {
    options.keeping = keeping;
    options.founding = founding != null ? founding : new GroupOptions();
    options.describes = founding != null || keeping.fsync != null;
    options.advertise = advertise;
    options.enrols = true;
    options.announce = announce;
    options.number = number();
    options.expected = options.number > 0 ? Set.of() : expected;
    refuseWhatDoesNotGoTogether();
    var out = new Output();
    try (var session = Session.open("member", options, listen, beginning.contacts, null)) {
      out.line(session.node().self().name() + " listens on " + session.node().self().address());
      out.flush();
      new EventPrinter(session, out).follow(options.timeout);
    }
    return 0;
  }

  /// How many members are expected; 0 when names are, or nobody is.
  private int number() {
    String only = expected.size() == 1 ? expected.iterator().next() : "";
    if (!only.matches("[-+]?[0-9]+")) {
      return 0;
    }
    var number = new BigInteger(only);
    if (number.signum() < 1 || number.bitLength() > Integer.SIZE - 1 || number.intValue() > Node.EXPECTED_MAX) {
      throw new ParameterException(
          spec.commandLine(), "--expect: the number of members is 1 to " + Node.EXPECTED_MAX + ", not " + only);
    }
    return number.intValue();
  }

  private void refuseWhatDoesNotGoTogether() {
    try {
      options.founding.check();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    if (advertise == null && TransportOption.isEverywhere(listen)) {
      throw new ParameterException(
          spec.commandLine(),
          "nobody reaches a member at '" + listen + "': give --advertise HOST:PORT, an address of this host");
    }
    if (advertise != null && (TransportOption.isEverywhere(advertise) || advertise.text().endsWith(":0"))) {
      throw new ParameterException(spec.commandLine(), "nobody reaches a member at '" + advertise + "'");
    }
    for (Contact where : announce) {
      if (where instanceof Contact.At || where instanceof Contact.Source) {
        throw new ParameterException(spec.commandLine(), "nobody can be told at '" + where.text() + "'");
      }
    }
    if (!expected.isEmpty() && beginning.create) {
      throw new ParameterException(
          spec.commandLine(), "--expect goes with --join: who creates the group expects nobody");
    }
    if (!options.expected.isEmpty() && !expected.contains(options.name)) {
      throw new ParameterException(spec.commandLine(), "--expect names this member, too, by its --name");
    }
    try {
      options.config();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
